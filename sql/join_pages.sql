--
-- GpuJoin over the pages of a table: results in pieces, pages pinned again, cursors
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
-- the plan of a query with a GpuJoin, as it ran
CREATE FUNCTION join_plan(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
BEGIN
  PERFORM set_config('gpustr.enabled', 'on', false);
  PERFORM set_config('gpustr.debug_require', 'require_join', false);
  EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) ' || query INTO plan;
  PERFORM set_config('gpustr.debug_require', 'allow', false);
  PERFORM set_config('gpustr.enabled', 'off', false);
  RETURN jsonb_path_query_first(plan, 'strict $.**?(@."Custom Plan Provider" == "GpuJoin")');
END $$;
-- is the outer side a table whose pages are probed?
CREATE FUNCTION fused(query text) RETURNS bool LANGUAGE sql AS $$
  SELECT jsonb_path_exists(join_plan(query), '$.Plans[0]?(@."Custom Plan Provider" == "GpuScan")')
$$;
-- requests, those that build the table included
CREATE FUNCTION batches(query text) RETURNS int LANGUAGE sql AS $$
  SELECT (join_plan(query) ->> 'GPU Batches')::int
$$;
\set ECHO all
SET gpustr.enable_join = on;
SET max_parallel_workers_per_gather = 0;

-- 2,000 rows in some 20 pages; every tenth key is a NULL, and every 50th text is toasted
CREATE TABLE outer_side (id int, k int, t text, dropped int);
ALTER TABLE outer_side DROP COLUMN dropped;
ALTER TABLE outer_side ALTER t SET STORAGE EXTERNAL;
INSERT INTO outer_side
SELECT g, CASE WHEN g % 10 > 0 THEN g % 100 END,
       CASE WHEN g % 50 = 0 THEN repeat('long ' || g, 800)
            WHEN g % 7 > 0 THEN repeat('x', g % 60) || g END
FROM generate_series(1, 2000) g;
CREATE TABLE inner_side AS SELECT g AS v, g % 60 AS k, 'k' || g % 60 AS tk,
  repeat(chr(97 + g % 26), g % 300) AS t FROM generate_series(1, 2400) g;
ANALYZE outer_side, inner_side;

-- each key occurs forty times on the inner side: a page has a thousand results and more
SELECT fused('SELECT o.id, i.v, i.t FROM outer_side o JOIN inner_side i USING (k)');
SELECT same('SELECT o.id, o.ctid::text AS at, o.tableoid::text AS rel, i.v, i.t, o.t AS ot FROM outer_side o JOIN inner_side i USING (k)', 'require_join');
SELECT same('SELECT o.id, i.v, i.t FROM outer_side o LEFT JOIN inner_side i USING (k)', 'require_join');
SELECT same('SELECT o.id, i.v, i.t FROM outer_side o RIGHT JOIN inner_side i USING (k) WHERE i.v < 2000', 'require_join');
SELECT same('SELECT o.id, i.v, i.t FROM outer_side o FULL JOIN inner_side i USING (k)', 'require_join');
SELECT same('SELECT o.id, o.t FROM outer_side o WHERE EXISTS (SELECT FROM inner_side i WHERE i.k = o.k)', 'require_join');
SELECT same('SELECT o.id, o.t FROM outer_side o WHERE NOT EXISTS (SELECT FROM inner_side i WHERE i.k = o.k)', 'require_join');
SELECT same('SELECT count(*) FROM outer_side o JOIN inner_side i USING (k)', 'require_join');
SELECT same('SELECT o.id, i.v FROM outer_side o JOIN inner_side i ON i.k = o.k AND i.v % 7 > o.id % 5 WHERE o.t LIKE ''x%''', 'require_join');
SELECT same('SELECT o.id, i.v FROM outer_side o LEFT JOIN inner_side i ON i.k = o.k AND length(i.t) > o.id', 'require_join');
SELECT same('SELECT o, i FROM outer_side o JOIN inner_side i USING (k) WHERE i.v < 300', 'require_join');

-- one key has all of the inner rows
CREATE TABLE one_key AS SELECT 7 AS k, g AS v FROM generate_series(1, 8000) g;
ANALYZE one_key;
SELECT same('SELECT o.id, i.v FROM outer_side o JOIN one_key i USING (k)', 'require_join');
SELECT same('SELECT count(*), sum(i.v) FROM outer_side o LEFT JOIN one_key i USING (k)', 'require_join');

