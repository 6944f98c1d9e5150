--
-- GpuJoin: which joins are planned so, how, and why others are not
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

SET gpustr.enabled = on;
SET gpustr.enable_join = on;
SET max_parallel_workers_per_gather = 0;
CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE a AS SELECT g AS id, g % 50 AS k, (g % 7)::bigint AS k8, 'text ' || g % 30 AS t, g / 3.0 AS n,
  interval '1 s' * (g % 9) AS i, array[g % 5] AS r, CASE WHEN g % 10 <> 0 THEN g END AS x FROM generate_series(1, 1000) g;
CREATE TABLE b AS SELECT g AS id, g AS k, 'text ' || g AS t, g % 4 AS v, g::numeric AS n,
  interval '1 s' * g AS i, array[g] AS r, CASE WHEN g % 6 <> 0 THEN g END AS x FROM generate_series(1, 60) g;
CREATE TABLE c AS SELECT g AS id, (g % 20)::smallint AS k, ('text ' || g)::char(20) AS t, g % 3 = 0 AS f FROM generate_series(1, 40) g;
CREATE TABLE e (k int, t text);
ANALYZE a; ANALYZE b; ANALYZE c; ANALYZE e;

-- the reasons why a query has no GpuJoin; NULL: it has one
CREATE FUNCTION refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; r record;
BEGIN
  SET LOCAL gpustr.debug_require = 'require_join';
  BEGIN
    FOR r IN EXECUTE 'EXPLAIN ' || query LOOP NULL; END LOOP;
  EXCEPTION WHEN feature_not_supported THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    detail := (SELECT string_agg(DISTINCT x, '; ') FROM regexp_split_to_table(regexp_replace(detail, '^Reasons: |\.$', '', 'g'), '; ') x);
  END;
  SET LOCAL gpustr.debug_require = 'allow';
  RETURN detail;
END $$;
SELECT q, refusal(q) FROM (VALUES
  (1, $$SELECT 1 FROM a JOIN b USING (k)$$),
  (2, $$SELECT 1 FROM a$$),
  (3, $$SELECT 1 FROM a JOIN b ON a.k < b.k$$),
  (4, $$SELECT 1 FROM a JOIN b ON a.k = 3 AND b.k = 3$$),
  (5, $$SELECT 1 FROM a JOIN b USING (i)$$),
  (6, $$SELECT 1 FROM a JOIN b USING (r)$$),
  (7, $$SELECT 1 FROM a JOIN b ON a.t = b.t COLLATE folded$$),
  (8, $$SELECT 1 FROM a LEFT JOIN b ON false$$),
  (9, $$SELECT 1 FROM a JOIN b USING (k) FOR UPDATE OF a$$),
  (10, $$SELECT 1 FROM a, LATERAL (SELECT * FROM b WHERE b.k = a.k OFFSET 0) l$$),
  (11, $$UPDATE a SET t = b.t FROM b WHERE a.k = b.k$$),
  (12, $$DELETE FROM a USING b WHERE a.k = b.k$$),
  (13, $$INSERT INTO e SELECT b.k, b.t FROM a JOIN b USING (k)$$),
  (14, $$SELECT 1 FROM a CROSS JOIN b$$),
  (15, $$SELECT 1 FROM a JOIN b ON a.k IS NOT DISTINCT FROM b.k$$),
  (16, $$SELECT 1 FROM a JOIN b ON a.n = b.n AND a.i = b.i$$),
  (17, $$SELECT 1 FROM a WHERE k NOT IN (SELECT k FROM b)$$)) q(n, q) ORDER BY n;
SET gpustr.enable_join = off;
SELECT refusal($$SELECT 1 FROM a JOIN b USING (k)$$);
SET gpustr.enable_join = on;
SET gpustr.enabled = off;
SELECT refusal($$SELECT 1 FROM a JOIN b USING (k)$$);
SET gpustr.enabled = on;
-- more columns than a table of a join has
DO $$ BEGIN EXECUTE 'CREATE TABLE wide (' || (SELECT string_agg('c' || g || ' int', ', ') FROM generate_series(1, 40) g) || ')'; END $$;
SELECT refusal($$SELECT * FROM wide JOIN b ON wide.c1 = b.k$$);
SELECT refusal($$SELECT wide FROM wide JOIN b ON wide.c1 = b.k$$);
-- what tests may require
SET gpustr.debug_require = 'require_join';
SELECT count(*) FROM a;
SELECT count(*) FROM a JOIN b USING (k);
SET gpustr.enable_scan = off;
SET gpustr.debug_require = 'require';
SELECT count(*) FROM a JOIN b USING (k);
SELECT count(*) FROM a WHERE t LIKE '%1%';
RESET gpustr.enable_scan;

