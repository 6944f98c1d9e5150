/*-------------------------------------------------------------------------
 *
 * case_probe.c
 *	  What upper(), lower() and initcap() do under a collation, as constants of
 *	  programs.
 *
 * PostgreSQL is asked: for each character, each on a line of its own in one long
 * string.  What becomes another single character is a pair of the map; what becomes
 * several characters, or none, is recheck.  All others stay.  Not asked about are the
 * blocks of ideographs, Hangul and private use, and the planes from 2 on, where
 * Unicode has no case.  That is some 1,450 pairs, 11 to 12 kB for a map.
 *
 * libc, which PostgreSQL asks for one character at a time, knows no context.  ICU
 * does: a sigma at the end of a word, dots over i in Turkish and Lithuanian, Greek
 * accents.  So there each character that changes, and each combining mark, is asked
 * about again beside the characters that such rules look for, and becomes recheck
 * if that makes a difference; then all that is left, in a row, has to become what the
 * map says.  If it does not, only ASCII is mapped, and the rest is recheck.
 *
 * A row of ASCII alone is mapped exactly in any case: the rules about contexts
 * all have a character beyond ASCII in them.
 *
 * initcap() looks at words, too.  The engines' are made of ASCII letters and digits
 * and of characters with two cases.  Where a string with each other ASCII character
 * between two words shows other words, as those of ICU with their apostrophes, it is
 * refused; a character with two cases that does not belong to the word before and
 * after it is recheck.
 *
 * The maps are kept by the collation's OID, as PostgreSQL keeps the locales behind
 * them: until the backend ends.
 *
 * IDENTIFICATION
 *	  src/plan/case_probe.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/formatting.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "plan/case_probe.h"

#define FIRST_OTHER 0x80
#define END_OF_OTHERS 0x20000
#define FIRST_IDEOGRAPH 0x3400
#define LAST_IDEOGRAPH 0x9FFF
#define FIRST_HANGUL 0xAC00		/* then surrogates, then private use */
#define LAST_PRIVATE 0xF8FF
#define FIRST_MARK 0x0300
#define LAST_MARK 0x036F

/* Pairs of a blank map: more than there are in Unicode 16. */
#define BLANK_PAIRS 1536

/* In GpustrCaseMap.ascii. */
#define ASCII_RECHECK 0xFF

typedef struct CaseKey
{
	Oid			collation;
	GpustrCase	which;
} CaseKey;

typedef struct CaseEntry
{
	CaseKey		key;			/* hash key: must be first */
	GpustrCaseMap *map;
	uint32_t	bytes;
} CaseEntry;

typedef struct InitcapEntry
{
	Oid			collation;		/* hash key: must be first */
	bool		same_words;
	char	   *maps;			/* NULL: not made yet */
	uint32_t	bytes;
} InitcapEntry;

static HTAB *case_maps = NULL;
static HTAB *initcaps = NULL;

/* A question to PostgreSQL, and what is known so far. */
typedef struct CaseProbe
{
	Oid			collation;
	GpustrCase	which;
	GpustrCaseMap *map;			/* its ASCII part */
	uint32_t   *to;				/* [END_OF_OTHERS] what a character becomes;
								 * GPUSTR_CASE_RECHECK */
} CaseProbe;

static char *
change_case(Oid collation, GpustrCase which, const char *s, int bytes)
{
	CHECK_FOR_INTERRUPTS();
	if (which == GPUSTR_CASE_UPPER)
		return str_toupper(s, bytes, collation);
	return str_tolower(s, bytes, collation);
}

/* Is the case of a character changed without a look at its neighbours? */
static bool
ignores_context(Oid collation)
{
	HeapTuple	tuple;
	char		provider = '\0';

	if (collation == DEFAULT_COLLATION_OID)
	{
		tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
		if (HeapTupleIsValid(tuple))
			provider = ((Form_pg_database) GETSTRUCT(tuple))->datlocprovider;
	}
	else
	{
		tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
		if (HeapTupleIsValid(tuple))
			provider = ((Form_pg_collation) GETSTRUCT(tuple))->collprovider;
	}
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return provider == COLLPROVIDER_LIBC;
}

