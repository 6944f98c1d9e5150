--
-- GpuJoin in parallel plans
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set same_join :srcdir '/test/same_join.sql'
\i :same_join
\set ECHO all

CREATE TABLE fact (id int, k int, k8 int8, t text, x int) WITH (parallel_workers = 4);
INSERT INTO fact SELECT g, CASE WHEN g % 97 <> 0 THEN g * 7 % 1300 END, g % 50, 'key ' || g % 700, g % 11 FROM generate_series(1, 20000) g;
CREATE TABLE dim (k int, t text, v int) WITH (parallel_workers = 4);
INSERT INTO dim SELECT CASE WHEN g % 101 <> 0 THEN g END, 'key ' || g % 900, g % 13 FROM generate_series(1, 1000) g;
INSERT INTO dim SELECT k, t, -v FROM dim WHERE k % 10 = 0;
CREATE TABLE wide (k int, pad text) WITH (parallel_workers = 4);
INSERT INTO wide SELECT g, repeat(md5(g::text), 20) FROM generate_series(1, 3000) g;
CREATE TABLE few (k int, name text) WITH (parallel_workers = 0);
INSERT INTO few SELECT g, 'few ' || g FROM generate_series(0, 40) g;
CREATE TABLE none (k int, t text) WITH (parallel_workers = 4);
CREATE TABLE part (k int, v int) PARTITION BY RANGE (k);
CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (0) TO (500);
CREATE TABLE part2 PARTITION OF part FOR VALUES FROM (500) TO (2000);
INSERT INTO part SELECT g, g % 17 FROM generate_series(1, 1500) g;
ANALYZE;

SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET max_parallel_workers_per_gather = 2;

CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, q text);
INSERT INTO queries (q) VALUES
 ($$SELECT count(*), sum(f.id) AS ids, sum(d.v) AS vs FROM fact f JOIN dim d ON f.k = d.k$$),
 ($$SELECT f.id, f.t, d.v, d.t AS dt FROM fact f JOIN dim d ON f.t = d.t WHERE f.t LIKE '%1%'$$),
 ($$SELECT f.id, d.v, d.t FROM fact f LEFT JOIN dim d ON f.k = d.k$$),
 ($$SELECT f.id, d.v FROM fact f LEFT JOIN dim d ON f.k = d.k AND d.v > f.x$$),
 ($$SELECT f.id FROM fact f WHERE EXISTS (SELECT FROM dim d WHERE d.k = f.k AND d.v <> f.x)$$),
 ($$SELECT f.id FROM fact f WHERE NOT EXISTS (SELECT FROM dim d WHERE d.k = f.k)$$),
 ($$SELECT f.id, d.v, few.name FROM fact f JOIN dim d ON f.k = d.k JOIN few ON f.k8 = few.k$$),
 ($$SELECT f.id, d.v, w.pad FROM fact f JOIN dim d ON f.k = d.k JOIN wide w ON f.id = w.k$$),
 ($$SELECT f.id, few.name FROM fact f LEFT JOIN few ON f.k8 = few.k$$),
 ($$SELECT f.id, p.v FROM fact f JOIN part p ON f.k = p.k$$),
 ($$SELECT p.k, d.t FROM part p JOIN dim d ON p.k = d.k$$),
 ($$SELECT f.id, g.s FROM fact f JOIN (SELECT k, sum(v) AS s FROM dim GROUP BY k OFFSET 0) g ON f.k = g.k$$),
 ($$SELECT f.id FROM fact f JOIN none n ON f.k = n.k$$),
 ($$SELECT f.id, n.t FROM fact f LEFT JOIN none n ON f.k = n.k$$),
 ($$SELECT n.t, d.v FROM none n JOIN dim d ON n.k = d.k$$),
 ($$SELECT f.x, count(*), sum(length(w.pad)) FROM fact f JOIN wide w ON f.id = w.k GROUP BY f.x$$),
 ($$SELECT f.id, d.v FROM fact f RIGHT JOIN dim d ON f.k = d.k AND f.x = 3$$),
 ($$SELECT f.id, d.v FROM fact f FULL JOIN dim d ON f.k = d.k$$),
 ($$SELECT count(*) FROM (SELECT f.id FROM fact f JOIN dim d ON f.k = d.k LIMIT 100) l$$),
 -- columns of the inner side of a semi join that the join above it may want
 ($$SELECT few.name, w.pad FROM few JOIN wide w ON few.k = w.k WHERE EXISTS (SELECT FROM fact f WHERE f.id = few.k AND f.x = length(few.name))$$);