-- the shapes of plans, with the smaller side in the table
SET gpustr.debug_require = 'require_join';
SET gpustr.table_row_cost = 1;
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT a.id, b.t FROM a JOIN b USING (k)$$);
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT count(*) FROM a JOIN b ON a.k8 = b.k WHERE a.t LIKE '%1%' AND b.v = 1$$);
SELECT explain_masked('COSTS OFF', $$SELECT a.id, b.t FROM a LEFT JOIN b ON a.k = b.k AND a.id > b.v AND b.t LIKE '%2' WHERE b.t IS NULL OR a.x > b.x$$);
SELECT explain_masked('COSTS OFF', $$SELECT a.id, b.id FROM a FULL JOIN b ON a.k = b.k AND a.id > b.id$$);
SELECT explain_masked('COSTS OFF', $$SELECT a.id FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND b.v < a.id)$$);
SELECT explain_masked('COSTS OFF', $$SELECT a.id FROM a WHERE NOT EXISTS (SELECT FROM b WHERE a.k = b.k)$$);
-- keys that are computed: by steps, by PostgreSQL
SELECT explain_masked('COSTS OFF', $$SELECT a.id FROM a JOIN b ON upper(a.t) = upper(b.t)$$);
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT a.id FROM a JOIN b ON quote_literal(a.t) = quote_literal(b.t)$$);
-- clauses that PostgreSQL decides, and why
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT a.id FROM a JOIN b ON a.k = b.k AND a.i = b.i AND a.id <> b.id AND quote_literal(a.t) <> b.t AND md5(a.t) <> b.t$$);
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT a.id FROM a JOIN b ON a.k = b.k AND b.id + a.id < (SELECT max(k) FROM b)$$);
-- what the outer side's own scan cannot give
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT a, b.ctid FROM a JOIN b ON a.k = b.k$$);
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT a.id, b.id FROM a JOIN b ON a.k = b.k WHERE quote_literal(a.t) <> 'x'$$);
SET gpustr.enable_scan = off;
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT a.id, b.id FROM a JOIN b ON a.k = b.k$$);
RESET gpustr.enable_scan;
-- several joins in one node, and not
SELECT explain_masked('COSTS OFF', $$SELECT a.id, b.v, c.t FROM a JOIN b ON a.k = b.k JOIN c ON c.k = b.v AND c.id <> a.id$$);
SELECT explain_masked('COSTS OFF', $$SELECT a.id, b.v, c.t FROM a JOIN b ON a.k = b.k JOIN c ON c.k = b.v + 1$$);
SELECT explain_masked('COSTS OFF', $$SELECT a.id, b.v, c.t FROM a JOIN b ON a.k = b.k LEFT JOIN c ON c.k = b.v$$);
SELECT explain_masked('COSTS OFF', $$SELECT count(*) FROM a JOIN b b1 USING (k) JOIN b b2 USING (k) JOIN b b3 USING (k) JOIN b b4 USING (k)
  JOIN b b5 USING (k) JOIN b b6 USING (k) JOIN b b7 USING (k)$$);
-- nine equalities: eight keys
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT a.id FROM a JOIN b ON a.k = b.k AND a.t = b.t AND a.id::numeric = b.n AND a.id = b.id AND a.x = b.x AND a.k8 = b.v
  AND a.id + 1 = b.id + 1 AND a.id + 2 = b.id + 2 AND a.id + 3 = b.id + 3$$);
-- parallel
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT explain_masked('COSTS OFF', $$SELECT a.id, b.t FROM a JOIN b USING (k)$$);
SELECT explain_masked('COSTS OFF', $$SELECT a.id, b.t FROM a FULL JOIN b USING (k)$$);
ALTER TABLE b SET (parallel_workers = 0);
SELECT explain_masked('COSTS OFF', $$SELECT a.id, b.t FROM a JOIN b USING (k)$$);
ALTER TABLE b RESET (parallel_workers);
SET max_parallel_workers_per_gather = 0;

