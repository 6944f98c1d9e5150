/*-------------------------------------------------------------------------
 *
 * batch_gen_join_build.c
 *	  Random joins: the requests.
 *
 * IDENTIFICATION
 *	  test/unit/batch_gen_join_build.c
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>

#include "batch/batch_layout.h"
#include "heap_gen.h"
#include "join_gen.h"
#include "rowfn/hash_key.h"

#define PROGRAM_BYTES 65536
#define MAX_BATCHES 8			/* of a table */

/* A program in the making; regs[r][c] has column c of relation r in the space at hand. */
typedef struct Making
{
	GpustrProgramBuilder builder;
	uint64_t	area[PROGRAM_BYTES / 8];
	uint16_t	regs[GEN_JOIN_MAX_RELATIONS][GEN_JOIN_MAX_COLUMNS];
} Making;

static Making making;

static void *
make_body(uint64_t bytes)
{
	return aligned_alloc(GPUSTR_BODY_ALIGN, (size_t) GPUSTR_BODY_ALIGN_UP(bytes > 0 ? bytes : 1));
}

static const GpustrProgram *
finish_program(void)
{
	if (gpustr_builder_finish(&making.builder) == 0)
	{
		printf("# the program does not fit\n");
		exit(2);
	}
	return (const GpustrProgram *) making.area;
}

static void
begin_program(int encoding)
{
	gpustr_builder_init(&making.builder, encoding, making.area, PROGRAM_BYTES);
}

/* The input columns of rows first to first + n - 1 of a relation. */
static void
describe_columns(const GenRelation *relation, int32_t first, int32_t n, GpustrInputLayout *columns)
{
	int32_t		row;
	int			c;

	for (c = 0; c < relation->ncolumns; c++)
	{
		columns[c].is_text = gen_join_is_text(relation->kind[c]);
		columns[c].bytes = 0;
		for (row = first; row < first + n; row++)
			columns[c].bytes += (uint64_t) gen_join_cell(relation, row, c)->len;
	}
}

static void
fill_columns(GpustrBatch *batch, const GenRelation *relation, int32_t first, int32_t n)
{
	int32_t		r;
	int			c;

	for (c = 0; c < relation->ncolumns; c++)
	{
		const GpustrColumn *column = &batch->column[c];
		unsigned char *validity = GPUSTR_BODY_PTR(batch, column->validity_off, unsigned char);
		int32_t    *offsets = GPUSTR_BODY_PTR(batch, column->offsets_off, int32_t);
		int32_t		end = 0;

		memset(validity, 0, (size_t) (n + 7) / 8);
		if (column->offsets_off != 0)
			offsets[0] = 0;
		for (r = 0; r < n; r++)
		{
			const GenCell *cell = gen_join_cell(relation, first + r, c);

			if (cell->state == GPUSTR_FALSE)
				validity[r / 8] = (unsigned char) (validity[r / 8] | 1 << (r % 8));
			if (column->offsets_off == 0)
				GPUSTR_BODY_PTR(batch, column->data_off, int64_t)[r] = cell->value;
			else
			{
				if (cell->len > 0)
					memcpy(GPUSTR_BODY_PTR(batch, column->data_off, char) + end,
						   relation->text + cell->off, (size_t) cell->len);
				end += cell->len;
				offsets[r + 1] = end;
			}
		}
	}
}

/* Registers of all input columns. */
static void
load_columns(const GenRelation *relation, int r)
{
	int			c;

	for (c = 0; c < relation->ncolumns; c++)
		making.regs[r][c] = gen_join_is_text(relation->kind[c]) ? gpustr_builder_column(&making.builder, c) :
			gpustr_builder_column_value(&making.builder, c);
}

/* The register of an input column, or one that a step has made of it: what is in it is the same. */
static uint16_t
same_column(Rng *rng, int is_text, uint16_t reg)
{
	if (!rng_one_in(rng, 5))
		return reg;
	return gpustr_builder_choose(&making.builder, is_text ? GPUSTR_OP_CHOOSE_TEXT : GPUSTR_OP_CHOOSE_VALUE,
								 gpustr_builder_const(&making.builder, GPUSTR_TRUE), reg, reg);
}

