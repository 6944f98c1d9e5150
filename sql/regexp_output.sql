--
-- Functions that look for regular expressions, in SELECT lists and filters: values
-- without a match are the engine's, others PostgreSQL's; redact_pattern
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

CREATE COLLATION nondet (provider = icu, locale = 'und', deterministic = false);
CREATE TABLE lines (id int, s text, c text COLLATE "C", v varchar(60), p char(9), r text, n int, nd text COLLATE nondet, tr text COLLATE "tr-x-icu");
INSERT INTO lines
SELECT g, w, w, left(w, 60), left(w, 9), CASE g % 5 WHEN 0 THEN NULL WHEN 1 THEN '<\1\&>' ELSE '*' END, g % 4 - 1, w, w
FROM (SELECT g, CASE g % 10 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'error ' || g || ' in module ' || g % 7 || ', retry ' || g % 3
	WHEN 3 THEN 'Größe ' || g || E'\nline two' WHEN 4 THEN 'a' || g % 10 || 'b' || g % 100 || 'aa' WHEN 5 THEN '日本 ' || g || ' 語'
	WHEN 6 THEN 'ERROR: ' || repeat('x', g % 50) WHEN 7 THEN 'key=' || g || ' other=' || g * 3 ELSE 'nothing of interest here ' || md5(g::text) END AS w
	FROM generate_series(1, 1000) g) x;
-- compressed, external
INSERT INTO lines (id, s, c) VALUES (-1, repeat('error 5 ', 2000), 'x'), (-2, (SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 200) i), 'y');
ANALYZE lines;

-- redact_pattern is regexp_replace of all matches
SELECT gpustr.redact_pattern('user 12, user 345', 'user ([0-9]+)', 'user <\1>'), gpustr.redact_pattern('abc', '', '-'), gpustr.redact_pattern('abc', 'x*', '\\'),
	gpustr.redact_pattern(NULL, 'a', 'b') IS NULL AS strict;
SELECT count(*) FILTER (WHERE gpustr.redact_pattern(s, e, t) IS DISTINCT FROM regexp_replace(s, e, t, 'g')) AS different
FROM lines, (VALUES ('[0-9]+', '#'), ('(?i)error', '\&\&'), ('(.)\1', '[\1]'), ('^', '> '), ('(?<=k)e', ''), ('\M', '|')) AS t (e, t);
SELECT gpustr.redact_pattern('abc', '(', 'x');
SELECT gpustr.redact_pattern('abc', '[[:nope:]]', 'x');
SELECT gpustr.redact_pattern('abc' COLLATE nondet, 'b', 'x');

-- as computed columns: the same as without; the last column counts rows that PostgreSQL computed
CREATE FUNCTION rechecked(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	PERFORM set_config('gpustr.enabled', 'on', false);
	PERFORM set_config('gpustr.debug_require', 'require', false);
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON, COSTS OFF) ' || query INTO plan;
	PERFORM set_config('gpustr.debug_require', 'allow', false);
	PERFORM set_config('gpustr.enabled', 'off', false);
	RETURN jsonb_path_query(plan, 'strict $.**."GPU Rows Rechecked"');
