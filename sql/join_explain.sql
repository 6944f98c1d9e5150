--
-- What EXPLAIN says of the hash tables of a GpuJoin
--
-- Both engines count the same keys, and in windows of the same size, so nothing is
-- masked.  Bytes are reckoned, not measured.
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
CREATE TABLE outer_rows AS SELECT g AS id, g % 100 AS k, g % 5 AS n FROM generate_series(1, 800) g;
CREATE TABLE inner_rows AS
  SELECT g AS id, CASE WHEN g % 11 <> 0 THEN g % 40 END AS k, g % 3 AS n, repeat('y', 1000) AS long
  FROM generate_series(1, 200) g;
CREATE TABLE many_outer (id int, k int, n int) WITH (parallel_workers = 4);
INSERT INTO many_outer SELECT g, CASE WHEN g % 13 <> 0 THEN g % 100 END, g % 5 FROM generate_series(1, 20000) g;
CREATE TABLE no_rows (k int);
CREATE TABLE no_keys AS SELECT NULL::int AS k, g AS id FROM generate_series(1, 9) g;
CREATE TABLE one_key AS SELECT 7 AS k, g AS id FROM generate_series(1, 90) g;
CREATE TABLE dimension AS SELECT g AS id FROM generate_series(0, 4) g;
CREATE VIEW large_inner AS SELECT * FROM inner_rows OFFSET 0;
ANALYZE outer_rows, many_outer, inner_rows, no_rows, no_keys, one_key, dimension;

-- the first GpuJoin of a plan that has been executed
CREATE FUNCTION explained_join(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
BEGIN
  PERFORM with_join(true);
  EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, BUFFERS OFF, FORMAT JSON) ' || query INTO plan;
  PERFORM with_join(false);
  RETURN jsonb_path_query_first(plan, 'strict $.** ? (@."Custom Plan Provider" == "GpuJoin")');
