--
-- GpuScan in parallel plans
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

-- joins have tests of their own
SET gpustr.enable_join = off;

CREATE TABLE t (id int PRIMARY KEY, s text, n int);
INSERT INTO t SELECT g, CASE WHEN g % 50 = 0 THEN repeat('compressed ', 500) || g ELSE 'row ' || g || repeat(' and more', 20) END, g % 7
FROM generate_series(1, 6000) g;
CREATE TABLE other (id int, s text) WITH (parallel_workers = 3);
INSERT INTO other SELECT g, 'other ' || g FROM generate_series(1, 3000) g;
CREATE TABLE part (id int, s text, n int) PARTITION BY RANGE (id);
CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (0) TO (2000);
CREATE TABLE part2 (n int, dropped int, s text, id int);
ALTER TABLE part2 DROP COLUMN dropped;
ALTER TABLE part ATTACH PARTITION part2 FOR VALUES FROM (2000) TO (4000);
CREATE TABLE part3 PARTITION OF part FOR VALUES FROM (4000) TO (7000);
INSERT INTO part SELECT id, s, n FROM t;
CREATE TABLE parent (id int, s text);
CREATE TABLE child (extra int) INHERITS (parent);
INSERT INTO parent SELECT id, s FROM t WHERE id <= 1000;
INSERT INTO child SELECT id, s, n FROM t WHERE id > 1000;
CREATE MATERIALIZED VIEW mv AS SELECT * FROM t;
CREATE TEMP TABLE temporary AS SELECT * FROM t;
CREATE TABLE empty (s text) WITH (parallel_workers = 2);
ANALYZE;

SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET gpustr.device_row_cost = 0;
SET gpustr.device_startup_cost = 0;
SET parallel_tuple_cost = 0;
SET gpustr.debug_require = 'allow';

-- which nodes of a plan matter here
CREATE FUNCTION shape(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  line text;
  nodes text[] = '{}';
BEGIN
  PERFORM set_config('gpustr.enabled', 'on', false);
  PERFORM set_config('gpustr.debug_require', 'require', false);
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    line := substring(line from '(Gather Merge|Gather|Parallel Append|(Parallel )?Custom Scan \(GpuScan\)|Parallel Hash Join|Nested Loop)');
    IF line IS NOT NULL AND line IS DISTINCT FROM nodes[cardinality(nodes)] THEN
      nodes := nodes || line;
    END IF;
  END LOOP;
  PERFORM set_config('gpustr.debug_require', 'allow', false);
  PERFORM set_config('gpustr.enabled', 'off', false);
  RETURN array_to_string(nodes, ' > ');
END $$;
CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, q text);
INSERT INTO queries (q) VALUES
 ($$SELECT count(*), sum(id) FROM t WHERE s LIKE '%1%'$$),
 ($$SELECT * FROM t WHERE s LIKE '%17%'$$),
 ($$SELECT id, ctid AS place, tableoid AS of, t FROM t WHERE s LIKE '%compressed%'$$),
 ($$SELECT id, s FROM t WHERE s LIKE '%1%' ORDER BY n, id$$),
 ($$SELECT id FROM t WHERE s LIKE '%1%' ORDER BY id LIMIT 20$$),
 ($$SELECT n, count(*), min(s) FROM t WHERE s LIKE '%2%' GROUP BY n$$),
 ($$SELECT id FROM t WHERE s LIKE '%1%' AND n * 2 > 7$$),
 ($$SELECT count(*) FROM t WHERE s LIKE '%row%' AND s NOT LIKE '%3%'$$),
 ($$SELECT id, n FROM part WHERE s LIKE '%1%'$$),
 ($$SELECT count(*), sum(n) FROM part WHERE s LIKE '%compressed%' AND id BETWEEN 1000 AND 5000$$),
 ($$SELECT id FROM parent WHERE s LIKE '%9%'$$),
 ($$SELECT sum(id) FROM mv WHERE s LIKE '%5_'$$),
 ($$SELECT id FROM t WHERE s LIKE '%1%' UNION ALL SELECT id FROM other WHERE s LIKE '%2%'$$),
 ($$SELECT a.id, b.s FROM t a JOIN other b ON a.id = b.id WHERE a.s LIKE '%1%' AND b.s LIKE '%2%'$$),
 ($$SELECT a.id FROM t a LEFT JOIN other b ON a.id = b.id AND b.s LIKE '%2%' WHERE a.s LIKE '%1%' AND b.id IS NULL$$),
 ($$SELECT id FROM t WHERE s LIKE '%1%' AND id IN (SELECT id FROM other WHERE s LIKE '%4%')$$),
 ($$SELECT id, (SELECT count(*) FROM other o WHERE o.s LIKE '%99%' AND o.id < t.id) FROM t WHERE s LIKE '%100%'$$),
 ($$SELECT count(*) FROM empty WHERE s LIKE '%1%'$$);