/* A request that brings rows first to first + n - 1 of table p, or finishes it. */
static void *
make_build(Rng *rng, const GenJoin *join, int p, int32_t load, int32_t first, int32_t n, int finish)
{
	const GenRelation *table = &join->relation[p + 1];
	const GpustrProbe *probe = &join->probes[p].probe;
	GpustrInputLayout columns[GEN_JOIN_MAX_COLUMNS];
	uint64_t	memory[(sizeof(GpustrTableBuild) + GEN_JOIN_MAX_COLUMNS * sizeof(GpustrTableColumn)) / 8];
	GpustrTableBuild *build = (GpustrTableBuild *) memory;
	const GpustrProgram *program;
	GpustrBatch *batch;
	uint64_t	bytes;
	int			ncolumns = finish ? 0 : table->ncolumns;
	int			i;

	memset(memory, 0, sizeof(memory));
	begin_program(join->encoding);
	if (!finish)
		load_columns(table, p + 1);
	build->table = probe->table;
	build->nrows = table->nrows;
	build->first_row = first;
	build->finish = finish;
	build->ncolumns = table->ncolumns;
	build->nkeys = probe->nkeys;
	build->hash_bits = probe->hash_bits;
	build->load = load;
	for (i = 0; i < probe->nkeys; i++)
	{
		build->key_kind[i] = probe->key_kind[i];
		build->key_column[i] = (uint16_t) join->probes[p].key_column[i];
	}
	for (i = 0; i < table->ncolumns; i++)
	{
		GpustrTableColumn *column = &build->column[i];
		int32_t		row;

		column->is_text = (uint16_t) gen_join_is_text(table->kind[i]);
		column->reg = finish ? 0 : same_column(rng, column->is_text, making.regs[p + 1][i]);
		for (row = 0; row < table->nrows; row++)
		{
			if (row < first)
				column->first_byte += (uint64_t) gen_join_cell(table, row, i)->len;
			column->bytes += (uint64_t) gen_join_cell(table, row, i)->len;
		}
	}
	gpustr_builder_build(&making.builder, build);
	program = finish_program();
	describe_columns(table, first, n, columns);
	bytes = gpustr_layout_join_columns_bytes(program->bytes, n, ncolumns, columns, NULL);
	batch = gpustr_layout_join_columns(make_body(bytes), (uint32_t) bytes, program, n, ncolumns, columns, NULL);
	if (!finish)
		fill_columns(batch, table, first, n);
	return batch;
}

/* All requests for a table: of some rows each, in any order, and the last. */
static void
build_table(Rng *rng, GenJoin *join, int p)
{
	int32_t		nrows = join->relation[p + 1].nrows;
	int32_t		load = rng_one_in(rng, 3) ? 1 + rng_below(rng, 100) : 50;
	void	  **out = &join->build[join->nbuilds];
	int32_t		first = 0;
	int			n = 0;
	int			i;

	while (first < nrows || (n == 0 && rng_one_in(rng, 2)))
	{
		int32_t		rows = n == MAX_BATCHES - 1 || rng_one_in(rng, 3) ? nrows - first : rng_below(rng, nrows - first + 1);

		out[n++] = make_build(rng, join, p, load, first, rows, 0);
		first += rows;
	}
	for (i = n - 1; i > 0; i--)
	{
		int			j = rng_below(rng, i + 1);
		void	   *other = out[i];

		out[i] = out[j];
		out[j] = other;
	}
	out[n++] = make_build(rng, join, p, load, nrows, 0, 1);
	join->nbuilds += n;
}

/* The register of a variable in the space at hand. */
static uint16_t
register_of(const GenVariable *v)
{
	GpustrTruth state = (GpustrTruth) v->constant.state;

	if (v->relation >= 0)
		return making.regs[v->relation][v->column];
	if (gen_join_is_text(v->kind))
		return gpustr_builder_const_text(&making.builder, state, v->bytes, v->constant.len);
	return gpustr_builder_const_value(&making.builder, state, v->constant.value);
}

