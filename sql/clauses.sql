--
-- Every kind of clause that is offloaded gives PostgreSQL's rows and errors;
-- what is not offloaded says why
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

CREATE TYPE colour AS ENUM ('red', 'green', 'blue');
CREATE DOMAIN small AS int CHECK (VALUE < 2000000000);
CREATE DOMAIN word AS text;
CREATE COLLATION nondet (provider = icu, locale = 'und', deterministic = false);
CREATE TABLE v (id int, b bool, ch "char", i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, o oid, rc regclass,
                d date, t time, ts timestamp, tz timestamptz, iv interval, u uuid, n numeric, en colour,
                s text, vc varchar(20), c char(8), nm name, by bytea, dom small, dw word, cc text COLLATE "C",
                nd text COLLATE nondet, a int[], ttz timetz);
INSERT INTO v
SELECT g,
       (ARRAY[true, false, NULL])[g % 3 + 1],
       (ARRAY['a', 'Z', '', NULL, 'z'])[g % 5 + 1]::"char",
       (ARRAY[0, 1, -1, 32767, -32768, NULL, 7])[g % 7 + 1],
       (ARRAY[0, 1, -1, 2147483647, -2147483648, NULL, 7, 100, 32768])[g % 9 + 1],
       (ARRAY[0, 1, -1, 9223372036854775807, -9223372036854775808, NULL, 7, 4294967296, -2147483649])[(g / 2) % 9 + 1],
       (ARRAY['0', '-0', 'NaN', 'Infinity', '-Infinity', NULL, '1.5', '0.1', '3.4e38', '1e-40'])[g % 10 + 1]::float4,
       (ARRAY['0', '-0', 'NaN', 'Infinity', '-Infinity', NULL, '1.5', '0.1', '1.7e308', '5e-324', '2.5', '-3.5'])[(g / 3) % 12 + 1]::float8,
       (ARRAY[0, 1, 4294967295, NULL, 2147483648])[g % 5 + 1]::oid,
       (ARRAY['pg_class', 'pg_type', NULL])[g % 3 + 1]::regclass,
       (ARRAY['2020-01-01', 'infinity', '-infinity', NULL, '4713-01-01 BC', '5874897-12-31', '1999-12-31'])[g % 7 + 1]::date,
       (ARRAY['00:00', '24:00', '12:34:56.789', NULL])[g % 4 + 1]::time,
       (ARRAY['2020-01-01', 'infinity', '-infinity', NULL, '2020-01-01 00:00:00.000001', '1999-12-31 23:59:59'])[(g / 2) % 6 + 1]::timestamp,
       (ARRAY['2020-01-01 00:00+00', 'infinity', '-infinity', NULL, '2020-01-01 01:00+01', '1970-01-01'])[(g / 3) % 6 + 1]::timestamptz,
       (ARRAY['1 month', '30 days', '720:00', NULL, '-1 day', '0', '29 days 24:00', '178000000 years'])[g % 8 + 1]::interval,
       (ARRAY['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', NULL,
              '0f000000-0000-0000-0000-0000000000aa'])[g % 4 + 1]::uuid,
       (ARRAY['0', '1.50', '1.5', 'NaN', 'Infinity', '-Infinity', NULL, '-12345678901234567890.123', '0.00', '99999999.9999'])[g % 10 + 1]::numeric,
       (ARRAY['red', 'green', 'blue', NULL])[g % 4 + 1]::colour,
       (ARRAY['', 'abc', 'ABC', 'äöü', NULL, 'a%b', 'abc ', '日本語', 'a\b', 'row ' || g])[g % 10 + 1],
       (ARRAY['', 'abc', 'ABC', 'äöü', NULL, 'v ' || g % 5])[(g / 2) % 6 + 1],
       (ARRAY['', 'abc', 'ABC', 'äöü', NULL, 'abc     ', 'ab c'])[g % 7 + 1],
       (ARRAY['', 'abc', 'ABC', 'äöü', NULL, repeat('n', 63)])[g % 6 + 1],
       (ARRAY['\x', '\x00', '\x0001', '\xff', NULL, '\x616263'])[g % 6 + 1]::bytea,
       (ARRAY[1, -5, NULL])[g % 3 + 1], (ARRAY['w1', 'w2', NULL])[g % 3 + 1],
       (ARRAY['', 'abc', 'ABC', 'äöü', NULL, 'a', 'abcd', 'é'])[g % 8 + 1],
       (ARRAY['abc', 'ABC', NULL])[g % 3 + 1],
       CASE WHEN g % 4 > 0 THEN ARRAY[g] END, CASE WHEN g % 4 > 0 THEN '12:00+01'::timetz END