-- texts that no room was made for, and one that is longer than a slot
CREATE TABLE wide (k int, t text);
INSERT INTO wide SELECT g, repeat('w' || g, CASE WHEN g % 10 = 3 THEN 100000 ELSE g END) FROM generate_series(1, 60) g;
ANALYZE wide;
SELECT batches('SELECT o.id, w.t FROM outer_side o JOIN wide w USING (k)') > 5 AS in_pieces;
SELECT same('SELECT o.id, w.k, md5(w.t) AS m, o.t FROM outer_side o JOIN wide w USING (k)', 'require_join');
INSERT INTO wide SELECT 5, repeat('longer than a slot', 600000);
SELECT same('SELECT o.id, w.k, md5(w.t) AS m FROM outer_side o LEFT JOIN wide w USING (k) WHERE o.id < 120', 'require_join');

-- keys that are texts; toasted ones are PostgreSQL's to look at
CREATE TABLE text_keys (id int, tk text);
ALTER TABLE text_keys ALTER tk SET STORAGE EXTERNAL;
INSERT INTO text_keys SELECT g, CASE WHEN g % 20 = 0 THEN repeat('k', 3000) || g % 40 ELSE 'k' || g % 90 END
FROM generate_series(1, 1000) g;
INSERT INTO inner_side SELECT g, 0, repeat('k', 3000) || g, 'toasted' FROM generate_series(0, 40) g;
ANALYZE text_keys, inner_side;
SELECT fused('SELECT a.id, i.v FROM text_keys a JOIN inner_side i USING (tk)');
SELECT same('SELECT a.id, i.v, i.t FROM text_keys a JOIN inner_side i USING (tk)', 'require_join');
SELECT same('SELECT a.id, a.tk, i.v FROM text_keys a LEFT JOIN inner_side i ON i.tk = a.tk AND i.v > a.id', 'require_join');
SELECT same('SELECT a.id FROM text_keys a WHERE NOT EXISTS (SELECT FROM inner_side i WHERE i.tk = a.tk)', 'require_join');

-- a temporary table has no page that another process can read
CREATE TEMP TABLE temp_outer AS SELECT * FROM outer_side;
ANALYZE temp_outer;
SELECT fused('SELECT o.id, i.v, i.t FROM temp_outer o JOIN inner_side i USING (k)');
SELECT same('SELECT o.id, o.ctid::text AS at, i.v, i.t FROM temp_outer o JOIN inner_side i USING (k)', 'require_join');
SELECT same('SELECT o.id, w.k, md5(w.t) AS m FROM temp_outer o JOIN wide w USING (k) WHERE o.id < 300', 'require_join');

-- a table that is read through a small ring of buffers: 6,000 pages, more than a quarter of them all
CREATE TABLE many_pages (id int, k int, filler text) WITH (fillfactor = 10);
INSERT INTO many_pages SELECT g, g % 100, repeat('f', 700) FROM generate_series(1, 6000) g;
ANALYZE many_pages;
SELECT pg_relation_size('many_pages') > pg_size_bytes(current_setting('shared_buffers')) / 4 AS is_large;
SELECT same('SELECT m.id, m.ctid::text AS at, i.v, i.t FROM many_pages m JOIN inner_side i USING (k) WHERE i.v % 10 = 0', 'require_join');
SELECT same('SELECT m.id, m.filler, i.v FROM many_pages m JOIN one_key i USING (k) WHERE i.v < 200', 'require_join');

-- deleted and updated rows; the rows of this transaction
BEGIN;
DELETE FROM outer_side WHERE id % 3 = 0;
UPDATE outer_side SET k = k + 1 WHERE id % 5 = 0;
SELECT same('SELECT o.id, o.ctid::text AS at, i.v FROM outer_side o JOIN inner_side i USING (k)', 'require_join');
ROLLBACK;
SELECT same('SELECT o.id, o.ctid::text AS at, i.v FROM outer_side o JOIN inner_side i USING (k)', 'require_join');

