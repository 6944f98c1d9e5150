--
-- GpuScan gives PostgreSQL's rows: kinds of clauses, kinds of storage
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

CREATE TABLE corpus (gone int, id int, s text, junk text, v varchar(200), fixed char(10), pad int2, note text);
INSERT INTO corpus
SELECT g, g,
       CASE WHEN g % 11 = 0 THEN NULL
            WHEN g % 13 = 0 THEN ''
            WHEN g % 7 = 0 THEN 'straße ' || g || ' é€😀'
            WHEN g % 5 = 0 THEN 'a%b_c\d ' || g
            ELSE 'row ' || g || ' of the table' END,
       repeat('j', g % 300),
       CASE WHEN g % 3 = 0 THEN NULL ELSE 'var ' || (g % 10) END,
       'x' || g % 4, g % 100,
       CASE g % 4 WHEN 0 THEN NULL WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'thrée' END
FROM generate_series(1, 4000) g;
ALTER TABLE corpus DROP COLUMN gone;
ALTER TABLE corpus DROP COLUMN junk;
-- rows that exist already end before these
ALTER TABLE corpus ADD COLUMN later text DEFAULT 'späte Antwort';
ALTER TABLE corpus ADD COLUMN later_null text;
ALTER TABLE corpus ADD COLUMN later_int int DEFAULT 7;
ALTER TABLE corpus ADD COLUMN later_long text DEFAULT repeat('long default ', 1000);
INSERT INTO corpus (id, s, later, later_null, later_int)
SELECT 4000 + g, 'new ' || g, CASE WHEN g % 2 = 0 THEN 'späte Antwort' END, 'x' || g, NULL
FROM generate_series(1, 100) g;
ANALYZE corpus;

-- each kind of clause
SELECT q, same('SELECT ctid::text AS tid, id, s, v, fixed, note, later, later_null, later_int FROM corpus WHERE ' || q) FROM (VALUES
 ($$s LIKE 'row%'$$), ($$s LIKE '%table'$$), ($$s LIKE '%9 of%'$$), ($$s LIKE '%1%2%'$$),
 ($$s LIKE '_ow%'$$), ($$s LIKE '%'$$), ($$s LIKE ''$$), ($$s LIKE '%é€_'$$), ($$s LIKE 'stra_e%'$$),
 ($$s LIKE 'a\%b\_c\\d%'$$), ($$s LIKE 'a#%b#_c%' ESCAPE '#'$$), ($$s LIKE 'a\%b%' ESCAPE ''$$),
 ($$s NOT LIKE 'row%'$$), ($$s NOT LIKE '%é%'$$),
 ($$s = 'row 1 of the table'$$), ($$'row 1 of the table' = s$$), ($$s <> 'row 1 of the table'$$),
 ($$NOT s = 'row 1 of the table'$$), ($$s = ''$$), ($$s <> ''$$),
 ($$s IS NULL$$), ($$s IS NOT NULL$$), ($$id IS NULL$$), ($$fixed IS NOT NULL$$),
 ($$v = 'var 3'$$), ($$v LIKE 'var _'$$), ($$v <> 'var 3'$$), ($$v IS NULL$$),
 ($$note = 'thrée'$$), ($$note LIKE 't%e'$$),
 ($$later = 'späte Antwort'$$), ($$later LIKE 'sp_te%'$$), ($$later IS NULL$$), ($$later <> 'x'$$),
 ($$later_null IS NULL$$), ($$later_null LIKE 'x1%'$$), ($$later_int IS NULL$$), ($$later_int IS NOT NULL$$),
 ($$later_long LIKE '%default l%'$$), ($$later_long = 'x'$$), ($$later_long IS NOT NULL$$)
) AS t(q);

-- three-valued logic: AND, OR and NOT over true, false and null
SELECT q, same('SELECT id FROM corpus WHERE ' || q) FROM (VALUES
 ($$s LIKE 'row%' AND v = 'var 4'$$),
 ($$s LIKE 'row%' OR v = 'var 4'$$),
 ($$NOT (s LIKE 'row%' AND v = 'var 4')$$),
 ($$NOT (s LIKE 'row%' OR v = 'var 4')$$),
 ($$(s LIKE 'row%' AND v = 'var 4') OR note IS NULL$$),
 ($$(s LIKE 'row%' OR v = 'var 4') AND note IS NOT NULL$$),
 ($$NOT (NOT (s LIKE 'row%') OR (v = 'var 4' AND NOT note = 'one'))$$),
 ($$s = 'x' OR s LIKE '%1%' OR v IS NULL$$),
 ($$s LIKE '%1%' OR v = NULL$$),
 ($$(s IS NULL OR v IS NULL) AND (s IS NOT NULL OR note IS NULL)$$),
 ($$s LIKE 'r%' AND s LIKE '%e' AND s NOT LIKE '%7%' AND s <> 'row 8 of the table'$$)
) AS t(q);

