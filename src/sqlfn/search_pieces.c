/*-------------------------------------------------------------------------
 *
 * search_pieces.c
 *	  All places of a pattern in one long value, through a device process.
 *
 * The value is cut into pieces of GPUSTR_FIND_PIECE places, each followed by the
 * bytes that a hit at its last place needs.  A batch has as many of them, as
 * rows of one column, as fit a staging slot; several batches are in flight, and
 * their answers are taken in order.  A row says how many characters start in
 * its places, so positions in the value are sums, and nobody counts characters
 * here.
 *
 * When it pays.  A device gets the value through a copy to the slot, made here.  One
 * core of the machine that this was written on searches 2.6 GB/s, 0.7 where every
 * thirtieth byte is a hit, counts characters at 3.7 GB/s, and copies 2.7 GB/s; what a
 * device does meanwhile, and the bus, at 55 GB/s, cost the backend nothing.  So where
 * characters are counted this is 1.8 times as fast and more, with many hits 4
 * times; to count the hits alone it is no gain, and count_matches stays with the
 * plain search.  Below SEARCH_DEVICE_BYTES, 2 ms of search, the fixed costs of a
 * batch weigh too much; a pattern longer than SEARCH_DEVICE_WHAT is copied with each
 * piece, and may be compared at each place: then Two-Way, here, is linear.
 * gpustr.engine = local keeps all in the session, where nothing need be copied.
 *
 * IDENTIFICATION
 *	  src/sqlfn/search_pieces.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "batch/batch_layout.h"
#include "compat.h"
#include "guc.h"
#include "program/program_builder.h"
#include "rowfn/search.h"
#include "service/client.h"
#include "sqlfn/search.h"

/* The shortest value, and the longest pattern, for a device. */
#define SEARCH_DEVICE_BYTES (4 * 1024 * 1024)
#define SEARCH_DEVICE_WHAT 4096

/* Room for the program, beside the pattern. */
#define SEARCH_PROGRAM_BYTES 512

/* Of the bytes of a batch's texts, the part that there is room for hits. */
#define SEARCH_HITS_SHARE 8

/* The search. */
typedef struct PieceSearch
{
	GpustrBytes hay;
	GpustrBytes what;
	int32		encoding;
	const GpustrProgram *program;
	GpustrHitSink sink;
	void	   *arg;
	int64		places;			/* all of the value's */
	int64		next;			/* first place that is in no batch yet */
	int64		base;			/* characters before the next row to collect */
} PieceSearch;

/* One batch in flight. */
typedef struct PieceBatch
{
	GpustrRequest *request;
	int64		first;			/* place */
	int			nrows;
} PieceBatch;

bool
gpustr_search_pays(GpustrBytes hay, GpustrBytes what, int32 encoding)
{
	return hay.len >= SEARCH_DEVICE_BYTES && what.len <= SEARCH_DEVICE_WHAT && encoding >= 0 &&
		gpustr_engine_choice() == GPUSTR_RUN_DEVICE;
}

static const GpustrProgram *
search_program(GpustrBytes what, int32 encoding)
{
	GpustrProgramBuilder *builder = palloc(sizeof(GpustrProgramBuilder));
	Size		bytes = SEARCH_PROGRAM_BYTES + what.len;
	void	   *area = palloc(bytes);

	gpustr_builder_init(builder, encoding, area, bytes);
	gpustr_builder_find_all(builder, 0, gpustr_builder_column(builder, 0), what.data, what.len);
	if (gpustr_builder_finish(builder) == 0)
		elog(ERROR, "program for find_all does not fit %zu bytes", bytes);
	pfree(builder);
	return area;
}

/* Bytes of the texts of n whole pieces, and of the room for their hits. */
static uint64
piece_bytes(const PieceSearch *search, int n, uint64 *out)
{
	uint64		bytes = (uint64) n * (GPUSTR_FIND_PIECE + search->what.len - 1);

	*out = bytes / SEARCH_HITS_SHARE + (uint64) n * sizeof(int32);
	return bytes;
}

/* The most pieces that a body of so many bytes has room for, of those left. */
static int
pieces_that_fit(const PieceSearch *search, uint64 bytes)
{
	int64		left = (search->places - search->next + GPUSTR_FIND_PIECE - 1) / GPUSTR_FIND_PIECE;
	int			n = (int) Min(left, (int64) (bytes / GPUSTR_FIND_PIECE));
	uint64		out;

	while (n > 1)
	{
		uint64		data = piece_bytes(search, n, &out);

		if (gpustr_layout_columns_bytes(search->program->bytes, n, 1, &data, out) <= bytes)
			break;
		n -= n / 64 + 1;
	}
	return Max(n, 1);
}

