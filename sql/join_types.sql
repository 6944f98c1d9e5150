--
-- GpuJoin: columns of every type, as keys, in conditions and as output of both sides
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set same_join :srcdir '/test/same_join.sql'
\i :same_join
\set ECHO all

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (a int, b text);
CREATE TYPE nested AS (p pair, m mood, n numeric);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN code AS varchar(20);
CREATE DOMAIN ints AS int[];
CREATE TYPE floatrange AS RANGE (subtype = float8);

-- a value of each type made of n: equal n, equal values
CREATE FUNCTION fill(target text, first int, last int) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$
CREATE TABLE %I AS
SELECT g AS id, CASE WHEN g %% 11 <> 0 THEN g %% 37 END AS k, n,
  (n %% 2 = 0) AS c_bool, chr(65 + n)::"char" AS c_char, ('name ' || n)::name AS c_name,
  n::int2 AS c_int2, -n AS c_int4, n * -10000000000 AS c_int8,
  n / 7.0::float4 AS c_float4, CASE WHEN n = 9 THEN 'NaN' ELSE n / -7.0::float8 END AS c_float8,
  CASE WHEN n = 9 THEN 'NaN' WHEN n = 8 THEN 'Infinity' ELSE n / 7.0 END::numeric AS c_numeric,
  n::money AS c_money, (4294967295 - n)::oid AS c_oid, (4294967295 - n)::text::xid AS c_xid,
  n::text::xid8 AS c_xid8, n::text::cid AS c_cid, format('(%%s,%%s)', n, n + 1)::tid AS c_tid,
  (1259 + n %% 2)::regclass AS c_regclass, 'integer'::regtype AS c_regtype,
  'text ' || n AS c_text, ('varchar ' || n)::varchar(30) AS c_varchar, ('char ' || n)::char(12) AS c_bpchar,
  decode(md5(n::text), 'hex') AS c_bytea,
  date '2020-02-27' + n AS c_date, time '12:00' + n * interval '1 s' AS c_time,
  (n || ':00:01+0' || n %% 9)::timetz AS c_timetz, timestamp '1999-12-31 23:59:55' + n * interval '1 s' AS c_timestamp,
  timestamptz '1999-12-31 23:59:55+00' + n * interval '1 s' AS c_timestamptz,
  n * interval '1 month 2 days 3 us' AS c_interval, md5(n::text)::uuid AS c_uuid,
  json_build_object('n', n) AS c_json, jsonb_build_object('n', n, 'a', array[n, null]) AS c_jsonb,
  ('$[*] ? (@ > ' || n || ')')::jsonpath AS c_jsonpath,
  n::bit(6) AS c_bit, repeat('10', n)::varbit AS c_varbit,
  inet '10.0.0.1/24' + n AS c_inet, cidr '10.0.0.0/8' AS c_cidr,
  macaddr '08:00:2b:01:02:03' AS c_macaddr, macaddr8 '08:00:2b:01:02:03:04:05' AS c_macaddr8,
  point(n, 1) AS c_point, line(point(0, n), point(1, 0)) AS c_line, lseg(point(n, 1), point(2, 3)) AS c_lseg,
  box(point(n, 1), point(0, 0)) AS c_box, path(polygon(n + 2, circle '((0,0),1)')) AS c_path,
  polygon(box(point(n, 1), point(0, 0))) AS c_polygon, circle(point(n, 1), n) AS c_circle,
  to_tsvector('simple', 'word ' || n) AS c_tsvector, to_tsquery('simple', 'word & a' || n) AS c_tsquery,
  int4range(n, n + 5) AS c_int4range, numrange(n, n + 1.5) AS c_numrange, floatrange(n, n + 0.5) AS c_floatrange,
  int4multirange(int4range(n, n + 2), int4range(n + 5, n + 6)) AS c_multirange,
  array[n, null, -n] AS c_ints, array['a', n::text, null] AS c_texts,
  array[[n, 1], [2, 3]]::int8[] AS c_matrix, '{}'::float8[] AS c_none,
  array[jsonb_build_array(n)] AS c_jsonbs, array[row(n, 'x')::pair] AS c_pairs,
  (array['sad', 'ok', 'happy'])[n %% 3 + 1]::mood AS c_enum, array['ok']::mood[] AS c_enums,
  row(n, 'pair ' || n)::pair AS c_pair, row(row(n, null), 'ok', n / 3.0)::nested AS c_nested,
  (n + 1)::positive AS c_positive, ('code ' || n)::code AS c_code, array[n]::ints AS c_domain_array,
  ('0/' || n)::pg_lsn AS c_lsn, (n + 1 || ':' || n + 2 || ':')::pg_snapshot AS c_snapshot,
  ('1 ' || n)::oidvector AS c_oidvector, ('1 ' || n)::int2vector AS c_int2vector,
  makeaclitem(10, 10, 'SELECT', n %% 2 = 0) AS c_aclitem,
  repeat('long text ', 500) || n AS c_compressed