END $$;
SELECT query, same(query), rechecked(query) FROM (VALUES
	($$SELECT id, regexp_replace(s, 'error [0-9]+', 'E') AS x FROM lines$$),
	($$SELECT regexp_replace(s, '([a-z]+)=([0-9]+)', '\2=\1', 'g') AS x FROM lines$$),
	($$SELECT regexp_replace(s, 'ERROR', 'e', 'gi') AS x FROM lines$$),
	($$SELECT regexp_replace(s, '^line', 'L', 'n') AS x FROM lines$$),
	($$SELECT regexp_replace(s, 'e', 'E', 3) AS x FROM lines$$),
	($$SELECT regexp_replace(s, 'o', 'O', 1, 2) AS x FROM lines$$),
	($$SELECT regexp_replace(s, 'O', '0', 5, 0, 'i') AS x FROM lines$$),
	($$SELECT regexp_replace(s, '^a', 'b', 4, 0) AS x FROM lines$$),
	($$SELECT regexp_replace(s, '[日語]', '?', 'g') AS x, s FROM lines WHERE id % 2 = 1$$),
	($$SELECT regexp_replace(s, 'in module', r) AS x FROM lines$$),
	($$SELECT regexp_replace(s, 'in module', upper(r), 'g') AS x FROM lines$$),
	($$SELECT regexp_replace(v, 'key', 'K') AS x, regexp_replace(p, ' $', '_') AS y FROM lines$$),
	($$SELECT regexp_replace(s, '(.)\1', 'dd') AS x FROM lines$$),
	($$SELECT regexp_replace(s, '(?<!a)a(?!b)', 'A') AS x FROM lines$$),
	($$SELECT regexp_replace(tr, 'İ', 'i', 'i') AS x FROM lines$$),
	($$SELECT gpustr.redact_pattern(s, 'key=[0-9]+', 'key=#') AS x FROM lines$$),
	($$SELECT gpustr.redact_pattern(lower(s), 'error', r) AS x FROM lines WHERE n > 0$$),
	($$SELECT regexp_replace(regexp_replace(s, 'key', 'K'), 'error', 'E') AS x FROM lines$$),
	($$SELECT regexp_substr(s, 'error [0-9]+') AS x FROM lines$$),
	($$SELECT regexp_substr(s, 'O', 2, 1, 'i') AS x, regexp_substr(s, '(m)od(ule)', 1, 1, '', 2) AS y FROM lines$$),
	($$SELECT regexp_substr(s, 'a', 2000) AS x, regexp_substr(s, 'key', 1, 7) AS y FROM lines$$),
	($$SELECT substring(s from 'key=([0-9]+)') AS x FROM lines$$),
	($$SELECT substring(s from 'key(=x)?') AS x FROM lines$$),
	($$SELECT substring(s similar '%#"key=_#"%' escape '#') AS x FROM lines$$),
	($$SELECT (regexp_match(s, 'key=([0-9]+) other=([0-9]+)'))[2] AS x FROM lines$$),
	($$SELECT (regexp_match(s, 'KEY=([0-9]+)', 'i'))[1] AS x, (regexp_match(s, 'key'))[2] AS y FROM lines$$),
	($$SELECT upper(regexp_substr(s, 'module [0-9]')) || '!' AS x FROM lines$$),
	($$SELECT coalesce(substring(s from '[0-9]{4}'), 'none') AS x FROM lines$$),
	($$SELECT CASE WHEN n > 0 THEN regexp_replace(s, 'x', 'y') ELSE c END AS x FROM lines$$),
	($$SELECT regexp_replace(s, 'no such thing', '') AS x, regexp_substr(s, 'no such thing') AS y FROM lines$$)) q (query);

