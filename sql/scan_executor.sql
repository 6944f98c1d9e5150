--
-- GpuScan in the executor: cursors, rescans, row locks, DML, transactions
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

CREATE TABLE t (id int PRIMARY KEY, s text, n int);
INSERT INTO t SELECT g, CASE WHEN g % 50 = 0 THEN repeat('compressed ', 500) || g ELSE 'row ' || g END, g % 7
FROM generate_series(1, 3000) g;
ANALYZE t;

-- joins, subqueries, rescans
SELECT q, same(q) FROM (VALUES
 ($$SELECT x, (SELECT count(*) FROM t WHERE s LIKE '%1%' AND n = x) FROM generate_series(0, 6) x$$),
 ($$SELECT x, l.id FROM generate_series(0, 6) x, LATERAL (SELECT id FROM t WHERE s LIKE '%12%' AND n = x ORDER BY id LIMIT 3) l$$),
 ($$SELECT a.id FROM t a WHERE a.s LIKE '%1%' AND EXISTS (SELECT 1 FROM t b WHERE b.s LIKE '%2%' AND b.id = a.id + 1)$$),
 ($$SELECT a.id FROM t a WHERE a.s LIKE '%9%' AND a.id NOT IN (SELECT b.id FROM t b WHERE b.s LIKE '%2%')$$),
 ($$SELECT a.id, b.id AS b FROM t a LEFT JOIN t b ON b.id = a.id + 1 AND b.s LIKE '%3%' WHERE a.s LIKE '%7_2%'$$),
 ($$SELECT id FROM t WHERE s LIKE '%1%' UNION ALL SELECT id FROM t WHERE s LIKE '%2%'$$),
 ($$WITH w AS MATERIALIZED (SELECT * FROM t WHERE s LIKE '%1%') SELECT a.id FROM w a JOIN w b ON a.id = b.id + 1$$),
 ($$WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r, t WHERE t.id = r.i AND t.s LIKE 'row _') SELECT * FROM r$$),
 ($$SELECT n, count(*), min(s) FROM t WHERE s LIKE '%1%' GROUP BY n HAVING count(*) > 3$$),
 ($$SELECT DISTINCT n FROM t WHERE s LIKE '%1%'$$),
 ($$SELECT id, sum(id) OVER (PARTITION BY n ORDER BY id) FROM t WHERE s LIKE '%1%'$$),
 ($$SELECT id FROM t WHERE s LIKE '%1%' ORDER BY id DESC LIMIT 7 OFFSET 3$$)
) AS x(q);
-- the node itself rescanned by a nested loop
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SET enable_memoize = off;
SELECT q, same(q) FROM (VALUES
 ($$SELECT x, id FROM generate_series(1, 5) x JOIN t ON t.n = x AND t.s LIKE '%17%'$$),
 ($$SELECT count(*) FROM generate_series(1, 5) x, t WHERE t.s LIKE '%17%'$$),
 ($$SELECT x, (SELECT count(*) FROM (SELECT 1 FROM t WHERE s LIKE '%1%' LIMIT x) y) FROM generate_series(0, 5) x$$)
) AS x(q);
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
RESET enable_memoize;

-- cursors
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%00';
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
FETCH ABSOLUTE 2 FROM c;
FETCH RELATIVE -1 FROM c;
MOVE ALL FROM c;
FETCH PRIOR FROM c;
DECLARE plain NO SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%00';
FETCH 2 FROM plain;
DECLARE held CURSOR WITH HOLD FOR SELECT id FROM t WHERE s LIKE '%50' ORDER BY id;
-- what is written later is not seen by an open cursor, what is deleted still is
INSERT INTO t VALUES (4000, 'new 00', 0);
DELETE FROM t WHERE id IN (300, 900) AND s LIKE '%00';
FETCH ALL FROM plain;
SELECT count(*) FROM t WHERE s LIKE '%00';
COMMIT;
FETCH 2 FROM held;
CLOSE held;