-- the same rows
SET gpustr.debug_require = 'allow';
CREATE TABLE queries (n serial, q text);
INSERT INTO queries (q) VALUES
  ($$SELECT a.id, b.t FROM a JOIN b USING (k)$$),
  ($$SELECT a.id, b.t FROM a LEFT JOIN b ON a.k = b.k AND a.id > b.v AND b.t LIKE '%2' WHERE b.t IS NULL OR a.x > b.x$$),
  ($$SELECT a.id FROM a JOIN b ON a.k = b.k AND a.i <> b.i AND a.id <> b.id AND quote_literal(a.t) <> b.t AND md5(a.t) <> b.t$$),
  ($$SELECT a, b.ctid AS c, b.tableoid AS o FROM a JOIN b ON a.k = b.k$$),
  ($$SELECT a.id, b.v, c.t FROM a JOIN b ON a.k = b.k JOIN c ON c.k = b.v AND c.id <> a.id$$),
  ($$SELECT a.id, b.v, c.t FROM a JOIN b ON a.k = b.k JOIN c ON c.k = b.v + 1$$),
  ($$SELECT count(*) FROM a JOIN b b1 USING (k) JOIN b b2 USING (k) JOIN b b3 USING (k) JOIN b b4 USING (k)
     JOIN b b5 USING (k) JOIN b b6 USING (k) JOIN b b7 USING (k) JOIN b b8 USING (k) JOIN b b9 USING (k) JOIN b b10 USING (k)$$),
  ($$SELECT a.id FROM a JOIN b ON a.k = b.k AND a.t = b.t AND a.id::numeric = b.n AND a.id = b.id AND a.x = b.x AND a.k8 = b.v
     AND a.id + 1 = b.id + 1 AND a.id + 2 = b.id + 2 AND a.id + 3 = b.id + 3$$),
  -- columns that an outer join makes NULL, expressions below one
  ($$SELECT s.k, s.y, r.k AS k2, r.z FROM (SELECT b.k, coalesce(c.t, 'none') AS y FROM b LEFT JOIN c ON b.k = c.k) s
     FULL JOIN (SELECT a.k, coalesce(a.t, 'none') AS z FROM a WHERE id < 100) r ON s.k = r.k$$),
  ($$SELECT a.id, s.y FROM a LEFT JOIN (SELECT b.k, c.k IS NULL AS y FROM b LEFT JOIN c ON b.k = c.k) s ON s.k = a.k AND s.y IS NOT TRUE$$),
  ($$SELECT a.id, b.id AS i, c.t FROM a LEFT JOIN (b JOIN c ON c.k = b.id) ON a.k = b.k$$),
  -- Params, subplans, rescans
  ($$SELECT (SELECT max(b.v) FROM b JOIN c ON b.k = c.k WHERE b.id < a.id) FROM a WHERE id < 50$$),
  ($$SELECT (SELECT string_agg(b.t, ',' ORDER BY b.t) FROM b JOIN c ON b.k + a.id = c.k) FROM a WHERE id < 50$$),
  ($$SELECT (SELECT count(*) FROM b RIGHT JOIN c ON b.k = c.k + a.k) FROM a WHERE id < 50$$),
  ($$SELECT a.id, b.id AS i FROM a LEFT JOIN b ON a.k = b.k AND b.id IN (SELECT id FROM c)$$),
  ($$SELECT a.id, b.id AS i FROM a LEFT JOIN b ON a.k = b.k AND EXISTS (SELECT FROM c WHERE c.id = b.id AND c.k > a.k)$$),
  -- sides of other kinds
  ($$SELECT x, y, t FROM (VALUES (1, 'a'), (2, 'b'), (NULL, 'c'), (3, NULL)) v(x, y) JOIN (SELECT k, t FROM b) b ON b.k = v.x$$),
  ($$SELECT g, v.y FROM generate_series(1, 10) g LEFT JOIN (VALUES (1, 'a'), (NULL, 'c'), (3, NULL)) v(x, y) ON v.x = g JOIN b ON b.id = g$$),
  ($$WITH w AS MATERIALIZED (SELECT b.k, c.t FROM b JOIN c ON b.k = c.k) SELECT w1.*, w2.t AS u FROM w w1 JOIN w w2 ON w1.k = w2.k$$),
  ($$SELECT x.id FROM (SELECT a.id, a.k FROM a WHERE a.id < 200 UNION ALL SELECT b.id, b.k FROM b) x JOIN c ON c.k = x.k$$),
  ($$SELECT a.id FROM a WHERE (a.k, a.t) IN (SELECT b.k, b.t FROM b)$$),
  ($$SELECT a.id FROM a WHERE a.k IN (SELECT c.k FROM c) $$),
  ($$SELECT a.id, c.f FROM a JOIN c ON (a.id % 3 = 0) = c.f AND a.t = c.t$$),
  ($$SELECT a.k / (a.k - 7) FROM a JOIN b ON 100 / (a.k - 7) = b.k$$),
  ($$SELECT a.id FROM a JOIN b ON a.k = b.k AND 100 / (a.k - b.id) > 0$$);
