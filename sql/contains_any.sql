--
-- contains_any and matching: many literals at once
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

-- what they say
SELECT gpustr.contains_any('hello world', '{xx,wor}'), gpustr.contains_any('hello world', '{xx,WOR}'), gpustr.contains_any('hello', '{hello!}'),
       gpustr.contains_any('hello', '{o}'), gpustr.contains_any('hello', '{hello}');
SELECT gpustr.contains_any('a', '{}'), gpustr.contains_any('a', '{NULL}'), gpustr.contains_any('a', '{NULL,a}'), gpustr.contains_any('', '{a}'),
       gpustr.contains_any('', '{""}'), gpustr.contains_any('a', '{b,""}'), gpustr.contains_any(NULL, '{a}') IS NULL, gpustr.contains_any('a', NULL) IS NULL;
SELECT gpustr.matching('she sells his hers', '{he,she,his,hers,x,NULL,"",he}'), gpustr.matching('abc', '{}'), gpustr.matching('abc', '{NULL,x}'),
       gpustr.matching('', '{a,""}'), gpustr.matching('abc', '[5:6]={b,c}'), gpustr.matching(NULL, '{a}') IS NULL, gpustr.matching('a', NULL) IS NULL;
-- nested, overlapping, of one letter
SELECT gpustr.matching('abcdefg', '{abcde,bcd,cd,d,defgh,efg,g,gh,bcde}'), gpustr.matching(repeat('a', 10), '{a,aa,aaaaaaaaaa,aaaaaaaaaaa}');
SELECT gpustr.matching('ushers', '{he,she,his,hers}'), gpustr.matching('abcabd', '{abd}'), gpustr.matching('aabaabaaab', '{aabaaab,baab,aabab}');
-- bytes, whatever the collation; whole characters only, since in UTF-8 none begins inside of another
SELECT gpustr.contains_any('Größe', '{ö}'), gpustr.contains_any('Größe', '{o}'), gpustr.contains_any('日本語', '{本}'), gpustr.matching('日本語😀', '{日,本語,語😀,😁,é}'),
       gpustr.contains_any('é' COLLATE "C", '{É}'), gpustr.contains_any(U&'e\0301', '{é}');
-- errors
SELECT gpustr.contains_any('a', '{{a,b},{c,d}}');
SELECT gpustr.matching('a', '{{a},{b}}');
-- an array of nothing has no dimensions, where PostgreSQL takes it (from 17 on)
DO $$
BEGIN
  ASSERT NOT gpustr.contains_any('a', '{{}}'::text::text[]) AND gpustr.matching('a', '{{}}'::text::text[]) = '{}';
EXCEPTION WHEN invalid_text_representation THEN
  ASSERT current_setting('server_version_num')::int < 170000;
END $$;
-- as an array that changes from call to call, few and many
SELECT n, count(*) FILTER (WHERE gpustr.contains_any(v, p)), sum(cardinality(gpustr.matching(v, p)))
FROM (SELECT n, 'x' || i || 'y' AS v, ARRAY(SELECT 'x' || (i + j) || 'y' FROM generate_series(n % 2, n) j) AS p
      FROM generate_series(1, 40) i, unnest(ARRAY[1, 2, 8, 9, 30]) n) AS x GROUP BY n ORDER BY n;
-- the same array, not a constant
SELECT count(*) FILTER (WHERE gpustr.contains_any('value ' || i, p)), count(*) FILTER (WHERE gpustr.matching('value ' || i, p) = '{1}')
FROM generate_series(1, 100) i, (SELECT ARRAY['ue 7', 'none'] AS p OFFSET 0) x;
CREATE FUNCTION each_time(v text, p text[]) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN gpustr.contains_any(v, p)::text || gpustr.matching(v, p)::text; END $$;
SELECT each_time('abc', '{a}'), each_time('abc', '{b}'), each_time('abc', '{x}'), each_time('abc', '{b}'), each_time('abc', '{c,b}');

