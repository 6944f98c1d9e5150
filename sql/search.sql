-- Searching and comparing texts: values, arrays, and clauses of a scan.  The
-- engine comes from the environment: see test/run.
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set fresh :srcdir '/test/fresh.sql'
\i :fresh
\set ECHO all

-- find
SELECT gpustr.find('high', 'ig'), gpustr.find('abcabc', 'abc', 2), gpustr.find('abcabc', 'abc', 5),
	gpustr.find('abc', 'abcd'), gpustr.find('', 'a');
SELECT gpustr.find('abc', ''), gpustr.find('', ''), gpustr.find('abc', '', 4), gpustr.find('abc', '', 5);
SELECT gpustr.find('abc', 'c', -2147483648), gpustr.find('abc', 'c', 0), gpustr.find('abc', 'c', 2147483647);
SELECT gpustr.find('grüße, ×××', '×'), gpustr.find('grüße, ×××', '×', 9), gpustr.find('中文字', '字');
SELECT gpustr.find('a\000b\000c'::bytea, '\000'::bytea, 3), gpustr.find('\xc3a9c3a9'::bytea, '\xa9'),
	gpustr.find('\xc3a9c3a9'::bytea, '\xa9', 3);
SELECT gpustr.find(NULL::text, 'a') IS NULL AND gpustr.find('a', NULL::text) IS NULL AND
	gpustr.find('a', 'a', NULL) IS NULL AS strict;

-- find_all and count_matches
SELECT gpustr.find_all('aaaa', 'aa'), gpustr.count_matches('aaaa', 'aa');
SELECT gpustr.find_all('grüße, ×××', '××'), gpustr.count_matches('grüße, ×××', '××');
SELECT gpustr.find_all('abc', 'x'), gpustr.count_matches('abc', 'x'), gpustr.find_all('ab', 'abc');
SELECT gpustr.find_all('üb', ''), gpustr.count_matches('üb', ''), gpustr.find_all('', ''), gpustr.count_matches('', '');
SELECT gpustr.find_all('\x00ff00ff00'::bytea, '\x00ff00'), gpustr.count_matches('\x00ff00ff00'::bytea, '\x'::bytea);

-- edit distance
SELECT gpustr.edit_distance('kitten', 'sitting'), gpustr.edit_distance('', 'grüße'),
	gpustr.edit_distance('grüße', 'grusse'), gpustr.edit_distance('', '');
SELECT k, gpustr.edit_distance_within('kitten', 'sitting', k)
	FROM unnest(ARRAY[-2147483648, -1, 0, 2, 3, 2147483647]) k;

-- approximate search
SELECT k, gpustr.fuzzy_find('the xmith and the smith', 'smith', k) FROM generate_series(0, 6) k;
SELECT gpustr.fuzzy_find('', 'ab', 1), gpustr.fuzzy_find('', 'ab', 2), gpustr.fuzzy_find('', '', 0),
	gpustr.fuzzy_find('中文中×t×', 'e×t×', 1);
SELECT gpustr.fuzzy_find('a', 'b', -1);

-- Bytes are compared, whatever the collation
CREATE COLLATION search_any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT 'A' = 'a' COLLATE search_any_case AS equal, gpustr.find('xA' COLLATE search_any_case, 'a') AS found,
	gpustr.edit_distance('A', 'a' COLLATE search_any_case) AS distance;

