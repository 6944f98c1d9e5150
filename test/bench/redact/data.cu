/*-------------------------------------------------------------------------
 *
 * data.cu
 *	  Random input for the redaction benchmark, with the right answers.
 *
 * Each thread makes a part of the rows in memory of its own; the parts are
 * then put one after the other.
 *
 * IDENTIFICATION
 *	  test/bench/redact/data.cu
 *
 *-------------------------------------------------------------------------
 */
#include "data.cuh"

#include <string.h>
#include <thread>

/* Characters of more than one byte that names have. */
static const char *const wide[] = {"é", "ö", "ñ", "ø", "č", "Ж", "д", "中", "村", "😀"};

#define WIDE_COUNT (sizeof(wide) / sizeof(wide[0]))

/* Bytes before the first row of hard data, so that the first offset is not 0. */
#define HARD_FIRST_BYTES 5

/* xorshift64* */
struct Random
{
	uint64_t state;

	uint32_t next()
	{
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		return (uint32_t)((state * 2685821657736338717ULL) >> 32);
	}

	/* in [0, n) */
	uint32_t below(uint32_t n)
	{
		return (uint32_t)(((uint64_t)next() * n) >> 32);
	}
};

struct Part
{
	std::vector<int32_t> name_len;
	std::vector<int32_t> visibility_len;
	std::vector<int32_t> out_len;
	std::string name;
	std::string visibility;
	std::string out;
};

static void add_word(Random &random, std::string &to, uint32_t chars)
{
	for (uint32_t i = 0; i < chars; i++)
	{
		if (random.below(20) == 0)
			to += wide[random.below(WIDE_COUNT)];
		else
			to += (char)((i == 0 ? 'A' : 'a') + random.below(26));
	}
}

/* "First Last", 3 to 8 and 3 to 9 characters; a few are something else. */
static void add_name(Random &random, std::string &to)
{
	uint32_t odd = random.below(500);

	if (odd == 0)
		return;
	add_word(random, to, odd == 1 ? 20 : 3 + random.below(6));
	if (odd == 2)
		return;
	to += odd == 3 ? "   " : " ";
	if (odd == 4)
		return;
	add_word(random, to, odd == 5 ? 40 : 3 + random.below(7));
}

/* Any bytes that a name may be made of, of any length. */
static void add_hard_name(Random &random, std::string &to, int32_t row)
{
	uint32_t what = random.below(16);
	uint32_t chars = what < 8 ? random.below(16) : what < 12 ? random.below(4) : random.below(90);

	if (what == 12)
		chars = 0;
	if (row % 5000 == 1777)
		chars = 40000; /* more than a stage */
	if (row % 100000 == 3333)
		chars = 500000;
	for (uint32_t i = 0; i < chars; i++)
	{
		uint32_t c = random.below(chars > 1000 ? 4000 : 8);

		if (c == 0)
			to += ' ';
		else if (c == 1)
			to += wide[random.below(WIDE_COUNT)];
		else
			to += (char)('a' + c % 26);
	}
}

static void add_visibility(Random &random, std::string &to, DataKind kind)
{
	static const char *const odd[] = {"", "Public", "public ", "publik", "publiс", "private"};

	if (kind == DATA_HARD && random.below(8) == 0)
		to += odd[random.below(6)];
	else
		to += random.below(2) == 0 ? "public" : "private";
}

static void make_part(Part *part, int32_t first, int32_t end, DataKind kind, uint64_t seed)
{
	Random random = {(seed + 1) * 0x9E3779B97F4A7C15ULL +
					 (uint64_t)(uint32_t)first * 0x2545F491ULL};
	std::vector<char> answer;

	for (int i = 0; i < 8; i++)
		(void)random.next();
	for (int32_t r = first; r < end; r++)
	{
		size_t name_at = part->name.size();
		size_t visibility_at = part->visibility.size();
		int32_t name_len;
		int32_t visibility_len;
		int32_t bytes;
		const char *name;
		const char *visibility;

		if (kind == DATA_HARD)
			add_hard_name(random, part->name, r);
		else
			add_name(random, part->name);
		add_visibility(random, part->visibility, kind);
		name = part->name.data() + name_at;
		visibility = part->visibility.data() + visibility_at;
		name_len = (int32_t)(part->name.size() - name_at);
		visibility_len = (int32_t)(part->visibility.size() - visibility_at);
		bytes = rowfn_redact_bytes(name, name_len, visibility, visibility_len, GPUSTR_ENC_UTF8);
		answer.resize((size_t)bytes + 1);
		rowfn_redact_write(name, name_len, visibility, visibility_len, GPUSTR_ENC_UTF8,
						   answer.data());
		part->out.append(answer.data(), (size_t)bytes);
		part->name_len.push_back(name_len);
		part->visibility_len.push_back(visibility_len);
		part->out_len.push_back(bytes);
	}
}

/* Put the parts of one column together; its first offset is the bytes it has already. */
static void join(const std::vector<Part> &parts, int32_t n, std::vector<int32_t> Part::*len,
				 std::string Part::*bytes, std::vector<int32_t> *start, std::string *data)
{
	int32_t at = (int32_t)data->size();
	size_t total = data->size();

	for (const Part &part : parts)
		total += (part.*bytes).size();
	data->reserve(total);
	start->clear();
	start->reserve((size_t)n + 1);
	for (const Part &part : parts)
	{
		data->append(part.*bytes);
		for (int32_t l : part.*len)
		{
			start->push_back(at);
			at += l;
		}
	}
	start->push_back(at);
}

void make_data(HostData *data, int32_t n, DataKind kind, uint64_t seed)
{
	int32_t count = (int32_t)std::thread::hardware_concurrency();
	std::vector<std::thread> threads;

	if (count < 1 || n < 100000)
		count = 1;
	std::vector<Part> parts((size_t)count);
	for (int32_t i = 0; i < count; i++)
		threads.emplace_back(make_part, &parts[(size_t)i], (int32_t)((int64_t)n * i / count),
							 (int32_t)((int64_t)n * (i + 1) / count), kind, seed);
	for (std::thread &thread : threads)
		thread.join();
	*data = HostData();
	data->n = n;
	if (kind == DATA_HARD)
	{
		data->name.assign(HARD_FIRST_BYTES, '#');
		data->visibility.assign(HARD_FIRST_BYTES, '#');
	}
	join(parts, n, &Part::name_len, &Part::name, &data->name_start, &data->name);
	join(parts, n, &Part::visibility_len, &Part::visibility, &data->visibility_start,
		 &data->visibility);
	join(parts, n, &Part::out_len, &Part::out, &data->out_start, &data->out);
}
