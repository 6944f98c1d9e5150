--
-- Casts of floats, numerics, timestamps and uuids from and to text; functions of bytea; overlay()
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
-- how many texts the scans of the query's plan compute, or how many rows they recheck
CREATE FUNCTION says(query text, what text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
  n bigint;
BEGIN
  PERFORM set_config('gpustr.enabled', 'on', false);
  PERFORM set_config('gpustr.debug_require', 'require', false);
  EXECUTE 'EXPLAIN (FORMAT JSON, COSTS OFF, ANALYZE, SUMMARY OFF, TIMING OFF) ' || query INTO plan;
  IF what = 'GPU Output' THEN
    SELECT count(*) INTO n FROM jsonb_path_query(plan, 'strict $.**."GPU Output"[*]');
  ELSE
    SELECT sum(v::bigint) INTO n FROM jsonb_path_query(plan, format('strict $.**."%s"', what)::jsonpath) AS v;
  END IF;
  PERFORM set_config('gpustr.debug_require', 'allow', false);
  PERFORM set_config('gpustr.enabled', 'off', false);
  RETURN n;
END $$;
\set ECHO all
SET datestyle = 'ISO';
SET extra_float_digits = 1;

-- floats: decimals of 1 to 17 digits, powers of two and ten, borders of what has an exponent, and others
CREATE TABLE f (id serial, d float8, r float4);
INSERT INTO f (d, r)
SELECT x, CASE WHEN abs(x) < 1e38 AND (x = 0 OR abs(x) > 1e-37) THEN x END
FROM (SELECT (g * 7919 % 100003 - 50000) / (ARRAY[1, 2, 3, 7, 10, 100, 1000, 1e6, 1e9])[1 + g % 9] AS x FROM generate_series(1, 900) g
      UNION ALL SELECT s * 2.0::float8 ^ e * m FROM generate_series(-40, 60) e, unnest(ARRAY[1, -1.5, 1.1]::float8[]) m, unnest(ARRAY[1]::float8[]) s
      UNION ALL SELECT m * 10.0::float8 ^ e FROM generate_series(-25, 25) e, unnest(ARRAY[1, 1.5, 9.99999, -123456789]::float8[]) m) v;
INSERT INTO f (d, r) VALUES ('NaN', 'NaN'), ('Infinity', 'Infinity'), ('-Infinity', '-Infinity'), ('-0', '-0'), (0, 0), (NULL, NULL),
 (0.1::float8 + 0.2, 0.1::float4 + 0.2), (9007199254740991, 16777216), (9007199254740992, 16777217), (5e22, 999999), (999999999999999, 1e6), (1e15, 999999.9),
 (0.0001, 0.0001), (0.00001, 0.00001), (1.7976931348623157e308, 3.4028235e38), (5e-324, 1e-45), (2.2250738585072014e-308, 1.1754944e-38), (1 / 3.0, 1 / 3.0);
-- as text; those that are recheck are beyond 2^-35 and 2^53
SELECT q, same('SELECT id, ' || q || ' AS r FROM f') AS output, same('SELECT id FROM f WHERE ' || q || ' LIKE ''%1%''') AS clause,
       says('SELECT ' || q || ' AS r FROM f', 'GPU Output') AS n, says('SELECT ' || q || ' AS r FROM f', 'GPU Rows Rechecked') AS rechecked
FROM (VALUES ('d::text'), ('r::text'), ('d::varchar(5)'), ('concat(id, '': '', d, r)'), ('concat_ws(''/'', d, r)'), ('d || ''x'''), ('lpad(r::text, 12)'), ('r::float8::text')) AS v(q);
SELECT (SELECT count(*) FROM f WHERE abs(d) < 2 ^ -35::float8 AND d <> 0 OR abs(d) >= 2 ^ 53::float8 AND d < 'Infinity' AND d > '-Infinity') AS beyond,
       (SELECT count(*) FROM f WHERE abs(r) < 2 ^ -35::float8 AND r <> 0 OR abs(r) >= 2 ^ 53::float8 AND r < 'Infinity' AND r > '-Infinity') AS beyond4;
-- other settings, when planned, when run again, and while a scan runs
SET extra_float_digits = 3;
SELECT same('SELECT id, d::text AS r FROM f');
SET extra_float_digits = 0;
SELECT same('SELECT id, d::text AS r FROM f WHERE id > 3');
SELECT same('SELECT id FROM f WHERE concat(r, id) LIKE ''1%'' AND id > 3');
SET extra_float_digits = 1;
SET plan_cache_mode = force_generic_plan;
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
PREPARE third (text) AS SELECT d::text || '' AS d FROM f WHERE d::text = $1;
EXECUTE third ('0.3333333333333333');
SET extra_float_digits = 0;
EXECUTE third ('0.3333333333333333');
EXECUTE third ('0.333333333333333');
SET extra_float_digits = -10;
EXECUTE third ('0.33333');
SET extra_float_digits = 1;
EXECUTE third ('0.3333333333333333');
DEALLOCATE third;
BEGIN;
DECLARE thirds NO SCROLL CURSOR FOR SELECT d::text || '' AS d, concat(r) AS r FROM f WHERE d::text LIKE '%.3333333%';
FETCH 2 FROM thirds;
SET LOCAL extra_float_digits = 0;
FETCH 2 FROM thirds;
SET LOCAL extra_float_digits = -4;
FETCH 2 FROM thirds;
ROLLBACK;
RESET plan_cache_mode;
RESET gpustr.enabled;
RESET gpustr.debug_require;

-- floats from text: what PostgreSQL itself writes, and others
CREATE TABLE ft (id serial, s text, n name, bc char(30));
INSERT INTO ft (s, n, bc)
SELECT x, x, x FROM (SELECT d::text AS x FROM f WHERE abs(d) < 1e30 AND (d = 0 OR abs(d) > 1e-30) UNION ALL SELECT r::text FROM f WHERE abs(r) < 1e30 AND (r = 0 OR abs(r) > 1e-30)) v;
INSERT INTO ft (s, n, bc) SELECT x, x, x FROM unnest(ARRAY['1', ' 1', E'1\t\n', '+1.5', '.5', '5.', '-.5e1', '1e5', '1E+05', '1e-5', '0e99', '-0', '00012.500', '123456789012345678',
  '1234567890123456789', '0.1234567890123456789', '9007199254740993', '0.30000000000000004', '16777217', '16777219', '1.00000017881393432617', '33554433e0', '1e22', '1e23', '1e-22', '1e-23',
  '4503599627370497.5', '100000000000000000000', '0.000000000000000000001', '1e-30']) x;
ANALYZE ft;
SELECT q, same('SELECT id FROM ft WHERE ' || q), says('SELECT id FROM ft WHERE ' || q, 'GPU Rows Rechecked') AS rechecked FROM (VALUES
 ('s::float8 > 1'), ('s::float4 > 1'), ('s::float8 = s::float4'), ('bc::float8 < 0.5'), ('n::float4 < -3'), ('s::float8::text = s'), ('s::float4::text = s'), ('(''1'' || left(id::text, 2) || ''.5e-3'')::float8 > 0.5'),
 ('s::float8 = 0.3'), ('-(s::float8) < s::float4 * 2')) AS v(q);
-- others: PostgreSQL's answers and errors
SELECT x, same(format('SELECT id FROM f WHERE left(%L, 40 + id)::float8 > 1', x)) AS float8, same(format('SELECT id FROM f WHERE left(%L, 40 + id)::float4 > 1', x)) AS float4
FROM unnest(ARRAY['Infinity', '-inf', 'nan', 'NaN ', '0x1p3', '0x', '1e400', '1e-400', '1e39', '1e-50', '', ' ', '.', 'e5', '1e', '1e+', '1 2', '--1', '- 1', '1.2.3', '1x', '1_000', '1e99999', U&'1\00a0', '１']) x;

-- numerics
CREATE TABLE n (id serial, v numeric);
INSERT INTO n (v) SELECT (g * 7919 % 100003 - 50000)::numeric / (10 ^ (g % 20))::numeric FROM generate_series(1, 300) g;
INSERT INTO n (v) SELECT x FROM unnest(ARRAY['0', '0.00', '-0.0', '1', '10000', '9999', '99990000', '0.0001', '0.00010', '1e30', '-1e-30', '12345678901234567890.123456789', '1e1000', '1e-1000', '1.5e-16382', 'NaN',
  'Infinity', '-Infinity', '0.5', '-.05', '100.010', '1234567.8900']::numeric[]) x;
INSERT INTO n (v) VALUES (NULL);
SELECT q, same('SELECT id, ' || q || ' AS r FROM n') AS output, same('SELECT id FROM n WHERE ' || q || ' LIKE ''%00%''') AS clause,
       says('SELECT ' || q || ' AS r FROM n', 'GPU Output') AS n, says('SELECT ' || q || ' AS r FROM n', 'GPU Rows Rechecked') AS rechecked
FROM (VALUES ('v::text'), ('left(v::varchar, 20)'), ('concat(v, ''x'', id)')) AS v(q);

-- 100,001 digits, for which a GPU has no room beside such short values: recheck there
INSERT INTO n (v) VALUES ('1e100000');
SELECT q, same('SELECT id, ' || q || ' AS r FROM n') AS output, same('SELECT id FROM n WHERE ' || q || ' LIKE ''%00%''') AS clause
FROM (VALUES ('v::text'), ('left(v::varchar, 20)'), ('concat(v, ''x'', id)')) AS v(q);

-- timestamps
CREATE TABLE ts (id serial, t timestamp);
INSERT INTO ts (t) SELECT timestamp '1999-12-31 23:59:58' + g * interval '37 days 5 hours 6 minutes 7.123456 seconds' * (CASE WHEN g % 2 = 0 THEN 1 ELSE -1 END) FROM generate_series(1, 200) g;
INSERT INTO ts (t) SELECT x FROM unnest(ARRAY['2000-01-01', '2000-01-01 00:00:00.5', '1999-12-31 23:59:59.999999', '0001-01-01 BC', '0001-01-01', '4713-01-01 BC', '4714-11-24 BC', '294276-12-31 23:59:59.999999', '10000-02-28 01:02:03.000400',
  'infinity', '-infinity', '1969-07-20 20:17:40', '2024-02-29 12:00:00.120']::timestamp[]) x;
INSERT INTO ts (t) VALUES (NULL);
SELECT q, same('SELECT id, ' || q || ' AS r FROM ts') AS output, same('SELECT id FROM ts WHERE ' || q || ' LIKE ''%5%''') AS clause,
       says('SELECT ' || q || ' AS r FROM ts', 'GPU Output') AS n, says('SELECT ' || q || ' AS r FROM ts', 'GPU Rows Rechecked') AS rechecked
FROM (VALUES ('t::text'), ('t::varchar(13)'), ('concat(t, ''x'', id)'), ('substr(t::text, 12, 5)')) AS v(q);
SET datestyle = 'SQL, DMY';
SELECT same('SELECT id, t::text AS r FROM ts WHERE t::text LIKE ''%5%'' AND id > 3');
SET datestyle = 'ISO, MDY';

-- uuids
CREATE TABLE u (id serial, s text, v uuid);
INSERT INTO u (s, v) SELECT CASE g % 6 WHEN 0 THEN upper(m) WHEN 1 THEN m WHEN 2 THEN '{' || m || '}' WHEN 3 THEN replace(m, '-', '') WHEN 4 THEN regexp_replace(replace(m, '-', ''), '(....)', '\1-', 'g') ELSE '{' || upper(replace(m, '-', '')) || '}' END,
  CASE WHEN g % 4 = 0 THEN m::uuid ELSE gen END
FROM (SELECT g, md5(g::text)::uuid::text AS m, md5((g + 1)::text)::uuid AS gen FROM generate_series(1, 120) g) v WHERE g % 6 <> 4;
INSERT INTO u (s) VALUES ('a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11'), (NULL), ('{a0eebc999c0b-4ef8bb6d6bb9bd38-0a11}');
SELECT q, same('SELECT id FROM u WHERE ' || q), says('SELECT id FROM u WHERE ' || q, 'GPU Rows Rechecked') AS rechecked FROM (VALUES
 ('s::uuid = v'), ('s::uuid > v'), ('s::uuid IN (''a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'', ''c4ca4238-a0b9-2382-0dcc-509a6f75849b'')'), ('s::uuid::text LIKE ''a%'''), ('(left(v::text, 34) || ''00'')::uuid < v')) AS v(q);
SELECT x, same(format('SELECT id FROM u WHERE (%L || left(s, 0))::uuid < v', x)) FROM unnest(ARRAY['', 'a0eebc99', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a111', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}', 'g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', ' a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0-eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99--9c0b-4ef8-bb6d-6bb9bd380a11',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11-', '{}', '{', 'a0eebc999c0b4ef8bb6d6bb9bd380a1é']) x;

-- bytea, and overlay()
CREATE TABLE b (id serial, y bytea, z bytea, s text, t text, i int, j int);
INSERT INTO b (y, z, s, t, i, j)
SELECT CASE WHEN g % 17 = 0 THEN NULL ELSE decode(repeat(lpad(to_hex(g % 256), 2, '0'), g % 5) || md5(g::text) || repeat('00', g % 3), 'hex') END, decode(left(md5(g::text), 2 * (g % 4)), 'hex'),
       CASE g % 6 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'Straße ' || g WHEN 3 THEN '漢字 仮名' ELSE 'Hello, World ' || g END, CASE g % 4 WHEN 0 THEN '' WHEN 1 THEN 'é' WHEN 2 THEN 'xyz' ELSE '日本' END,
       g % 20 + 1, g % 13 - 4
FROM generate_series(1, 300) g;
INSERT INTO b (y, z, s, t, i, j) VALUES ('', '', '', '', 1, 0), (repeat('ab', 3000)::bytea, '\x6162', repeat('é', 3000), 'é', 5, 2);
ANALYZE b;
SELECT q, same('SELECT id, ' || q || ' AS r FROM b') AS output, same('SELECT id FROM b WHERE octet_length(' || q || ') > 6') AS clause,
       says('SELECT ' || q || ' AS r FROM b', 'GPU Output') AS n, says('SELECT ' || q || ' AS r FROM b', 'GPU Rows Rechecked') AS rechecked
FROM (VALUES ('substr(y, 3, 4)'), ('substr(y, i)'), ('substring(y from i for abs(j))'), ('substring(y from -2 for 5)'), ('btrim(y, ''\x0001'')'), ('ltrim(y, z)'), ('rtrim(y, ''\x00'')'), ('trim(both z from y)'), ('btrim(y, '''')'),
 ('overlay(y placing z from i for 2)'), ('overlay(y placing z from i)'), ('overlay(y placing ''\xffee'' from 2 for j)'), ('encode(y, ''hex'')'), ('encode(y || z, ''HEX'')'), ('md5(substr(y, 2))'), ('sha256(y || z)'), ('y || substr(z, 2)'),
 ('overlay(s placing t from i for abs(j))'), ('overlay(s placing t from i)'), ('overlay(s placing ''-'' from 3 for j)'), ('overlay(s placing upper(t) from 1 for 0)'), ('overlay(''fixed text'' placing t from i for 2)')) AS v(q);
SELECT q, same('SELECT id FROM b WHERE ' || q), says('SELECT id FROM b WHERE ' || q, 'GPU Rows Rechecked') AS rechecked FROM (VALUES
 ('position(z in y) > 2'), ('position(''\x'' in y) = 1'), ('position(''\x00'' in y) = 0'), ('get_byte(y || ''\x01'', 0) > 100'), ('substr(y, 1, 2) = z'), ('ltrim(y, z) < y'), ('encode(z, ''hex'') LIKE ''%a%''')) AS v(q);
SELECT q, same('SELECT id FROM b WHERE ' || q) FROM (VALUES
 ('substr(y, 2, j) = ''a'''), ('overlay(s placing t from j) = ''x'''), ('overlay(s placing t from i for 2147483647) = ''x'''), ('overlay(y placing z from j for 1) = ''x'''), ('get_byte(y, i + 20) = 0'), ('get_byte(y, -1) = 0'),
 ('j > 0 AND overlay(s placing t from j) LIKE ''%x%'''), ('j >= 0 AND substr(y, 2, j) > ''a''')) AS v(q);

-- what is not computed, and why
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT explain_masked('COSTS OFF, VERBOSE', q) FROM (VALUES
 ($$SELECT encode(y, 'base64') FROM b WHERE encode(y, t) = 'x' AND y::text = 'x' AND s::numeric > 1 AND i > 1$$),
 ($$SELECT id FROM ts WHERE t::timestamptz::text = 'x' AND id > 1$$)) AS v(q);
SET extra_float_digits = 0;
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT id, d::text || '' FROM f WHERE concat(r) = '1' AND id > 1$$);
RESET extra_float_digits;
RESET gpustr.debug_require;

-- by cost: values that are too long for the engine's room, as far as the columns' average widths tell
SET gpustr.device_startup_cost = 0;
SET gpustr.device_row_cost = 0;
CREATE TABLE room AS SELECT g AS id, md5(g::text) AS s, repeat(md5(g::text), 5) AS m, repeat(md5(g::text), 50) AS l FROM generate_series(1, 3000) g;
ALTER TABLE room ALTER l SET STORAGE external;
ANALYZE room;
SELECT q, (SELECT count(*) FROM explain_masked('COSTS OFF', 'SELECT id FROM room WHERE ' || q) AS x WHERE x LIKE '%GpuScan%') AS scans
FROM (VALUES ($$gpustr.edit_distance(s, m) < 9$$), ($$gpustr.edit_distance(m, l) < 9$$), ($$gpustr.edit_distance(m, 'short') < 9$$), ($$gpustr.edit_distance_within(m, l, 3)$$),
 ($$gpustr.edit_distance_within(m, l, 3000)$$), ($$gpustr.fuzzy_find(l, s, 2) > 0$$), ($$gpustr.fuzzy_find(m, l, 2) > 0$$), ($$repeat(m, 10) LIKE '%a'$$), ($$repeat(m, 10000) LIKE '%a'$$), ($$lpad(s, 50) LIKE '%a'$$),
 ($$lpad(s, 2000000) LIKE '%a'$$)) AS v(q);
DROP TABLE f, ft, n, ts, u, b, room;
DROP FUNCTION same, outcome, with_gpu, explain_masked, says;