-- neither SCROLL nor NO SCROLL: backward where PostgreSQL's plan goes backward,
-- over a table, but not over an aggregate
BEGIN;
DECLARE simple CURSOR FOR SELECT id FROM t WHERE s LIKE '%00';
FETCH 3 FROM simple;
FETCH BACKWARD 2 FROM simple;
FETCH ABSOLUTE 1 FROM simple;
DECLARE top CURSOR FOR SELECT id FROM t WHERE s LIKE '%00' LIMIT 2;
FETCH ALL FROM top;
FETCH PRIOR FROM top;
DECLARE grouped CURSOR FOR SELECT count(*) FROM t WHERE s LIKE '%00';
FETCH 1 FROM grouped;
FETCH PRIOR FROM grouped;
ROLLBACK;

-- a cursor that rests holds no slots, and no pins but its last tuple's, whether
-- or not it may go backward
BEGIN;
DECLARE forward NO SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%0';
DECLARE both_ways CURSOR FOR SELECT id FROM t WHERE s LIKE '%0';
FETCH 1 FROM forward;
FETCH 1 FROM both_ways;
SELECT slots_in_use, pinned_buffers FROM gpustr.staging();
FETCH 1 FROM forward;
FETCH 1 FROM both_ways;
ROLLBACK;

-- a cursor outlives the subtransaction that fetched from it, and its abort
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%0';
FETCH 2 FROM c;
SAVEPOINT a;
MOVE 100 FROM c;
ROLLBACK TO a;
FETCH 1 FROM c;
SAVEPOINT b;
DECLARE d NO SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%0';
FETCH 1 FROM d;
RELEASE b;
FETCH 1 FROM d;
SAVEPOINT e;
DECLARE f NO SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%0';
FETCH 1 FROM f;
ROLLBACK TO e;
FETCH 1 FROM f;
ROLLBACK TO e;
MOVE ALL FROM d;
FETCH 1 FROM c;
COMMIT;

-- an error in mid-scan, and the session goes on
SELECT count(10 / (id - 2000)) FROM t WHERE s LIKE '%1%' OR s LIKE '%0%';
SELECT count(*) FROM t WHERE s LIKE '%1%';

-- WHERE CURRENT OF, also where the cursor reads no column
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM t WHERE s LIKE 'row 12__';
FETCH 2 FROM c;
SET LOCAL gpustr.debug_require = 'allow';
UPDATE t SET n = 100 WHERE CURRENT OF c RETURNING id, n;
SET LOCAL gpustr.debug_require = 'require';
DECLARE u CURSOR FOR SELECT id FROM t WHERE s LIKE 'row 12__' FOR UPDATE;
FETCH 3 FROM u;
DECLARE b CURSOR FOR SELECT 1 AS one FROM t WHERE s LIKE 'row 123_';
FETCH 5 FROM b;
SET LOCAL gpustr.debug_require = 'allow';
UPDATE t SET n = 101 WHERE CURRENT OF u RETURNING id, n;
DELETE FROM t WHERE CURRENT OF b RETURNING id;
-- after a step back
SET LOCAL gpustr.debug_require = 'require';
DECLARE back CURSOR FOR SELECT ctid AS tid, id FROM t WHERE s LIKE 'row 13__';
SET LOCAL gpustr.debug_require = 'allow';
MOVE 5 FROM back;
MOVE PRIOR FROM back;
UPDATE t SET n = 102 WHERE CURRENT OF back RETURNING id, n;
MOVE NEXT FROM back;
UPDATE t SET n = 103 WHERE CURRENT OF back RETURNING id, n;
ROLLBACK;
SET gpustr.enabled = off;
SET gpustr.debug_require = 'allow';