static bool
is_utf8(void)
{
	return GetDatabaseEncoding() == PG_UTF8;
}

/* Is it a character beyond ASCII that is asked about? */
static bool
is_other(uint32_t c)
{
	if (!is_utf8())
		return c >= FIRST_OTHER && c < 256;
	return c >= FIRST_OTHER && (c < FIRST_IDEOGRAPH || c > LAST_IDEOGRAPH) &&
		(c < FIRST_HANGUL || c > LAST_PRIVATE);
}

static void
append_char(StringInfo s, uint32_t c)
{
	unsigned char utf8[4];

	if (c < FIRST_OTHER || !is_utf8())
		appendStringInfoCharMacro(s, (char) c);
	else
	{
		unicode_to_utf8(c, utf8);
		appendBinaryStringInfo(s, (char *) utf8, pg_utf_mblen(utf8));
	}
}

/* The character that these bytes are; recheck if they are none or several. */
static uint32_t
single_char(const char *s, int bytes)
{
	if (bytes < 1 || bytes != (is_utf8() ? pg_utf_mblen((const unsigned char *) s) : 1))
		return GPUSTR_CASE_RECHECK;
	return is_utf8() ? utf8_to_unicode((const unsigned char *) s) : (unsigned char) *s;
}

/* What the map, as far as it has come, makes of a character. */
static uint32_t
mapped(const CaseProbe *probe, uint32_t c)
{
	return c < FIRST_OTHER ? probe->map->ascii[c] : probe->to[c];
}

/* Ask for each ASCII character; there is no zero byte in text. */
static void
probe_ascii(GpustrCaseMap *map, Oid collation, GpustrCase which)
{
	int			c;

	map->ascii[0] = ASCII_RECHECK;
	for (c = 1; c < FIRST_OTHER; c++)
	{
		char		byte = (char) c;
		char	   *changed = change_case(collation, which, &byte, 1);

		if (changed[0] != '\0' && changed[1] == '\0' && !IS_HIGHBIT_SET(changed[0]))
			map->ascii[c] = (uint8_t) changed[0];
		else
			map->ascii[c] = ASCII_RECHECK;
		pfree(changed);
	}
	map->others_stay = gpustr_ctype_is_c(collation);
}

/* Ask for all others, each on its own.  False: that does not work. */
static bool
probe_others(CaseProbe *probe)
{
	StringInfoData s;
	char	   *changed;
	const char *line;
	uint32_t	c;
	bool		result;

	initStringInfo(&s);
	for (c = FIRST_OTHER; c < END_OF_OTHERS; c++)
	{
		probe->to[c] = c;
		if (!is_other(c))
			continue;
		append_char(&s, c);
		appendStringInfoCharMacro(&s, '\n');
	}
	changed = change_case(probe->collation, probe->which, s.data, s.len);
	line = changed;
	for (c = FIRST_OTHER; c < END_OF_OTHERS; c++)
	{
		const char *end;

		if (!is_other(c))
			continue;
		end = strchr(line, '\n');
		if (end == NULL)
			return false;
		probe->to[c] = single_char(line, end - line);
		line = end + 1;
	}
	result = *line == '\0';
	pfree(changed);
	pfree(s.data);
	return result;
}

/* Might the characters beside this one matter? */
static bool
may_have_context(const CaseProbe *probe, uint32_t c)
{
	return is_other(c) && probe->to[c] != GPUSTR_CASE_RECHECK &&
		(probe->to[c] != c || !is_utf8() || (c >= FIRST_MARK && c <= LAST_MARK));
}

/*
 * Ask about the characters again, each between 'before' and 'after', which are
 * a character or 0: none.  Where that makes a difference, it is recheck.
 */
