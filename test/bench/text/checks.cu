/*-------------------------------------------------------------------------
 *
 * checks.cu
 *	  Are the benchmark's answers right?
 *
 * IDENTIFICATION
 *	  test/bench/text/checks.cu
 *
 *-------------------------------------------------------------------------
 */
#include <algorithm>
#include <string.h>
#include <string>

#include "calls.cuh"
#include "rowfn/text_make.h"
#include "rowfn/text_measure.h"
#include "rowfn/text_slice.h"

/* What the host says about row r of sample s. */
static bool expected(const Column &column, const Work &work, const Call &call, int s, int32_t r,
					 std::string *text, int64_t *value)
{
	const int32_t from = column.host[(size_t)r];
	RowfnArgs row = {};
	RowfnText slice = {NULL, 0};
	int64_t bytes;

	row.text[0].s = column.sample[s].data() + (from - column.host[(size_t)column.sample_row(s)]);
	row.text[0].len = column.host[(size_t)r + 1] - from;
	for (int i = 1; i < 3; i++)
	{
		row.text[i].s = call.text[i];
		row.text[i].len = call.text[i] != NULL ? (int32_t)strlen(call.text[i]) : 0;
		row.value[i] = call.value[i];
	}
	row.constant = work.host_constant.data() + CALL_MAP_AT;
	row.encoding = GPUSTR_ENC_UTF8;
	if (call.function > GPUSTR_TEXT_MAKE_LAST)
		return rowfn_text_measure(call.function, &row, value) != 0;
	if (call.function <= GPUSTR_TEXT_SLICE_LAST)
	{
		if (!rowfn_text_slice(call.function, &row, &slice))
			return false;
		text->assign(slice.s, (size_t)slice.len);
		return true;
	}
	bytes = rowfn_text_bytes(call.function, &row);
	if (bytes < 0)
		return false;
	text->resize((size_t)bytes);
	rowfn_text_write(call.function, &row, &(*text)[0], bytes);
	return true;
}

/*
 * Texts start[i] to end[i] of n rows, on the host.  Those of a group of rows lie near
 * each other, so that a group is one copy; but for those before 'split', which are
 * another.
 */
static std::vector<std::string> fetch_texts(const char *base, const std::vector<int32_t> &start,
											const std::vector<int32_t> &end, int32_t first_row,
											int32_t split)
{
	const size_t group = 256;
	std::vector<std::string> texts;

	while (texts.size() < start.size())
	{
		const size_t from = texts.size();
		const size_t to = std::min(start.size(), from + group - ((size_t)first_row + from) % group);
		int32_t low[2] = {INT32_MAX, INT32_MAX};
		int32_t high[2] = {0, 0};
		std::vector<char> bytes[2];

		for (size_t i = from; i < to; i++)
		{
			const int side = start[i] >= split;

			low[side] = std::min(low[side], start[i]);
			high[side] = std::max(high[side], end[i]);
		}
		for (int side = 0; side < 2; side++)
			if (low[side] < high[side])
				bytes[side] = fetch_array(base + low[side], (size_t)(high[side] - low[side]));
		for (size_t i = from; i < to; i++)
		{
			const int side = start[i] >= split;

			texts.emplace_back(bytes[side].data() + (start[i] - low[side]),
							   (size_t)(end[i] - start[i]));
		}
	}
	return texts;
}

/* Are these all texts in the part's memory? */
static bool in_range(const Column &column, const std::vector<int32_t> &start,
					 const std::vector<int32_t> &end)
{
	for (size_t i = 0; i < start.size(); i++)
		if (start[i] < 0 || end[i] < start[i] ||
			(uint64_t)end[i] > column.arena_at + column.arena_bytes)
			return false;
	return true;
}

bool sample_is_right(const Column &column, const Work &work, const Call &call, int s)
{
	const bool measures = call.function > GPUSTR_TEXT_MAKE_LAST;
	const int64_t part = s == 0 ? 0 : column.nparts - 1;
	const int32_t first = column.sample_row(s);
	const size_t n = (size_t)column.sample_rows();
	const int64_t at = part * column.nrows + first;
	const std::vector<int32_t> start = fetch_array(work.start + at, n);
	const std::vector<int32_t> end = fetch_array(work.end + at, n);
	const std::vector<int64_t> value = fetch_array(work.value + at, n);
	const std::vector<uint32_t> valid =
		fetch_array(work.valid + part * work.plane_words, (size_t)work.plane_words);
	const std::vector<uint32_t> recheck =
		fetch_array(work.recheck + part * work.plane_words, (size_t)work.plane_words);
	std::vector<std::string> made;
	std::vector<std::string> put_out;
	bool right = true;

	if (!measures)
	{
		if (!in_range(column, start, end))
			return false;
		made = fetch_texts(column.base[part], start, end, first, column.arena_at);
	}
	if (call.column && part == column.nparts - 1)
	{
		const std::vector<int32_t> offset = fetch_array(work.out.offset + first, n + 1);

		put_out = fetch_texts(work.out.data, std::vector<int32_t>(offset.begin(), offset.end() - 1),
							  std::vector<int32_t>(offset.begin() + 1, offset.end()), first, 0);
	}
	for (size_t i = 0; i < n; i++)
	{
		const int32_t r = first + (int32_t)i;
		std::string text;
		int64_t number = 0;
		const bool is = expected(column, work, call, s, r, &text, &number);

		right &= bit_of(valid, r) == is && bit_of(recheck, r) == !is;
		if (is && measures)
			right &= value[i] == number;
		else if (is)
			right &= text == made[i] && (put_out.empty() || text == put_out[i]);
	}
	return right;
}

double made_bytes(const Column &column, const Work &work, const Call &call)
{
	double bytes = 0;

	if (call.function > GPUSTR_TEXT_SLICE_LAST)
		for (unsigned long long cursor : fetch_array(work.cursor, (size_t)column.nparts))
			bytes += (double)cursor;
	else if (call.column)
		bytes = (double)fetch_array(work.out.bytes, 1)[0] * column.nparts;
	return bytes;
}