/* Fill a batch from search->next on, and start it; false: no body now. */
static bool
start_pieces(GpustrClient *client, PieceSearch *search, PieceBatch *batch)
{
	uint64		out;
	uint64		data = piece_bytes(search, 1, &out);
	GpustrRequest *request;
	GpustrBatch *body;
	int32	   *offsets;
	char	   *to;
	int32		used = 0;
	int			i;

	request = gpustr_request_acquire(client, gpustr_layout_columns_bytes(search->program->bytes, 1, 1, &data, out));
	if (request == NULL)
		return false;
	batch->request = request;
	batch->first = search->next;
	batch->nrows = pieces_that_fit(search, gpustr_request_bytes(request));
	data = piece_bytes(search, batch->nrows, &out);
	body = gpustr_layout_columns(gpustr_request_body(request), gpustr_request_bytes(request),
								 search->program, batch->nrows, 1, &data, out);
	memset(GPUSTR_BODY_PTR(body, body->column[0].validity_off, uint8), 0xFF, (batch->nrows + 7) / 8);
	offsets = GPUSTR_BODY_PTR(body, body->column[0].offsets_off, int32);
	to = GPUSTR_BODY_PTR(body, body->column[0].data_off, char);
	for (i = 0; i < batch->nrows; i++)
	{
		int32		places = (int32) Min(search->places - search->next, GPUSTR_FIND_PIECE);
		int32		bytes = places + search->what.len - 1;

		offsets[i] = used;
		memcpy(to + used, search->hay.data + search->next, bytes);
		used += bytes;
		search->next += places;
	}
	offsets[i] = used;
	gpustr_request_submit(request);
	return true;
}

/* A row that the engine had no room for. */
static void
search_row(PieceSearch *search, int64 first)
{
	int32		places = (int32) Min(search->places - first, GPUSTR_FIND_PIECE);
	const char *s = search->hay.data + first;
	RowfnSearch piece;
	int32		hits[1024];
	int32		at = 0;
	int32		starts = 0;

	rowfn_search_begin(&piece, s, places + search->what.len - 1, search->what.data, search->what.len, 0);
	while (!piece.done)
	{
		int			n = rowfn_search_next(&piece, places, hits, lengthof(hits));
		int			i;

		for (i = 0; i < n; i++)
		{
			starts += rowfn_count_starts(s + at, hits[i] - at, search->encoding);
			at = hits[i];
			hits[i] = starts;
		}
		search->sink(search->arg, search->base, hits, n);
	}
	search->base += rowfn_count_starts(s, places, search->encoding);
}

/* Take the answers of a batch. */
static void
collect_pieces(PieceSearch *search, PieceBatch *batch)
{
	GpustrBatch *body;
	const uint32 *recheck;
	const int32 *offsets;
	const char *data;
	int			i;

	gpustr_request_wait(batch->request);
	body = gpustr_request_body(batch->request);
	recheck = GPUSTR_BODY_PTR(body, body->recheck_off, uint32);
	offsets = GPUSTR_BODY_PTR(body, body->out_column[0].offsets_off, int32);
	data = GPUSTR_BODY_PTR(body, body->out_column[0].data_off, char);
	for (i = 0; i < batch->nrows; i++)
	{
		const GpustrFound *found = (const GpustrFound *) (data + offsets[i]);
		int			nhits = (offsets[i + 1] - offsets[i]) / (int) sizeof(int32) - 1;

		if ((recheck[i / 32] >> (i % 32)) & 1)
		{
			CHECK_FOR_INTERRUPTS();
			search_row(search, batch->first + (int64) i * GPUSTR_FIND_PIECE);
			continue;
		}
		if (nhits > 0)
			search->sink(search->arg, search->base, found->hits, nhits);
		search->base += found->starts;
	}
	gpustr_request_release(batch->request);
}

/* what.len >= 1, and gpustr_search_pays() */
void
gpustr_search_pieces(GpustrBytes hay, GpustrBytes what, int32 encoding,
					 GpustrHitSink sink, void *arg)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpustr search", ALLOCSET_SMALL_SIZES);
	GpustrClient *client = gpustr_client_create(context);
	PieceSearch search = {hay,
		what,
		encoding,
		search_program(what, encoding),
		sink,
		arg,
		(int64) hay.len - what.len + 1,
		0,
	0};
	PieceBatch	flight[GPUSTR_MAX_BATCH_DEPTH];
	int			depth = gpustr_client_depth(client);
	int			head = 0;
	int			nflight = 0;

	while (search.next < search.places || nflight > 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (search.next < search.places && nflight < depth &&
			start_pieces(client, &search, &flight[(head + nflight) % GPUSTR_MAX_BATCH_DEPTH]))
		{
			nflight++;
			continue;
		}
		collect_pieces(&search, &flight[head]);
		head = (head + 1) % GPUSTR_MAX_BATCH_DEPTH;
		nflight--;
	}
	MemoryContextDelete(context);
}