FROM (SELECT g, CASE WHEN g %% 7 <> 0 THEN g %% 23 END AS n FROM generate_series(%s, %s) g) x$q$,
    target, first, last);
END $$;
SELECT fill('o', 1, 120);
SELECT fill('i', 31, 130);
ANALYZE;

-- each column comes out of both sides, of pairs and of rows that have met nothing,
-- and stands in a condition that PostgreSQL may have to look at
CREATE TABLE columns AS
SELECT attnum, attname, format_type(atttypid, NULL) AS type,
  EXISTS (SELECT FROM pg_operator WHERE oprname = '=' AND oprleft = atttypid AND oprright = atttypid) OR
  format_type(atttypid, NULL) ~ '\[\]|range|^(mood|pair|nested|positive|code|ints|character varying)$' AS comparable
FROM pg_attribute WHERE attrelid = 'o'::regclass AND attname LIKE 'c\_%';
CREATE FUNCTION every_column() RETURNS TABLE (name name, type text, output text, condition text) LANGUAGE sql
AS $$SELECT attname, type,
  same_join(format('SELECT o.id, i.id AS iid, o.%1$I AS oc, i.%1$I AS ic FROM o FULL JOIN i ON o.k = i.k', attname)),
  CASE WHEN comparable THEN
    same_join(format('SELECT o.id, i.id AS iid, i.n FROM o LEFT JOIN i ON o.k = i.k AND o.%1$I = i.%1$I', attname)) END
FROM columns ORDER BY attnum$$;
SELECT * FROM every_column();

-- all columns at a time that a side can have, with their rows
SELECT same_join(format('SELECT i.id AS iid, %s FROM i LEFT JOIN o ON o.k = i.k', string_agg('o.' || attname, ', ')))
FROM columns WHERE attnum % 3 = 1;
SELECT same_join(format('SELECT o.id AS oid, %s FROM o LEFT JOIN i ON o.k = i.k', string_agg('i.' || attname, ', ')))
FROM columns WHERE attnum % 3 = 2;
SELECT same_join($$SELECT o, i.id FROM o FULL JOIN i ON o.k = i.k$$);
SELECT same_join($$SELECT o.id, i FROM o FULL JOIN i ON o.k = i.k$$);

-- keys
CREATE FUNCTION every_key() RETURNS TABLE (name name, "inner" text, "full" text, semi text, anti text) LANGUAGE sql
AS $$SELECT attname,
  same_join(format('SELECT o.id, i.id AS iid, o.%1$I AS oc, i.%1$I AS ic FROM o JOIN i ON o.%1$I = i.%1$I', attname)),
  same_join(format('SELECT o.id, i.id AS iid, o.%1$I AS oc, i.%1$I AS ic FROM o FULL JOIN i ON o.%1$I = i.%1$I', attname)),
  same_join(format('SELECT o.id FROM o WHERE EXISTS (SELECT FROM i WHERE o.%1$I = i.%1$I AND i.id > 50)', attname)),
  same_join(format('SELECT o.id FROM o WHERE NOT EXISTS (SELECT FROM i WHERE o.%1$I = i.%1$I AND i.id > 90)', attname))
FROM columns
WHERE type IN ('boolean', '"char"', 'name', 'smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric', 'oid',
  'regclass', 'text', 'character varying', 'character', 'bytea', 'date', 'time without time zone',
  'timestamp without time zone', 'timestamp with time zone', 'uuid', 'mood', 'positive', 'code')
ORDER BY attnum$$;
SELECT * FROM every_key();
SET gpustr.debug_hash_bits = 2;
SELECT name, "inner", "full" FROM every_key();
RESET gpustr.debug_hash_bits;

-- several of them
SELECT same_join(q) FROM (VALUES
 ($$SELECT o.id, i.id AS iid FROM o JOIN i ON o.c_text = i.c_text AND o.c_int4 = i.c_int4$$),
 ($$SELECT o.id, i.id AS iid FROM o FULL JOIN i ON o.c_uuid = i.c_uuid AND o.k = i.k AND o.c_numeric = i.c_numeric$$),
 ($$SELECT o.id, i.id AS iid FROM o LEFT JOIN i ON o.c_bool = i.c_bool AND o.c_enum = i.c_enum AND o.c_float8 = i.c_float8
    AND o.c_date = i.c_date AND o.c_name = i.c_name AND o.c_bytea = i.c_bytea AND o.c_bpchar = i.c_bpchar AND o.c_int8 = i.c_int8$$)
) AS x(q);

