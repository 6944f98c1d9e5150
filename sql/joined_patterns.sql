--
-- Several tests of one text as one automaton: regular expressions and LIKE patterns
-- joined by AND, OR and NOT, and side by side in a WHERE clause
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

CREATE TABLE lines (id int, s text, c text COLLATE "C", en text COLLATE "en-x-icu", p char(12), n name);
INSERT INTO lines
SELECT g, w, w, w, left(w, 12), left(w, 30)::name
FROM (SELECT g, CASE g % 9 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'error ' || g || ' in module ' || g % 7 || ', retry ' || g % 3
	WHEN 3 THEN 'Größe ' || g || E'\nline two' WHEN 4 THEN 'a' || g % 10 || 'b' || g % 100 || 'aa' WHEN 5 THEN '日本 ' || g || ' 語 😀'
	WHEN 6 THEN 'ERROR: ' || repeat('x', g % 50) || 'é' WHEN 7 THEN 'key_' || g || '=50% \ of ' || g * 3 ELSE 'GET /index/' || md5(g::text) END AS w
	FROM generate_series(1, 900) g) x;
-- compressed, external
INSERT INTO lines VALUES (-1, repeat('error 5 ', 2000)), (-2, (SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 200) i));
UPDATE lines SET c = s, en = s WHERE id < 0;
ANALYZE lines;

-- tests, and groups of them by chance
CREATE TABLE tests (n serial, t text);
INSERT INTO tests (t) VALUES
 ($$~ '[0-9]{2}$'$$), ($$~ '^(error|ERROR)'$$), ($$!~ 'module [2-5]'$$), ($$~ 'é|ö'$$), ($$~ '[一-龥]'$$), ($$!~ '^.{20,}$'$$), ($$~* 'ERR.R'$$), ($$!~* 'größe [0-9]*7'$$),
 ($$~ '^\w+ \d+'$$), ($$~ '(?n)^line'$$), ($$~ '\mof\M'$$), ($$~ ''$$), ($$~ '^$'$$), ($$~ '[[:upper:]]{3}'$$), ($$LIKE '%5%'$$), ($$NOT LIKE 'error%'$$), ($$LIKE '%a_'$$),
 ($$LIKE '____'$$), ($$LIKE '%\%%'$$), ($$LIKE 'key\_%'$$), ($$LIKE '%\\ of%'$$), ($$LIKE '%日%語%'$$), ($$NOT LIKE '%é'$$), ($$LIKE ''$$), ($$LIKE '%'$$), ($$LIKE '_日%'$$), ($$NOT LIKE '%x_é%'$$),
 ($$LIKE '_%_'$$), ($$ILIKE '%ERROR%'$$), ($$NOT ILIKE '%größe%'$$), ($$ILIKE 'get _index%'$$), ($$SIMILAR TO '(a|error)%'$$), ($$^@ 'GET'$$), ($$LIKE ANY ('{%7%,a%,%語%}')$$),
 ($$~ ANY ('{^a,0$,ß}')$$), ($$!~ ALL ('{^a,0$}')$$), ($$NOT LIKE ALL ('{%1%,%2%}')$$), ($$~ '(.)\1'$$), ($$~ 'e(?=r)'$$), ($$~ '[^[:alpha:] ]{5}$'$$);
CREATE FUNCTION one(col text, i int) RETURNS text LANGUAGE sql AS $$
	SELECT col || ' ' || t FROM tests WHERE n = 1 + abs(hashint4(i)) % (SELECT count(*) FROM tests)
$$;
CREATE FUNCTION group_of(col text, i int) RETURNS text LANGUAGE sql AS $$
	SELECT format((ARRAY['%s OR %s', '%s AND %s', '%s OR %s OR %s', '%s AND %s AND %s', '(%s AND %s) OR %s', '(%s OR %s) AND %s', 'NOT (%s AND %s) OR (%s AND %s)',
		'(%s OR %s) AND NOT (%s OR %s)', '(%s OR id = 7) AND %s AND %s', '%s AND id > 3 AND %s AND (%s OR %s)', '(%s OR %s OR %s) IS NULL', '(%s AND %s) IS NOT TRUE',
		'CASE WHEN %s OR %s THEN %s ELSE %s AND id > 5 END'])[1 + i % 13], VARIADIC ARRAY(SELECT one(col, 100 * i + k) FROM generate_series(1, 4) k))
$$;
SELECT col, i, group_of(col, i), outcome
FROM unnest(ARRAY['s', 'c', 'en']) col, generate_series(1, 130) i, LATERAL same('SELECT id FROM lines WHERE ' || group_of(col, i)) AS outcome
WHERE outcome NOT LIKE 'same% rows' ORDER BY col, i;
SELECT i, same('SELECT id FROM lines WHERE ' || group_of('c', i)) FROM generate_series(1, 130, 13) i;
-- other types
SELECT i, same('SELECT id FROM lines WHERE ' || replace(group_of('p', i), 'p ^@', 'p::text ^@')) AS p,
	same('SELECT id FROM lines WHERE ' || replace(group_of('n', i), 'n ^@', 'n::text ^@')) AS n FROM generate_series(200, 212) i;