static bool
probe_context(CaseProbe *probe, uint32_t before, uint32_t after)
{
	StringInfoData s;
	StringInfoData expected;
	char	   *changed;
	const char *line;
	uint32_t	c;
	bool		result;

	initStringInfo(&s);
	initStringInfo(&expected);
	for (c = FIRST_OTHER; c < END_OF_OTHERS; c++)
	{
		if (!may_have_context(probe, c))
			continue;
		if (before != 0)
			append_char(&s, before);
		append_char(&s, c);
		if (after != 0)
			append_char(&s, after);
		appendStringInfoCharMacro(&s, '\n');
	}
	changed = change_case(probe->collation, probe->which, s.data, s.len);
	line = changed;
	for (c = FIRST_OTHER; c < END_OF_OTHERS; c++)
	{
		const char *end;

		if (!may_have_context(probe, c))
			continue;
		end = strchr(line, '\n');
		if (end == NULL)
			break;
		resetStringInfo(&expected);
		if (before != 0)
			append_char(&expected, mapped(probe, before));
		append_char(&expected, probe->to[c]);
		if (after != 0)
			append_char(&expected, mapped(probe, after));
		if (expected.len != end - line || memcmp(expected.data, line, expected.len) != 0)
			probe->to[c] = GPUSTR_CASE_RECHECK;
		line = end + 1;
	}
	result = c == END_OF_OTHERS && *line == '\0';
	pfree(changed);
	pfree(s.data);
	pfree(expected.data);
	return result;
}

/* Does a row of all that is mapped become what the map says? */
static bool
confirm(const CaseProbe *probe)
{
	StringInfoData s;
	StringInfoData expected;
	char	   *changed;
	uint32_t	c;
	bool		result;

	initStringInfo(&s);
	initStringInfo(&expected);
	for (c = FIRST_OTHER; c < END_OF_OTHERS; c++)
	{
		if (!is_other(c) || probe->to[c] == GPUSTR_CASE_RECHECK)
			continue;
		append_char(&s, c);
		append_char(&expected, probe->to[c]);
	}
	changed = change_case(probe->collation, probe->which, s.data, s.len);
	result = strcmp(changed, expected.data) == 0;
	pfree(changed);
	pfree(s.data);
	pfree(expected.data);
	return result;
}

/* A neighbour that is recheck tells nothing: the row is recheck. */
static bool
is_mapped(const CaseProbe *probe, uint32_t c)
{
	return c == 0 ||
		mapped(probe, c) != (c < FIRST_OTHER ? ASCII_RECHECK : GPUSTR_CASE_RECHECK);
}

/* All that rules about neighbours look for. */
static bool
probe_contexts(CaseProbe *probe)
{
	static const struct
	{
		uint32_t	before;
		uint32_t	after;
	}			utf8[] = {
		{'a', 0}, {'i', 0}, {'I', 0}, {0x012F, 0}, {0x03B1, 0},
		{0, 'a'}, {0, 0x0307}, {0, 0x0300}, {0, 0x03B9}, {0x03B1, 0x03B1}
	};
	int			i;

	if (!is_utf8())
		return probe_context(probe, 'a', 0) && probe_context(probe, 0, 'a') &&
			probe_context(probe, 'I', 0) && probe_context(probe, 'a', 'a') && confirm(probe);
	for (i = 0; i < lengthof(utf8); i++)
	{
		if (is_mapped(probe, utf8[i].before) && is_mapped(probe, utf8[i].after) &&
			!probe_context(probe, utf8[i].before, utf8[i].after))
			return false;
	}
	return confirm(probe);
}