SET max_parallel_workers_per_gather = 2;
SELECT n, shape(q) FROM queries ORDER BY n;
SELECT n, same(q) FROM queries ORDER BY n;

-- other numbers of workers, all of which may get none, or not the leader's help
CREATE FUNCTION all_same() RETURNS text LANGUAGE sql
AS $$SELECT coalesce(string_agg(q || ': ' || r, E'\n'), 'all the same')
     FROM (SELECT q, same(q) AS r FROM queries OFFSET 0) x WHERE r NOT LIKE 'same % rows'$$;
SET max_parallel_workers_per_gather = 0;
SELECT all_same();
SET max_parallel_workers_per_gather = 1;
SELECT all_same();
SET max_parallel_workers_per_gather = 4;
SELECT all_same();
SET parallel_leader_participation = off;
SELECT all_same();
SET max_parallel_workers = 0;
SELECT all_same();
RESET parallel_leader_participation;
SELECT all_same();
RESET max_parallel_workers;
SET max_parallel_workers_per_gather = 2;
SET gpustr.batch_depth = 1;
SELECT all_same();
RESET gpustr.batch_depth;
SET :force_parallel = on;
SELECT all_same();
RESET :force_parallel;
SET effective_io_concurrency = 0;
SELECT all_same();
RESET effective_io_concurrency;

-- a scan that is not parallel aware, inside a worker; Gather that is rescanned
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SET enable_memoize = off;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_bitmapscan = off;
SET parallel_setup_cost = 100;
SELECT q, shape(q), same(q) FROM (VALUES
 ($$SELECT count(*) FROM t a, other b WHERE a.s LIKE '%17%' AND b.s LIKE '%99%' AND a.n + b.id > 1000$$),
 ($$SELECT count(*) FROM t a LEFT JOIN part b ON a.n + b.n = 5 AND b.s LIKE '%199%' WHERE a.s LIKE '%17%'$$)
) AS x(q);
SET parallel_setup_cost = 0;
SELECT q, shape(q), same(q) FROM (VALUES
 ($$SELECT a.id, b.id AS b FROM t a JOIN other b ON b.id = a.n + 1 AND b.s LIKE '%r%' WHERE a.s LIKE '%17%'$$),
 ($$SELECT x, c FROM generate_series(1, 4) x, LATERAL (SELECT count(*) AS c FROM t WHERE s LIKE '%17%' AND n > -x OFFSET 0) l$$),
 ($$SELECT x, (SELECT count(*) FROM (SELECT 1 FROM t WHERE s LIKE '%1%' LIMIT x + 100) y) FROM generate_series(0, 5) x$$),
 ($$SELECT x FROM generate_series(1, 4) x LEFT JOIN (SELECT n, count(*) AS c FROM t WHERE s LIKE '%3%' GROUP BY n) g ON g.n < x$$)
) AS x(q);
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
RESET enable_memoize;
RESET enable_indexscan;
RESET enable_indexonlyscan;
RESET enable_bitmapscan;

-- temporary tables are not for workers
SELECT shape($$SELECT count(*) FROM temporary WHERE s LIKE '%1%'$$);
SELECT same($$SELECT count(*) FROM temporary WHERE s LIKE '%1%'$$);
-- nor is what is not parallel safe
CREATE FUNCTION unsafe(int) RETURNS bool LANGUAGE sql VOLATILE PARALLEL UNSAFE AS 'SELECT $1 > 3';
SELECT shape($$SELECT id FROM t WHERE s LIKE '%1%' AND unsafe(n)$$);
SELECT same($$SELECT id FROM t WHERE s LIKE '%1%' AND unsafe(n)$$);

-- an error in a worker is PostgreSQL's
SET parallel_leader_participation = off;
SELECT same($$SELECT id FROM t WHERE s LIKE '%1%\' AND n = 3$$);
SELECT same($$SELECT id FROM t WHERE s LIKE '%and more' AND 1 / (id - 77) = 0$$);
RESET parallel_leader_participation;

-- counts of EXPLAIN, over leader and workers
CREATE FUNCTION gpu_counts(query text)
RETURNS TABLE (gpu_rows int, rechecked int, rows_out int, removed bool, batches bool)
LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  PERFORM set_config('gpustr.enabled', 'on', false);
  PERFORM set_config('gpustr.debug_require', 'require', false);
  EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, BUFFERS, FORMAT JSON) ' || query INTO plan;
  PERFORM set_config('gpustr.debug_require', 'allow', false);
  PERFORM set_config('gpustr.enabled', 'off', false);
  -- averages over the loops are rounded
  RETURN QUERY
    SELECT (g->>'GPU Rows')::int, (g->>'GPU Rows Rechecked')::int,
      CASE WHEN g->>'Actual Loops' = '1' THEN (g->>'Actual Rows')::numeric::int END,
      abs((g->>'Rows Removed by GPU Filter')::int * (g->>'Actual Loops')::int
          + (g->>'Actual Rows')::numeric * (g->>'Actual Loops')::int - (g->>'GPU Rows')::int)
        <= (g->>'Actual Loops')::int,
      (g->>'GPU Batches')::int > 0 AND (g->>'GPU Bytes In')::int > 0
    FROM jsonb_path_query(plan::jsonb, 'strict $.** ? (@."Custom Plan Provider" == "GpuScan")') g;
