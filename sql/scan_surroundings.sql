--
-- GpuScan in other statements: COPY, CREATE TABLE AS, matviews, procedures
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

CREATE TABLE t (id int, s text, n int);
INSERT INTO t SELECT g, CASE WHEN g % 70 = 0 THEN repeat('compressed ', 500) || g ELSE 'row ' || g END, g % 7
FROM generate_series(1, 3000) g;
ANALYZE t;
SET gpustr.debug_require = 'require';

COPY (SELECT id, n FROM t WHERE s LIKE '%99' ORDER BY id LIMIT 4) TO STDOUT;
COPY (DELETE FROM t WHERE s LIKE 'row 299_' RETURNING id) TO STDOUT (FORMAT csv);
CREATE TABLE made AS SELECT id, s FROM t WHERE s LIKE '%7%';
SELECT count(*), sum(id) FROM made WHERE s LIKE '%7%';
SELECT id, s INTO TEMP made_temp FROM t WHERE s LIKE '%77%';
SELECT count(*), sum(id) FROM made_temp WHERE s LIKE 'row%';
CREATE MATERIALIZED VIEW m AS SELECT id, s FROM t WHERE s LIKE '%8%';
SELECT count(*), sum(id) FROM m WHERE s NOT LIKE '%88%';
CREATE UNIQUE INDEX ON m (id);
DELETE FROM t WHERE s LIKE '%880';
REFRESH MATERIALIZED VIEW m;
SET gpustr.debug_require = 'allow';
UPDATE t SET s = s || '8' WHERE id % 100 = 1;
REFRESH MATERIALIZED VIEW CONCURRENTLY m;
SET gpustr.debug_require = 'require';
SELECT count(*), sum(id) FROM m WHERE s NOT LIKE '%88%';
SELECT count(*), sum(id) FROM t WHERE s LIKE '%8%' AND s NOT LIKE '%88%';

-- a procedure commits in the midst of its loop: the rest of the rows is kept
CREATE TABLE seen (id int);
CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$
DECLARE r record; n int := 0; BEGIN
  FOR r IN SELECT id FROM t WHERE s LIKE '%5%' LOOP
    n := n + 1;
    INSERT INTO seen VALUES (r.id);
    IF n % 300 = 0 THEN COMMIT; ELSIF n % 301 = 0 THEN ROLLBACK; END IF;
  END LOOP;
END $$;
CALL commits();
SET gpustr.debug_require = 'allow';
SELECT count(*), count(DISTINCT id) FROM seen;
SELECT slots_in_use, pinned_buffers FROM gpustr.staging();

-- a block that fails in the midst of its loop
SET gpustr.debug_require = 'require';
DO $$
DECLARE r record; n int := 0; BEGIN
  FOR r IN SELECT id FROM t WHERE s LIKE 'row%' LOOP
    BEGIN
      n := n + 1;
      PERFORM 1 / (r.id % 500);
    EXCEPTION WHEN division_by_zero THEN
      RAISE NOTICE 'caught at %', r.id;
    END;
  END LOOP;
  RAISE NOTICE '% rows', n;
END $$;
SET gpustr.debug_require = 'allow';

-- a held cursor outlives its table
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT id FROM made WHERE s LIKE '%77';
FETCH 2 FROM held;
COMMIT;
DROP TABLE made;
FETCH 2 FROM held;
CLOSE held;

-- partitions with another order of columns, under a generic plan
CREATE TABLE parts (id int, s text, n int) PARTITION BY LIST (n);
CREATE TABLE parts0 PARTITION OF parts FOR VALUES IN (0, 1);
CREATE TABLE parts2 (n int, junk text, s text, id int);
ALTER TABLE parts2 DROP COLUMN junk;
ALTER TABLE parts ATTACH PARTITION parts2 FOR VALUES IN (2, 3, 4);
CREATE TABLE parts5 PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT id, s, n FROM t;
ANALYZE parts;
SELECT query, same(query) FROM (VALUES
  ($$SELECT * FROM parts WHERE s LIKE '%1%'$$),
  ($$SELECT tableoid::regclass AS t, ctid AS c, parts AS p FROM parts WHERE s LIKE '%12'$$),
  ($$SELECT n, count(*) FROM parts WHERE s LIKE '%3' GROUP BY n$$),
  ($$SELECT a.id FROM parts a WHERE s LIKE '%1%' AND NOT EXISTS (SELECT FROM t b WHERE b.id = a.id + 1 AND b.s LIKE '%2%')$$),
  ($$SELECT id FROM t WHERE s LIKE '%1%' AND n NOT IN (SELECT n FROM parts5 WHERE s LIKE '%7')$$),
  ($$SELECT id, (SELECT max(b.id) FROM parts b WHERE b.s LIKE '%9' AND b.n = a.n) FROM t a WHERE s LIKE '%77%'$$),
  ($$SELECT x, y.id FROM generate_series(1, 3) x, LATERAL (SELECT id FROM parts WHERE s LIKE '%4' AND n = x LIMIT 3) y$$)) q (query);
SET plan_cache_mode = force_generic_plan;
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
PREPARE p (int) AS SELECT count(*), sum(id) FROM parts WHERE s LIKE '%1%' AND n = $1;
EXECUTE p (1);
EXECUTE p (3);
EXECUTE p (6);
SET gpustr.debug_require = 'allow';
DROP TABLE t, seen, parts CASCADE;
DROP PROCEDURE commits;
DROP FUNCTION same, outcome, with_gpu, explain_masked;
