/*-------------------------------------------------------------------------
 *
 * automata.cu
 *	  Automata for the benchmark.
 *
 * Made by byte, then written in classes: bytes whose columns are the same.
 *
 * IDENTIFICATION
 *	  test/bench/dfa/automata.cu
 *
 *-------------------------------------------------------------------------
 */
#include "automata.cuh"

#include <map>
#include <string.h>

typedef std::vector<uint16_t> ByByte; /* [nstates][256] */

static Automaton finish(const std::string &name, const ByByte &next,
						const std::vector<uint8_t> &at_end, int32_t start)
{
	const size_t nstates = at_end.size();
	std::map<std::vector<uint16_t>, uint8_t> columns;
	GpustrDfa head = {};
	std::vector<uint16_t> cells;
	Automaton made;
	char *to;

	for (int b = 0; b < 256; b++)
	{
		std::vector<uint16_t> column;

		for (size_t s = 0; s < nstates; s++)
			column.push_back(next[s * 256 + (size_t)b]);
		head.class_of[b] = columns.emplace(column, (uint8_t)columns.size()).first->second;
	}
	head.nstates = (int32_t)nstates;
	head.nclasses = (int32_t)columns.size();
	head.start = start;
	head.next_off = (int32_t)sizeof(GpustrDfa);
	cells.resize(nstates * columns.size());
	for (const auto &column : columns)
		for (size_t s = 0; s < nstates; s++)
			cells[s * columns.size() + column.second] = column.first[s];
	head.at_end_off = head.next_off + (int32_t)(cells.size() * sizeof(uint16_t));
	made.name = name;
	made.block.resize(((size_t)head.at_end_off + nstates + 7) / 8);
	to = (char *)made.block.data();
	memcpy(to, &head, sizeof(head));
	memcpy(to + head.next_off, cells.data(), cells.size() * sizeof(uint16_t));
	memcpy(to + head.at_end_off, at_end.data(), nstates);
	return made;
}

std::string random_word(Random &random, uint32_t chars)
{
	std::string word;

	while (word.size() < chars)
		word += (char)('a' + random.below(26) * random.below(26) / 26);
	return word;
}

/* The automaton's states 0 and 1. */
static ByByte new_states()
{
	ByByte next(512, GPUSTR_DFA_REJECT);

	for (size_t i = 256; i < 512; i++)
		next[i] = GPUSTR_DFA_ACCEPT;
	return next;
}

/* Of Aho and Corasick.  State 2 is the root; where a word ends is 'found'. */
static void add_search(ByByte &next, const std::vector<std::string> &words, uint16_t found)
{
	const size_t root = next.size() / 256;
	std::vector<size_t> order = {root};
	std::vector<size_t> back(root + 1, root);
	std::vector<int32_t> child(256 * (root + 1), -1);

	/* the words' tree */
	next.resize(next.size() + 256, (uint16_t)root);
	for (const std::string &word : words)
	{
		size_t s = root;

		for (size_t i = 0; i < word.size() && child[s * 256 + (unsigned char)word[i]] != found; i++)
		{
			int32_t &to = child[s * 256 + (unsigned char)word[i]];

			if (i + 1 == word.size())
			{
				to = found;
				break;
			}
			if (to < 0)
			{
				to = (int32_t)(next.size() / 256);
				s = (size_t)to;
				next.resize(next.size() + 256, (uint16_t)root);
				child.resize(child.size() + 256, -1);
				back.push_back(root);
			}
			else
				s = (size_t)to;
		}
	}
	/* states in order of their depth: where else they lead */
	for (size_t k = 0; k < order.size(); k++)
	{
		size_t s = order[k];

		for (size_t b = 0; b < 256; b++)
		{
			int32_t to = child[s * 256 + b];
			uint16_t otherwise = s == root ? (uint16_t)root : next[back[s] * 256 + b];

			next[s * 256 + b] = to >= 0 ? (uint16_t)to : otherwise;
			if (to >= 0 && to != found)
			{
				back[(size_t)to] = otherwise == found ? root : otherwise;
				order.push_back((size_t)to);
			}
		}
	}
}

/* All states but 1 are rejected at the end. */
static std::vector<uint8_t> only_found(const ByByte &next)
{
	std::vector<uint8_t> at_end(next.size() / 256, 0);

	at_end[GPUSTR_DFA_ACCEPT] = 1;
	return at_end;
}

Automaton make_words(uint64_t seed, int32_t nstates)
{
	Random random = {seed * 2 + 1};
	std::vector<std::string> words;
	ByByte next;

	do
	{
		words.push_back(random_word(random, 5 + random.below(5)));
		next = new_states();
		add_search(next, words, GPUSTR_DFA_ACCEPT);
	} while (next.size() / 256 + 4 < (size_t)nstates);
	return finish("a|b|...", next, only_found(next), 2);
}

Automaton make_sequence(uint64_t seed)
{
	Random random = {seed * 2 + 1};
	ByByte next = new_states();

	/* each word's states follow those of the one before */
	for (int i = 0; i < 3; i++)
	{
		std::string word = random_word(random, i < 2 ? 2 : 3);
		size_t end = next.size() / 256 + word.size();

		add_search(next, {word}, i < 2 ? (uint16_t)end : GPUSTR_DFA_ACCEPT);
	}
	return finish("a.*b.*c", next, only_found(next), 2);
}

Automaton make_random(uint64_t seed, int32_t nstates, int32_t nclasses)
{
	Random random = {seed * 2 + 1};
	ByByte next = new_states();
	std::vector<uint8_t> at_end((size_t)nstates, 0);

	for (int32_t s = 2; s < nstates; s++)
	{
		at_end[(size_t)s] = (uint8_t)random.below(2);
		for (int b = 0; b < 256; b++)
		{
			/* a class in ASCII is more than one byte where there are few */
			int c = b % nclasses;

			next.push_back(c == b ? (uint16_t)(2 + random.below((uint32_t)nstates - 2))
								  : next[(size_t)(s * 256 + c)]);
		}
	}
	at_end[GPUSTR_DFA_ACCEPT] = 1;
	return finish("random", next, at_end, 2);
}