static uint16_t
make_null_test(int is_text, uint16_t reg)
{
	return gpustr_builder_test(&making.builder, is_text ? GPUSTR_OP_NULL_TEXT : GPUSTR_OP_NULL_VALUE, reg);
}

static uint16_t
make_term(const GenTerm *term)
{
	uint16_t	reg;
	uint16_t	number;

	if (term->test == GPUSTR_OP_CONST)
		return gpustr_builder_const(&making.builder, term->truth);
	reg = register_of(&term->variable);
	if (term->test != GPUSTR_OP_COMPARE_VALUE)
		return make_null_test(term->test == GPUSTR_OP_NULL_TEXT, reg);
	reg = gpustr_builder_cast(&making.builder, GPUSTR_CAST_INT_TO_INT2, reg);
	number = gpustr_builder_const_value(&making.builder, GPUSTR_FALSE, term->number);
	return gpustr_builder_compare(&making.builder, GPUSTR_OP_COMPARE_VALUE, GPUSTR_REL_LT,
								  GPUSTR_ORDER_INT, reg, number);
}

static uint16_t
make_condition(const GenCondition *condition)
{
	uint16_t	reg = 0;
	int			i;

	if (condition->nterms == 0)
		return gpustr_builder_const(&making.builder, GPUSTR_TRUE);
	for (i = 0; i < condition->nterms; i++)
	{
		uint16_t	term = make_term(&condition->term[i]);

		if (condition->term[i].negated)
			term = gpustr_builder_test(&making.builder, GPUSTR_OP_NOT, term);
		reg = i == 0 ? term : gpustr_builder_binary(&making.builder, condition->term[i].op, reg, term);
	}
	return reg;
}

/* The first condition: recheck where what goes on is. */
static uint16_t
make_first_condition(const GenJoin *join)
{
	uint16_t	reg = make_condition(&join->probes[0].condition);
	int			i;

	for (i = join->relation[0].ncolumns - 1; i >= 0; i--)
		if (gen_join_goes_on(join, i))
		{
			uint16_t	is_null = make_null_test(gen_join_is_text(join->relation[0].kind[i]), making.regs[0][i]);
			uint16_t	known = gpustr_builder_binary(&making.builder, GPUSTR_OP_OR, is_null,
													  gpustr_builder_test(&making.builder, GPUSTR_OP_NOT, is_null));

			reg = gpustr_builder_binary(&making.builder, GPUSTR_OP_AND, known, reg);
		}
	return reg;
}

/* PROBE p, and the registers of the space behind it. */
static void
make_probe(GenJoin *join, int p)
{
	GenProbe   *probe = &join->probes[p];
	uint16_t	condition = p == 0 ? make_first_condition(join) : make_condition(&probe->condition);
	uint16_t	regs[GEN_JOIN_MAX_RELATIONS][GEN_JOIN_MAX_COLUMNS] = {{0}};
	int			i;

	for (i = 0; i < probe->probe.nkeys; i++)
		probe->probe.key_reg[i] = register_of(&probe->key[i]);
	gpustr_builder_probe(&making.builder, condition, &probe->probe);
	for (i = 0; i < join->nlive[p + 1]; i++)
	{
		const GenVariable *v = &join->live[p + 1][i];
		int			is_text = gen_join_is_text(v->kind);

		regs[v->relation][v->column] = v->relation == p + 1 ? gpustr_builder_inner(&making.builder, is_text, v->column) :
			gpustr_builder_gather(&making.builder, is_text, making.regs[v->relation][v->column]);
	}
	memcpy(making.regs, regs, sizeof(regs));
}

/* What an attribute of the heap is, for a column of this kind. */
static GpustrAttr
attribute_of(int kind)
{
	GpustrAttr	attr;

	memset(&attr, 0, sizeof(attr));
	attr.len = gen_join_is_text(kind) ? -1 : kind == ROWFN_KEY_WORD || kind == GEN_JOIN_SMALL ? 4 : 8;
	attr.align = attr.len == 8 ? 8 : 4;
	return attr;
}