-- where it matches, found by the engine: empty matches, borders, what stands for the match, lazy quantifiers
CREATE TABLE extents AS SELECT g AS id, CASE g % 8 WHEN 0 THEN '' WHEN 1 THEN 'aaa bb  a' WHEN 2 THEN 'ab' || chr(10) || 'ba' || chr(10)
	WHEN 3 THEN 'naïve 日本語 über' WHEN 4 THEN 'x' || repeat('ab', g) WHEN 5 THEN '<b>bold</b> <i>it</i>' WHEN 6 THEN 'foo_bar-baz.qux 42' ELSE md5(g::text) END AS s,
	(ARRAY['-', '[\&]', '\\&\\\&', '\x\', '', 'é', '\0'])[1 + g % 7] AS r FROM generate_series(1, 200) g;
ANALYZE extents;
SELECT query, same(query), rechecked(query) FROM (VALUES
	($$SELECT id, regexp_replace(s, '', '-', 'g') AS x FROM extents$$),
	($$SELECT id, regexp_replace(s, 'a*', '<\&>', 'g') AS x, regexp_replace(s, 'b*', '', 2, 2) AS y FROM extents$$),
	($$SELECT id, regexp_replace(s, '^', '> ', 'gn') AS x, regexp_replace(s, '$', ' <', 'gw') AS y, regexp_replace(s, '^', '> ', 'g') AS z FROM extents$$),
	($$SELECT id, regexp_replace(s, '\m', '|', 'g') AS x, regexp_replace(s, '\M', '|', 'g') AS y, regexp_replace(s, '\y', '|', 'g') AS z FROM extents$$),
	($$SELECT id, regexp_replace(s, '\w+', '\&\&', 'g') AS x, regexp_replace(s, '\W', '\\', 'g') AS y, regexp_replace(s, '[^[:ascii:]]', '?', 'g') AS z FROM extents$$),
	($$SELECT id, regexp_replace(s, '<.*?>', '', 'g') AS x, regexp_replace(s, '<.*>', '') AS y, regexp_replace(s, '(<b>|<i>|x)??.', '\&!') AS z FROM extents$$),
	($$SELECT id, regexp_replace(s, 'a|ab|abab', '#', 'g') AS x, regexp_replace(s, '(a|ab)(bab)*', '#', 'g') AS y, regexp_replace(s, 'b{2,3}|(ab){2}', '#') AS z FROM extents$$),
	($$SELECT id, regexp_replace(s, 'b', r, 'g') AS x, gpustr.redact_pattern(s, '[^ ]+', r) AS y, regexp_replace(s, '.', r, 4) AS z FROM extents$$),
	($$SELECT id, regexp_replace(s, 'b(?=a)', '#', 'g') AS x, regexp_replace(s, '(?<!a)b', '#', 'g') AS y, regexp_replace(s, '日.|.(?<=ü)', '#', 'g') AS z FROM extents$$),
	($$SELECT id, regexp_replace(s, '(?!ab)b', '#', 'g') AS x, regexp_replace(s, 'a(?=b+a)', '#', 'g') AS y FROM extents$$),
	($$SELECT id, regexp_substr(s, '[a-z]+', 1, 2) AS x, regexp_substr(s, 'b', 3) AS y, regexp_substr(s, 'a', 5, 3) AS z, regexp_substr(s, 'a', 999) AS w FROM extents$$),
	($$SELECT id, substring(s from '[0-9]+') AS x, substring(s from '(?:a|b)+?') AS y, (regexp_match(s, '[^a-z]+'))[1] AS z FROM extents$$),
	($$SELECT id FROM extents WHERE regexp_count(s, '') = 10$$),
	($$SELECT id FROM extents WHERE regexp_count(s, 'a*', 3) > 3 AND regexp_count(s, '.', 1, 'n') > 4$$),
	($$SELECT id FROM extents WHERE regexp_instr(s, 'b', 1, 2) IN (0, 4, 5)$$),
	($$SELECT id FROM extents WHERE regexp_instr(s, '[本a]+', 2, 1, 1) BETWEEN 4 AND 9$$),
	($$SELECT id FROM extents WHERE regexp_instr(s, '$', 5) > 6$$)) q (query);
-- a text in which many places fail late is PostgreSQL's
INSERT INTO extents VALUES (1001, repeat('a', 3000) || 'x', 'r'), (1002, repeat('a', 100) || 'x', 'r');
SELECT query, same(query), rechecked(query) FROM (VALUES
	($$SELECT id, regexp_replace(s, 'a+y|x', '#', 'g') AS x FROM extents WHERE id > 1000$$)) q (query);
DROP TABLE extents;

-- in filters
SELECT query, same(query), rechecked(query) FROM (VALUES
	($$SELECT id FROM lines WHERE regexp_replace(s, 'error', 'E') = ''$$),
	($$SELECT id FROM lines WHERE regexp_replace(s, 'error', 'E') LIKE 'E %'$$),
	($$SELECT id FROM lines WHERE regexp_substr(s, 'key=[0-9]+') = 'key=7'$$),
	($$SELECT id FROM lines WHERE regexp_substr(s, 'key=[0-9]+') IS NULL$$),
	($$SELECT id FROM lines WHERE substring(s from 'retry ([0-9])') > '1' COLLATE "C"$$),
	($$SELECT id FROM lines WHERE regexp_count(s, 'r') > 3$$),
	($$SELECT id FROM lines WHERE regexp_count(s, 'KEY', 1, 'i') = 0$$),
	($$SELECT id FROM lines WHERE regexp_count(s, 'key', 99) IS NULL$$),
	($$SELECT id FROM lines WHERE regexp_count(s, 'key(', 1, 'q') = 0$$),
	($$SELECT id FROM lines WHERE regexp_instr(s, 'module') > 10$$),
	($$SELECT id FROM lines WHERE regexp_instr(s, 'module', 3, 1, 1) = 0 AND n = 2$$),
	($$SELECT id FROM lines WHERE regexp_instr(s, '(m)(od)', 1, 1, 0, 'i', 2) BETWEEN 1 AND 12$$),
	($$SELECT id FROM lines WHERE regexp_match(s, 'key=([0-9]+)') IS NOT NULL$$),
	($$SELECT id FROM lines WHERE regexp_match(s, 'KEY', 'i') IS NULL$$),
	($$SELECT id FROM lines WHERE regexp_match(s, '(.)\1') IS NULL AND n > 0$$),
	($$SELECT id FROM lines WHERE (regexp_match(s, 'key=([0-9]+)'))[1] = '7'$$),
	($$SELECT id FROM lines WHERE (regexp_match(s, 'key=([0-9]+)'))[1]::int % 2 = 1$$),
	($$SELECT id FROM lines WHERE gpustr.redact_pattern(s, '[0-9]', '') <> s$$),
	($$SELECT id FROM lines WHERE n > 0 AND regexp_count(c, 'a') > 1 AND s LIKE '%b%'$$)) q (query);

-- errors are PostgreSQL's, and only for rows that get there; what is refused has a reason
SELECT query, same(query) FROM (VALUES
	($$SELECT id FROM lines WHERE id > 0 AND regexp_replace(s, '(', '') = ''$$),
	($$SELECT id FROM lines WHERE id > 5000 AND regexp_replace(s, '(', '') = ''$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_replace(s, 'e', '', 'y') = ''$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_replace(s, 'e', '', '1') = ''$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_replace(s, 'e', '', 0) = ''$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_replace(s, 'e', '', 1, -1) = ''$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_replace(s, 'e', '', n) = ''$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_replace(s, 'e', '', abs(n) + 1) = ''$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_substr(s, 'e', 1, 0) = ''$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_substr(s, 'e', 1, 1, '', -1) = ''$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_count(s, 'e', 1, 'g') = 0$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_count(s, 'e', -1) = 0$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_instr(s, 'e', 1, 1, 2) = 0$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_match(s, 'e', 'g') IS NULL$$),
	($$SELECT id FROM lines WHERE id > 0 AND gpustr.redact_pattern(nd, 'e', '') = s$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_replace(s, r, '') = s$$),
	($$SELECT id FROM lines WHERE id > 0 AND (regexp_match(s, 'e'))[n] = 'e'$$),
	($$SELECT id FROM lines WHERE id > 0 AND regexp_match(s, 'e') = '{e}'$$)) q (query);
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT regexp_replace(s, '(', ''), regexp_replace(s, 'e', '', 0), regexp_substr(s, r), gpustr.redact_pattern(nd, 'e', ''),
	regexp_replace(s, 'e', r), substring(s from 'k'), (regexp_match(s, 'k'))[1] FROM lines WHERE id > 0$$);
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT id FROM lines WHERE id > 0 AND regexp_count(s, 'e', n) > 0 AND regexp_match(s, 'e') = '{e}' AND regexp_match(s, 'e') IS NULL$$);
SET gpustr.max_automaton_size = 0;
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT regexp_replace(s, 'e', '') FROM lines WHERE id > 0$$);
RESET gpustr.max_automaton_size;