/* The map in memory of the caller's. */
static GpustrCaseMap *
make_map(Oid collation, GpustrCase which, uint32_t *bytes)
{
	CaseProbe	probe = {collation, which, NULL, NULL};
	GpustrCaseMap *map;
	uint32_t	c;
	int			npairs = 0;

	*bytes = GPUSTR_CASE_MAP_BYTES(0);
	map = palloc0(*bytes);
	probe_ascii(map, collation, which);
	if (map->others_stay)
		return map;
	probe.map = map;
	probe.to = palloc_array(uint32_t, END_OF_OTHERS);
	if (!probe_others(&probe) || (!ignores_context(collation) && !probe_contexts(&probe)))
		return map;
	for (c = FIRST_OTHER; c < END_OF_OTHERS; c++)
		npairs += probe.to[c] != c;
	*bytes = GPUSTR_CASE_MAP_BYTES(npairs);
	map = repalloc(map, *bytes);
	memset((char *) map + GPUSTR_CASE_MAP_BYTES(0), 0, *bytes - GPUSTR_CASE_MAP_BYTES(0));
	map->others_stay = 1;
	for (c = FIRST_OTHER; c < END_OF_OTHERS; c++)
	{
		if (probe.to[c] != c)
		{
			map->pairs[map->npairs].from = c;
			map->pairs[map->npairs++].to = probe.to[c];
		}
	}
	return map;
}

