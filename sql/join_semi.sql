--
-- GpuJoin: semi joins whose inner column stands for the equal one of the outer row above
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
-- the inner sides have each key several times, and are not made unique first
SET enable_hashagg = off;
SET enable_sort = off;
CREATE TABLE padded AS SELECT g AS id, (g % 50)::text::char(9) AS k, g % 5 AS n FROM generate_series(1, 300) g;
CREATE TABLE some_keys AS SELECT g AS id, (g % 40)::text AS k, g % 3 AS n, 'some ' || g AS t FROM generate_series(1, 200) g;
CREATE TABLE other_keys AS SELECT g AS id, (g % 45)::text AS k, g % 4 AS n, 'other ' || g AS t FROM generate_series(1, 250) g;
CREATE TABLE no_keys (id int, k text, n int, t text);
ANALYZE padded, some_keys, other_keys, no_keys;

CREATE TABLE uppers (name text, query text);
INSERT INTO uppers VALUES
  ('semi', 'SELECT p.id FROM SIDE p WHERE SEMI AND EXISTS (SELECT FROM other_keys u WHERE p.k::text = u.k)'),
  ('filtered', 'SELECT p.id FROM SIDE p WHERE SEMI AND EXISTS (SELECT FROM other_keys u WHERE p.k::text = u.k AND u.n <> p.n)'),
  ('in', 'SELECT p.id FROM SIDE p WHERE SEMI AND p.k::text IN (SELECT k FROM other_keys)'),
  ('three', 'SELECT p.id FROM SIDE p WHERE SEMI AND EXISTS (SELECT FROM other_keys u WHERE p.k::text = u.k)
     AND EXISTS (SELECT FROM some_keys v WHERE p.k::text = v.k AND v.id > 100)'),
  ('anti', 'SELECT p.id FROM SIDE p WHERE SEMI AND NOT EXISTS (SELECT FROM other_keys u WHERE p.k::text = u.k AND u.id > 230)'),
  ('inner', 'SELECT p.id, u.t FROM SIDE p JOIN other_keys u ON p.k::text = u.k WHERE SEMI'),
  ('left', 'SELECT p.id, u.t FROM SIDE p LEFT JOIN other_keys u ON p.k::text = u.k AND u.n > 1 WHERE SEMI'),
  ('full', 'SELECT p.id, u.t FROM (SELECT * FROM SIDE p WHERE SEMI) p FULL JOIN other_keys u ON p.k::text = u.k'),
  ('aggregate', 'SELECT p.k::text AS key, count(*), min(u.t) FROM SIDE p JOIN other_keys u ON p.k::text = u.k WHERE SEMI GROUP BY p.k::text'),
  ('order', 'SELECT p.k::text AS key, p.id, u.id AS u FROM SIDE p JOIN other_keys u ON p.k::text = u.k WHERE SEMI ORDER BY p.k::text, p.id, u.id LIMIT 100');
CREATE FUNCTION semi_query(query text, side text, inner_side text, condition text) RETURNS text LANGUAGE sql AS $$
  SELECT replace(replace(query, 'SEMI', format('EXISTS (SELECT FROM %s s WHERE %s)', inner_side, condition)), 'SIDE', side)
$$;
CREATE FUNCTION semi_joins(side text, inner_side text, condition text) RETURNS TABLE (name text, outcome text) LANGUAGE sql AS $$
  SELECT name, same_join(semi_query(query, side, inner_side, condition)) FROM uppers
$$;
CREATE FUNCTION plans(query text, merge bool DEFAULT false) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  PERFORM with_join(true);
  PERFORM set_config('enable_mergejoin', merge::text, false);
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || query LOOP
    IF line !~ 'Engine|Not Offloaded|Disabled|c40' THEN
      RETURN NEXT line;
    END IF;
  END LOOP;
  PERFORM with_join(false);
END $$;
SELECT plans(semi_query(query, 'padded', 'some_keys', 'p.k = s.k')) FROM uppers WHERE name IN ('semi', 'inner');
SELECT * FROM semi_joins('padded', 'some_keys', 'p.k = s.k');
SELECT * FROM semi_joins('(SELECT * FROM padded OFFSET 0)', 'some_keys', 'p.k = s.k');
-- filters that the engine decides, PostgreSQL, and both
SELECT * FROM semi_joins('padded', 'some_keys', 'p.k::text = s.k AND s.n <> p.n');
SELECT * FROM semi_joins('padded', 'some_keys', 'p.k::text = s.k AND quote_literal(s.t || p.n) > ''''''some 5''');
SELECT * FROM semi_joins('(SELECT * FROM padded OFFSET 0)', 'some_keys', 'p.k = s.k AND s.n <> p.n AND quote_literal(s.t || p.n) > ''''''some 5''');
-- an empty side
SELECT * FROM semi_joins('padded', 'no_keys', 'p.k = s.k') WHERE outcome !~ '^same';
-- keys that collide, and passes
SET gpustr.debug_hash_bits = 2;
SELECT * FROM semi_joins('padded', 'some_keys', 'p.k = s.k') WHERE outcome !~ '^same';
CREATE VIEW long_keys AS SELECT id, k, n, t || repeat('y', 1000) AS t FROM some_keys OFFSET 0;
CREATE TABLE long_padded AS SELECT id, k || repeat('k', 300) AS k, n FROM padded;
CREATE TABLE long_others AS SELECT id, k || repeat('k', 300) AS k, n FROM some_keys;
ANALYZE long_padded, long_others;
SET work_mem = '64kB';
SELECT * FROM semi_joins('padded', 'long_keys', 'p.k = s.k AND quote_literal(s.t || p.n) > ''''''some 5''') WHERE outcome !~ '^same';
RESET gpustr.debug_hash_bits;
SELECT * FROM semi_joins('padded', 'long_keys', 'p.k = s.k AND quote_literal(s.t || p.n) > ''''''some 5''') WHERE outcome !~ '^same';
SELECT same_join('SELECT p.id FROM long_padded p WHERE EXISTS (SELECT FROM long_others s WHERE p.k = s.k) AND EXISTS (SELECT FROM long_others u WHERE p.k = u.k AND u.id > 100)');
SELECT same_join('SELECT p.id FROM (SELECT * FROM long_padded OFFSET 0) p WHERE EXISTS (SELECT FROM long_others s WHERE p.k = s.k) AND EXISTS (SELECT FROM long_others u WHERE p.k = u.k AND u.id > 100)');
RESET work_mem;
-- rows of a fused scan that only PostgreSQL can read
CREATE TABLE stored AS SELECT id, CASE id % 3 WHEN 0 THEN repeat(k, 1000) ELSE k END AS k, n FROM (SELECT id, k::text, n FROM padded) p;
CREATE TABLE stored_keys AS SELECT id, CASE id % 3 WHEN 0 THEN repeat(k, 1000) ELSE k END AS k, n, t FROM some_keys;
ANALYZE stored, stored_keys;
SELECT * FROM semi_joins('stored', 'stored_keys', 'p.k = s.k');
-- an outer row whose pairs are of several pieces
CREATE TABLE repeated AS SELECT g AS id, repeat((g % 2)::text, 900) AS k FROM generate_series(1, 3000) g;
ALTER TABLE repeated ALTER k SET STORAGE plain;
ANALYZE repeated;
SELECT same_join('SELECT p.id FROM (SELECT * FROM repeated WHERE id <= 20) p WHERE EXISTS (SELECT FROM repeated s WHERE p.k = s.k) AND EXISTS (SELECT FROM repeated u WHERE p.k = u.k AND u.id > 100)');
SELECT same_join('SELECT p.id FROM (SELECT * FROM repeated WHERE id <= 20 OFFSET 0) p WHERE EXISTS (SELECT FROM repeated s WHERE p.k = s.k) AND EXISTS (SELECT FROM repeated u WHERE p.k = u.k AND u.id > 100)');
-- rescans
SELECT same_join('SELECT d, (SELECT count(*) FROM padded p WHERE EXISTS (SELECT FROM some_keys s WHERE p.k = s.k AND p.n <> d) AND EXISTS (SELECT FROM other_keys u WHERE p.k::text = u.k AND u.n = d)) FROM generate_series(0, 4) d');
SELECT same_join('SELECT d, (SELECT count(*) FROM padded p WHERE d > random() - 1 AND EXISTS (SELECT FROM some_keys s WHERE p.k = s.k) AND EXISTS (SELECT FROM other_keys u WHERE p.k::text = u.k)) FROM generate_series(0, 4) d');
-- an inner side that is made unique first, which then is an inner join
RESET enable_hashagg;
SELECT plans(semi_query(query, 'padded', 'some_keys', 'p.k = s.k')) FROM uppers WHERE name = 'semi';
SELECT * FROM semi_joins('padded', 'some_keys', 'p.k = s.k');
SELECT * FROM semi_joins('(SELECT * FROM padded OFFSET 0)', 'some_keys', 'p.k = s.k') WHERE outcome !~ '^same';
-- or the outer one, where that is smaller
SELECT same_join('SELECT s.id FROM some_keys s WHERE s.k IN (SELECT k FROM padded WHERE id < 5) AND EXISTS (SELECT FROM other_keys u WHERE u.k = s.k)');
SET enable_hashagg = off;
-- columns of an inner side without a partner are NULL above
SELECT same_join('SELECT p.id, s.k, s.t, u.t AS ut FROM padded p LEFT JOIN some_keys s ON p.k = s.k LEFT JOIN other_keys u ON s.k = u.k WHERE s.id IS NULL');
SELECT same_join('SELECT p.id, s.k, u.t FROM padded p LEFT JOIN some_keys s ON p.k = s.k AND s.n <> p.n JOIN other_keys u ON p.k::text = u.k WHERE s.id IS NULL');
SELECT same_join('SELECT p.id, s.k, u.t FROM padded p LEFT JOIN some_keys s ON p.k = s.k AND quote_literal(s.t || p.n) > ''''''some 5'' LEFT JOIN other_keys u ON u.k = s.k WHERE s.id IS NULL');

-- PostgreSQL's join above, by the inner column: it has more columns than a GpuJoin may have
SELECT format('CREATE TABLE many_columns AS SELECT id, k, %s FROM other_keys', string_agg(format('n + %s AS c%1$s', i), ', '))
FROM generate_series(1, 40) i \gexec
ANALYZE many_columns;
RESET enable_sort;
\set wide 'SELECT p.id AS p, u.* FROM padded p JOIN many_columns u ON p.k::text = u.k WHERE EXISTS (SELECT FROM some_keys s WHERE p.k = s.k)'
SELECT same_join(:'wide');
SELECT plans(:'wide', merge => true);
SELECT with_join(true);
SET enable_mergejoin = on;
SELECT count(*), sum(p) AS ps, sum(id) AS ids, sum(c40) AS c40s FROM (:wide) q;
SELECT with_join(false);
SELECT count(*), sum(p) AS ps, sum(id) AS ids, sum(c40) AS c40s FROM (:wide) q;

-- parallel
SET enable_sort = off;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ALTER TABLE padded SET (parallel_workers = 2);
ALTER TABLE some_keys SET (parallel_workers = 2);
ALTER TABLE other_keys SET (parallel_workers = 2);
SELECT plans(semi_query(query, 'padded', 'some_keys', 'p.k = s.k')) FROM uppers WHERE name = 'semi';
SELECT * FROM semi_joins('padded', 'some_keys', 'p.k = s.k');
SELECT * FROM semi_joins('padded', 'some_keys', 'p.k = s.k AND s.n <> p.n') WHERE outcome !~ '^same';
SET parallel_leader_participation = off;
SELECT * FROM semi_joins('padded', 'some_keys', 'p.k = s.k') WHERE outcome !~ '^same';
SET work_mem = '64kB';
SELECT * FROM semi_joins('padded', 'long_keys', 'p.k = s.k AND quote_literal(s.t || p.n) > ''''''some 5''') WHERE outcome !~ '^same';
RESET work_mem;