-- UPDATE, DELETE, MERGE and INSERT read with it, twice the same
CREATE TABLE t1 AS SELECT * FROM t;
CREATE TABLE t2 AS SELECT * FROM t;
CREATE FUNCTION twice(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  fast bigint := with_gpu(replace(statement, '@', 't1'));
  slow bigint;
  differences bigint;
BEGIN
  EXECUTE replace(statement, '@', 't2');
  GET DIAGNOSTICS slow = ROW_COUNT;
  SELECT count(*) INTO differences
  FROM ((TABLE t1 EXCEPT ALL TABLE t2) UNION ALL (TABLE t2 EXCEPT ALL TABLE t1)) d;
  RETURN format('%s rows, %s rows, %s different', fast, slow, differences);
END $$;
SELECT q, twice(q) FROM (VALUES
 ($$UPDATE @ SET s = s || '!' WHERE s LIKE '%1%'$$),
 ($$UPDATE @ SET s = s || '?' WHERE s LIKE '%1_!'$$),
 ($$UPDATE @ SET n = x.n FROM (SELECT id, n + 1 AS n FROM t WHERE s LIKE '%3%') x WHERE x.id = @.id AND @.s LIKE '%5%'$$),
 ($$DELETE FROM @ WHERE s LIKE '%7%' AND n > 2$$),
 ($$DELETE FROM @ USING t WHERE t.id = @.id AND t.s LIKE '%99%'$$),
 ($$INSERT INTO @ SELECT id + 10000, s, n FROM @ WHERE s LIKE '%2%'$$),
 ($$MERGE INTO @ USING (SELECT * FROM t WHERE s LIKE '%4_') x ON x.id = @.id WHEN MATCHED AND @.n > 3 THEN DELETE WHEN MATCHED THEN UPDATE SET s = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (x.id, 'inserted', x.n)$$),
 ($$INSERT INTO @ SELECT id FROM t WHERE s LIKE '%8_'$$)
) AS x(q);
SELECT same($$SELECT id, s FROM t1 WHERE s LIKE '%1%' FOR UPDATE$$);
SELECT same($$SELECT t1.id FROM t1 JOIN t2 USING (id) WHERE t1.s LIKE '%1%' FOR SHARE OF t1$$);

-- many versions of the same rows, pruned and not
CREATE TABLE versions (id int, s text) WITH (fillfactor = 50);
INSERT INTO versions SELECT g, 'version 0 of ' || g FROM generate_series(1, 500) g;
DO $$ BEGIN FOR i IN 1..5 LOOP UPDATE versions SET s = format('version %s of %s', i, id) WHERE id % i = 0; END LOOP; END $$;
SELECT same($$SELECT * FROM versions WHERE s LIKE 'version 3%'$$);
SELECT same($$SELECT * FROM versions WHERE s LIKE '%5%'$$);
VACUUM versions;
SELECT same($$SELECT * FROM versions WHERE s LIKE '%5%'$$);

-- prepared statements: custom and generic plans, and a changed table
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
PREPARE p(int) AS SELECT count(*), min(id) FROM t WHERE s LIKE '%1%' AND n = $1;
SET plan_cache_mode = force_custom_plan;
EXECUTE p(1);
SET plan_cache_mode = force_generic_plan;
EXECUTE p(1);
EXECUTE p(2);
ALTER TABLE t ADD COLUMN extra text DEFAULT 'x';
EXECUTE p(1);
ALTER TABLE t DROP COLUMN extra;
EXECUTE p(2);
-- a pattern that is a parameter is a constant in a custom plan only
PREPARE q(text) AS SELECT count(*), min(id) FROM t WHERE s LIKE $1;
SET plan_cache_mode = force_custom_plan;
EXECUTE q('%12%');
EXECUTE q('%13_');
EXECUTE q(NULL);
SET plan_cache_mode = force_generic_plan;
EXECUTE q('%12%');
RESET plan_cache_mode;
DEALLOCATE ALL;

-- functions, isolation levels, read only
CREATE FUNCTION in_sql(text) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM t WHERE s LIKE '%1%' AND s <> $1 $$;
CREATE FUNCTION in_plpgsql() RETURNS text LANGUAGE plpgsql AS $$
DECLARE r record; total bigint := 0; BEGIN
  FOR r IN SELECT * FROM t WHERE s LIKE '%12%' LOOP
    total := total + r.id + (SELECT count(*) FROM t WHERE s LIKE '%13%');
    EXIT WHEN r.id > 1230;
  END LOOP;
  RETURN total;
END $$;
SELECT in_sql('row 1'), in_plpgsql();
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT count(*), sum(id) FROM t WHERE s LIKE '%1%';
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*), sum(id) FROM t WHERE s LIKE '%1%';
SELECT DISTINCT locktype, mode FROM pg_locks WHERE relation = 't'::regclass AND mode LIKE 'SIRead%';
COMMIT;
SET gpustr.enabled = off;
SET gpustr.debug_require = 'allow';

-- the statistics count what PostgreSQL counts
CREATE TABLE counted (id int, s text);
INSERT INTO counted SELECT g, 'row ' || g FROM generate_series(1, 5000) g;
DELETE FROM counted WHERE id % 10 = 0;
CREATE FUNCTION counts() RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; BEGIN
  PERFORM pg_stat_clear_snapshot();
  SELECT format('%s scans, %s rows, %s blocks', seq_scan, seq_tup_read, heap_blks_read + heap_blks_hit) INTO r
  FROM pg_stat_user_tables JOIN pg_statio_user_tables USING (relid) WHERE relid = 'counted'::regclass;
  RETURN r;
