--
-- GpuJoin: what the executor node does with pairs, passes, rescans and rests
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set same_join :srcdir '/test/same_join.sql'
\i :same_join
\set ECHO all

SET max_parallel_workers_per_gather = 0;
SET jit = off;					-- costs of joins that are turned off are large
CREATE TABLE outer_rows AS
  SELECT g AS id, CASE WHEN g % 7 <> 0 THEN g % 100 END AS k, g % 5 AS n, 'outer ' || g AS t,
         repeat('x', g % 300) AS long
  FROM generate_series(1, 800) g;
CREATE TABLE inner_rows AS
  SELECT g AS id, CASE WHEN g % 11 <> 0 THEN g % 150 END AS k, g % 3 AS n, 'inner ' || g AS t
  FROM generate_series(1, 200) g;
CREATE TABLE no_rows (id int, k int, n int, t text);
ANALYZE outer_rows, inner_rows, no_rows;

-- every kind of join, with and without a filter that the engine decides, one that it
-- does not, and both
CREATE TABLE kinds (kind text);
INSERT INTO kinds VALUES ('JOIN'), ('LEFT JOIN'), ('RIGHT JOIN'), ('FULL JOIN');
CREATE TABLE filters (filter text, always bool);
INSERT INTO filters VALUES ('', true), ('AND o.n < i.n', false), ('AND md5(o.t || i.t) < ''8''', false),
  ('AND o.n <> i.n AND md5(i.t || o.t) > ''4''', true), ('AND md5(o.t) < ''8''', false),
  ('AND md5(i.t) < ''8''', false), ('AND o.n > 100', false);
CREATE FUNCTION all_kinds(outer_side text, inner_side text, few bool) RETURNS TABLE (query text, outcome text)
LANGUAGE sql AS $$
  SELECT kind || ' ' || filter, same_join('SELECT o.id, o.t, i.id AS i, i.n, i.t AS it FROM ' || outer_side || ' o ' ||
                                          kind || ' ' || inner_side || ' i ON o.k = i.k ' || filter)
  FROM kinds, filters WHERE always OR NOT few
  UNION ALL
  SELECT kind || ' ' || filter, same_join('SELECT o.id, o.t FROM ' || outer_side || ' o WHERE ' || kind ||
                                          '(SELECT FROM ' || inner_side || ' i WHERE o.k = i.k ' || filter || ')')
  FROM (VALUES ('EXISTS'), ('NOT EXISTS')) AS k(kind), filters WHERE always OR NOT few
$$;
SELECT * FROM all_kinds('outer_rows', 'inner_rows', false);
-- sides that are plans
SELECT * FROM all_kinds('(SELECT * FROM outer_rows OFFSET 10)', '(SELECT DISTINCT * FROM inner_rows)', false);
-- sides without rows
SELECT * FROM all_kinds('outer_rows', 'no_rows', true) WHERE outcome !~ '^same';
SELECT * FROM all_kinds('no_rows', 'inner_rows', true) WHERE outcome !~ '^same';
-- keys that collide
SET gpustr.debug_hash_bits = 2;
SELECT * FROM all_kinds('outer_rows', 'inner_rows', true) WHERE outcome !~ '^same';
-- several passes
CREATE VIEW large_inner AS SELECT id, k, n, t || repeat('y', 1000) AS t FROM inner_rows OFFSET 0;
SET work_mem = '64kB';
SELECT * FROM all_kinds('outer_rows', 'large_inner', true) WHERE outcome !~ '^same';
RESET gpustr.debug_hash_bits;
SELECT * FROM all_kinds('outer_rows', 'large_inner', true) WHERE outcome !~ '^same';
-- one key has all rows
SELECT * FROM all_kinds('(SELECT id, id - id AS k, n, t FROM outer_rows WHERE id < 30 OFFSET 0)',
  '(SELECT id, id - id AS k, n, t FROM large_inner)', true) WHERE outcome !~ '^same';
RESET work_mem;

