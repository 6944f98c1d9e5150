/*-------------------------------------------------------------------------
 *
 * like_compile.c
 *	  Compile a LIKE pattern into the form that rowfn/like.h matches.
 *
 * Two passes over the pattern with the same scanner: the first counts
 * segments, runs and literal bytes, which gives the layout; the second fills
 * them in.  Empty segments between two '%' are dropped; an empty pattern is
 * one empty segment anchored at both ends.
 *
 * A literal byte or a '_' takes at least one byte of the string, so their
 * number is the least length that can match.
 *
 * A pattern that ends in a lone escape is compiled to one that answers
 * recheck for every row.  The only failure is that the output does not fit.
 *
 * IDENTIFICATION
 *	  src/program/like_compile.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "program/like_compile.h"

/* What the scanner is at, and what it has made so far. */
typedef struct LikeScan
{
	GpustrLikeSegment *segment; /* NULL in the counting pass */
	GpustrLikeRun *run;
	char	   *literal;
	uint32_t	literal_off;	/* of literal[0] from the start of the block */

	int32_t		nsegments;		/* finished ones */
	int32_t		nruns;
	int32_t		nliteral;		/* bytes */
	int32_t		min_bytes;
	uint32_t	flags;

	/* the segment at hand */
	int32_t		lead;
	int32_t		first_run;
	int			in_literal;		/* the last run may take more bytes */
} LikeScan;

static void
scan_literal(LikeScan *scan, char c)
{
	if (!scan->in_literal)
	{
		if (scan->run != NULL)
		{
			scan->run[scan->nruns].literal_off = scan->literal_off + (uint32_t) scan->nliteral;
			scan->run[scan->nruns].literal_bytes = 0;
			scan->run[scan->nruns].any = 0;
		}
		scan->nruns++;
		scan->in_literal = 1;
	}
	if (scan->run != NULL)
	{
		scan->run[scan->nruns - 1].literal_bytes++;
		scan->literal[scan->nliteral] = c;
	}
	scan->nliteral++;
	scan->min_bytes++;
}

static void
scan_any(LikeScan *scan)
{
	scan->in_literal = 0;
	scan->min_bytes++;
	if (scan->nruns == scan->first_run)
		scan->lead++;
	else if (scan->run != NULL)
		scan->run[scan->nruns - 1].any++;
}

/* End the segment at hand; an empty one is kept only if 'keep_empty'. */
static void
scan_segment_end(LikeScan *scan, int keep_empty)
{
	if (keep_empty || scan->lead > 0 || scan->nruns > scan->first_run)
	{
		if (scan->segment != NULL)
		{
			scan->segment[scan->nsegments].lead = scan->lead;
			scan->segment[scan->nsegments].first_run = scan->first_run;
			scan->segment[scan->nsegments].nruns = scan->nruns - scan->first_run;
		}
		scan->nsegments++;
	}
	scan->lead = 0;
	scan->first_run = scan->nruns;
	scan->in_literal = 0;
}

static void
scan_pattern(LikeScan *scan, const char *pattern, int32_t pattern_bytes)
{
	int			ends_in_percent = 0;
	int32_t		i;

	if (pattern_bytes == 0 || pattern[0] != '%')
		scan->flags |= GPUSTR_LIKE_AT_START;
	for (i = 0; i < pattern_bytes; i++)
	{
		char		c = pattern[i];

		ends_in_percent = 0;
		if (c == '\\')
		{
			if (++i == pattern_bytes)
			{
				scan->flags |= GPUSTR_LIKE_RECHECK;
				return;
			}
			scan_literal(scan, pattern[i]);
		}
		else if (c == '_')
			scan_any(scan);
		else if (c == '%')
		{
			scan_segment_end(scan, 0);
			ends_in_percent = 1;
		}
		else
			scan_literal(scan, c);
	}
	if (!ends_in_percent)
	{
		scan->flags |= GPUSTR_LIKE_AT_END;
		scan_segment_end(scan, 1);
	}
}

uint32_t
gpustr_like_compile(const char *pattern, int32_t pattern_bytes, int32_t encoding,
					void *out, uint32_t out_bytes)
{
	GpustrLikePattern *p = (GpustrLikePattern *) out;
	LikeScan	scan;
	uint64_t	segment_off = sizeof(GpustrLikePattern);
	uint64_t	run_off;
	uint64_t	literal_off;
	uint64_t	bytes;

	/* The form is the same in all encodings: only matching differs. */
	(void) encoding;

	memset(&scan, 0, sizeof(scan));
	scan_pattern(&scan, pattern, pattern_bytes);
	if (scan.flags & GPUSTR_LIKE_RECHECK)
	{
		memset(&scan, 0, sizeof(scan));
		scan.flags = GPUSTR_LIKE_RECHECK;
	}
	run_off = segment_off + (uint64_t) scan.nsegments * sizeof(GpustrLikeSegment);
	literal_off = run_off + (uint64_t) scan.nruns * sizeof(GpustrLikeRun);
	bytes = literal_off + (uint64_t) scan.nliteral;
	if (bytes > out_bytes)
		return 0;

	p->bytes = (uint32_t) bytes;
	p->flags = scan.flags;
	p->min_bytes = scan.min_bytes;
	p->nsegments = scan.nsegments;
	p->nruns = scan.nruns;
	p->segment_off = (uint32_t) segment_off;
	p->run_off = (uint32_t) run_off;
	p->literal_off = (uint32_t) literal_off;
	if (scan.flags & GPUSTR_LIKE_RECHECK)
		return (uint32_t) bytes;

	memset(&scan, 0, sizeof(scan));
	scan.segment = (GpustrLikeSegment *) ((char *) out + segment_off);
	scan.run = (GpustrLikeRun *) ((char *) out + run_off);
	scan.literal = (char *) out + literal_off;
	scan.literal_off = (uint32_t) literal_off;
	scan_pattern(&scan, pattern, pattern_bytes);
	return (uint32_t) bytes;
}