/* Registers of all attributes of the heap. */
static void
load_attributes(const GenRelation *outer)
{
	int			c;

	for (c = 0; c < outer->ncolumns; c++)
	{
		GpustrAttr	attr = attribute_of(outer->kind[c]);

		gpustr_builder_attr(&making.builder, attr.len, attr.align, 0, NULL, 0);
	}
	for (c = 0; c < outer->ncolumns; c++)
	{
		int			kind = outer->kind[c];

		if (gen_join_is_text(kind))
			making.regs[0][c] = gpustr_builder_decode_text(&making.builder, c + 1);
		else
			making.regs[0][c] = gpustr_builder_decode_value(&making.builder, c + 1,
															kind == ROWFN_KEY_FLOAT ? GPUSTR_VALUE_FLOAT8 :
															attribute_of(kind).len == 4 ? GPUSTR_VALUE_INT4 : GPUSTR_VALUE_INT8);
	}
}

/* Put row 'row' on a page; returns its line pointer, 0 if the page is full. */
static uint16_t
add_tuple(Rng *rng, char *page, const HeapGenTable *table, const GenRelation *outer, int32_t row)
{
	static HeapGenValue values[HEAP_GEN_MAX_ATTRS];
	int32_t		natts = outer->ncolumns;
	int			c;

	if (gen_join_cell(outer, row, 0)->state == GPUSTR_RECHECK && gen_join_cell(outer, row, 0)->broken)
		return heap_gen_page_add_broken(rng, page);
	for (c = 0; c < outer->ncolumns; c++)
	{
		const GenCell *cell = gen_join_cell(outer, row, c);

		values[c].state = cell->state == GPUSTR_FALSE ? HEAP_GEN_VALUE :
			cell->state == GPUSTR_NULL ? HEAP_GEN_NULL : HEAP_GEN_TOASTED;
		values[c].len = cell->len;
		if (cell->len > 0)
			memcpy(values[c].text, outer->text + cell->off, (size_t) cell->len);
		else
			memcpy(values[c].text, &cell->value, 8);	/* little-endian */
	}
	while (natts > 1 && values[natts - 1].state == HEAP_GEN_NULL && rng_one_in(rng, 2))
		natts--;
	return heap_gen_page_add(rng, page, table, values, natts);
}

/* Fill one page, from 'row' on; returns the row after its last. */
static int32_t
add_page(Rng *rng, const GenJoinOptions *options, const GenRelation *outer, const HeapGenTable *table,
		 GpustrBatch *batch, int32_t row, int32_t *next_block)
{
	char		page[GPUSTR_PAGE_BYTES];
	uint16_t	lines[GPUSTR_PAGE_MAX_ROWS];
	int32_t		most = rng_one_in(rng, 4) ? rng_below(rng, 10) : GPUSTR_PAGE_MAX_ROWS;
	int32_t		n = 0;

	heap_gen_page_init(page);
	while (n < most && row < outer->nrows)
	{
		uint16_t	line;

		/* one that is not visible */
		if (rng_one_in(rng, 10) && add_tuple(rng, page, table, outer, row) == 0)
			break;
		line = add_tuple(rng, page, table, outer, row);
		if (line == 0)
			break;
		lines[n++] = line;
		row++;
	}
	*next_block += rng_below(rng, 3);
	if (options->blocks != NULL && *next_block < options->nblocks && !rng_one_in(rng, 4))
	{
		(void) gpustr_layout_add_page(batch, *next_block, lines, n);
		memcpy((char *) options->blocks + (size_t) *next_block * GPUSTR_PAGE_BYTES, page, sizeof(page));
		(*next_block)++;
	}
	else
		memcpy(gpustr_layout_add_page(batch, -1, lines, n), page, sizeof(page));
	return row;
}