-- patterns that are known when the scan runs
SET plan_cache_mode = force_generic_plan;
PREPARE o (text) AS SELECT count(*), count(x), min(x) FROM (SELECT regexp_replace(s, $1, '#', 'g') AS x FROM lines OFFSET 0) s;
PREPARE w (text) AS SELECT count(*) FROM lines WHERE regexp_count(s, $1) > 1;
PREPARE m (text) AS SELECT count(*) FROM lines WHERE regexp_match(s, $1) IS NULL;
EXECUTE o ('error');
EXECUTE o ('^$');
EXECUTE o (NULL);
EXECUTE o ('(');
EXECUTE w ('e');
EXECUTE w (NULL);
EXECUTE w ('(');
EXECUTE w ('e');
EXECUTE m ('e');
EXECUTE m (NULL);
EXECUTE m ('[[:nope:]]');
RESET plan_cache_mode;
SET gpustr.debug_require = 'allow';

-- chosen where few rows match, by cost
CREATE TABLE many AS SELECT g AS id, CASE WHEN g % 1000 = 0 THEN 'rare ' ELSE 'usual ' END || md5(g::text) AS s FROM generate_series(1, 100000) g;
VACUUM ANALYZE many;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION chosen(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan @? 'strict $.**."Custom Plan Provider" ? (@ == "GpuScan")';
END $$;
SELECT query, chosen(query) FROM (VALUES
	($$SELECT gpustr.redact_pattern(s, '^rare', '') FROM many$$),
	($$SELECT gpustr.redact_pattern(s, 'usual', '') FROM many$$),
	($$SELECT gpustr.redact_pattern(s, '[0-9]', '') FROM many$$),
	($$SELECT id FROM many WHERE gpustr.redact_pattern(s, '^rare', '') = 'x'$$),
	($$SELECT id FROM many WHERE gpustr.redact_pattern(s, 'usual', '') = 'x'$$)) q (query);
RESET max_parallel_workers_per_gather;
RESET gpustr.enabled;
DROP TABLE lines, many;
DROP FUNCTION same, outcome, with_gpu, explain_masked, rechecked, chosen;
DROP COLLATION nondet;
