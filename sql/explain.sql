--
-- EXPLAIN of a GpuScan in all formats, and which plan is chosen
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

-- joins have tests of their own
SET gpustr.enable_join = off;

CREATE TABLE t AS SELECT g AS id, 'text ' || g AS s, CASE WHEN g % 3 = 0 THEN 'x' END AS v
FROM generate_series(1, 1000) g;
INSERT INTO t VALUES (1001, repeat('text 1001 ', 1000));
ANALYZE t;
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT explain_masked('COSTS OFF', $$SELECT * FROM t WHERE s LIKE '%1%'$$);
SELECT explain_masked('COSTS OFF', $$SELECT * FROM t a JOIN t b USING (id) WHERE a.s LIKE '%1%' AND b.v = 'x' AND b.id::numeric > 3$$);
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT id FROM t WHERE s LIKE '%1%' AND v IS NULL AND id::numeric + 1 > 3 AND quote_literal(s) = v$$);
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT id FROM t WHERE s LIKE '%1%' AND id < (SELECT max(id) FROM t t2 WHERE t2.v = 'x')$$);
SELECT explain_masked('COSTS OFF, ANALYZE', $$SELECT id FROM t WHERE s LIKE '%1%' AND id::numeric < 500$$);
SELECT explain_masked('COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF', $$SELECT id FROM t WHERE s LIKE '%1%' AND id::numeric < 500$$);
SELECT explain_masked('COSTS OFF, ANALYZE, VERBOSE, FORMAT JSON', $$SELECT id FROM t WHERE s LIKE '%1%' AND id::numeric < 500$$);
SELECT explain_masked('COSTS OFF, ANALYZE, VERBOSE, FORMAT YAML', $$SELECT id FROM t WHERE s LIKE '%1%' AND id::numeric < 500$$);
SELECT explain_masked('COSTS OFF, ANALYZE, VERBOSE, FORMAT XML', $$SELECT id FROM t WHERE s LIKE '%1%' AND id::numeric < 500$$);
-- rescanned, never executed, and cut short
SELECT explain_masked('COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF',
  $$SELECT x, (SELECT count(*) FROM t WHERE s LIKE '%1%' AND id::numeric % 3 = x) FROM generate_series(0, 2) x$$);
