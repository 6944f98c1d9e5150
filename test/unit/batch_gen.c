/*-------------------------------------------------------------------------
 *
 * batch_gen.c
 *	  Random batches with random programs, and what they must give.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/batch_layout.h"
#include "batch_gen_work.h"

/* Remember value i of the row that is being made. */
static void
keep_value(GenBatch *gen, int32_t i, HeapGenState state, const char *text, int32_t len)
{
	size_t		n = (size_t) gen->nrows * (size_t) gen->nvalues + (size_t) i;

	if (n >= gen->value_room)
	{
		gen->value_room = n * 2 + 1024;
		gen->value = realloc(gen->value, gen->value_room * sizeof(GenValue));
	}
	if (state != HEAP_GEN_VALUE)
		len = 0;
	if (gen->text_bytes + (size_t) len > gen->text_room)
	{
		gen->text_room = (gen->text_bytes + (size_t) len) * 2 + 65536;
		gen->text = realloc(gen->text, gen->text_room);
	}
	gen->value[n].state = state;
	gen->value[n].len = len;
	gen->value[n].off = (uint32_t) gen->text_bytes;
	if (len > 0)
		memcpy(gen->text + gen->text_bytes, text, (size_t) len);
	gen->text_bytes += (size_t) len;
}

/* At times replace a text by one of the samples, or by "public". */
static void
vary_value(GenWork *work, HeapGenValue *value)
{
	int			i = rng_below(work->rng, GEN_SAMPLES);

	if (value->state != HEAP_GEN_VALUE || rng_one_in(work->rng, 2))
		return;
	if (rng_one_in(work->rng, 3))
	{
		memcpy(value->text, "public", 6);
		value->len = 6;
		return;
	}
	memcpy(value->text, work->sample[i], (size_t) work->sample_bytes[i]);
	value->len = work->sample_bytes[i];
}

/* Fill a page with rows; returns how many of its lines are "visible". */
static int32_t
make_page(GenWork *work, char *page, uint16_t *lines)
{
	static HeapGenValue values[HEAP_GEN_MAX_ATTRS];
	GenBatch   *gen = work->gen;
	Rng		   *rng = work->rng;
	int32_t		n = 0;
	int			most = rng_one_in(rng, 4) ? rng_below(rng, 10) : GPUSTR_PAGE_MAX_ROWS;

	heap_gen_page_init(page);
	while (n < most)
	{
		int32_t		natts = rng_one_in(rng, 4) ? 1 + rng_below(rng, work->table.nattrs) : work->table.nattrs;
		uint16_t	line;
		int32_t		i;

		if (rng_one_in(rng, 60))
		{
			line = heap_gen_page_add_broken(rng, page);
			for (i = 0; i < gen->nvalues; i++)
				values[i].state = HEAP_GEN_BROKEN;
		}
		else
		{
			for (i = 0; i < natts; i++)
			{
				heap_gen_value(rng, &work->table, i, work->letters, &values[i]);
				if (work->table.attr[i].len == -1 && !work->table.numeric[i])
					vary_value(work, &values[i]);
			}
			line = heap_gen_page_add(rng, page, &work->table, values, natts);
		}
		if (line == 0)
			break;
		if (rng_one_in(rng, 5))
			continue;			/* not visible */
		for (i = 0; i < gen->nvalues; i++)
			keep_value(gen, i, values[i].state, values[i].text, values[i].len);
		gen->nrows++;
		lines[n++] = line;
	}
	return n;
}

/* At times leave an output column less room, or none. */
static void
vary_rooms(GenWork *work)
{
	GpustrBatch *batch = work->gen->batch;
	int32_t		i;

	for (i = 0; i < batch->nout; i++)
	{
		GpustrColumn *column = &batch->out_column[i];

		if (rng_one_in(work->rng, 4))
			column->data_bytes = (uint32_t) rng_below(work->rng, (int32_t) column->data_bytes + 1);
		else if (rng_one_in(work->rng, 10))
			column->data_bytes = (uint32_t) rng_below(work->rng, 40);
	}
}