-- all combinations of two columns that are true, false or null
CREATE TABLE logic (a text, b text, c text);
INSERT INTO logic
SELECT x, y, z FROM unnest(ARRAY['t', 'f', NULL]) x, unnest(ARRAY['t', 'f', NULL]) y, unnest(ARRAY['t', 'f', NULL]) z;
SELECT count(*), string_agg(DISTINCT regexp_replace(same('SELECT * FROM logic WHERE ' || q), '\d+', 'N'), ', ')
FROM (SELECT format('%s (%s (a = ''t'' %s b = ''t'') %s %s c = ''t'')', n1, n2, o1, o2, n3) AS q
      FROM unnest(ARRAY['', 'NOT']) n1, unnest(ARRAY['', 'NOT']) n2, unnest(ARRAY['', 'NOT']) n3,
           unnest(ARRAY['AND', 'OR']) o1, unnest(ARRAY['AND', 'OR']) o2) t;

-- TOAST: in line, compressed, external, compressed and external; short headers
CREATE TABLE toasted (id int, s text, e text, before text);
ALTER TABLE toasted ALTER COLUMN e SET STORAGE EXTERNAL;
INSERT INTO toasted
SELECT g,
       CASE g % 5 WHEN 0 THEN repeat('compress me ', 300) || g
                  WHEN 1 THEN 'short ' || g
                  WHEN 2 THEN (SELECT string_agg(md5(g::text || i::text), '') FROM generate_series(1, 150) i)
                  WHEN 3 THEN repeat('é', 900) || g END,
       CASE g % 3 WHEN 0 THEN repeat('external ', 400) || g WHEN 1 THEN 'x' END,
       repeat('b', g % 200)
FROM generate_series(1, 300) g;
SELECT count(*) FILTER (WHERE pg_column_compression(s) IS NOT NULL) > 0 AS some_compressed,
       pg_relation_size(reltoastrelid) > 0 AS some_external
FROM toasted, pg_class WHERE oid = 'toasted'::regclass GROUP BY reltoastrelid;
SELECT q, same('SELECT * FROM toasted WHERE ' || q) FROM (VALUES
 ($$s LIKE '%compress me 25'$$), ($$s LIKE '%0'$$), ($$s NOT LIKE '%e%'$$), ($$s LIKE '%é1%'$$),
 ($$e LIKE '%external 3%'$$), ($$e = 'x'$$), ($$e IS NULL$$), ($$s IS NULL AND e IS NOT NULL$$),
 ($$before = repeat('b', 150)$$), ($$s LIKE 'short%' OR e LIKE '%9'$$), ($$before LIKE '%bbb' AND s LIKE '%1%'$$)
) AS t(q);

-- wide: 200 columns, with NULLs and alignment in between
\set ECHO none
SELECT 'CREATE TABLE wide (' ||
       string_agg(format('c%s %s', i, (ARRAY['int', 'text', 'int2', 'int8', 'varchar', 'bool', 'float8', '"char"'])[i % 8 + 1]), ', ') || ')' AS ddl
FROM generate_series(1, 200) i \gexec
SELECT 'INSERT INTO wide SELECT ' ||
       string_agg(format('CASE WHEN (g * %s) %% 17 <> 0 THEN %s END', i,
         (ARRAY['g', quote_literal('t' || i) || ' || g', '(g % 1000)::int2', 'g', quote_literal('v' || i), 'g % 2 = 0', 'g / 3.0', quote_literal('c')])[i % 8 + 1]), ', ') ||
       ' FROM generate_series(1, 300) g' AS dml
FROM generate_series(1, 200) i \gexec
\set ECHO all
SELECT q, same('SELECT * FROM wide WHERE ' || q) FROM (VALUES
 ($$c1 LIKE 't1%7'$$), ($$c193 LIKE 't19_2%'$$), ($$c196 = 'v196'$$), ($$c200 IS NULL$$),
 ($$c1 LIKE '%1%' AND c97 LIKE '%2%' AND c193 IS NOT NULL AND c100 IS NOT NULL$$)
) AS t(q);