-- LIMIT: the rest is given up; a rescan begins anew
SET gpustr.debug_require = 'require_join';
SET gpustr.enabled = on;
SELECT count(*) FROM (SELECT o.id, i.v, i.t FROM outer_side o JOIN inner_side i USING (k) LIMIT 1) d;
SELECT count(*) FROM (SELECT o.id, i.v, i.t FROM outer_side o JOIN inner_side i USING (k) LIMIT 12345) d;
SELECT n, (SELECT count(*) FROM (SELECT i.v FROM outer_side o JOIN inner_side i USING (k) OFFSET 0 LIMIT n * 10000) d)
FROM generate_series(0, 3) n;

CREATE FUNCTION fetch_some(c refcursor, n int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  r record;
  found_rows int := 0;
BEGIN
  FOR i IN 1 .. n LOOP
    FETCH c INTO r;
    EXIT WHEN NOT FOUND;
    INSERT INTO fetched VALUES (r.id, r.t, r.v, r.it);
    found_rows := found_rows + 1;
  END LOOP;
  RETURN found_rows;
END $$;
-- a cursor rests between two fetches, and others change the pages beneath it
BEGIN;
CREATE TEMP TABLE expected AS SELECT o.id, o.t, i.v, i.t AS it FROM outer_side o JOIN inner_side i USING (k);
CREATE TEMP TABLE fetched (id int, t text, v int, it text);
DECLARE c NO SCROLL CURSOR FOR SELECT o.id, o.t, i.v, i.t AS it FROM outer_side o JOIN inner_side i USING (k);
SELECT fetch_some('c', 10);
SELECT slots_in_use, pinned_buffers FROM gpustr.staging();
SAVEPOINT s;
SELECT fetch_some('c', 5000);
SET LOCAL gpustr.debug_require = 'allow';
UPDATE outer_side SET t = 'changed', k = 1 WHERE id % 2 = 0;
DELETE FROM inner_side WHERE v % 2 = 0;
SELECT fetch_some('c', 20000);
RELEASE s;
SELECT count(*) FROM outer_side WHERE t = 'changed';
SELECT fetch_some('c', 1000000);
CLOSE c;
SELECT count(*) FROM ((TABLE expected EXCEPT ALL TABLE fetched) UNION ALL (TABLE fetched EXCEPT ALL TABLE expected)) d;
ROLLBACK;

-- a subtransaction that fails has none of the cursor's pages; one in which it was begun ends it
BEGIN;
SET LOCAL gpustr.debug_require = 'require_join';
DECLARE c NO SCROLL CURSOR FOR SELECT i.t FROM outer_side o JOIN inner_side i USING (k);
MOVE 7 IN c;
SAVEPOINT s;
MOVE 30000 IN c;
SELECT 1 / 0;
ROLLBACK TO s;
MOVE 30000 IN c;
SAVEPOINT s2;
DECLARE d NO SCROLL CURSOR FOR SELECT i.t FROM outer_side o JOIN wide i USING (k);
MOVE 7 IN d;
ROLLBACK TO s2;
MOVE 1 IN d;
ROLLBACK;

-- errors in the middle, in a block that goes on
SET gpustr.debug_require = 'allow';
DO $$
DECLARE
  n bigint;
BEGIN
  FOR g IN 1 .. 3 LOOP
    BEGIN
      SELECT count(10 / (o.id - 1737)) INTO n FROM outer_side o JOIN inner_side i USING (k);
      RAISE EXCEPTION 'no error';
    EXCEPTION WHEN division_by_zero THEN
      SELECT count(*) INTO n FROM outer_side o JOIN inner_side i USING (k);
      RAISE NOTICE '% rows', n;
    END;
  END LOOP;
END $$;

-- WITH HOLD, and a query that is not read to its end
BEGIN;
SET LOCAL gpustr.debug_require = 'require_join';
DECLARE held CURSOR WITH HOLD FOR SELECT i.v FROM outer_side o JOIN inner_side i USING (k);
COMMIT;
MOVE ALL IN held;
CLOSE held;
-- nothing is left: all pages can be dropped
SELECT slots_in_use, pinned_buffers FROM gpustr.staging();
DROP TABLE outer_side, inner_side, one_key, wide, text_keys, many_pages;
RESET gpustr.enabled;
RESET gpustr.debug_require;
DROP FUNCTION fetch_some, join_plan, fused, batches;