static void
make_pages(GenWork *work, const GenOptions *options, void *body, uint32_t body_bytes, int32_t nout)
{
	GenBatch   *gen = work->gen;
	Rng		   *rng = work->rng;
	char		page[GPUSTR_PAGE_BYTES];
	uint16_t	lines[GPUSTR_PAGE_MAX_ROWS];
	uint32_t	out_page_bytes = 64u << rng_below(rng, 10);
	int32_t		max_pages;
	int32_t		next_block = 0;
	int32_t		n;

	/* give up room for pages, if need be */
	while ((max_pages = gpustr_layout_max_pages(body_bytes, work->builder.used, nout, out_page_bytes)) == 0 &&
		   nout > 0 && out_page_bytes > 64)
		out_page_bytes /= 2;
	if (max_pages > options->max_pages)
		max_pages = options->max_pages;
	gen->batch = gpustr_layout_pages(body, body_bytes, (const GpustrProgram *) work->program, max_pages,
									 nout, out_page_bytes);
	for (n = rng_below(rng, max_pages + 1); n > 0; n--)
	{
		int32_t		nlines = make_page(work, page, lines);

		next_block += rng_below(rng, 3);
		if (options->blocks != NULL && next_block < options->nblocks && !rng_one_in(rng, 4))
		{
			(void) gpustr_layout_add_page(gen->batch, next_block, lines, nlines);
			memcpy((char *) options->blocks + (size_t) next_block * GPUSTR_PAGE_BYTES, page, sizeof(page));
			next_block++;
		}
		else
			memcpy(gpustr_layout_add_page(gen->batch, -1, lines, nlines), page, sizeof(page));
	}
}

/* Bytes of an output column that the layout of a column batch does not place. */
static uint64_t
more_output_bytes(int32_t nrows, uint64_t out_bytes)
{
	return GPUSTR_BODY_ALIGN_UP((nrows + 7) / 8) + GPUSTR_BODY_ALIGN_UP(4 * (nrows + 1)) +
		GPUSTR_BODY_ALIGN_UP(out_bytes);
}

/* Add output columns, from 'at' on, up to nout. */
static void
add_output_columns(GpustrBatch *batch, uint64_t at, int32_t nout, uint64_t out_bytes)
{
	for (; batch->nout < nout; batch->nout++)
	{
		GpustrColumn *column = &batch->out_column[batch->nout];

		column->validity_off = (uint32_t) at;
		column->offsets_off = column->validity_off + GPUSTR_BODY_ALIGN_UP((batch->nrows + 7) / 8);
		column->data_off = column->offsets_off + GPUSTR_BODY_ALIGN_UP(4 * (batch->nrows + 1));
		column->data_bytes = (uint32_t) out_bytes;
		at += more_output_bytes(batch->nrows, out_bytes);
	}
}

static void
make_columns(GenWork *work, int32_t max_rows, void *body, uint32_t body_bytes, int32_t nout)
{
	static HeapGenValue value;
	GenBatch   *gen = work->gen;
	const GpustrProgram *program = (const GpustrProgram *) work->program;
	int32_t		wanted = rng_below(work->rng, max_rows + 1);
	uint64_t	data_bytes[GEN_MAX_COLUMNS] = {0};
	int32_t		used[GEN_MAX_COLUMNS] = {0};
	uint64_t	out_bytes = nout > 0 ? 1 : 0;
	int32_t		nmore = nout > 0 ? nout - 1 : 0;
	uint64_t	laid_out;
	int32_t		row;
	int32_t		i;

	/* rows, as many as fit */
	while (gen->nrows < wanted)
	{
		uint64_t	out_add = 0;

		for (i = 0; i < work->ncolumns; i++)
		{
			heap_gen_value(work->rng, &work->table, 0, work->letters, &value);
			if (value.state == HEAP_GEN_TOASTED)
				value.state = HEAP_GEN_NULL;
			vary_value(work, &value);
			keep_value(gen, i, value.state, value.text, value.len);
			data_bytes[i] += value.state == HEAP_GEN_VALUE ? (uint64_t) value.len : 0;
			if (nout > 0 && (uint64_t) value.len + 3 > out_add)
				out_add = (uint64_t) value.len + 3;
		}
		out_bytes += out_add;
		gen->nrows++;
		laid_out = gpustr_layout_columns_bytes(program->bytes, gen->nrows, work->ncolumns, data_bytes, out_bytes);
		if (laid_out + (uint64_t) nmore * more_output_bytes(gen->nrows, out_bytes) > body_bytes)
		{
			gen->nrows--;
			out_bytes -= out_add;
			break;
		}
	}
	memset(data_bytes, 0, sizeof(data_bytes));
	for (row = 0; row < gen->nrows; row++)
		for (i = 0; i < work->ncolumns; i++)
			data_bytes[i] += (uint64_t) gen->value[row * gen->nvalues + i].len;
	gen->batch = gpustr_layout_columns(body, body_bytes, program, gen->nrows, work->ncolumns,
									   data_bytes, out_bytes);
	laid_out = gpustr_layout_columns_bytes(program->bytes, gen->nrows, work->ncolumns, data_bytes, out_bytes);
	add_output_columns(gen->batch, laid_out, nout, out_bytes);
	for (i = 0; i < work->ncolumns; i++)
	{
		const GpustrColumn *column = &gen->batch->column[i];
		unsigned char *validity = GPUSTR_BODY_PTR(body, column->validity_off, unsigned char);
		int32_t    *offsets = GPUSTR_BODY_PTR(body, column->offsets_off, int32_t);
		char	   *data = GPUSTR_BODY_PTR(body, column->data_off, char);

		memset(validity, 0, ((size_t) gen->nrows + 7) / 8);
		for (row = 0; row < gen->nrows; row++)
		{
			const GenValue *from = &gen->value[row * gen->nvalues + i];

			offsets[row] = used[i];
			if (from->len > 0)
				memcpy(data + used[i], gen->text + from->off, (size_t) from->len);
			used[i] += from->len;
			if (from->state == HEAP_GEN_VALUE)
				validity[row / 8] |= (unsigned char) (1 << (row % 8));
		}
		offsets[gen->nrows] = used[i];
	}
}