END $$;
SET max_parallel_workers_per_gather = 0;
SELECT * FROM gpu_counts($$SELECT count(*) FROM t WHERE s LIKE '%17%'$$);
SET max_parallel_workers_per_gather = 2;
SELECT * FROM gpu_counts($$SELECT count(*) FROM t WHERE s LIKE '%17%'$$);
SELECT * FROM gpu_counts($$SELECT id FROM t WHERE s LIKE '%17%' ORDER BY s$$);
SET parallel_leader_participation = off;
SELECT * FROM gpu_counts($$SELECT count(*) FROM t WHERE s LIKE '%17%'$$);
RESET parallel_leader_participation;
-- stopped early: whatever was counted, it comes out
SELECT gpu_rows > 0 AS some, batches FROM gpu_counts($$SELECT id FROM t WHERE s LIKE '%1%' LIMIT 3$$);

-- generic plans
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SET plan_cache_mode = force_generic_plan;
PREPARE p AS SELECT count(*), sum(id) FROM t WHERE s LIKE '%1%' AND n = $1;
SELECT explain_masked('COSTS OFF', 'EXECUTE p(3)');
EXECUTE p(3);
EXECUTE p(5);
SET gpustr.debug_require = 'forbid';
SET gpustr.enabled = off;
DISCARD PLANS;
EXECUTE p(3);
EXECUTE p(5);
DEALLOCATE p;
RESET plan_cache_mode;

-- a portal that is executed in parts runs without workers
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM t WHERE s LIKE '%00';
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
MOVE ALL FROM c;
FETCH PRIOR FROM c;
COMMIT;
DO $$
DECLARE
  n bigint := 0;
  r record;
BEGIN
  FOR r IN SELECT id FROM t WHERE s LIKE '%17%' LOOP
    n := n + r.id;
    EXIT WHEN r.id > 3000;
  END LOOP;
  RAISE NOTICE '%', (SELECT n = sum(id) FROM (SELECT id FROM t WHERE s LIKE '%17%' ORDER BY id) x
    WHERE id <= (SELECT min(id) FROM t WHERE s LIKE '%17%' AND id > 3000));
END $$;

-- predicate locks are the transaction's, whoever reads
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM t WHERE s LIKE '%17%';
SELECT locktype, relation::regclass, mode FROM pg_locks WHERE mode = 'SIReadLock' AND relation = 't'::regclass;
COMMIT;
SET gpustr.debug_require = 'allow';
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT all_same();
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM t;
DELETE FROM t WHERE id % 3 = 0;
UPDATE t SET s = s || ' 17' WHERE id % 3 = 1;
SELECT all_same();
ROLLBACK;

-- the table's statistics
CREATE TABLE counted (id int, s text) WITH (autovacuum_enabled = off);
INSERT INTO counted SELECT id, s FROM t;
CREATE FUNCTION counts() RETURNS bigint[] LANGUAGE sql
AS $$SELECT ARRAY[seq_scan, seq_tup_read] FROM pg_stat_user_tables WHERE relname = 'counted'$$;
SELECT pg_stat_force_next_flush();
SELECT counts() AS before \gset
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT count(*) FROM counted WHERE s LIKE '%17%';
SET gpustr.debug_require = 'forbid';
SET gpustr.enabled = off;
SELECT pg_stat_force_next_flush();
SELECT counts() AS between \gset
SELECT count(*) FROM counted WHERE s LIKE '%17%';
SELECT pg_stat_force_next_flush();
SELECT counts() AS after \gset
SELECT :'between'::bigint[] AS fast,
  (:'after'::bigint[])[1] - (:'between'::bigint[])[1] = (:'between'::bigint[])[1] - (:'before'::bigint[])[1] AS same_scans,
  (:'after'::bigint[])[2] - (:'between'::bigint[])[2] = (:'between'::bigint[])[2] - (:'before'::bigint[])[2] AS same_rows;
SET gpustr.debug_require = 'allow';

-- a scan that a worker runs alone has no totals to show, but its rows
SET :force_parallel = on;
SET parallel_setup_cost = 1000000;
SELECT * FROM gpu_counts($$SELECT count(*) FROM t WHERE s LIKE '%17%'$$);

DROP MATERIALIZED VIEW mv;
DROP TABLE t, other, part, parent, child, temporary, empty, counted, queries;
DROP FUNCTION same, outcome, with_gpu, explain_masked, shape, all_same, unsafe, gpu_counts, counts;