-- against strpos, row by row
CREATE TABLE lines (id int, s text, v varchar(60), p char(20), c text COLLATE "C");
INSERT INTO lines
SELECT g, w, left(w, 60), left(w, 20), w
FROM (SELECT g, CASE WHEN g % 17 = 0 THEN NULL WHEN g % 13 = 0 THEN '' ELSE md5(g::text) || CASE g % 5 WHEN 0 THEN ' Größe ' WHEN 1 THEN '日本' ELSE '' END || md5((-g)::text) END AS w
      FROM generate_series(1, 600) g) AS x;
INSERT INTO lines SELECT 1001, repeat('toast ', 500) || 'needle', NULL, NULL, repeat('toast ', 500) || 'needle';
INSERT INTO lines SELECT 1002, w, NULL, NULL, w FROM (SELECT string_agg(md5(g::text), ' ') || ' needle' AS w FROM generate_series(1, 80) g) AS x;
ANALYZE lines;
CREATE TABLE sets (n serial, ps text[]);
INSERT INTO sets (ps) VALUES ('{}'), ('{NULL}'), ('{""}'), ('{needle}'), ('{a,b,NULL}'), ('{abc,bcd,cde}'), ('{"ö","本"}'), ('{Größe,日本x,c81e7}'), ('{"",x}'),
  (ARRAY(SELECT substr(md5((3 * g)::text), 1, 5) FROM generate_series(1, 50) g)), (ARRAY(SELECT substr(md5((5 * g)::text), 3, 4) FROM generate_series(1, 300) g)),
  (ARRAY(SELECT substr(md5((7 * g)::text), 1, 7) FROM generate_series(1, 3000) g)), (ARRAY(SELECT repeat('f', g) || 'e' FROM generate_series(2, 40) g)),
  (ARRAY(SELECT repeat('toast ', g) || 'needle' FROM generate_series(400, 600, 50) g)), (ARRAY(SELECT chr(g) || 'x' FROM generate_series(1, 3000) g));
SELECT n, count(*) FROM sets, lines
WHERE gpustr.contains_any(s, ps) IS DISTINCT FROM CASE WHEN s IS NOT NULL THEN EXISTS (SELECT FROM unnest(ps) AS e WHERE strpos(s, e) > 0) END
   OR gpustr.matching(s, ps) IS DISTINCT FROM CASE WHEN s IS NOT NULL THEN ARRAY(SELECT o::int FROM unnest(ps) WITH ORDINALITY AS u(e, o) WHERE strpos(s, e) > 0 ORDER BY o) END
GROUP BY n;

-- in a GpuScan: a constant, under other operators, other types, with and without small automata
SELECT n, same(format('SELECT id FROM lines WHERE gpustr.contains_any(s, %L)', ps)) FROM sets ORDER BY n;
SET gpustr.max_automaton_size = '64kB';
SELECT n, same(format('SELECT id FROM lines WHERE NOT gpustr.contains_any(s, %L)', ps)) FROM sets ORDER BY n;
RESET gpustr.max_automaton_size;
SELECT q, same('SELECT id FROM lines WHERE ' || q) FROM (VALUES
 ($$gpustr.contains_any(v, '{abc,00,ff}')$$), ($$gpustr.contains_any(p, '{"  ",abc,00}')$$), ($$gpustr.contains_any(c, '{abc,00}') AND id > 100$$),
 ($$gpustr.contains_any(s, '{abc}') OR gpustr.contains_any(c, '{def,efa}')$$), ($$gpustr.contains_any(s, '{abc}') IS NULL$$), ($$gpustr.contains_any(s, '{}') IS NOT NULL$$),
 ($$CASE WHEN id < 300 THEN gpustr.contains_any(s, '{0}') ELSE gpustr.contains_any(s, '{1a,1b}') END$$),
 ($$gpustr.contains_any(s, '{a}') = gpustr.contains_any(c, '{b1}')$$), ($$gpustr.contains_any(s || 'zz', '{9zz}')$$), ($$gpustr.contains_any(upper(c), '{ABC}')$$)) AS t(q);