END $$;
CREATE FUNCTION shown(hash_table jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT format('rows %s, distinct keys %s, null keys %s', hash_table ->> 'Rows', hash_table ->> 'Distinct Keys', hash_table ->> 'Null Keys')
$$;
CREATE FUNCTION tables(query text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(format('%s: %s, %s of %s partitions', key, shown(value), value ->> 'Partitions Built', value ->> 'Partitions'), '; ' ORDER BY key)
  FROM (SELECT explained_join(query) AS node OFFSET 0) x, jsonb_each(node) WHERE key LIKE 'Hash Table%'
$$;

-- without ANALYZE there is no table, with it each format has all
SELECT with_join(true);
CREATE FUNCTION lines_of(query text, options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  part text;
BEGIN
  FOR part IN EXECUTE format('EXPLAIN (COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF, %s) %s', options, query) LOOP
    -- 18 has two digits behind the point of what was counted
    RETURN QUERY SELECT regexp_replace(l, '(Actual Rows"?: \d+)\.00', '\1') FROM regexp_split_to_table(part, '\n') l
      WHERE l ~ 'Hash.Table|[ "<]Rows[">:]|Keys|Slots|Load|[ "<]Bytes[">:]|Partitions|Window';
  END LOOP;
END $$;
SELECT lines_of('SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k = i.k', options)
  FROM (VALUES ('VERBOSE'), ('ANALYZE'), ('ANALYZE, FORMAT XML'), ('ANALYZE, FORMAT JSON'), ('ANALYZE, FORMAT YAML')) o(options);
SELECT lines_of('SELECT count(*) FROM outer_rows o JOIN one_key i ON o.k = i.k', 'ANALYZE');
SELECT lines_of('SELECT count(*) FROM outer_rows o LEFT JOIN no_rows i ON o.k = i.k', 'ANALYZE');
SELECT with_join(false);

-- they are what is there, whatever the key's type
CREATE TABLE keys (id int, i2 int2, i4 int4, i8 int8, t text, c char(12), v varchar, b bytea, n numeric, f4 float4, f8 float8,
                   d date, ts timestamp, u uuid, bo bool);
INSERT INTO keys SELECT g, g % 9, g % 30, g % 50 + 10000000000, 't' || g % 20, 'c' || g % 21 || repeat(' ', g % 3), 'v' || g % 22,
  decode(to_hex(g % 23 + 16), 'hex'), (g % 24 || CASE g % 2 WHEN 0 THEN '.00' ELSE '.0' END)::numeric,
  CASE g % 6 WHEN 0 THEN '-0'::float4 WHEN 1 THEN 0 WHEN 2 THEN 'NaN' ELSE g % 7 END,
  CASE g % 5 WHEN 0 THEN '-0'::float8 WHEN 1 THEN 0 WHEN 2 THEN 'NaN' ELSE g % 11 END,
  '2026-01-01'::date + g % 12, '2026-01-01'::timestamp + g % 13 * interval '1 s', md5((g % 14)::text)::uuid, g % 2 = 0
  FROM generate_series(1, 300) g;
UPDATE keys SET i4 = NULL, t = NULL, c = NULL, n = NULL, f8 = NULL WHERE id % 7 = 0;
UPDATE keys SET i8 = NULL, v = NULL, b = NULL, u = NULL WHERE id % 10 = 0;
CREATE TABLE many_keys AS SELECT k.* FROM keys k, generate_series(1, 5);
ANALYZE keys, many_keys;
CREATE FUNCTION of_keys(columns text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said text;
  counted text;
BEGIN
  said := shown(explained_join(format('SELECT count(*) FROM many_keys m JOIN keys USING (%s)', columns)) -> 'Hash Table');
  EXECUTE format('SELECT format(''rows %%s, distinct keys %%s, null keys %%s'', count(*), count(DISTINCT ROW(%1$s)) FILTER (WHERE ROW(%1$s) IS NOT NULL),
    count(*) FILTER (WHERE NOT ROW(%1$s) IS NOT NULL)) FROM keys', columns) INTO counted;
  RETURN CASE WHEN said = counted THEN said ELSE format('DIFFERENT: %s, not %s', said, counted) END;
END $$;
SELECT columns, of_keys(columns) FROM (VALUES ('i2'), ('i4'), ('i8'), ('t'), ('c'), ('v'), ('b'), ('n'), ('f4'), ('f8'), ('d'), ('ts'), ('u'), ('bo'),
  ('i4, i8'), ('t, v'), ('n, f8, c'), ('i2, i4, i8, t, c, v, b, d')) x(columns);
-- keys that collide are not the same
SET gpustr.debug_hash_bits = 0;
SELECT columns, of_keys(columns) FROM (VALUES ('i4'), ('t'), ('i4, i8'), ('n, f8, c')) x(columns);
RESET gpustr.debug_hash_bits;

-- no rows, no keys, one key
SELECT tables('SELECT count(*) FROM outer_rows o LEFT JOIN no_rows i ON o.k = i.k');
SELECT tables('SELECT count(*) FROM many_outer o LEFT JOIN no_keys i ON o.k = i.k');
SELECT tables('SELECT count(*) FROM outer_rows o JOIN no_keys i ON o.k = i.k');
SELECT tables('SELECT count(*) FROM outer_rows o JOIN one_key i ON o.k = i.k');
-- there is no table where it is of no use
SELECT tables('SELECT count(*) FROM outer_rows o JOIN no_rows i ON o.k = i.k');
SELECT tables('SELECT count(*) FROM outer_rows o JOIN inner_rows i ON o.k = i.k WHERE i.n < 0');

-- several passes: each partition counts once, in whichever of them its table is built
SET work_mem = '64kB';
SET gpustr.engine = local;		-- whose limit that is
CREATE FUNCTION is_whole(query text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(format('%s: %s, %s', key, shown(value), CASE WHEN value ->> 'Partitions' = '1' THEN 'whole'
    WHEN value ->> 'Partitions Built' = value ->> 'Partitions' THEN 'all partitions' ELSE 'part' END), '; ' ORDER BY key)
  FROM (SELECT explained_join(query) AS node OFFSET 0) x, jsonb_each(node) WHERE key LIKE 'Hash Table%'
$$;
SELECT is_whole('SELECT count(i.long) FROM many_outer o JOIN large_inner i ON o.k = i.k');
SELECT is_whole('SELECT count(i.long) FROM many_outer o LEFT JOIN large_inner i ON o.k = i.k');
SELECT is_whole('SELECT o.id, i.long FROM many_outer o JOIN large_inner i ON o.k = i.k JOIN dimension d ON o.n = d.id');
SELECT is_whole('SELECT o.id, i.long, j.long FROM many_outer o JOIN large_inner i ON o.k = i.k JOIN large_inner j ON o.id = j.id');
SELECT is_whole('SELECT o.id, i.long FROM many_outer o JOIN (SELECT k + 1 AS k, long FROM large_inner WHERE k % 8 = 1) i ON o.k = i.k');
-- some are not built
SELECT is_whole('SELECT o.id, i.long FROM many_outer o JOIN large_inner i ON o.k = i.k LIMIT 2');
-- and are, again, in rescans: of the same rows, and of others
SELECT is_whole('SELECT d.id, (SELECT count(i.long) FROM many_outer o JOIN large_inner i ON o.k = i.k AND o.n + i.n <> d.id) FROM dimension d');
SELECT is_whole('SELECT d.id, (SELECT count(i.long) FROM (SELECT i.long FROM many_outer o JOIN large_inner i ON o.k = i.k AND o.n + i.n <> d.id
  LIMIT 2 + 30000 * d.id) i) FROM dimension d');
SELECT is_whole('SELECT d.id, (SELECT i.long FROM many_outer o JOIN large_inner i ON o.k = i.k AND o.n + i.n <> d.id LIMIT 1) FROM dimension d');
SELECT is_whole('SELECT d.id, (SELECT count(i.long) FROM many_outer o JOIN large_inner i ON o.k = i.k WHERE i.n = d.id % 3) FROM dimension d');
RESET gpustr.engine;
RESET work_mem;

-- a parallel plan says the same, whoever has built the tables, and if everybody has
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET max_parallel_workers_per_gather = 2;
CREATE FUNCTION of_participants(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  engine text;
  leads text;
  said text[] = '{}';
BEGIN
  IF join_shape(query) !~ 'Gather.*GpuJoin' THEN
    RETURN 'not parallel: ' || join_shape(query);
  END IF;
  FOREACH engine IN ARRAY ARRAY[current_setting('gpustr.engine'), 'local'] LOOP
    FOREACH leads IN ARRAY '{on,off}'::text[] LOOP
      PERFORM set_config('gpustr.engine', engine, true), set_config('parallel_leader_participation', leads, true);
      said := said || is_whole(query);
    END LOOP;
  END LOOP;
  RETURN (SELECT string_agg(DISTINCT s, ' or ') FROM unnest(said) s);
END $$;
SELECT of_participants('SELECT count(*) FROM many_outer o JOIN inner_rows i ON o.k = i.k');
SELECT of_participants('SELECT count(*) FROM many_outer o LEFT JOIN no_keys i ON o.k = i.k');
SELECT of_participants('SELECT count(*) FROM many_outer o JOIN inner_rows i ON o.k = i.k JOIN inner_rows j ON o.id = j.id');
-- a Gather that is run again
SET enable_material = off;
SET enable_memoize = off;
SELECT of_participants('SELECT y, (SELECT count(*) FROM (SELECT o.n FROM many_outer o JOIN inner_rows i ON o.k = i.k OFFSET 0) j WHERE j.n > y) FROM generate_series(1, 3) y');
RESET enable_material;
RESET enable_memoize;
-- rows of a fused scan are counted once, be it that only PostgreSQL can make their keys
CREATE TABLE padded AS SELECT g AS id, CASE g % 3 WHEN 0 THEN 'k' || g WHEN 1 THEN repeat('x', 2400) END::char(2500) AS k FROM generate_series(1, 300) g;
CREATE TABLE texts AS SELECT 'k' || g AS k FROM generate_series(1, 100) g;
ANALYZE padded, texts;
SET max_parallel_workers_per_gather = 0;
SELECT scan ->> 'Relation Name' AS scan, (node ->> 'Actual Rows')::numeric::int AS rows, (scan ->> 'Actual Rows')::numeric::int AS scanned, scan ->> 'Rows Removed by GPU Filter' AS removed, (node ->> 'GPU Rows Rechecked')::int > 0 AS rechecked
FROM (VALUES (''), ('WHERE id > 100'), ('WHERE id % 7 <> 0')) w(clause),
  explained_join('SELECT count(*) FROM padded p LEFT JOIN texts t ON p.k = t.k ' || clause) node,
  jsonb_path_query_first(node, 'strict $.** ? (@."Custom Plan Provider" == "GpuScan")') scan;