GenBatch *
gen_batch(Rng *rng, const GenOptions *options, void *body, uint32_t body_bytes)
{
	static GenWork work;
	GenBatch   *gen = calloc(1, sizeof(GenBatch));
	int			pages = options->kind != 0 ? options->kind == GPUSTR_BATCH_PAGES : rng_one_in(rng, 2);
	int			output = pages ? options->output_pages && rng_one_in(rng, 2) : !rng_one_in(rng, 3);
	int32_t		nout = !output ? 0 : rng_one_in(rng, 2) ? 1 : 1 + rng_below(rng, GPUSTR_MAX_OUT_COLUMNS);
	int			select = !output || rng_one_in(rng, 2);
	int			i;

	memset(&work, 0, sizeof(work));
	work.rng = rng;
	work.gen = gen;
	work.text_functions = options->text_functions;
	gen->encoding = rng_below(rng, 2);
	gen->body_bytes = body_bytes;
	work.letters = gen->encoding == GPUSTR_ENC_UTF8 ? TEST_ALL_LETTERS : TEST_ASCII_LETTERS;
	if (rng_one_in(rng, 4))
		work.letters = 2;
	for (i = 0; i < GEN_SAMPLES; i++)
		work.sample_bytes[i] = test_text(rng, work.sample[i], test_length(rng, GEN_SAMPLE_BYTES), work.letters);
	work.text_attr = heap_gen_table(rng, &work.table);
	if (pages)
		gen->nvalues = work.table.nattrs;
	else
	{
		work.ncolumns = 1 + rng_below(rng, GEN_MAX_COLUMNS);
		gen->nvalues = work.ncolumns;
		work.table.attr[0].len = -1;	/* a column is like a text attribute */
		work.table.numeric[0] = 0;
	}
	if (gen_program(&work, pages, select, nout) == 0)
	{
		printf("# the program does not fit\n");
		exit(2);
	}
	if (pages)
		make_pages(&work, options, body, body_bytes, nout);
	else
		make_columns(&work, options->max_rows, body, body_bytes, nout);
	vary_rooms(&work);
	gen_poison(gen->batch, (int) (rng_next(rng) & 0xFF));
	return gen;
}

void
gen_free(GenBatch *gen)
{
	int32_t		i;

	for (i = 0; i < gen->nsteps; i++)
	{
		gen_dfa_free(gen->step[i].dfa);
		free(gen->step[i].constant);
	}
	free(gen->value);
	free(gen->text);
	free(gen);
}

void
gen_print(const GenBatch *gen)
{
	int32_t		i;

	printf("# %s batch, %d rows, encoding %d\n",
		   gen->batch->kind == GPUSTR_BATCH_PAGES ? "page" : "column", gen->nrows, gen->encoding);
	for (i = 0; i < gen->nsteps; i++)
	{
		const GenStep *step = &gen->step[i];

		printf("#   step %d: op %d out %d in %d %d %d aux %d attr %d number %lld \"%.*s\"\n", i, (int) step->op,
			   step->out, step->in0, step->in1, step->in2, step->aux, step->attr, (long long) step->number[0],
			   step->value_bytes, step->value);
	}
}