-- several LIKEs that are one test; NULLs, others in between, and an escape that PostgreSQL complains of
SELECT q, same('SELECT id FROM lines WHERE ' || q) FROM (VALUES
 ($$s LIKE ANY ('{%abc%,%bcd%,%Größe%,%0e1%,%ffa%}')$$), ($$s NOT LIKE ALL ('{%abc%,%bcd%,%ö%,%0e%,%ffa%}')$$), ($$s LIKE ALL ('{%a%,%b%,%c%,%d%,%e%}')$$),
 ($$s NOT LIKE ANY ('{%a%,%b%,%c%,%d%,%e%}')$$), ($$s LIKE ANY ('{%abc%,%bcd%,NULL,%cde%,%def%}')$$), ($$s NOT LIKE ALL ('{%abc%,%bcd%,%cde%,%def%,NULL}')$$),
 ($$(s LIKE ANY ('{%abc%,%bcd%,%cde%,%def%,NULL}')) IS NULL$$), ($$(s NOT LIKE ALL ('{%abc%,%bcd%,%cde%,%def%}')) IS NOT TRUE$$),
 ($$s LIKE ANY ('{%abc%,%bcd%,a%,%cde%,%def%,%ef0%,%f01%}')$$), ($$s LIKE ANY ('{%a\\_b%,%\\%%,%c_d%,%%abc%%,%12%34%,%}')$$), ($$s ILIKE ANY ('{%ABC%,%BCD%,%CDE%,%DEF%}')$$),
 ($$p LIKE ANY ('{"%  %",%abc%,%bcd%,%cde%,%0%}')$$), ($$s LIKE '%abc%' OR s LIKE '%bcd%' OR s LIKE '%cde%' OR s LIKE '%def%' OR id = 7$$),
 ($$id = 7 OR s LIKE '%abc%' OR s LIKE '%bcd%' OR s LIKE '%cde%' OR s LIKE '%def%' OR c LIKE '%0000%'$$),
 ($$s LIKE '%abc%' OR c LIKE '%bcd%' OR s LIKE '%cde%' OR c LIKE '%def%' OR s LIKE '%ef0%'$$),
 ($$(s NOT LIKE '%a%' AND s NOT LIKE '%b1%' AND s NOT LIKE '%c2%' AND s NOT LIKE '%d3%') OR id < 5$$),
 ($$s LIKE ANY ('{%abc%,%bcd%,%cde%,%def%,"%x\\"}')$$), ($$s LIKE ANY ('{"%\\",%abc%,%bcd%,%cde%,%def%}')$$)) AS t(q);
SELECT same(format('SELECT id FROM lines WHERE s LIKE ANY (%L)', ARRAY(SELECT '%' || substr(md5((3 * g)::text), 1, 4) || '%' FROM generate_series(1, 500) g)));
SELECT same(format('SELECT id FROM lines WHERE s NOT LIKE ALL (%L)', ARRAY(SELECT '%' || substr(md5((3 * g)::text), 1, 4) || '%' FROM generate_series(1, 500) g)));
-- regular expressions with a literal that a match needs
SET gpustr.max_automaton_size = '256kB';
SELECT q, same('SELECT id FROM lines WHERE ' || q) FROM (VALUES
 ($$s ~ 'Größe \d'$$), ($$s ~ '^[0-9a-f]+abc'$$), ($$s ~ '(abc|abd).*0e1'$$), ($$s ~ 'abc(def)?'$$), ($$s ~ '(abc)+$'$$), ($$s ~ 'a{0}bcd'$$), ($$s ~ '(x|)abc'$$),
 ($$s !~ '日本[0-9a-f]*00'$$), ($$s ~* 'GRÖSSE|größe'$$), ($$s ~ '(?=.*abc)b'$$), ($$s ~ '(.)abc\1'$$), ($$s ~ 'needle$'$$), ($$c ~ 'toast toast .*needle'$$),
 ($$s ~ '[0-9]abc|[0-9]abc[a-f]'$$), ($$s ~ '(a.{4}b|Größe.*[0-9]{3}).*77'$$), ($$s IS NOT NULL AND s ~ '%_\\'$$)) AS t(q);