-- which are one automaton: the debug message is written by each of the builds while a query is planned
SET gpustr.engine = local;
SET gpustr.enabled = on;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION joined(where_clause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpustr.debug_require', 'require', true), set_config('client_min_messages', 'debug1', true);
	EXECUTE 'EXPLAIN SELECT FROM lines WHERE ' || where_clause;
	PERFORM set_config('gpustr.debug_require', 'allow', true), set_config('client_min_messages', 'notice', true);
END $$;
SELECT joined($$c ~ '[0-9]x' OR c ~ 'y[0-9]'$$);
SELECT joined($$c ~ '[0-9]x' AND c !~ 'y[0-9]'$$);
SELECT joined($$c ~ '[0-9]x' AND id > 5 AND c !~ 'y[0-9]'$$);
SELECT joined($$(c ~ '[0-9]x' OR c LIKE '%_y%') AND NOT (c ~* '[0-9]z' AND c ILIKE 'a%')$$);
SELECT joined($$c ~ ANY ('{[0-9]x,y[0-9],[0-9]z}')$$);
SELECT joined($$c ~ '^a' AND c ~ '[0-9]x' AND c !~ '[0-9]z'$$);
-- none: another text between, lookaround, and where two searches are faster
SELECT joined($$c ~ '[0-9]x' OR s ~ 'y[0-9]' OR c ~ '[0-9]z'$$);
SELECT joined($$c ~ '[0-9]x' OR c ~ '[0-9](?=yz)' OR c ~ '[0-9]z'$$);
SELECT joined($$c LIKE '%error%' OR c LIKE '%module%'$$);
SELECT joined($$c ~ 'error [0-9]' OR c ~ '[0-9] module'$$);
-- literals stay with those; the automaton of all would be too large
SELECT joined($$c LIKE '%a%' OR c LIKE '%b%' OR c LIKE '%c%' OR c LIKE '%d%'$$);
SET gpustr.max_automaton_size = '1kB';
SELECT joined($$c ~ 'a.{4}x' OR c ~ 'y.{4}b'$$);
-- nor is more tried where two have been too large
SELECT joined($$c ~ 'a.{4}x' OR c ~ 'y.{4}b' OR (c ~ '0x' OR c ~ 'y1') AND id > 0$$);
SELECT joined($$c ~ 'a.{4}x' OR c ~ 'y.{4}b' OR c ~ '0.{4}1' OR (c ~ '0x' OR c ~ 'y1') AND id > 0$$);
RESET gpustr.max_automaton_size;
-- and more than one automaton takes
SELECT joined(string_agg(format('c ~ %L', g || '[a-f]$'), ' OR ')) FROM generate_series(10, 29) g;
RESET gpustr.engine;
RESET gpustr.enabled;
SELECT same('SELECT id FROM lines WHERE ' || string_agg(format('c ~ %L', g || '[a-f]$'), ' OR ')) FROM generate_series(10, 59) g;
SELECT same('SELECT id FROM lines WHERE ' || string_agg(format('c !~ %L', g || '[a-f]$'), ' AND ')) FROM generate_series(10, 59) g;
SELECT same(format('SELECT id FROM lines WHERE c ~ ANY (%L)', array_agg(g || '[a-f]$'))) FROM generate_series(10, 59) g;
SET gpustr.max_automaton_size = '2kB';
SELECT same('SELECT id FROM lines WHERE ' || string_agg(format('c ~ %L', g || '[a-f]*$'), ' OR ')) FROM generate_series(10, 29) g;
RESET gpustr.max_automaton_size;

-- patterns that are known when the scan runs; errors are PostgreSQL's, and only where it comes to them
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SET plan_cache_mode = force_generic_plan;
PREPARE late(text, text) AS SELECT count(*) FROM lines WHERE (c ~ $1 OR c LIKE $2) AND c !~ '[0-9]x';
EXECUTE late('^a', '%語%');
EXECUTE late('^a', NULL);
EXECUTE late('(', '%');
EXECUTE late('^a', '%\');
EXECUTE late('', '%\');
RESET gpustr.debug_require;
RESET gpustr.enabled;
EXECUTE late('^a', '%語%');
EXECUTE late('^a', NULL);
DEALLOCATE late;
RESET plan_cache_mode;

-- a row that security hides has nothing to say, whatever is joined
CREATE ROLE joined_reader;
GRANT SELECT ON lines TO joined_reader;
ALTER TABLE lines ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON lines TO joined_reader USING (c ~ '^[ae]' AND c !~ '7$');
SET ROLE joined_reader;
SET gpustr.enabled = on;
SELECT count(*) FROM lines WHERE c ~ 'b[0-9]{2}' AND c NOT LIKE '%9_a';
SET gpustr.enabled = off;
SELECT count(*) FROM lines WHERE c ~ 'b[0-9]{2}' AND c NOT LIKE '%9_a';
RESET ROLE;
DROP TABLE lines, tests;
DROP ROLE joined_reader;
DROP FUNCTION same, outcome, with_gpu, explain_masked, one, group_of, joined;
