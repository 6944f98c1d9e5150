/*-------------------------------------------------------------------------
 *
 * test_join_layout.c
 *	  Layouts of join batches, and chunks of columns copied into them.
 *
 * Regions must lie in the body, aligned, apart from each other; a body must be as
 * large as they say, and not larger.  Copies are compared with the chunk row by row.
 * Bodies and chunks are allocated to the byte, for the sanitizers.
 *
 * IDENTIFICATION
 *	  test/unit/test_join_layout.c
 *
 *-------------------------------------------------------------------------
 */
#include "batch/column_batch.h"
#include "batch/join_room.h"
#include "program/program_builder.h"
#include "test_common.h"

static GpustrProgramBuilder builder;
static uint64_t area[4096];

/* A region of a body. */
typedef struct Region
{
	uint64_t	off;
	uint64_t	bytes;
} Region;

typedef struct Regions
{
	int			n;
	Region		region[16 + 3 * (GPUSTR_MAX_COLUMNS + GPUSTR_MAX_RESULT_COLUMNS)];
} Regions;

static const GpustrProgram *
make_program(int32_t constant_bytes)
{
	static char constant[4096];

	gpustr_builder_init(&builder, GPUSTR_ENC_UTF8, area, sizeof(area));
	(void) gpustr_builder_const_text(&builder, GPUSTR_FALSE, constant, constant_bytes);
	CHECK(gpustr_builder_finish(&builder) > 0, "the program fits");
	return (const GpustrProgram *) area;
}

/* A body of so many bytes, of which none has been written. */
static void *
make_body(uint64_t bytes)
{
	void	   *body = aligned_alloc(GPUSTR_BODY_ALIGN, (size_t) bytes);

	if (body == NULL)
		abort();
	memset(body, 0xA5, (size_t) bytes);
	return body;
}

static void
add_region(Regions *regions, uint64_t off, uint64_t bytes)
{
	regions->region[regions->n].off = off;
	regions->region[regions->n].bytes = bytes;
	regions->n++;
}

static void
add_column(Regions *regions, const GpustrColumn *column, int is_text, int32_t nrows, uint64_t bytes)
{
	add_region(regions, column->validity_off, ((uint64_t) nrows + 7) / 8);
	add_region(regions, column->data_off, bytes);
	CHECK(column->data_bytes == bytes, "%u bytes of data, not %llu", column->data_bytes,
		  (unsigned long long) bytes);
	if (is_text)
		add_region(regions, column->offsets_off, 4 * ((uint64_t) nrows + 1));
	else
		CHECK(column->offsets_off == 0, "a column of values has offsets");
}

static void
add_results(Regions *regions, const GpustrBatch *batch, int32_t max_rows,
			const GpustrResultLayout *result)
{
	uint64_t	room = (uint64_t) result->room;
	int32_t		i;

	add_region(regions, batch->recheck_off, 4 * (uint64_t) GPUSTR_BITMAP_WORDS(max_rows));
	add_region(regions, batch->result_off, sizeof(GpustrJoinResult));
	if (result->want_outer)
		add_region(regions, batch->result_outer_off, 4 * room);
	if (result->want_inner)
		add_region(regions, batch->result_inner_off, 4 * room);
	add_region(regions, batch->result_recheck_off, 4 * ((room + 31) / 32));
	for (i = 0; i < result->ncolumns; i++)
		add_column(regions, &batch->result_column[i], result->is_text[i], result->room,
				   result->is_text[i] ? result->text_bytes[i] : 8 * room);
	CHECK((batch->result_outer_off != 0) == (result->want_outer != 0), "outer rows");
	CHECK((batch->result_inner_off != 0) == (result->want_inner != 0), "inner rows");
	CHECK(batch->result_room == result->room, "room %d", batch->result_room);
	CHECK(batch->result_pair == 0 && batch->result_skip == 0, "from the start");
	CHECK(batch->nresult == result->ncolumns, "%d columns", batch->nresult);
	CHECK(batch->selected_off == 0 && batch->nout == 0, "nothing of a scan's results");
}