RESET gpustr.max_automaton_size;
-- errors are PostgreSQL's
SELECT same($$SELECT id FROM lines WHERE gpustr.contains_any(s, '{{a,b}}') AND id > 0$$);
-- known when the scan runs
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SET plan_cache_mode = force_generic_plan;
PREPARE late(text[]) AS SELECT count(*) FROM lines WHERE gpustr.contains_any(s, $1);
SELECT explain_masked('COSTS OFF', 'EXECUTE late(NULL)');
EXECUTE late('{abc,def}');
EXECUTE late('{}');
EXECUTE late(NULL);
EXECUTE late('{NULL,""}');
EXECUTE late('{{a,b}}');
SELECT count(*) FROM lines WHERE gpustr.contains_any(s, (SELECT ps FROM sets WHERE n = 10));
DEALLOCATE late;
RESET plan_cache_mode;
-- what EXPLAIN says
CREATE FUNCTION reason(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE 'EXPLAIN ' || query;
  RETURN 'taken';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLERRM || '; ' || detail;
END $$;
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT FROM lines WHERE gpustr.contains_any(s, '{abc,def}') AND id > 10$$);
SELECT reason($$SELECT FROM lines WHERE gpustr.contains_any(s, '{{abc},{def}}')$$), reason($$SELECT FROM lines WHERE gpustr.contains_any(s, ARRAY[v])$$);
SELECT reason(format('SELECT FROM lines WHERE gpustr.contains_any(s, %L)', ARRAY(SELECT md5(g::text) || md5((-g)::text) FROM generate_series(1, 20000) g)));
SELECT reason(format('SELECT FROM lines WHERE s LIKE ANY (%L)', ARRAY(SELECT '%' || substr(md5((3 * g)::text), 1, 4) || '_%' FROM generate_series(1, 500) g)));
SELECT reason($$SELECT FROM lines WHERE gpustr.matching(s, '{a}') <> '{}'$$);
RESET gpustr.debug_require;

-- large: one of a megabyte, a hundred thousand
SELECT gpustr.contains_any(repeat('ab', 600000) || 'c', ARRAY[repeat('ab', 524288) || 'c', 'xyz']), gpustr.contains_any(repeat('ab', 600000), ARRAY[repeat('ab', 524288) || 'c', 'xyz']),
       gpustr.matching(repeat('ab', 600000) || 'c', ARRAY[repeat('ab', 524288) || 'c', 'bc', 'bb']);
SELECT count(*) FILTER (WHERE gpustr.contains_any(s, ps)), sum((gpustr.matching(s, ps))[1]) FROM lines, (SELECT array_agg(md5(g::text)) AS ps FROM generate_series(1, 100000) g OFFSET 0) x WHERE id < 20;
-- cancelled, or through before that
SET statement_timeout = '20ms';
DO $$ BEGIN PERFORM gpustr.contains_any(repeat('abcdefgh', 10000000), '{x}'), gpustr.matching(repeat('abcdefgh', 10000000), '{abcdefgi,x,yy,zzz,q,r,s,t,v,w}'); EXCEPTION WHEN query_canceled THEN NULL; END $$;
RESET statement_timeout;
RESET gpustr.enabled;
DROP TABLE lines, sets;
DROP FUNCTION each_time, same, outcome, with_gpu, explain_masked, reason;