const GpustrCaseMap *
gpustr_case_map(Oid collation, GpustrCase which, bool planning, uint32_t *bytes)
{
	CaseKey		key = {collation, which};
	CaseEntry  *entry = NULL;
	MemoryContext work;
	MemoryContext old;
	GpustrCaseMap *map;
	uint32_t	map_bytes;

	if (case_maps == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(CaseKey);
		ctl.entrysize = sizeof(CaseEntry);
		case_maps = hash_create("gpustr case maps", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(case_maps, &key, HASH_FIND, NULL);
	if (entry == NULL && planning && !gpustr_ctype_is_c(collation))
	{
		*bytes = GPUSTR_CASE_MAP_BYTES(BLANK_PAIRS);
		return palloc0(*bytes);
	}
	if (entry == NULL)
	{
		/* may raise an error: not with a half-made entry in the table */
		work = AllocSetContextCreate(CurrentMemoryContext, "gpustr case probe",
									 ALLOCSET_DEFAULT_SIZES);
		old = MemoryContextSwitchTo(work);
		map = make_map(collation, which, &map_bytes);
		MemoryContextSwitchTo(TopMemoryContext);
		map = memcpy(palloc(map_bytes), map, map_bytes);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(work);
		entry = hash_search(case_maps, &key, HASH_ENTER, NULL);
		entry->map = map;
		entry->bytes = map_bytes;
	}
	*bytes = entry->bytes;
	return entry->map;
}

/* Do ASCII letters and digits, and nothing else, make words for initcap()? */
static bool
has_same_words(Oid collation, const GpustrCaseMap *upper, const GpustrCaseMap *lower)
{
	int			c;

	for (c = 1; c < FIRST_OTHER; c++)
	{
		bool		inside = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
		char		words[5] = {'A', 'b', (char) c, 'c', 'D'};
		char		expected[5];
		char	   *changed;
		bool		same;
		int			i;

		for (i = 0; i < 5; i++)
			expected[i] = i == 0 || (i == 3 && !inside) ? upper->ascii[(int) words[i]] :
				lower->ascii[(int) words[i]];
		if (memchr(expected, ASCII_RECHECK, 5) != NULL)
			continue;
		changed = str_initcap(words, 5, collation);
		same = strlen(changed) == 5 && memcmp(changed, expected, 5) == 0;
		pfree(changed);
		if (!same)
			return false;
	}
	return true;
}

static InitcapEntry *
find_initcap(Oid collation)
{
	InitcapEntry *entry;
	GpustrCaseMap *upper;
	GpustrCaseMap *lower;
	bool		same_words;

	if (initcaps == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(Oid);
		ctl.entrysize = sizeof(InitcapEntry);
		initcaps = hash_create("gpustr initcap by collation", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(initcaps, &collation, HASH_FIND, NULL);
	if (entry != NULL)
		return entry;

	/* may raise an error, too */
	upper = palloc0(GPUSTR_CASE_MAP_BYTES(0));
	lower = palloc0(GPUSTR_CASE_MAP_BYTES(0));
	probe_ascii(upper, collation, GPUSTR_CASE_UPPER);
	probe_ascii(lower, collation, GPUSTR_CASE_LOWER);
	same_words = has_same_words(collation, upper, lower);
	entry = hash_search(initcaps, &collation, HASH_ENTER, NULL);
	entry->same_words = same_words;
	entry->maps = NULL;
	entry->bytes = 0;
	return entry;
}

const char *
gpustr_initcap_refusal(Oid collation)
{
	return find_initcap(collation)->same_words ? NULL :
		"under its collation, words are not letters and digits alone";
}

/* What a map makes of a character beyond ASCII; *pair: its pair, or NULL. */
static uint32_t
look_up(GpustrCaseMap *map, uint32_t c, GpustrCasePair **pair)
{
	int			i;

	for (i = 0; i < map->npairs && map->pairs[i].from < c; i++);
	*pair = i < map->npairs && map->pairs[i].from == c ? &map->pairs[i] : NULL;
	return *pair != NULL ? (*pair)->to : c;
}

/*
 * See whether each character of 'map' that changes is inside a word: first in one,
 * where it becomes what upper says, and second.  If not, it is recheck.
 */
static void
probe_words(Oid collation, GpustrCaseMap *map, GpustrCaseMap *upper, GpustrCaseMap *lower)
{
	StringInfoData s;
	StringInfoData expected;
	int			i;

	initStringInfo(&s);
	initStringInfo(&expected);
	for (i = 0; i < map->npairs; i++)
	{
		uint32_t	c = map->pairs[i].from;
		GpustrCasePair *up;
		GpustrCasePair *down;
		uint32_t	first = look_up(upper, c, &up);
		uint32_t	second = look_up(lower, c, &down);
		char	   *changed;

		if (first == GPUSTR_CASE_RECHECK || second == GPUSTR_CASE_RECHECK)
			continue;
		resetStringInfo(&s);
		resetStringInfo(&expected);
		append_char(&s, c);
		appendStringInfoString(&s, "1 1");
		append_char(&s, c);
		append_char(&s, 'A');
		append_char(&expected, first);
		appendStringInfoString(&expected, "1 1");
		append_char(&expected, second);
		append_char(&expected, lower->ascii['A']);
		changed = str_initcap(s.data, s.len, collation);
		if (strcmp(changed, expected.data) != 0)
		{
			if (up != NULL)
				up->to = GPUSTR_CASE_RECHECK;
			if (down != NULL)
				down->to = GPUSTR_CASE_RECHECK;
		}
		pfree(changed);
	}
	pfree(s.data);
	pfree(expected.data);
}

const char *
gpustr_initcap_maps(Oid collation, bool planning, uint32_t *bytes)
{
	InitcapEntry *entry = find_initcap(collation);

	if (entry->maps == NULL && planning)
	{
		*bytes = 2 * GPUSTR_CASE_MAP_BYTES(BLANK_PAIRS);
		return palloc0(*bytes);
	}
	if (entry->maps == NULL)
	{
		uint32_t	upper_bytes;
		uint32_t	lower_bytes;
		const GpustrCaseMap *upper = gpustr_case_map(collation, GPUSTR_CASE_UPPER, false, &upper_bytes);
		const GpustrCaseMap *lower = gpustr_case_map(collation, GPUSTR_CASE_LOWER, false, &lower_bytes);
		char	   *maps = MemoryContextAlloc(TopMemoryContext, upper_bytes + lower_bytes);

		memcpy(maps, upper, upper_bytes);
		memcpy(maps + upper_bytes, lower, lower_bytes);
		probe_words(collation, (GpustrCaseMap *) maps, (GpustrCaseMap *) maps,
					(GpustrCaseMap *) (maps + upper_bytes));
		probe_words(collation, (GpustrCaseMap *) (maps + upper_bytes), (GpustrCaseMap *) maps,
					(GpustrCaseMap *) (maps + upper_bytes));
		entry->maps = maps;
		entry->bytes = upper_bytes + lower_bytes;
	}
	*bytes = entry->bytes;
	return entry->maps;
}