CREATE FUNCTION all_same() RETURNS text LANGUAGE sql
AS $$SELECT coalesce(string_agg(q || ': ' || r, E'\n'), 'all the same')
     FROM (SELECT q, same_join(q) AS r FROM queries OFFSET 0) x WHERE r NOT LIKE 'same % rows'$$;
SELECT n, join_shape(q), same_join(q) FROM queries ORDER BY n;

-- other numbers of workers, all of which may get none, or not the leader's help
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

-- several passes; keys that collide
SET work_mem = '64kB';
SELECT all_same();
SET gpustr.debug_hash_bits = 3;
SELECT all_same();
RESET gpustr.debug_hash_bits;
SET hash_mem_multiplier = 1;
SELECT all_same();
RESET hash_mem_multiplier;
RESET work_mem;

-- no room for the files of the inner sides
SELECT with_join(true);
-- it may be a worker's
\set SHOW_CONTEXT never
\set VERBOSITY sqlstate
SET temp_file_limit = '64kB';
SELECT count(*), sum(length(w.pad)) FROM fact f JOIN wide w ON f.id = w.k;
RESET temp_file_limit;
\unset SHOW_CONTEXT
\set VERBOSITY default
SELECT count(*), sum(length(w.pad)) FROM fact f JOIN wide w ON f.id = w.k;

-- no file is left
SELECT count(*) FROM pg_ls_dir('base/pgsql_tmp', true, false);
SELECT with_join(false);

-- errors in an inner side, in the outer one, and in what is left to PostgreSQL
SELECT same_join(q) FROM (VALUES
 ($$SELECT f.id FROM fact f JOIN (SELECT k, 1 / (v - 5) AS v FROM dim) d ON f.k = d.k AND d.v < 100$$),
 ($$SELECT f.id FROM fact f JOIN dim d ON f.k / (f.x - 4) = d.k$$),
 ($$SELECT f.id FROM fact f JOIN dim d ON f.k = d.k WHERE 1 / (d.v - f.x) > 0$$)
) AS x(q);

-- a Gather that is run again
SET enable_material = off;
SET enable_memoize = off;
SELECT join_shape(q), same_join(q) FROM (VALUES
 ($$SELECT y, (SELECT count(*) FROM (SELECT d.v FROM fact f JOIN dim d ON f.k = d.k OFFSET 0) j WHERE j.v > y) FROM generate_series(1, 4) y$$),
 ($$SELECT y, (SELECT sum(v) FROM (SELECT f.id, d.v FROM fact f JOIN dim d ON f.k = d.k WHERE f.x = 3 ORDER BY f.id, d.v LIMIT 50) l WHERE l.id > y * 100) FROM generate_series(0, 4) y$$)
) AS x(q);
RESET enable_material;
RESET enable_memoize;

-- a cursor that is not read to its end
SELECT with_join(true);
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT f.id, d.v FROM fact f JOIN dim d ON f.k = d.k;
MOVE 10 IN c;
CLOSE c;
COMMIT;

-- what workers have counted is told
CREATE FUNCTION told(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query LOOP
    IF line ~ 'GpuJoin|Hash Table|^ {10,30}GPU Batches' THEN
      RETURN NEXT regexp_replace(regexp_replace(line, '(rows=\d+)\.\d\d', '\1'), '(Batches: )?[0-9]{4,}|(Batches: )[1-9][0-9]*', '\1\2N', 'g');
    END IF;
  END LOOP;
END $$;
SELECT * FROM told('SELECT count(*) FROM fact f JOIN dim d ON f.k = d.k');
SET parallel_leader_participation = off;
SELECT * FROM told('SELECT count(*) FROM fact f JOIN dim d ON f.k = d.k');
RESET parallel_leader_participation;
SELECT with_join(false);