SELECT explain_masked('COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF', $$SELECT id FROM t WHERE s LIKE '%1%' AND random() > 2 LIMIT 0$$);
SELECT explain_masked('COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF', $$SELECT id FROM t WHERE s LIKE '%1%' LIMIT 1$$);
SELECT explain_masked('COSTS OFF', $$UPDATE t SET v = 'y' WHERE s LIKE '%1%'$$);
SELECT explain_masked('COSTS OFF', $$SELECT id FROM t WHERE s LIKE '%1%' FOR UPDATE$$);
SELECT explain_masked('COSTS OFF', $$SELECT id FROM t WHERE s LIKE '%1%' AND now() > '2000-01-01'$$);
-- JSON is JSON, XML is XML
CREATE FUNCTION explain_json(query text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE r json; BEGIN EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ' || query INTO r; RETURN r; END $$;
SELECT j #>> '{0,Plan,GPU Rows}' AS rows, j #>> '{0,Plan,GPU Rows Rechecked}' AS rechecked,
       j #>> '{0,Plan,GPU Filter}' AS filter, (j #>> '{0,Plan,GPU Kernel Time}')::numeric >= 0 AS time
FROM explain_json($$SELECT id FROM t WHERE s LIKE '%1%'$$) j;
-- without a GPU Filter it removes nothing, whatever is rechecked
SELECT j #>> '{0,Plan,GPU Filter}' AS filter, (j #>> '{0,Plan,GPU Rows Rechecked}')::int > 0 AS rechecked,
       j #>> '{0,Plan,Rows Removed by GPU Filter}' AS by_gpu_filter, j #>> '{0,Plan,Rows Removed by Filter}' AS by_filter, (j #>> '{0,Plan,Actual Rows}')::numeric::int AS rows
FROM explain_json($$SELECT regexp_replace(s, '(1)(.?)', '\2\1') FROM t WHERE id + random() < 0$$) j;
RESET gpustr.debug_require;

-- which plan is chosen, with the costs as they come: not for a small table, ...
CREATE FUNCTION node_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r json; BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO r;
  RETURN coalesce(r #>> '{0,Plan,Custom Plan Provider}', r #>> '{0,Plan,Node Type}');
END $$;
SELECT node_of($$SELECT * FROM t WHERE s LIKE '%1%'$$);
CREATE TABLE large AS SELECT g AS id, 'line ' || g || repeat(' text', 10) AS s FROM generate_series(1, 100000) g;
CREATE INDEX ON large (id);
ANALYZE large;
SET max_parallel_workers_per_gather = 0;
-- ... for a large one, ...
SELECT node_of($$SELECT * FROM large WHERE s LIKE '%77_7%'$$);
SELECT node_of($$SELECT * FROM large WHERE s LIKE '%77_7%' AND id::numeric % 2 = 0$$);
-- ... not where an index finds a few rows, or where nothing is offloaded
SELECT node_of($$SELECT * FROM large WHERE s LIKE '%77_7%' AND id = 777$$);
SELECT node_of($$SELECT * FROM large WHERE id::numeric % 2 = 0$$);
SELECT node_of($$SELECT * FROM large TABLESAMPLE SYSTEM (10) WHERE s LIKE '%77_7%'$$);
SELECT node_of($$SELECT * FROM large WHERE ctid = '(0,1)' AND s LIKE '%1%'$$);
-- settings
SET gpustr.enable_scan = off;
SELECT node_of($$SELECT * FROM large WHERE s LIKE '%77_7%'$$);
SET gpustr.enable_scan = on;
SET gpustr.enabled = off;
SELECT node_of($$SELECT * FROM large WHERE s LIKE '%77_7%'$$);
SET gpustr.enabled = on;
SET gpustr.device_startup_cost = 1e9;
SELECT node_of($$SELECT * FROM large WHERE s LIKE '%77_7%'$$);
RESET gpustr.device_startup_cost;
SET gpustr.device_row_cost = 1;
SELECT node_of($$SELECT * FROM large WHERE s LIKE '%77_7%'$$);
RESET gpustr.device_row_cost;
-- a column that is mostly TOASTed goes back to PostgreSQL row by row
CREATE TABLE heavy AS SELECT g AS id, repeat(md5(g::text), 200) AS s FROM generate_series(1, 3000) g;
ALTER TABLE heavy ALTER COLUMN s SET STORAGE EXTERNAL;
INSERT INTO heavy SELECT id, s || id FROM heavy;
VACUUM ANALYZE heavy;
CREATE FUNCTION cost_of(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE r json; BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO r;
  RETURN r #>> '{0,Plan,Total Cost}';
END $$;
SET gpustr.debug_require = 'require';
SET gpustr.recheck_cost = 0;
SELECT cost_of($$SELECT * FROM heavy WHERE s LIKE '%77_7%'$$) AS cost_without \gset
SET gpustr.recheck_cost = 10;
SELECT cost_of($$SELECT * FROM heavy WHERE s LIKE '%77_7%'$$) - :cost_without BETWEEN 30000 AND 60000 AS most_are_rechecked;
RESET gpustr.recheck_cost;
RESET gpustr.debug_require;
SELECT node_of($$SELECT * FROM heavy WHERE s LIKE '%77_7%'$$);

-- DEBUG1 says why not
SET client_min_messages = debug1;
SELECT node_of($$SELECT * FROM large WHERE id::numeric % 2 = 0$$);
RESET client_min_messages;

DROP TABLE t, large, heavy;
DROP FUNCTION same, outcome, with_gpu, explain_masked, explain_json, node_of, cost_of;

-- Rows that an engine cannot read count in the cost; values that are only wide
-- do not, nor do columns that no offloaded clause reads
CREATE TABLE wide AS SELECT i AS id, repeat(md5(i::text), 20) AS msg FROM generate_series(1, 2000) i;
CREATE TABLE packed AS SELECT i AS id, repeat(md5(i::text), 100) AS msg FROM generate_series(1, 2000) i;
CREATE TABLE outside (id int, msg text);
ALTER TABLE outside ALTER msg SET STORAGE EXTERNAL;
INSERT INTO outside SELECT i, repeat(md5(i::text), 100) FROM generate_series(1, 2000) i;
CREATE TABLE mixed (LIKE outside INCLUDING STORAGE);
INSERT INTO mixed SELECT i, repeat(md5(i::text), CASE WHEN i % 20 = 0 THEN 100 ELSE 20 END) FROM generate_series(1, 2000) i;
VACUUM ANALYZE wide, packed, outside, mixed;
-- at 1 a recheck the cost rises by as many as are expected
CREATE FUNCTION rechecks_of(tab text, clause text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
	cost float8[];
	extra float8;
BEGIN
	PERFORM set_config('gpustr.debug_require', 'require', true);
	FOR i IN 0..1 LOOP
		PERFORM set_config('gpustr.recheck_cost', i::text, true);
		EXECUTE format('EXPLAIN (FORMAT JSON) SELECT FROM %I WHERE %s', tab, clause) INTO plan;
		cost[i] := (plan->0->'Plan'->>'Total Cost')::float8;
	END LOOP;
	PERFORM set_config('gpustr.debug_require', 'allow', true);
	extra := cost[1] - cost[0];
	RETURN CASE WHEN extra < 1 THEN 'none' WHEN extra < 1999 THEN 'some' ELSE 'all' END;
END $$;
SET max_parallel_workers_per_gather = 0;
SELECT 'wide' AS tab, rechecks_of('wide', 'msg LIKE ''%x%''');
SELECT 'packed' AS tab, rechecks_of('packed', 'msg LIKE ''%x%''');
SELECT 'outside' AS tab, rechecks_of('outside', 'msg LIKE ''%x%''');
SELECT 'mixed' AS tab, rechecks_of('mixed', 'msg LIKE ''%x%''');
SELECT 'mixed, another column' AS tab, rechecks_of('mixed', 'id > 7');
DROP FUNCTION rechecks_of;
DROP TABLE wide, packed, outside, mixed;