SELECT n, same(q, 'require_join') FROM queries ORDER BY n;
SET gpustr.enable_scan = off;
SELECT q, s FROM (SELECT n, q, same(q, 'require_join') AS s FROM queries OFFSET 0) x WHERE s NOT LIKE 'same%' ORDER BY n;
RESET gpustr.enable_scan;
SET max_parallel_workers_per_gather = 2;
SELECT q, s FROM (SELECT n, q, same(q, 'require_join') AS s FROM queries OFFSET 0) x WHERE s NOT LIKE 'same%' ORDER BY n;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;
-- partitions are joined one by one
SET gpustr.enabled = on;
SET enable_partitionwise_join = on;
SET gpustr.device_startup_cost = 0;
CREATE TABLE pa (k int, t text) PARTITION BY HASH (k);
CREATE TABLE pa0 PARTITION OF pa FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE pa1 PARTITION OF pa FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE pb (t text, k int) PARTITION BY HASH (k);
CREATE TABLE pb0 PARTITION OF pb FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE pb1 PARTITION OF pb FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO pa SELECT k, t FROM a; INSERT INTO pb SELECT t, k FROM b;
ANALYZE pa; ANALYZE pb;
SET gpustr.debug_require = 'require_join';
SELECT explain_masked('COSTS OFF', $$SELECT pa.t, pb.t AS u FROM pa LEFT JOIN pb USING (k)$$);
SET gpustr.debug_require = 'allow';
SELECT same($$SELECT pa.t, pb.t AS u FROM pa LEFT JOIN pb USING (k)$$, 'require_join');

RESET gpustr.device_startup_cost;
RESET gpustr.table_row_cost;

-- with the costs as they come: not for small tables, ...
SET gpustr.enabled = on;
CREATE FUNCTION joins_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; nodes text := '';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    nodes := nodes || coalesce(' ' || substring(line FROM 'GpuJoin|Hash Join|Nested Loop|Merge Join'), '');
  END LOOP;
  RETURN ltrim(nodes);
END $$;
SELECT joins_of($$SELECT a.id, b.t FROM a JOIN b USING (k)$$);
CREATE TABLE large AS SELECT g AS id, g % 20000 AS k, 'line ' || g || repeat(' text', 5) AS s FROM generate_series(1, 200000) g;
CREATE TABLE dim AS SELECT g AS id, g % 50 AS seg, 'dim ' || g AS name FROM generate_series(1, 20000) g;
CREATE INDEX ON large (id); CREATE INDEX ON dim (id);
VACUUM ANALYZE large; VACUUM ANALYZE dim;
-- ... for large ones, with the smaller one in the table, ...
SELECT joins_of($$SELECT count(*) FROM large JOIN dim ON large.k = dim.id WHERE dim.seg < 25$$);
SELECT explain_masked('COSTS OFF', $$SELECT name FROM dim JOIN large ON large.k = dim.id$$);
SET gpustr.debug_require = 'forbid';
SELECT count(*) FROM large JOIN dim ON large.k = dim.id WHERE dim.seg < 25;
SET gpustr.debug_require = 'allow';
-- ... not where an index finds a few rows
SELECT joins_of($$SELECT name FROM large JOIN dim ON large.k = dim.id WHERE large.id = 17$$);
SELECT joins_of($$SELECT name FROM large JOIN dim ON large.k = dim.id WHERE large.id BETWEEN 20 AND 30$$);
SELECT joins_of($$SELECT name FROM dim JOIN large ON large.id = dim.id ORDER BY dim.id LIMIT 10$$);
SET gpustr.enable_join = off;
SELECT joins_of($$SELECT count(*) FROM large JOIN dim ON large.k = dim.id WHERE dim.seg < 25$$);
SET gpustr.enable_join = on;
SET gpustr.table_row_cost = 10;
SELECT joins_of($$SELECT count(*) FROM large JOIN dim ON large.k = dim.id WHERE dim.seg < 25$$);
RESET gpustr.table_row_cost;
SET gpustr.probe_row_cost = 10;
SELECT joins_of($$SELECT count(*) FROM large JOIN dim ON large.k = dim.id WHERE dim.seg < 25$$);