FROM generate_series(0, 2519) g;
-- toasted values: compressed, and out of line
INSERT INTO v (id, s, c, by, n, cc) VALUES
 (10001, repeat('long ', 3000), 'x', decode(repeat('00ff', 5000), 'hex'), ('1' || repeat('0', 20000))::numeric, repeat('z', 5000));
ALTER TABLE v ADD m_i2 int2 DEFAULT -3, ADD m_i8 int8 DEFAULT 1234567890123, ADD m_f8 float8 DEFAULT 1.5,
  ADD m_b bool DEFAULT true, ADD m_u uuid DEFAULT '0f000000-0000-0000-0000-0000000000aa', ADD m_n numeric DEFAULT 12.50,
  ADD m_c char(5) DEFAULT 'ab', ADD m_nm name DEFAULT 'nam', ADD m_d date DEFAULT '2020-02-02', ADD m_iv interval DEFAULT '1 day';
INSERT INTO v (id) VALUES (10002);
ANALYZE v;

-- comparisons of all types, all relations
CREATE FUNCTION compare_all(col text, val text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(op || ' ' || same(format('SELECT id FROM v WHERE %s %s %s', col, op, val)), ', ' ORDER BY i)
  FROM unnest(ARRAY['=', '<>', '<', '<=', '>', '>=']) WITH ORDINALITY x(op, i) $$;
SELECT col, val, compare_all(col, val) FROM (VALUES
 ('ch', $$'a'::"char"$$), ('ch', $$'é'::"char"$$), ('i2', '7'), ('i2', '-32768'), ('i4', '0'), ('i4', '2147483647'), ('i8', '7'), ('i8', '-9223372036854775808'),
 ('i2', '7::int8'), ('i4', '4294967296'), ('i8', '1::int2'), ('i2', 'i4'), ('i4', 'i8'), ('i8', 'i2'), ('i4', 'i2'), ('i2', 'i8'), ('i8', 'i4'), ('100', 'i4'),
 ('f4', '0'), ('f4', $$'NaN'::float4$$), ('f4', '0.1'), ('f4', '0.1::float4'), ('f8', '-0.0::float8'), ('f8', $$'NaN'$$), ('f8', $$'-Infinity'$$), ('f4', 'f8'), ('f8', 'f4'), ('f8', '2'),
 ('o', '1'), ('o', '4294967295'), ('rc', $$'pg_class'::regclass$$), ('d', $$'2020-01-01'$$), ('d', $$'infinity'$$), ('d', 'ts'), ('ts', 'd'), ('d', $$timestamp '2020-01-01'$$), ('ts', $$date '2020-01-01'$$),
 ('t', $$'12:34:56.789'$$), ('ts', $$'2020-01-01'$$), ('ts', $$'-infinity'$$), ('tz', $$'2020-01-01 00:00+00'$$), ('iv', $$'1 month'$$), ('iv', $$'30 days'$$), ('iv', $$'-1 day'$$), ('iv', 'iv'),
 ('u', $$'0f000000-0000-0000-0000-0000000000aa'$$), ('n', '1.5'), ('n', '0'), ('n', $$'NaN'$$), ('n', $$'Infinity'$$), ('n', '-12345678901234567890.123'), ('n', '100000000'), ('n', '5::numeric(10, 2)'),
 ('by', $$'\x0001'$$), ('by', $$'\x'$$), ('cc', $$'abc'$$), ('cc', $$''$$), ('s', $$'abc' COLLATE "C"$$), ('vc', $$'abc' COLLATE "POSIX"$$), ('c', $$'abc' COLLATE "C"$$), ('c', $$'abc  '::bpchar COLLATE "C"$$),
 ('nm', $$'abc'$$), ('nm', $$'abc'::text COLLATE "C"$$), ('nm', 'cc'), ('cc', 'nm'), ('c::text', $$'abc' COLLATE "C"$$), ('dom', '1'), ('b', 'm_b'), ('b', '(i4 > 0)'), ('cc', 's'),
 ('m_i2', '-3'), ('m_i8', '1234567890123'), ('m_f8', '1.5'), ('m_u', $$'0f000000-0000-0000-0000-0000000000aa'$$), ('m_n', '12.5'), ('m_c', $$'ab' COLLATE "C"$$), ('m_nm', $$'nam'$$), ('m_d', $$'2020-02-02'$$), ('m_iv', $$'24:00'$$)
) AS x(col, val);
SELECT q, same('SELECT id FROM v WHERE ' || q) FROM (VALUES
 ($$en = 'red'$$), ($$en <> 'green'$$), ($$s = vc$$), ($$s <> c$$), ($$c = vc$$), ($$c = s::bpchar$$), ($$dw = 'w1'$$), ($$s ~<~ 'abc'$$), ($$s ~<=~ 'abc'$$), ($$s ~>~ 'abc'$$), ($$s ~>=~ 'abc'$$), ($$c ~<~ 'abc'$$),
 ($$rc = 1259$$), ($$o = rc$$), ($$b$$), ($$NOT b$$), ($$m_b$$), ($$b = true$$), ($$b <> (s LIKE 'a%')$$), ($$b > false$$)
) AS x(q);

-- lists
SELECT q, same('SELECT id FROM v WHERE ' || q) FROM (VALUES
 ($$i4 IN (1, 7, 7, -1)$$), ($$i4 NOT IN (1, 7)$$), ($$i4 IN (1, NULL)$$), ($$i4 NOT IN (1, NULL)$$), ($$i4 = ANY ('{}'::int[])$$), ($$i4 <> ALL ('{}'::int[])$$), ($$i4 = ANY (NULL::int[])$$),
 ($$(i4 = ANY (NULL::int[])) IS NULL$$), ($$(i4 = ANY ('{}'::int[])) IS FALSE$$), ($$i4 = ANY ('{{1,2},{7,NULL}}'::int[])$$), ($$i4 = ANY ('{1,4294967296}'::int8[])$$), ($$i8 = ANY ('{1,7}'::int2[])$$),
 ($$i4 > ANY ('{1,7}')$$), ($$i4 < ALL ('{1,7,NULL}')$$), ($$i4 >= ALL ('{}'::int[])$$), ($$i4 <> ANY ('{1,7}')$$), ($$i4 = ALL ('{1,1}')$$), ($$i4 = ALL ('{1,7}')$$), ($$i4 <> ANY ('{NULL,1}')$$),
 ($$10 / i4 = ANY ('{}'::int[])$$), ($$10 / i4 = ANY ('{1,10}'::int[])$$), ($$i4 <> 0 AND 10 / i4 = ANY (NULL::int[])$$),
 ($$s IN ('abc', 'äöü', '')$$), ($$s NOT IN ('abc', 'ABC')$$), ($$s IN ('abc', NULL)$$), ($$s NOT IN ('abc', NULL)$$), ($$vc IN ('abc', 'v 1')$$), ($$c IN ('abc', 'ab c')$$), ($$c = ANY ('{"abc  ",x}'::bpchar[])$$), ($$c::text IN ('abc')$$),
 ($$nm IN ('abc', 'ABC')$$), ($$nm = ANY ('{abc,ABC}'::text[])$$), ($$by IN ('\x00', '\xff')$$), ($$u IN ('00000000-0000-0000-0000-000000000000', NULL)$$), ($$d IN ('2020-01-01', 'infinity')$$), ($$d = ANY ('{2020-01-01,infinity}'::timestamp[])$$),
 ($$ts = ANY ('{2020-01-01,infinity}'::date[])$$), ($$en IN ('red', 'blue')$$), ($$en NOT IN ('red')$$), ($$f8 IN (1.5, 'NaN', 0)$$), ($$f4 NOT IN (0.1, 1.5)$$), ($$n IN (1.5, 0, 'NaN')$$), ($$n NOT IN (1.5, NULL)$$), ($$iv IN ('1 month', '0')$$),
 ($$s LIKE ANY (ARRAY['a%', '%ü', NULL])$$), ($$s LIKE ALL (ARRAY['%b%', 'a%'])$$), ($$s NOT LIKE ALL (ARRAY['%b%', 'row%'])$$), ($$s NOT LIKE ANY (ARRAY['%b%', NULL])$$), ($$s LIKE ANY ('{}'::text[])$$), ($$s LIKE ANY (ARRAY['x', 'ab\'])$$),
 ($$s LIKE ANY (ARRAY['ABC', 'ab\'])$$), ($$s LIKE ANY (ARRAY['a%', 'ab\'])$$), ($$s ILIKE ANY (ARRAY['A%', '%Ü'])$$), ($$b IN (true, NULL)$$), ($$ch IN ('a', 'Z')$$), ($$o IN (1, 4294967295)$$)
) AS x(q);
SELECT same('SELECT id FROM v WHERE id IN (' || string_agg((g * 3)::text, ', ') || ')') FROM generate_series(1, 1500) g;
SELECT same('SELECT id FROM v WHERE s IN (' || string_agg(quote_literal('row ' || g), ', ') || ')') FROM generate_series(1, 500) g;

-- NULL and truth tests, DISTINCT, BETWEEN, COALESCE, CASE, NULLIF
SELECT q, same('SELECT id FROM v WHERE ' || q) FROM (VALUES
 ($$a IS NULL$$), ($$ttz IS NOT NULL$$), ($$n IS NULL$$), ($$i4 + 1 IS NULL$$), ($$i4 % 3 IS NOT NULL$$), ($$(s LIKE 'a%') IS NULL$$), ($$length(s) IS NULL$$),
 ($$b IS TRUE$$), ($$b IS NOT TRUE$$), ($$b IS FALSE$$), ($$b IS NOT FALSE$$), ($$b IS UNKNOWN$$), ($$b IS NOT UNKNOWN$$), ($$(i4 > 0) IS NOT TRUE$$), ($$(s LIKE 'a%' OR b) IS UNKNOWN$$),
 ($$i4 IS DISTINCT FROM 7$$), ($$i4 IS NOT DISTINCT FROM 7$$), ($$i4 IS DISTINCT FROM i2$$), ($$i4 IS NOT DISTINCT FROM i2$$), ($$s IS DISTINCT FROM 'abc'$$), ($$s IS NOT DISTINCT FROM vc$$), ($$c IS DISTINCT FROM 'abc'$$), ($$f8 IS DISTINCT FROM 'NaN'$$),
 ($$n IS NOT DISTINCT FROM 1.5$$), ($$b IS DISTINCT FROM (i4 > 0)$$), ($$i4 IS DISTINCT FROM NULL$$), ($$d IS DISTINCT FROM ts$$),
 ($$i4 BETWEEN 0 AND 100$$), ($$i4 NOT BETWEEN 0 AND 100$$), ($$i4 BETWEEN SYMMETRIC 100 AND 0$$), ($$n BETWEEN 0 AND 2$$), ($$d BETWEEN '2000-01-01' AND 'infinity'$$), ($$cc BETWEEN 'a' AND 'b'$$), ($$f8 BETWEEN i4 AND i8$$),
 ($$coalesce(i4, i2, -9) > 0$$), ($$coalesce(b, i4 > 0, false)$$), ($$coalesce(s, vc, 'none') LIKE '%n%'$$), ($$coalesce(n, 1.5) = 1.5$$), ($$coalesce(i4, 10 / i2) = 1$$), ($$coalesce(f4, f8) = 0$$),
 ($$CASE WHEN i4 > 0 THEN b WHEN s LIKE 'a%' THEN true ELSE i2 = 1 END$$), ($$CASE i4 WHEN 1 THEN 'one' WHEN 7 THEN s ELSE vc END LIKE '%o%'$$), ($$CASE s WHEN 'abc' THEN 1 WHEN 'ABC' THEN i4 END = 1$$), ($$CASE WHEN i4 = 0 THEN 0 ELSE 100 / i4 END > 10$$),
 ($$CASE i2 WHEN 1 THEN CASE i4 WHEN 0 THEN true ELSE b END ELSE i8 > 0 END$$), ($$CASE WHEN b THEN c ELSE vc::bpchar END = 'abc'$$), ($$CASE WHEN i4 <> 0 AND 100 / i4 > 5 THEN d END = '2020-01-01'$$),
 ($$nullif(i4, 0) > 0$$), ($$nullif(i4, i2) IS NULL$$), ($$nullif(s, 'abc') LIKE 'a%'$$), ($$100 / nullif(i4, 0) > 10$$), ($$nullif(c, 'abc') IS NULL$$), ($$nullif(b, true) IS NULL$$)
) AS x(q);

-- patterns, lengths
SELECT q, same('SELECT id FROM v WHERE ' || q) FROM (VALUES
 ($$nm LIKE 'a%'$$), ($$nm LIKE '%n'$$), ($$c LIKE 'abc'$$), ($$c LIKE 'abc     '$$), ($$c LIKE 'abc%'$$), ($$c NOT LIKE '% '$$), ($$c::text LIKE 'abc'$$), ($$c::varchar LIKE '%c'$$), ($$c::text = 'abc'$$), ($$dw LIKE 'w_'$$),
 ($$s ILIKE 'AB%'$$), ($$s NOT ILIKE '%B%'$$), ($$vc ILIKE 'abc'$$), ($$c ILIKE 'ABC%'$$), ($$nm ILIKE 'AbC'$$), ($$cc ILIKE '%B%'$$), ($$s ILIKE 'a\%B'$$), ($$s ILIKE '%Ü'$$),
 ($$s ^@ 'ab'$$), ($$starts_with(s, 'a%')$$), ($$starts_with(s, '')$$), ($$starts_with(vc, 'ä')$$), ($$starts_with(s, 'a\')$$), ($$s LIKE 'a#%b' ESCAPE '#'$$), ($$s LIKE 'a\\b'$$), ($$s LIKE '___'$$), ($$like(s, 'a%')$$),
 ($$length(s) = 3$$), ($$char_length(vc) > 2$$), ($$length(c) = 3$$), ($$char_length(c) = 0$$), ($$octet_length(s) = 6$$), ($$octet_length(c) = 8$$), ($$octet_length(c) > 8$$), ($$length(by) = 2$$), ($$octet_length(by) = 0$$), ($$length(nm) = 63$$), ($$octet_length(s) > length(s)$$), ($$length(c::text) = 3$$)
) AS x(q);

-- arithmetic and casts, errors too
SELECT q, same('SELECT id FROM v WHERE ' || q) FROM (VALUES
 ($$i4 + 1 > 0$$), ($$i4 <> 2147483647 AND i4 + 1 > 0$$), ($$i2 + 1 = 2$$), ($$i2 + 1::int2 = 2$$), ($$i2 < 100 AND i2 + 1::int2 = 2$$), ($$i8 - 1 > 0$$), ($$i8 > 0 AND i8 - 1 > 5$$), ($$i4 * i2 = 7$$), ($$i2 * i8 < 0$$), ($$i8 > -2147483648 AND i8 <= 7 AND i4 * i8 = 7$$),
 ($$i4 / i2 = 1$$), ($$i2 <> 0 AND i4 / i2 = 1$$), ($$i2 <> 0 AND i4 <> -2147483648 AND i4 / i2 = 1$$), ($$i4 % 7 = 2$$), ($$mod(i4, 7) = 0$$), ($$i4 % i2 = 0$$), ($$i2 <> 0 AND i4 % i2 = 0$$), ($$i2 % (-1)::int2 = 0$$), ($$-i4 = 1$$), ($$i4 > -5 AND -i4 = 1$$), ($$- i2 < 0$$),
 ($$abs(i4) = 1$$), ($$i4 > -5 AND abs(i4) = 1$$), ($$@ i8 = 7$$), ($$i4 & 1 = 1$$), ($$i4 | 8 = 15$$), ($$i8 # 7 = 0$$), ($$~ i4 = -8$$), ($$+ i4 = 7$$),
 ($$f8 + 1 > 2$$), ($$f8 * 2 > 0$$), ($$f8 <> 'Infinity' AND f8 < 1e300 AND f8 * 2 > 0$$), ($$f4 * f4 > 1$$), ($$f4 < 1e10 AND f4 > 1e-10 AND f4 * f4 = 2.25$$), ($$f4 / 3::float4 > 0.4$$), ($$f8 / f4 = 1$$), ($$f8 - f4 = 0$$), ($$-f8 = 0$$), ($$abs(f8) = 3.5$$), ($$1 / f8 > 0$$),
 ($$f4 + f8 = 3$$), ($$f4 = f8 / 2$$),
 ($$i4::int2 = 7$$), ($$i4 BETWEEN -5 AND 100 AND i4::int2 = 7$$), ($$i8::int4 = 7$$), ($$i4::int8 = 7$$), ($$i4::float8 > 6.5$$), ($$i8::float4 > 6.5$$), ($$f8::int4 = 2$$), ($$f8 BETWEEN -10 AND 10 AND f8::int4 = 2$$), ($$f8 BETWEEN -10 AND 10 AND f8::int2 = -4$$),
 ($$f8 BETWEEN -10 AND 10 AND f8::int8 = 0$$), ($$f8::float4 = 1.5$$), ($$f8 BETWEEN 0.01 AND 10 AND f8::float4 = 0.1::float4$$), ($$i4::oid = 1$$), ($$i4 >= 0 AND i4::oid = 7$$), ($$o::int8 > 5$$), ($$i8::oid = 1$$), ($$o::int4 = 1$$), ($$b::int = 1$$), ($$i4::bool$$),
 ($$d::timestamp = '2020-01-01'$$), ($$d < '2100-01-01' AND d::timestamp = '2020-01-01'$$), ($$nm::text = 'abc'$$), ($$vc::text = 'abc'$$), ($$i4 = 0 OR 10 / i4 > 1$$), ($$10 / i4 > 1 OR i4 = 0$$), ($$NOT (i4 = 0 OR 10 / i4 > 1)$$), ($$i4 <> 0 AND 10 / i4 > 1$$)
) AS x(q);

-- values that are known when the scan runs
CREATE FUNCTION same_generic(types text, args text, clause text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  SET LOCAL plan_cache_mode = force_generic_plan;
  EXECUTE format('PREPARE late (%s) AS SELECT id FROM v WHERE %s', types, clause);
  result := same(format('EXECUTE late(%s)', args));
  DEALLOCATE late;
  RETURN result;
END $$;
SELECT types, args, q, same_generic(types, args, q) FROM (VALUES
 ('int', '7', $$i4 = $1$$), ('int', 'NULL', $$i4 = $1$$), ('int', '7', $$i4 + $1 > 10$$), ('int', '0', $$i4 / $1 > 10$$), ('int', '0', $$i4 = 1 / $1$$), ('int', '1', $$i4 = 1 / $1$$), ('int', '7', $$i4 = 1 OR i8 = $1$$),
 ('text', $$'abc'$$, $$s = $1$$), ('text', $$'a%'$$, $$s LIKE $1$$), ('text', 'NULL', $$s LIKE $1$$), ('text', $$'ab\'$$, $$s LIKE $1$$), ('text', $$'A%'$$, $$s ILIKE $1$$), ('text', $$'a'$$, $$s ^@ $1$$), ('text', $$'a'$$, $$s LIKE $1 || '%'$$), ('text', $$'a#%%'$$, $$s LIKE like_escape($1, '#')$$),
 ('text', $$'abc'$$, $$cc < $1$$), ('text', $$'abc'$$, $$c::text = $1$$), ('char(5)', $$'abc'$$, $$c = $1$$), ('text', $$repeat('x', 100000)$$, $$s = $1 OR s LIKE 'a%'$$), ('text', $$repeat('x', 100000)$$, $$s LIKE $1 OR s LIKE 'a%'$$),
 ('int[]', $$'{1,7,NULL}'$$, $$i4 = ANY ($1)$$), ('int[]', $$'{}'$$, $$i4 = ANY ($1)$$), ('int[]', $$'{}'$$, $$i4 <> ALL ($1)$$), ('int[]', 'NULL', $$i4 <> ALL ($1)$$), ('int, int', '1, 7', $$i4 IN ($1, $2)$$), ('text[]', $$'{abc,NULL}'$$, $$s <> ALL ($1)$$), ('text[]', $$'{a%,%b}'$$, $$s LIKE ANY ($1)$$),
 ('int', '100000', $$i4 = ANY (ARRAY(SELECT generate_series(1, $1)))$$), ('int', '100', $$i4 > ANY (ARRAY(SELECT generate_series(1, $1)))$$), ('bool', 'true', $$b = $1$$), ('bool', 'NULL', $$b IS NOT DISTINCT FROM $1$$), ('bool', 'false', $$b OR $1$$),
 ('text, text', $$'%bc', 'abc'$$, $$coalesce(s, $2) LIKE $1$$), ('int[], int', $$'{1,7}', 1$$, $$i2 + $2 = ANY ($1)$$), ('int[], int[]', $$'{1}', '{1,2}'$$, $$id < 0 AND i4 = ANY (ARRAY[$1, $2])$$), ('int[], int[]', $$'{1}', '{1,2}'$$, $$id > 0 AND i4 = ANY (ARRAY[$1, $2])$$),
 ('float8', $$'NaN'$$, $$f8 >= $1$$), ('float4', '0.1', $$f4 = $1$$), ('numeric', '1.50', $$n = $1$$), ('interval', $$'30 days'$$, $$iv = $1$$), ('uuid', $$'0f000000-0000-0000-0000-0000000000aa'$$, $$u = $1$$), ('date', $$'2020-01-01'$$, $$ts >= $1$$), ('colour', $$'red'$$, $$en = $1$$), ('bytea', $$'\x00'$$, $$by > $1$$), ('name', $$'abc'$$, $$nm = $1$$),
 ('int', '7', $$coalesce(i4, $1) = 7$$), ('int', '7', $$CASE $1 WHEN 7 THEN i4 ELSE i8 END = 1$$), ('int', '7', $$nullif(i4, $1) IS NULL$$), ('int', '0', $$CASE WHEN i4 > 0 THEN i4 = $1 END$$)
) AS x(types, args, q);
SELECT q, same('SELECT id FROM v WHERE ' || q) FROM (VALUES
 ($$tz < now()$$), ($$tz > now() - interval '1 day'$$), ($$d <= current_date$$), ($$id < 10 OR tz < now()$$), ($$s = current_setting('server_encoding')$$), ($$i4 = (SELECT min(i2) FROM v)$$), ($$i4 = (SELECT 1 / 0)$$),
 ($$id < 0 AND i4 = (SELECT 1 / (count(*) - 2522) FROM v)$$), ($$id > 0 AND i4 = (SELECT 1 / (count(*) - 2522) FROM v)$$), ($$i4 IN (length(current_setting('server_encoding')), 7)$$), ($$tz BETWEEN '2000-01-01' AND now()$$)
) AS x(q);
SELECT same('SELECT x.id, y.id FROM (VALUES (1), (7), (NULL)) z(k), LATERAL (SELECT id FROM v WHERE i4 = z.k OFFSET 0) y, (SELECT 1 AS id) x');

-- refused, and why
CREATE FUNCTION reasons(clause text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  SET LOCAL gpustr.debug_require = 'require';
  SET LOCAL gpustr.enabled = on;
  EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT id FROM v WHERE cc LIKE ''%1%'' AND (' || clause || ')' INTO plan;
  SET LOCAL gpustr.debug_require = 'allow';
  RETURN QUERY SELECT plain_subqueries(json_array_elements_text(plan #> '{0,Plan,Not Offloaded}'))
    UNION ALL SELECT 'offloaded' WHERE (plan #> '{0,Plan,Not Offloaded}') IS NULL;
END $$;
SELECT q, reasons(q) FROM (VALUES
 ($$ttz = '12:00+01'$$), ($$a = '{1}'$$), ($$1 = ANY (a)$$), ($$en < 'blue'$$), ($$d < tz$$), ($$ts < tz$$), ($$d < now()$$), ($$n + 1 = 2$$), ($$i4 = 1.5$$), ($$i4::numeric = 1$$), ($$n::int = 1$$), ($$i4::text = '1'$$), ($$s::name = 'abc'$$), ($$ch::int = 97$$),
 ($$d + 1 = '2020-01-02'$$), ($$greatest(i4, i2) = 1$$), ($$(i4, i2) < (1, 2)$$), ($$i4::small = 1$$), ($$i4 << 1 = 2$$), ($$nd = 'abc'$$), ($$nd IN ('abc')$$), ($$nd < 'abc'$$), ($$length(nd) = 3$$), ($$cc < 'x' COLLATE "en-x-icu"$$),
 ($$c > 'x' COLLATE "en-x-icu"$$), ($$by LIKE 'a%'$$), ($$s LIKE vc$$), ($$s ^@ vc$$), ($$s LIKE ANY (ARRAY[vc, 'x'])$$), ($$s ~ 'a'$$), ($$ctid = '(0,1)'$$), ($$tableoid = 1$$), ($$v IS NULL$$), ($$random() > i4$$), ($$i4 = random()$$),
 ($$b OR i4 = (SELECT 1)$$), ($$b OR tz < now()$$), ($$b OR tz < now() - interval '1 day'$$), ($$CASE WHEN b THEN s = current_setting('server_encoding') END$$), ($$coalesce(tz, now() - interval '1 day') > '2020-01-01'$$), ($$NOT (s = current_setting('server_encoding'))$$),
 ($$i4 NOT IN (SELECT id FROM v)$$), ($$i4 > ANY (ARRAY(SELECT 1))$$), ($$concat(s, vc) = 'abc'$$)
) AS x(q);
SELECT DISTINCT regexp_replace(r, '^.*: ', '') FROM (SELECT reasons('f8 > ANY (''{' || string_agg(g::text, ',') || '}'')') AS r FROM generate_series(1, 65) g) x;
SELECT DISTINCT regexp_replace(r, '^.*: ', '') FROM (SELECT reasons('f8 IN (' || string_agg(g::text || '.5', ', ') || ')') AS r FROM generate_series(1, 64) g) x;
SELECT DISTINCT regexp_replace(r, '^.*: ', '') FROM (SELECT reasons('id IN (' || string_agg(g::text, ', ') || ')') AS r FROM generate_series(1, 10000) g) x;

DROP TABLE v;
DROP FUNCTION compare_all, same_generic, reasons, same, outcome, with_gpu, explain_masked;
DROP COLLATION nondet;
DROP TYPE colour;
DROP DOMAIN small, word;