-- values that are equal, though they do not look it, and that are not, though they do
CREATE TABLE a (id int, i2 int2, i8 int8, f4 float4, f8 float8, num numeric, t text, vc varchar, c char(8), n name);
CREATE TABLE b (id int, i4 int, f4 float4, f8 float8, num numeric, t text, vc varchar, c char(4), n name);
INSERT INTO a VALUES (1, 1, 1, '-0', '-0', 1.0, 'a', 'a', 'a', 'a'), (2, -1, -1, 'NaN', 'NaN', 1.00, 'a ', 'a ', 'a ', 'a '),
 (3, 32767, 4294967297, 0.1, 0.1, 'NaN', '', '', '', ''), (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
 (5, 0, 4294967296, 'inf', 'inf', 0.00, 'A', 'A', 'A', 'A'), (6, 0, 0, 0, 0, -0.0, E'\u00e4', E'\u00e4', E'\u00e4', E'\u00e4');
INSERT INTO b VALUES (1, 1, 0, 0, 1, 'a', 'a', 'a', 'a'), (2, -1, '-0', '-0', 1.000, 'a ', 'a ', 'a ', 'a '),
 (3, 0, 'NaN', 'NaN', 'NaN', '', '', '', ''), (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
 (5, 32767, 0.1, 0.1, 0, 'A', 'A', 'A', 'A'), (6, -2147483648, 'inf', 'inf', 100, E'a\u0308', E'\u00e4', E'\u00e4', E'\u00e4');
ANALYZE a, b;
SELECT x, y, same_join(format('SELECT a.id, b.id AS bid, a.%1$I AS x, b.%2$I AS y FROM a FULL JOIN b ON a.%1$I = b.%2$I', x, y))
FROM (VALUES ('i2', 'i4'), ('i8', 'i4'), ('f4', 'f4'), ('f4', 'f8'), ('f8', 'f4'), ('f8', 'f8'), ('num', 'num'),
  ('t', 't'), ('t', 'vc'), ('vc', 'vc'), ('c', 'c'), ('n', 'n'), ('n', 't'), ('t', 'n')) AS x(x, y);

-- large values: 1 MB each, that cannot be compressed, and that can
CREATE TABLE big (id int, k int, t text, b bytea, j jsonb, a text[], p pair, z text);
INSERT INTO big SELECT k, k, t, convert_to(t, 'UTF8'), jsonb_build_object('t', t), array[t, NULL, 'x'], row(k, t)::pair, repeat('z', 1000000) || k
FROM (SELECT k, string_agg(md5(k || '.' || g), '') AS t FROM generate_series(1, 3) k, generate_series(1, 31250) g GROUP BY k) x;
INSERT INTO big (id, k) VALUES (4, 4), (5, NULL);
ANALYZE big;
CREATE FUNCTION big_values() RETURNS SETOF text LANGUAGE sql
AS $$SELECT same_join(q) FROM (VALUES
 ('SELECT x.id, y.id AS yid, md5(x.t) AS m, length(y.b) AS b, md5(y.z) AS z FROM big x FULL JOIN big y ON x.k = y.k + 1'),
 ('SELECT x.id, y.id AS yid, x.j, y.a, x.p, y.j AS yj FROM big x FULL JOIN big y ON x.k = y.k + 1'),
 ('SELECT x.id, y.id AS yid FROM big x JOIN big y ON x.t = y.t'),
 ('SELECT x.id, y.id AS yid FROM big x JOIN big y ON x.b = y.b AND x.z = y.z'),
 ('SELECT x.id, y.id AS yid, md5(y.t) AS m FROM o x LEFT JOIN big y ON x.k = y.k AND y.t LIKE ''%a1%'''),
 ('SELECT md5(x::text) AS m, y.id AS yid FROM big x LEFT JOIN i y ON x.k = y.k')) AS x(q)$$;
SELECT big_values();

-- little memory: files, and several passes
SET work_mem = '64kB';
SELECT big_values();
SELECT * FROM every_column() WHERE output !~ '^same \d+ rows$' OR condition !~ '^same \d+ rows$';
SELECT * FROM every_key() WHERE concat_ws(', ', "inner", "full", semi, anti) !~ '^(same \d+ rows(, )?){4}$';