END $$;
SELECT pg_stat_force_next_flush();
SELECT pg_stat_reset_single_table_counters('counted'::regclass);
SELECT count(*) FROM counted WHERE s LIKE '%1%';
SELECT pg_stat_force_next_flush();
SELECT counts() AS without_gpustr;
-- twice, as the second scan has hints where the pages are
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT count(*) FROM counted WHERE s LIKE '%1%';
SELECT pg_stat_force_next_flush();
SELECT pg_stat_reset_single_table_counters('counted'::regclass);
SELECT count(*) FROM counted WHERE s LIKE '%1%';
SET gpustr.debug_require = 'allow';
SELECT pg_stat_force_next_flush();
SELECT counts() AS with_gpustr;

-- a scan prunes the pages that it reads
CREATE EXTENSION pgstattuple;
CREATE TABLE pruned (id int, s text) WITH (autovacuum_enabled = off);
INSERT INTO pruned SELECT g, 'row ' || g FROM generate_series(1, 5000) g;
DELETE FROM pruned WHERE id % 2 = 0;
SELECT dead_tuple_count > 2000 AS dead FROM pgstattuple('pruned');
SET gpustr.debug_require = 'require';
SELECT count(*) FROM pruned WHERE s LIKE '%1%';
SET gpustr.debug_require = 'allow';
-- the last page is not full
SELECT dead_tuple_count < 200 AS pruned FROM pgstattuple('pruned');
DROP TABLE pruned;
DROP EXTENSION pgstattuple;

-- A set-returning function starts its scan inside a savepoint and goes on after
-- its rollback.  The scan between would take a
-- slot that had been freed too early.
CREATE TABLE lazy AS SELECT g AS id, 'row ' || g || repeat('x', 200) AS s FROM generate_series(1, 60000) g;
CREATE TABLE between_them AS SELECT * FROM lazy WHERE id <= 1100;
VACUUM ANALYZE lazy, between_them;
CREATE FUNCTION above(k int) RETURNS SETOF int LANGUAGE sql STABLE
  AS $$ SELECT id FROM lazy WHERE s LIKE 'row%' AND id > k $$;
SET gpustr.device_startup_cost = 0;
SET gpustr.device_row_cost = 0;
SET gpustr.enabled = on;
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT above(x) FROM (VALUES (59999), (0)) v(x);
FETCH 1 FROM c;
SAVEPOINT a;
FETCH 3 FROM c;
ROLLBACK TO a;
SELECT count(*) FROM between_them WHERE s LIKE 'rox%';
SELECT count(*) FROM between_them WHERE s LIKE 'row 1%';
MOVE 59990 FROM c;
FETCH ALL FROM c;
COMMIT;
-- a fetch that fails in a savepoint leaves nothing in use
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT 1 / (id - 20000) FROM lazy WHERE s LIKE 'row%';
SAVEPOINT a;
MOVE 30000 FROM c;
ROLLBACK TO a;
-- (a slot that a device is working on is free once the device is through)
DO $$ BEGIN
  FOR i IN 1 .. 1000 LOOP
    EXIT WHEN (SELECT slots_in_use = 0 FROM gpustr.staging());
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$;
SELECT slots_in_use, pinned_buffers FROM gpustr.staging();
COMMIT;
RESET gpustr.device_startup_cost;
RESET gpustr.device_row_cost;
DROP FUNCTION above;
DROP TABLE lazy, between_them;

-- cancelled, and the next statement works
SET gpustr.debug_require = 'require';
SET statement_timeout = '50ms';
SELECT count(*) FROM t a, t b, t c WHERE a.s LIKE '%1%' AND b.s LIKE '%2%' AND c.s LIKE '%3%' AND a.n + b.n + c.n < 0;
RESET statement_timeout;
SELECT count(*) FROM t WHERE s LIKE '%1%';
RESET gpustr.debug_require;

DROP TABLE t, t1, t2, versions, counted;
DROP FUNCTION same, outcome, with_gpu, explain_masked, twice, in_sql, in_plpgsql, counts;