-- row ids, whole rows, no columns at all
SELECT q, same(q) FROM (VALUES
 ($$SELECT count(*) FROM corpus WHERE s LIKE '%1%'$$),
 ($$SELECT count(*) FROM toasted WHERE s LIKE '%0'$$),
 ($$SELECT 1 FROM corpus WHERE s LIKE '%1%'$$),
 ($$SELECT ctid::text AS a, tableoid::text AS b, xmin::text AS c, xmax::text AS d, cmin::text AS e, id FROM corpus WHERE s LIKE '%1%'$$),
 ($$SELECT logic FROM logic WHERE a LIKE 't%'$$),
 ($$SELECT count(corpus) FROM corpus WHERE s LIKE '%1%'$$),
 ($$SELECT ctid AS tid FROM corpus WHERE s LIKE '%1%'$$),
 ($$SELECT tableoid::regclass AS t FROM corpus WHERE s LIKE '%1%'$$),
 ($$SELECT id + 1 AS i, upper(s) FROM corpus WHERE s LIKE '%1%'$$),
 ($$SELECT s, id, s AS again FROM corpus WHERE s LIKE '%1%' ORDER BY id LIMIT 5$$)
) AS t(q);
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT FROM corpus WHERE id < 5 AND s LIKE 'row%';
RESET gpustr.debug_require;

-- tables of other kinds
CREATE TABLE empty (s text);
CREATE TABLE all_dead (s text);
INSERT INTO all_dead SELECT 'x' FROM generate_series(1, 500);
DELETE FROM all_dead;
CREATE TEMP TABLE temporary AS SELECT id, s, v FROM corpus;
CREATE UNLOGGED TABLE unlogged AS SELECT id, s, v FROM corpus;
CREATE MATERIALIZED VIEW matview AS SELECT id, s, v FROM corpus;
CREATE TABLE parent (id int, s text) PARTITION BY RANGE (id);
CREATE TABLE child1 PARTITION OF parent FOR VALUES FROM (0) TO (1000);
CREATE TABLE child2 (s text, dropped int, id int NOT NULL);
ALTER TABLE child2 DROP COLUMN dropped;
ALTER TABLE parent ATTACH PARTITION child2 FOR VALUES FROM (1000) TO (5000);
INSERT INTO parent SELECT id, s FROM corpus;
CREATE TABLE base (id int, s text);
CREATE TABLE derived (extra text) INHERITS (base);
INSERT INTO base SELECT id, s FROM corpus WHERE id % 2 = 0;
INSERT INTO derived SELECT id, s, 'x' FROM corpus WHERE id % 2 = 1;
SELECT q, same(q) FROM (VALUES
 ($$SELECT * FROM empty WHERE s LIKE 'x'$$),
 ($$SELECT count(*) FROM empty WHERE s LIKE 'x'$$),
 ($$SELECT * FROM all_dead WHERE s LIKE 'x'$$),
 ($$SELECT * FROM temporary WHERE s LIKE '%1%'$$),
 ($$SELECT count(*) FROM temporary WHERE s LIKE '%1%'$$),
 ($$SELECT * FROM unlogged WHERE s LIKE '%1%'$$),
 ($$SELECT * FROM matview WHERE s LIKE '%1%'$$),
 ($$SELECT * FROM parent WHERE s LIKE '%1%'$$),
 ($$SELECT tableoid AS t, * FROM parent WHERE s LIKE '%1%' AND id > 900$$),
 ($$SELECT * FROM base WHERE s LIKE '%1%'$$)
) AS t(q);

-- larger than a batch, and larger than a quarter of shared buffers may be
CREATE TABLE big AS SELECT g AS id, 'line ' || g || repeat('-', 200) AS s FROM generate_series(1, 40000) g;
DELETE FROM big WHERE id % 5 = 0;
SELECT same($$SELECT * FROM big WHERE s LIKE '%77%'$$);
SELECT same($$SELECT count(*) FROM big WHERE s LIKE '%77%'$$);
-- rows come in the order of the table
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SET synchronize_seqscans = off;
SELECT count(*) AS rows, count(*) FILTER (WHERE id < before) AS out_of_order
FROM (SELECT id, lag(id) OVER () AS before FROM (SELECT id FROM big WHERE s LIKE '%1%' OFFSET 0) x) y;
-- with any number of batches in flight
SET gpustr.batch_depth = 1;
SELECT count(*), sum(id) FROM big WHERE s LIKE '%77%';
SET gpustr.batch_depth = 8;
SELECT count(*), sum(id) FROM big WHERE s LIKE '%77%';
RESET gpustr.batch_depth;
RESET gpustr.debug_require;
SET gpustr.enabled = off;
SELECT count(*), sum(id) FROM big WHERE s LIKE '%77%';

DROP TABLE corpus, logic, toasted, wide, empty, all_dead, unlogged, parent, base, derived, big CASCADE;
DROP FUNCTION same, outcome, with_gpu, explain_masked;