-- The same as PostgreSQL's own functions
CREATE FUNCTION search_text(seed int, n int, letters text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(string_agg(substr(letters, 1 + (hashint8(seed * 100003::bigint + i) & 1023) % length(letters), 1), ''), '')
	FROM generate_series(1, n) i
$$;
CREATE TEMP TABLE search_pairs AS
	SELECT i, search_text(i, i % 70, 'abcü×中') AS a, search_text(-i, 1 + i % 3, 'abcü×中') AS b,
		search_text(i + 3, i % 67, 'abcü×中') AS c
	FROM generate_series(1, 400) i;
SELECT count(*) FROM search_pairs WHERE gpustr.find(a, b) <> strpos(a, b);
SELECT count(*) FROM search_pairs, generate_series(1, 40, 13) f
	WHERE gpustr.find(a, b, f) <> CASE WHEN strpos(substr(a, f), b) > 0 THEN strpos(substr(a, f), b) + f - 1 ELSE 0 END;
SELECT count(*) FROM search_pairs
	WHERE gpustr.find_all(a, b) <>
		coalesce((SELECT array_agg(p ORDER BY p) FROM generate_series(1, length(a)) p
				  WHERE substr(a, p::int, length(b)) = b), '{}')::bigint[];
SELECT count(*) FROM search_pairs
	WHERE gpustr.count_matches(a, b) <> cardinality(gpustr.find_all(a, b)) OR
		gpustr.fuzzy_find(a, b, 0) <> strpos(a, b);
SELECT count(*) FROM search_pairs
	WHERE gpustr.edit_distance(a, c) <> gpustr.edit_distance(c, a) OR
		NOT gpustr.edit_distance_within(a, c, gpustr.edit_distance(a, c)) OR
		gpustr.edit_distance_within(a, c, gpustr.edit_distance(a, c) - 1);

-- Arrays
SELECT gpustr.find(ARRAY['abc', NULL, 'cab', ''], 'b'), gpustr.find(ARRAY['abab', 'b'], 'b', 3);
SELECT gpustr.count_matches(ARRAY[['aaa', 'ba'], [NULL, 'aa']], 'aa');
SELECT gpustr.edit_distance('[3:4]={kitten,mitten}'::text[], 'sitting'), gpustr.edit_distance('{}'::text[], 'a');
SELECT gpustr.edit_distance_within(ARRAY['kitten', 'mitten', NULL], 'sitten', 1),
	gpustr.fuzzy_find(ARRAY['the smith', 'a smyth'], 'smith', 1);
SELECT gpustr.fuzzy_find(ARRAY[NULL, 'a'], 'b', -1);
SELECT gpustr.fuzzy_find(ARRAY[NULL]::text[], 'b', -1);
SELECT gpustr.find(NULL::text[], 'a') IS NULL AS strict;
WITH arrays AS (SELECT array_agg(a ORDER BY i) AS a, (array_agg(c ORDER BY i))[33] AS other FROM search_pairs)
SELECT gpustr.find(a, 'ab') = (SELECT array_agg(gpustr.find(p.a, 'ab') ORDER BY i) FROM search_pairs p) AS find,
	gpustr.count_matches(a, '×') = (SELECT array_agg(gpustr.count_matches(p.a, '×') ORDER BY i) FROM search_pairs p) AS count,
	gpustr.edit_distance(a, other) = (SELECT array_agg(gpustr.edit_distance(p.a, other) ORDER BY i) FROM search_pairs p) AS distance,
	gpustr.edit_distance_within(a, other, 25) = (SELECT array_agg(gpustr.edit_distance_within(p.a, other, 25) ORDER BY i) FROM search_pairs p) AS within,
	gpustr.fuzzy_find(a, 'abc×', 1) = (SELECT array_agg(gpustr.fuzzy_find(p.a, 'abc×', 1) ORDER BY i) FROM search_pairs p) AS fuzzy
FROM arrays;
-- elements of several strips, and such as are too long for a batch
WITH long AS (SELECT ARRAY[repeat('abcdefghij', 200), repeat('abcdefghij', 10000) || 'x', 'x', repeat('x', 90)] AS v,
					 repeat('abcdefghij', 199) || 'x' AS w)
SELECT gpustr.edit_distance(v, w), gpustr.edit_distance_within(v, w, 10), gpustr.fuzzy_find(v, w, 1),
	gpustr.find(v, 'x'), gpustr.count_matches(v, 'ij') FROM long;

-- Clauses and target lists of a scan
CREATE TABLE search_scan AS
	SELECT i, 'the ' || (ARRAY['smith', 'smyth', 'smit', 'baker', 'smithers', 'ßmith'])[1 + i % 6] || ' no ' || i AS msg,
		(ARRAY['smith', 'smyth', 'schmidt', 'baker', 'smithers', 'ßmith', NULL])[1 + i % 7] AS name
	FROM generate_series(1, 5000) i;
INSERT INTO search_scan VALUES (0, repeat('smith', 1000), ''), (5001, NULL, 'x'), (5002, '', 'smith');
VACUUM ANALYZE search_scan;
SET gpustr.debug_require = require;
CREATE TEMP TABLE fast AS
	SELECT i, 1 AS clause FROM search_scan WHERE gpustr.edit_distance_within(name, 'smith', 2)
	UNION ALL SELECT i, 2 FROM search_scan WHERE gpustr.find(msg, 'mit') > 5
	UNION ALL SELECT i, 3 FROM search_scan WHERE gpustr.find(msg, 'no', 11) = 11
	UNION ALL SELECT i, 4 FROM search_scan WHERE gpustr.count_matches(msg, 'smith') > 1
	UNION ALL SELECT i, 5 FROM search_scan WHERE gpustr.edit_distance(name, 'smitt') = 1
	UNION ALL SELECT i, 6 FROM search_scan WHERE gpustr.fuzzy_find(msg, 'smith', 1) BETWEEN 1 AND 5;
SET gpustr.debug_require = forbid;
SET gpustr.enabled = off;
CREATE TEMP TABLE slow AS
	SELECT i, 1 AS clause FROM search_scan WHERE gpustr.edit_distance_within(name, 'smith', 2)
	UNION ALL SELECT i, 2 FROM search_scan WHERE gpustr.find(msg, 'mit') > 5
	UNION ALL SELECT i, 3 FROM search_scan WHERE gpustr.find(msg, 'no', 11) = 11
	UNION ALL SELECT i, 4 FROM search_scan WHERE gpustr.count_matches(msg, 'smith') > 1
	UNION ALL SELECT i, 5 FROM search_scan WHERE gpustr.edit_distance(name, 'smitt') = 1
	UNION ALL SELECT i, 6 FROM search_scan WHERE gpustr.fuzzy_find(msg, 'smith', 1) BETWEEN 1 AND 5;
RESET gpustr.enabled;
RESET gpustr.debug_require;
(TABLE fast EXCEPT ALL TABLE slow) UNION ALL (TABLE slow EXCEPT ALL TABLE fast);
SELECT clause, count(*) FROM fast GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM search_scan WHERE gpustr.fuzzy_find(msg, 'smith', -1) > 0;

-- A long value: through a device process, if that is the engine
CREATE TABLE search_long (id int, v text, b bytea);
ALTER TABLE search_long ALTER v SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTENDED;
INSERT INTO search_long SELECT 1, v, convert_to(v, 'UTF8') FROM (
	SELECT string_agg(repeat(chr(97 + i % 26) || '×中', 20000) || 'needle' || i || E'\n', '' ORDER BY i) AS v
	FROM generate_series(1, 90) i) s;
SELECT sum(batches) AS before FROM gpustr.stat_device \gset
SELECT octet_length(v), length(v), gpustr.count_matches(v, 'needle'), cardinality(gpustr.find_all(v, 'needle')) FROM search_long;
SELECT (sum(batches) > :before) = (current_setting('gpustr.engine') = 'device') AS on_that_engine FROM gpustr.stat_device;
SELECT bool_and(substr(v, p::int, 6) = 'needle') AS positions, min(p), max(p), count(*)
	FROM search_long, unnest(gpustr.find_all(v, 'needle')) p;
SELECT bool_and(substr(b, p::int, 6) = 'needle') AS positions, min(p), max(p), count(*)
	FROM search_long, unnest(gpustr.find_all(b, 'needle')) p;
SELECT gpustr.find(v, 'needle90') = strpos(v, 'needle90') AS find, gpustr.find(v, 'needle', 5000000),
	gpustr.find_all(v, 'needle90'), gpustr.fuzzy_find(v, 'nedle90', 1) FROM search_long;
-- many hits, more than an engine has room for; and a long pattern, at the edges of pieces
SELECT gpustr.count_matches(v, '中'), (gpustr.find_all(v, '×'))[1800000], gpustr.count_matches(b, '\xc3') FROM search_long;
SELECT gpustr.find_all(v, substr(v, 60000, 1500)) = ARRAY[60000]::bigint[] AS pattern,
	gpustr.find_all(v, substr(v, 60000, 3000)) = ARRAY[60000]::bigint[] AS longer,
	gpustr.find_all(v, substr(v, 60000, 300000)) = ARRAY[60000]::bigint[] AS longest,
	gpustr.find_all(v, v) = ARRAY[1]::bigint[] AS itself, gpustr.count_matches(v, v || 'x') AS too_long FROM search_long;
-- texts of one letter, for which comparing at each place would take for ever
SELECT gpustr.count_matches(repeat('a', 6000000), repeat('a', 3000000)) AS halves,
	gpustr.count_matches(repeat('a', 6000000), repeat('a', 4000)) AS parts,
	gpustr.find(repeat('a', 6000000), repeat('a', 3000000) || 'b') AS none;
SELECT gpustr.edit_distance(repeat('abc', 100000), repeat('abc', 99999) || 'xy') AS alike,
	gpustr.edit_distance_within(repeat('abc', 100000), repeat('bca', 100000), 2) AS shifted,
	gpustr.edit_distance_within(repeat('abc', 100000), repeat('bca', 100000), 1) AS less;
SELECT gpustr.fuzzy_find(repeat('abcdefgh', 20000) || repeat('hgfedcba', 100), repeat('hgfedcba', 99) || 'xx', 2) AS strips;

-- A result of more than 1 GB is an error
SELECT gpustr.find_all(repeat('a', 140000000), 'a');
SELECT gpustr.find_all(repeat('a', 140000000), '');

-- A cancel is seen at once
SET statement_timeout = '100ms';
DO $$
DECLARE
	a text := repeat('abcdefg', 150000);
	b text := repeat('gfedcba', 150000);
	start timestamptz := clock_timestamp();
BEGIN
	PERFORM gpustr.edit_distance(a, b);
	RAISE EXCEPTION 'not cancelled';
EXCEPTION WHEN query_canceled THEN
	IF clock_timestamp() - start > interval '1 s' THEN
		RAISE EXCEPTION 'cancelled after %', clock_timestamp() - start;
	END IF;
END
$$;
DO $$
DECLARE
	v text := repeat('ab', 150000);
	start timestamptz := clock_timestamp();
BEGIN
	PERFORM gpustr.fuzzy_find(v || v || v || v, v || 'xxx', 1);
	RAISE EXCEPTION 'not cancelled';
EXCEPTION WHEN query_canceled THEN
	IF clock_timestamp() - start > interval '1 s' THEN
		RAISE EXCEPTION 'cancelled after %', clock_timestamp() - start;
	END IF;
END
$$;
RESET statement_timeout;
DROP TABLE search_scan, search_long;
DROP COLLATION search_any_case;