static int
by_offset(const void *a, const void *b)
{
	const Region *x = (const Region *) a;
	const Region *y = (const Region *) b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* In the body, aligned, apart. */
static void
check_regions(Regions *regions, uint64_t body_bytes)
{
	uint64_t	end = 0;
	int			i;

	qsort(regions->region, (size_t) regions->n, sizeof(Region), by_offset);
	for (i = 0; i < regions->n; i++)
	{
		const Region *region = &regions->region[i];

		CHECK(region->off % GPUSTR_BODY_ALIGN == 0, "at %llu", (unsigned long long) region->off);
		CHECK(region->off >= end, "at %llu, the one before ends at %llu",
			  (unsigned long long) region->off, (unsigned long long) end);
		end = region->off + region->bytes;
	}
	CHECK(end <= body_bytes, "ends at %llu of %llu", (unsigned long long) end,
		  (unsigned long long) body_bytes);
}

static void
random_result(Rng *rng, GpustrResultLayout *result)
{
	int32_t		i;

	memset(result, 0, sizeof(*result));
	result->room = rng_one_in(rng, 4) ? 1 : 1 + rng_below(rng, 3000);
	result->want_outer = rng_below(rng, 2);
	result->want_inner = rng_below(rng, 2);
	result->ncolumns = rng_one_in(rng, 8) ? GPUSTR_MAX_RESULT_COLUMNS : rng_below(rng, 5);
	for (i = 0; i < result->ncolumns; i++)
	{
		result->is_text[i] = (uint8_t) rng_below(rng, 2);
		result->text_bytes[i] = rng_one_in(rng, 4) ? 0 : (uint32_t) rng_below(rng, 5000);
	}
}

static void
check_page_layout(Rng *rng)
{
	const GpustrProgram *program = make_program(rng_below(rng, 2000));
	uint32_t	bytes = (uint32_t) (rng_below(rng, 8) == 0 ? rng_below(rng, 20000) : rng_below(rng, 2000000));
	GpustrResultLayout result;
	GpustrBatch *batch;
	Regions		regions = {0};
	int32_t		pages;
	uint32_t	more;
	void	   *body;

	random_result(rng, &result);
	bytes = (bytes + GPUSTR_BODY_ALIGN) & ~(uint32_t) (GPUSTR_BODY_ALIGN - 1);
	pages = gpustr_layout_join_max_pages(bytes, program->bytes, &result);
	more = bytes + 2 * GPUSTR_PAGE_BYTES;
	CHECK(gpustr_layout_join_max_pages(more, program->bytes, &result) > pages ||
		  bytes < gpustr_layout_result_bytes(&result) + program->bytes + 16384, "pages do not grow");
	if (pages == 0)
		return;
	body = make_body(bytes);
	batch = gpustr_layout_join_pages(body, bytes, program, pages, &result);
	CHECK((void *) batch == body && batch->magic == GPUSTR_BATCH_MAGIC &&
		  batch->kind == GPUSTR_BATCH_PAGES && batch->body_bytes == bytes, "header");
	CHECK(batch->npages == 0 && batch->nrows == 0 && batch->nstaged == 0 &&
		  batch->in_bytes == batch->line_off, "empty");
	CHECK(memcmp((char *) body + batch->program_off, program, program->bytes) == 0, "program");
	add_region(&regions, 0, sizeof(GpustrBatch));
	add_region(&regions, batch->program_off, batch->program_bytes);
	add_region(&regions, batch->page_off, 4 * (uint64_t) pages);
	add_region(&regions, batch->row_start_off, 4 * ((uint64_t) pages + 1));
	add_region(&regions, batch->line_off, 2 * (uint64_t) pages * GPUSTR_PAGE_MAX_ROWS);
	add_results(&regions, batch, pages * GPUSTR_PAGE_MAX_ROWS, &result);
	add_region(&regions, batch->staged_off, (uint64_t) pages * GPUSTR_PAGE_BYTES);
	check_regions(&regions, bytes);

	/* one page more would end past the body */
	{
		uint64_t	each = 4 + 4 + 2 * GPUSTR_PAGE_MAX_ROWS + GPUSTR_PAGE_BYTES;

		CHECK(batch->staged_off + (uint64_t) pages * GPUSTR_PAGE_BYTES + each + 64 * 4 +
			  GPUSTR_PAGE_MAX_ROWS / 8 > bytes, "%d pages leave room for one more", pages);
	}
	free(body);
}

/* Pages are added to such a batch as to any. */
static void
check_added_pages(Rng *rng)
{
	const GpustrProgram *program = make_program(10);
	GpustrResultLayout result;
	uint32_t	bytes = 1 << 20;
	void	   *body = make_body(bytes);
	GpustrBatch *batch;
	uint16_t	lines[GPUSTR_PAGE_MAX_ROWS];
	int32_t		nrows = 0;
	int32_t		nstaged = 0;
	int32_t		pages;
	int32_t		i;

	for (i = 0; i < GPUSTR_PAGE_MAX_ROWS; i++)
		lines[i] = (uint16_t) (i + 1);
	random_result(rng, &result);
	pages = gpustr_layout_join_max_pages(bytes, program->bytes, &result);
	batch = gpustr_layout_join_pages(body, bytes, program, pages, &result);
	for (i = 0; i < pages; i++)
	{
		int32_t		n = rng_one_in(rng, 2) ? GPUSTR_PAGE_MAX_ROWS : rng_below(rng, GPUSTR_PAGE_MAX_ROWS);
		int			staged = rng_below(rng, 2);
		void	   *copy = gpustr_layout_add_page(batch, staged ? -1 : 7 * i, lines, n);

		CHECK((copy != NULL) == (staged != 0), "staged %d", staged);
		if (copy != NULL)
		{
			memset(copy, i, GPUSTR_PAGE_BYTES);
			CHECK(copy == (char *) body + batch->staged_off + (size_t) nstaged * GPUSTR_PAGE_BYTES, "place");
		}
		CHECK(GPUSTR_BODY_PTR(body, batch->page_off, int32_t)[i] == (staged ? -1 - nstaged : 7 * i), "page");
		nstaged += staged;
		nrows += n;
		CHECK(GPUSTR_BODY_PTR(body, batch->row_start_off, int32_t)[i + 1] == nrows, "row_start");
	}
	CHECK(batch->nrows == nrows && batch->nstaged == nstaged && batch->npages == pages, "counts");
	CHECK(batch->in_bytes == batch->line_off + 2 * (uint32_t) nrows, "in_bytes");
	CHECK(memcmp((char *) body + batch->program_off, program, program->bytes) == 0, "program");

	/* again: a new batch with the program as it is there */
	batch = gpustr_layout_join_pages_again(body, bytes, program, pages, &result);
	CHECK(batch->npages == 0 && batch->nrows == 0 && batch->nstaged == 0, "empty again");
	CHECK(memcmp((char *) body + batch->program_off, program, program->bytes) == 0, "program again");
	free(body);
}

/* Memory of just so many bytes; never NULL. */
static void *
exact(size_t bytes)
{
	void	   *memory = malloc(bytes > 0 ? bytes : 1);

	if (memory == NULL)
		abort();
	return memory;
}

static void
random_chunk(Rng *rng, GpustrChunk *chunk)
{
	int			c;
	int32_t		i;

	chunk->nrows = rng_one_in(rng, 5) ? rng_below(rng, 3) : rng_below(rng, 400);
	chunk->ncolumns = rng_one_in(rng, 10) ? GPUSTR_MAX_TABLE_COLUMNS : rng_below(rng, 6);
	for (c = 0; c < chunk->ncolumns; c++)
	{
		GpustrChunkColumn *column = &chunk->column[c];
		size_t		n = (size_t) chunk->nrows;

		memset(column, 0, sizeof(*column));
		column->is_text = rng_below(rng, 2);
		column->validity = exact((n + 7) / 8);
		for (i = 0; i < (chunk->nrows + 7) / 8; i++)
			column->validity[i] = (uint8_t) rng_next(rng);
		if (!column->is_text)
		{
			column->value = exact(8 * n);
			for (i = 0; i < chunk->nrows; i++)
				column->value[i] = (int64_t) ((uint64_t) rng_next(rng) << 32 | rng_next(rng));
			continue;
		}
		column->offsets = exact(4 * (n + 1));
		column->offsets[0] = rng_one_in(rng, 2) ? 0 : rng_below(rng, 1000);
		for (i = 0; i < chunk->nrows; i++)
			column->offsets[i + 1] = column->offsets[i] + test_length(rng, 300);
		column->data = exact((size_t) column->offsets[chunk->nrows]);
		for (i = 0; i < column->offsets[chunk->nrows]; i++)
			column->data[i] = (char) rng_next(rng);
	}
}

static void
free_chunk(GpustrChunk *chunk)
{
	int			c;

	for (c = 0; c < chunk->ncolumns; c++)
	{
		free(chunk->column[c].validity);
		free(chunk->column[c].value);
		free(chunk->column[c].offsets);
		free(chunk->column[c].data);
	}
}

/* Bit i of a bitmap. */
static int
bit(const uint8_t *bits, int32_t i)
{
	return bits[i / 8] >> (i % 8) & 1;
}

/* A column of the batch is rows [from, from + n) of the chunk's. */
static void
check_copy(const GpustrBatch *batch, const GpustrColumn *column, const GpustrChunkColumn *in,
		   int32_t from, int32_t n)
{
	const uint8_t *validity = GPUSTR_BODY_PTR(batch, column->validity_off, const uint8_t);
	const int32_t *offsets = GPUSTR_BODY_PTR(batch, column->offsets_off, const int32_t);
	const char *data = GPUSTR_BODY_PTR(batch, column->data_off, const char);
	int32_t		i;

	for (i = 0; i < n; i++)
		CHECK(bit(validity, i) == bit(in->validity, from + i), "validity of %d from %d", i, from);
	for (; i % 8 != 0; i++)
		CHECK(bit(validity, i) == 0, "a bit past the last");
	if (!in->is_text)
	{
		for (i = 0; i < n; i++)
			CHECK(((const int64_t *) (const void *) data)[i] == in->value[from + i], "value %d", i);
		return;
	}
	CHECK(offsets[0] == 0 && (uint32_t) offsets[n] == column->data_bytes, "offsets");
	for (i = 0; i < n; i++)
	{
		int32_t		len = in->offsets[from + i + 1] - in->offsets[from + i];

		CHECK(offsets[i + 1] - offsets[i] == len &&
			  memcmp(data + offsets[i], in->data + in->offsets[from + i], (size_t) len) == 0, "text %d", i);
	}
}

static void
check_column_batch(Rng *rng)
{
	const GpustrProgram *program = make_program(rng_below(rng, 300));
	GpustrResultLayout layout;
	const GpustrResultLayout *result = rng_below(rng, 2) ? &layout : NULL;
	GpustrChunk chunk;
	GpustrBatch *batch;
	Regions		regions = {0};
	int32_t		from;
	int32_t		n;
	int32_t		fit;
	uint64_t	bytes;
	void	   *body;
	int			c;

	random_chunk(rng, &chunk);
	random_result(rng, &layout);
	from = rng_below(rng, chunk.nrows + 1);
	n = rng_below(rng, chunk.nrows - from + 1);
	bytes = gpustr_column_batch_bytes(program->bytes, &chunk, from, from + n, result);
	CHECK(bytes % GPUSTR_BODY_ALIGN == 0, "%llu bytes", (unsigned long long) bytes);

	/* all rows that fit, and not one more */
	fit = gpustr_column_batch_rows((uint32_t) bytes, program->bytes, &chunk, from, chunk.nrows, result);
	CHECK(fit >= n, "%d rows fit of %d", fit, n);
	CHECK(gpustr_column_batch_bytes(program->bytes, &chunk, from, from + fit, result) <= bytes, "they fit");
	CHECK(from + fit == chunk.nrows ||
		  gpustr_column_batch_bytes(program->bytes, &chunk, from, from + fit + 1, result) > bytes, "one more");
	CHECK(gpustr_column_batch_rows(sizeof(GpustrBatch), program->bytes, &chunk, from, chunk.nrows, result) == 0,
		  "rows in no body");

	body = make_body(bytes);
	batch = gpustr_column_batch_fill(body, (uint32_t) bytes, program, &chunk, from, from + n, result);
	CHECK((void *) batch == body && batch->magic == GPUSTR_BATCH_MAGIC &&
		  batch->kind == GPUSTR_BATCH_COLUMNS && batch->body_bytes == bytes &&
		  batch->nrows == n && batch->ncolumns == chunk.ncolumns, "header");
	CHECK(memcmp((char *) body + batch->program_off, program, program->bytes) == 0, "program");
	add_region(&regions, 0, sizeof(GpustrBatch));
	add_region(&regions, batch->program_off, batch->program_bytes);
	for (c = 0; c < chunk.ncolumns; c++)
	{
		const GpustrChunkColumn *in = &chunk.column[c];

		add_column(&regions, &batch->column[c], in->is_text, n,
				   in->is_text ? (uint64_t) (in->offsets[from + n] - in->offsets[from]) : 8 * (uint64_t) n);
		check_copy(batch, &batch->column[c], in, from, n);
	}
	for (c = 0; c < regions.n; c++)
		CHECK(regions.region[c].off + regions.region[c].bytes <= batch->in_bytes, "input past in_bytes");
	if (result != NULL)
		add_results(&regions, batch, n, result);
	else
		add_region(&regions, batch->table_off, sizeof(GpustrTableResult));
	CHECK(result != NULL || (batch->result_off | batch->selected_off | batch->recheck_off) == 0, "results of a BUILD");
	check_regions(&regions, bytes);
	free(body);
	free_chunk(&chunk);
}

/* Results that a batch of 'units' has: n rows, each text of so many bytes. */
static void
note_results(GpustrJoinRoom *room, int32_t units, int32_t n, int32_t text_bytes)
{
	const GpustrProgram *program = make_program(0);
	GpustrChunk none = {0};
	GpustrResultLayout layout;
	GpustrBatch *batch;
	GpustrJoinResult *result;
	uint64_t	bytes;
	int32_t		i;
	int32_t		c;

	gpustr_join_room_layout(room, units, 0, &layout);
	layout.room = n > 0 ? n : 1;
	for (c = 0; c < layout.ncolumns; c++)
		layout.text_bytes[c] = layout.is_text[c] ? (uint32_t) (n * text_bytes) : 0;
	bytes = gpustr_column_batch_bytes(program->bytes, &none, 0, 0, &layout);
	batch = gpustr_column_batch_fill(make_body(bytes), (uint32_t) bytes, program, &none, 0, 0, &layout);
	result = GPUSTR_BODY_PTR(batch, batch->result_off, GpustrJoinResult);
	result->nrows = n;
	for (c = 0; c < layout.ncolumns; c++)
	{
		if (!layout.is_text[c])
			continue;
		for (i = 0; i <= n; i++)
			GPUSTR_BODY_PTR(batch, batch->result_column[c].offsets_off, int32_t)[i] = i * text_bytes;
	}
	gpustr_join_room_note(room, batch, units, (uint64_t) n);
	free(batch);
}

/* Room follows what batches need, up at once, down after some time. */
static void
check_room(Rng *rng)
{
	GpustrJoinRoom room;
	GpustrResultLayout first;
	GpustrResultLayout layout;
	int32_t		units = 1 + rng_below(rng, 100);
	int32_t		rows = rng_below(rng, 200);
	int32_t		bytes = rng_below(rng, 100);
	int32_t		i;
	int32_t		c;

	random_result(rng, &first);
	gpustr_join_room_init(&room, &first, units);
	gpustr_join_room_layout(&room, units, 0, &layout);
	CHECK(layout.room >= first.room - units && layout.want_outer == first.want_outer &&
		  layout.want_inner == first.want_inner && layout.ncolumns == first.ncolumns, "first layout");
	for (c = 0; c < first.ncolumns; c++)
		CHECK(layout.is_text[c] == first.is_text[c] && (layout.text_bytes[c] > 0) == (first.is_text[c] != 0),
			  "kind of column %d", c);

	note_results(&room, units, units * rows, bytes);
	gpustr_join_room_layout(&room, units, 0, &layout);
	CHECK(layout.room >= 2 * units * rows, "room %d for %d rows", layout.room, units * rows);
	for (c = 0; c < first.ncolumns; c++)
		CHECK(!first.is_text[c] || rows == 0 ||
			  layout.text_bytes[c] >= (uint32_t) (units * rows * bytes * 2), "%u bytes", layout.text_bytes[c]);
	for (i = 0; i < OUTPUT_ROOM_BATCHES; i++)
		note_results(&room, units, units, 1);
	gpustr_join_room_layout(&room, units, 0, &layout);
	CHECK(layout.room <= (units * 16 > 64 ? units * 16 : 64), "room %d is forgotten", layout.room);
	for (c = 0; c < first.ncolumns; c++)
		CHECK(layout.text_bytes[c] <= (uint32_t) (units * 8 * 16 > 8192 ? units * 8 * 16 : 8192),
			  "%u bytes are forgotten", layout.text_bytes[c]);

	/* as little as can be */
	gpustr_join_room_layout(&room, units, GPUSTR_JOIN_ROOM_LEAST_SCALE, &layout);
	CHECK(layout.room == 1, "room %d", layout.room);
}

/* A text of so many bytes, where others are shorter, has room after some attempts. */
static void
check_enlarge(Rng *rng)
{
	GpustrResultLayout layout;
	uint64_t	other = (uint64_t) rng_below(rng, 1000000);
	uint64_t	most = (uint64_t) rng_below(rng, 100000000);
	uint64_t	need = (uint64_t) rng_below(rng, 10000000);
	int32_t		ntexts = 0;
	int			attempts = 0;
	int			has_room = 0;
	int			more = 1;
	int32_t		wide;
	int32_t		c;

	random_result(rng, &layout);
	for (c = 0; c < layout.ncolumns; c++)
		ntexts += layout.is_text[c];
	wide = layout.ncolumns > 0 ? rng_below(rng, layout.ncolumns) : -1;
	if (wide < 0 || !layout.is_text[wide])
	{
		CHECK(ntexts > 0 || !gpustr_join_room_enlarge(&layout, other, most), "texts of no column");
		return;
	}
	while (!(has_room = layout.text_bytes[wide] >= need) && more && attempts++ < 100)
	{
		more = gpustr_join_room_enlarge(&layout, other, most);
		CHECK(!more || other + gpustr_layout_result_bytes(&layout) <= most, "more than a body");
	}
	CHECK(attempts < 100, "no end");

	/* all that there is would not do for all, with what else there may be */
	CHECK(has_room || other + (uint64_t) ntexts * (need + 3000 * 8) + 400000 > most, "room for %llu of %llu",
		  (unsigned long long) need, (unsigned long long) most);
}

/* Bytes of a body that has so many beside results. */
static uint64_t
bytes_beside(const void *arg, const GpustrResultLayout *layout)
{
	return *(const uint64_t *) arg + gpustr_layout_result_bytes(layout);
}

/* A body has room that fits into it, and the session's own one grows, but not at once. */
static void
check_pieces(Rng *rng)
{
	GpustrJoinRoom room;
	GpustrResultLayout layout;
	uint64_t	other = (uint64_t) rng_below(rng, 1000000);
	uint64_t	own = 1 + (uint64_t) rng_below(rng, 3000000);
	uint64_t	bytes = own;
	int32_t		pieces;

	random_result(rng, &layout);
	gpustr_join_room_init(&room, &layout, 1);
	gpustr_join_room_fit(&room, 1, other + 1000000, bytes_beside, &other, &layout);
	CHECK(bytes_beside(&other, &layout) <= other + 1000000, "more than a body");
	for (pieces = 0; pieces < 4; pieces++)
		CHECK(gpustr_join_room_own_bytes(own, pieces) == own, "grows after %d pieces", pieces);
	for (; pieces < 20; pieces++)
	{
		uint64_t	next = gpustr_join_room_own_bytes(bytes, pieces);

		CHECK(next == 4 * bytes || next == 64 * 1024 * 1024, "%llu bytes", (unsigned long long) next);
		bytes = next;
	}
	CHECK(bytes == 64 * 1024 * 1024, "%llu bytes in the end", (unsigned long long) bytes);
	CHECK(gpustr_join_room_own_bytes(bytes + own, 20) == bytes + own, "a larger one shrinks");
}

/* A layout that is read back is the same. */
static void
check_read_back(Rng *rng)
{
	const GpustrProgram *program = make_program(0);
	GpustrChunk none = {0};
	GpustrResultLayout layout;
	GpustrResultLayout back;
	GpustrBatch *batch;
	uint64_t	bytes;
	int32_t		c;

	random_result(rng, &layout);
	bytes = gpustr_column_batch_bytes(program->bytes, &none, 0, 0, &layout);
	batch = gpustr_column_batch_fill(make_body(bytes), (uint32_t) bytes, program, &none, 0, 0, &layout);
	gpustr_join_room_of_batch(batch, &back);
	CHECK(back.room == layout.room && back.want_outer == layout.want_outer &&
		  back.want_inner == layout.want_inner && back.ncolumns == layout.ncolumns, "read back");
	for (c = 0; c < layout.ncolumns; c++)
		CHECK(back.is_text[c] == layout.is_text[c] &&
			  back.text_bytes[c] == (layout.is_text[c] ? layout.text_bytes[c] : 0), "column %d", c);
	free(batch);
}

int
main(void)
{
	Rng			rng = rng_make(test_seed());
	int			rounds = test_rounds(2000);
	int			i;

	for (i = 0; i < rounds; i++)
		check_page_layout(&rng);
	test_done("page batches: regions");
	for (i = 0; i < rounds / 50 + 1; i++)
		check_added_pages(&rng);
	test_done("page batches: pages are added");
	for (i = 0; i < rounds; i++)
		check_column_batch(&rng);
	test_done("column batches: regions and copies of chunks");
	for (i = 0; i < rounds; i++)
	{
		check_room(&rng);
		check_read_back(&rng);
	}
	test_done("room for results follows what is needed");
	for (i = 0; i < rounds; i++)
		check_enlarge(&rng);
	check_pieces(&rng);
	test_done("room for one row");
	return test_exit();
}