-- several joins in one node
CREATE TABLE dimension AS SELECT g AS id, 'dimension ' || g AS t FROM generate_series(0, 4) g;
ANALYZE dimension;
SELECT same_join('SELECT o.id, i.t, d.t AS dt FROM outer_rows o JOIN inner_rows i ON o.k = i.k JOIN dimension d ON d.id = o.n');
SELECT same_join('SELECT o.id, i.t, d.t AS dt, e.t AS et FROM outer_rows o JOIN inner_rows i ON o.k = i.k
  JOIN dimension d ON d.id = i.n AND md5(d.t || o.t) < ''a'' JOIN dimension e ON e.id = o.n AND e.t < d.t');
SELECT same_join('SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k = i.k JOIN dimension d ON d.id = o.n');
SET gpustr.debug_hash_bits = 2;
SET work_mem = '64kB';
SELECT same_join('SELECT o.id, i.t, d.t AS dt, e.t AS et FROM outer_rows o JOIN large_inner i ON o.k = i.k
  JOIN dimension d ON d.id = i.n AND md5(d.t || o.t) < ''a''
  JOIN large_inner e ON e.id = o.id WHERE o.n < 4');
RESET gpustr.debug_hash_bits;
RESET work_mem;

-- clauses above an outer join
SELECT same_join('SELECT o.id, i.id AS i FROM outer_rows o LEFT JOIN inner_rows i ON o.k = i.k WHERE i.id IS NULL OR i.n = o.n');
SELECT same_join('SELECT o.id, i.id AS i FROM outer_rows o FULL JOIN inner_rows i ON o.k = i.k AND o.n < i.n WHERE coalesce(o.n, i.n) = 2');
SELECT same_join('SELECT o.id + i.id AS sum, o IS NULL AS no_o, i FROM outer_rows o FULL JOIN inner_rows i ON o.k = i.k AND o.n < i.n');
-- keys that are expressions, and several
SELECT same_join('SELECT o.id, i.id AS i FROM outer_rows o JOIN inner_rows i ON o.k + 1 = i.k - 1 AND upper(o.t) = upper(replace(i.t, ''inner'', ''outer''))');
SELECT same_join('SELECT o.id, i.id AS i FROM outer_rows o JOIN inner_rows i ON o.k = i.k AND o.n = i.n AND md5(o.id::text) > md5(i.id::text)');
-- no column is wanted
SELECT same_join('SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k = i.k');
SELECT same_join('SELECT count(*) FROM outer_rows o FULL JOIN inner_rows i ON o.k = i.k');
SELECT same_join('SELECT count(*) FROM outer_rows o LEFT JOIN inner_rows i ON o.k = i.k AND md5(o.t) < md5(i.t)');
-- more results than a batch has room for, of which some are long
SELECT same_join('SELECT o.id, o.long, i.t, repeat(i.t, 3) AS more FROM outer_rows o JOIN inner_rows i ON o.k <> 0 AND o.n % 3 = i.n WHERE o.id < 500');
SELECT same_join('SELECT o.long, i.t FROM outer_rows o JOIN (SELECT n, repeat(t, id * 50) AS t FROM inner_rows WHERE id % 50 = 0 OFFSET 0) i ON o.n % 3 = i.n WHERE o.id < 300');

-- rows of a fused scan that only PostgreSQL can judge, or read
CREATE TABLE hard AS SELECT id, k, CASE id % 4 WHEN 0 THEN repeat(t, 1000) ELSE t END AS t, n FROM outer_rows;
ANALYZE hard;
SELECT same_join('SELECT o.id, length(o.t), i.t FROM hard o JOIN inner_rows i ON o.k = i.k WHERE o.t LIKE ''%outer 1%''');
SELECT same_join('SELECT o.id, i.t FROM hard o LEFT JOIN inner_rows i ON o.t = ''outer '' || i.id WHERE o.n < 3');
SELECT same_join('SELECT o.id, i.t FROM hard o JOIN inner_rows i ON o.k = i.k WHERE o.t LIKE ''%outer 1%'' AND md5(o.t) > ''8''');
SELECT same_join('SELECT o.id, i.t FROM hard o JOIN inner_rows i ON o.k = i.k WHERE 100 / (o.id - 700) > -1');

-- rescans: with nothing changed, with the outer side's Param changed, the inner's, the filter's
SELECT same_join('SELECT d.id, (SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k = i.k WHERE d.id > random() - 1) FROM dimension d');
SELECT same_join('SELECT d.id, (SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k = i.k WHERE o.n = d.id) FROM dimension d');
SELECT same_join('SELECT d.id, (SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k = i.k WHERE i.n = d.id) FROM dimension d');
SELECT same_join('SELECT d.id, (SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k = i.k AND o.n + i.n = d.id) FROM dimension d');
SELECT same_join('SELECT d.id, (SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k + d.id = i.k + 2 * d.id) FROM dimension d');
SELECT same_join('SELECT d.id, (SELECT sum(o.id) FROM outer_rows o LEFT JOIN inner_rows i ON o.k = i.k + d.id WHERE i.id IS NULL) FROM dimension d');
SELECT same_join('SELECT d.id, (SELECT sum(i.id) FROM outer_rows o RIGHT JOIN inner_rows i ON o.k = i.k + d.id WHERE o.id IS NULL) FROM dimension d');
SET work_mem = '64kB';
SELECT same_join('SELECT d.id, (SELECT sum(length(i.t)) FROM outer_rows o RIGHT JOIN large_inner i ON o.k = i.k WHERE o.id IS NULL OR o.n = d.id) FROM dimension d');
SELECT same_join('SELECT d.id, (SELECT sum(length(i.t)) FROM outer_rows o JOIN large_inner i ON o.k = i.k + d.id) FROM dimension d');
RESET work_mem;

-- a cursor that rests, and LIMIT
SELECT with_join(true);
BEGIN;
DECLARE c CURSOR FOR SELECT o.id, o.t, i.t AS it FROM outer_rows o JOIN inner_rows i ON o.k = i.k;
CREATE TEMP TABLE fetched (id int, t text, it text);
CREATE FUNCTION fetch_all() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  c refcursor := 'c';
  r record;
  n bigint := 0;
BEGIN
  LOOP
    FETCH c INTO r;
    EXIT WHEN NOT FOUND;
    n := n + 1;
    INSERT INTO fetched VALUES (r.id, r.t, r.it);
  END LOOP;
  RETURN n;
END $$;
SELECT fetch_all();
COMMIT;
SELECT count(*) FROM (SELECT o.id, o.t, i.t AS it FROM outer_rows o JOIN inner_rows i ON o.k = i.k EXCEPT ALL SELECT * FROM fetched) d;
SELECT count(*) FROM (SELECT o.id, i.id AS i FROM outer_rows o JOIN inner_rows i ON o.k = i.k LIMIT 10) d;
BEGIN;
DECLARE s SCROLL CURSOR FOR SELECT o.id, i.id AS i FROM outer_rows o JOIN inner_rows i ON o.k = i.k ORDER BY o.id, i.id;
FETCH 3 FROM s;
FETCH BACKWARD 2 FROM s;
COMMIT;
-- the outer side is not read where the inner one is empty
CREATE SEQUENCE outer_reads;
SELECT count(*) FROM (SELECT nextval('outer_reads'), k FROM outer_rows OFFSET 0) o WHERE k IN (SELECT k FROM no_rows);
SELECT is_called FROM outer_reads;
SELECT with_join(false);

-- EXPLAIN: what does not depend on the engine
CREATE FUNCTION explained(query text, options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  PERFORM with_join(true);
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF, ' || options || ') ' || query LOOP
    IF line !~ 'Engine|GPU Batches|GPU Bytes|GPU Rows|GPU Output' THEN
      RETURN NEXT regexp_replace(line, '(rows=\d+)\.00', '\1');
    END IF;
  END LOOP;
  PERFORM with_join(false);
END $$;
SELECT explained('SELECT o.id, i.id FROM outer_rows o LEFT JOIN inner_rows i ON o.k = i.k AND o.n < i.n AND md5(i.t || o.t) > ''4''
  WHERE coalesce(i.id, 0) < 10', 'ANALYZE, VERBOSE');
SELECT explained('SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k = i.k JOIN dimension d ON d.id = o.n AND d.t < i.t COLLATE "C"', 'ANALYZE');
CREATE FUNCTION explained_json(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
BEGIN
  PERFORM with_join(true);
  EXECUTE 'EXPLAIN (COSTS OFF, TIMING OFF, BUFFERS OFF, ANALYZE, FORMAT JSON) ' || query INTO plan;
  PERFORM with_join(false);
  plan := jsonb_set(plan, '{0,Plan,Actual Rows}', to_jsonb((plan #>> '{0,Plan,Actual Rows}')::numeric::int));
  RETURN (plan #> '{0,Plan}') - '{Disabled,Engine,GPU Batches,GPU Bytes In,GPU Bytes Out,GPU Batches Local,Plans,Async Capable}'::text[];
END $$;
SELECT jsonb_pretty(explained_json('SELECT 1 FROM outer_rows o JOIN dimension i ON o.k = i.id'));
-- without ANALYZE nothing is executed
SELECT explained('SELECT 1 / (o.id - o.id) FROM outer_rows o JOIN (SELECT 1 / (id - id) AS k FROM inner_rows OFFSET 0) i ON o.k = i.k', 'ANALYZE OFF');
SET work_mem = '64kB';
-- a device has other limits than this session's engine
SET gpustr.engine = local;
SELECT explained('SELECT o.id FROM outer_rows o FULL JOIN large_inner i ON o.k = i.k AND length(o.t) < length(i.t)', 'ANALYZE');
RESET gpustr.engine;
RESET work_mem;

-- results of a batch that come in pieces: not in many, though earlier batches had shorter texts
CREATE TABLE wide AS SELECT g AS id, g % 2 AS k, g <= 20 AS is_wide,
  CASE WHEN g <= 20 THEN (SELECT string_agg(md5((g * 100 + i)::text), '') FROM generate_series(1, 60) i) ELSE '' END AS t
  FROM generate_series(1, 40) g;
CREATE TABLE matches AS SELECT g AS id, g % 2 AS k, repeat('match ', 50) AS t FROM generate_series(1, 800) g;
ANALYZE wide, matches;
CREATE FUNCTION batches(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
BEGIN
  PERFORM with_join(true);
  EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, FORMAT JSON) ' || query INTO plan;
  PERFORM with_join(false);
  RETURN jsonb_path_query_first(plan, '$.** ? (@."Custom Plan Provider" == "GpuJoin")."GPU Batches"');
END $$;
\set pieces 'SELECT d, (SELECT count(*) FROM (SELECT * FROM wide OFFSET 0) w WHERE w.is_wide = (d = 10) AND EXISTS (SELECT FROM matches m WHERE w.k = m.k AND quote_literal(w.t || m.t) < $$$$)) FROM generate_series(1, 10) d'
SELECT batches(:'pieces') < 50 AS few;
SELECT same_join(:'pieces');

-- a rescan that makes a table anew leaves nothing behind
SELECT with_join(true);
BEGIN;
DECLARE c CURSOR FOR SELECT (SELECT count(*) FROM dimension a JOIN dimension b ON a.id = b.id WHERE a.id <> d + 10 AND b.id <> d + 10) FROM generate_series(1, 4000) d;
MOVE 100 FROM c;
CREATE VIEW join_memory AS SELECT sum(used_bytes) AS bytes FROM pg_backend_memory_contexts WHERE name LIKE 'GpuJoin%' OR name LIKE 'gpustr%';
CREATE TEMP TABLE after_100 AS SELECT * FROM join_memory;
MOVE 2900 FROM c;
SELECT after_100.bytes > 0 AS is_counted, join_memory.bytes - after_100.bytes AS more FROM after_100, join_memory;
FETCH 1 FROM c;
COMMIT;
SELECT with_join(false);