/* The batch of pages, of as many rows as there is room for. */
static void
make_pages(Rng *rng, const GenJoinOptions *options, GenJoin *join, const GpustrProgram *program,
		   const GpustrResultLayout *result)
{
	GenRelation *outer = &join->relation[0];
	uint64_t	bytes = program->bytes + gpustr_layout_result_bytes(result) + 65536 +
	(uint64_t) options->max_pages * (GPUSTR_PAGE_BYTES + 2048);
	int32_t		max_pages = gpustr_layout_join_max_pages((uint32_t) bytes, program->bytes, result);
	HeapGenTable table;
	GpustrBatch *batch;
	int32_t		row = 0;
	int32_t		next_block = 0;
	int			i;

	memset(&table, 0, sizeof(table));
	table.nattrs = outer->ncolumns;
	for (i = 0; i < outer->ncolumns; i++)
		table.attr[i] = attribute_of(outer->kind[i]);
	if (max_pages > options->max_pages)
		max_pages = options->max_pages;
	batch = gpustr_layout_join_pages(make_body(bytes), (uint32_t) bytes, program, max_pages, result);
	while (batch->npages < max_pages && (row < outer->nrows || rng_one_in(rng, 5)))
		row = add_page(rng, options, outer, &table, batch, row, &next_block);
	outer->nrows = row;
	join->probe = batch;
}

static void
make_column_batch(GenJoin *join, const GpustrProgram *program, const GpustrResultLayout *result)
{
	const GenRelation *outer = &join->relation[0];
	GpustrInputLayout columns[GEN_JOIN_MAX_COLUMNS];
	uint64_t	bytes;

	describe_columns(outer, 0, outer->nrows, columns);
	bytes = gpustr_layout_join_columns_bytes(program->bytes, outer->nrows, outer->ncolumns, columns, result);
	join->probe = gpustr_layout_join_columns(make_body(bytes), (uint32_t) bytes, program, outer->nrows,
											 outer->ncolumns, columns, result);
	fill_columns((GpustrBatch *) join->probe, outer, 0, outer->nrows);
}

/* What a join brings back. */
static void
describe_results(Rng *rng, GenJoin *join, GpustrResultLayout *result)
{
	int			i;

	memset(result, 0, sizeof(*result));
	join->result_room = 1 + rng_below(rng, rng_one_in(rng, 3) ? 20 : 3000);
	result->room = join->result_room;
	result->want_outer = !rng_one_in(rng, 4);
	result->want_inner = !rng_one_in(rng, 4);
	result->ncolumns = join->nresult;
	for (i = 0; i < join->nresult; i++)
		if (gen_join_is_text(join->result[i].kind))
		{
			/* at least the longest text */
			join->text_room[i] = 200 + (uint32_t) rng_below(rng, rng_one_in(rng, 3) ? 100 : 100000);
			result->is_text[i] = 1;
			result->text_bytes[i] = join->text_room[i];
		}
}

void
gen_join_make_requests(Rng *rng, const GenJoinOptions *options, GenJoin *join)
{
	const GpustrProgram *program;
	GpustrResultLayout result;
	uint16_t	regs[GEN_JOIN_MAX_RESULT];
	int			condition;
	int			i;

	join->build = calloc(GEN_JOIN_MAX_PROBES * (MAX_BATCHES + 2), sizeof(void *));
	for (i = 0; i < join->nprobes; i++)
		build_table(rng, join, i);
	begin_program(join->encoding);
	if (join->pages)
		load_attributes(&join->relation[0]);
	else
		load_columns(&join->relation[0], 0);
	for (i = 0; i < join->nprobes; i++)
		make_probe(join, i);
	for (i = 0; i < join->nresult; i++)
		regs[i] = register_of(&join->result[i]);
	condition = join->filtered ? make_condition(&join->condition) : -1;
	gpustr_builder_result(&making.builder, condition);
	for (i = join->nresult - 1; i >= 0; i--)
		gpustr_builder_result_column(&making.builder, gen_join_is_text(join->result[i].kind), i, regs[i]);
	program = finish_program();
	describe_results(rng, join, &result);
	if (join->pages)
		make_pages(rng, options, join, program, &result);
	else
		make_column_batch(join, program, &result);
}
