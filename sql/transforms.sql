--
-- Functions of texts: in clauses, nested, and as GPU Output
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
-- a number of what the scans of the query's plan say of themselves
CREATE FUNCTION scan_says(query text, what text, options text DEFAULT '') RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
  n bigint;
BEGIN
  PERFORM set_config('gpustr.enabled', 'on', false);
  PERFORM set_config('gpustr.debug_require', 'require', false);
  EXECUTE format('EXPLAIN (FORMAT JSON, COSTS OFF%s) %s', options, query) INTO plan;
  IF what = 'GPU Output' THEN
    SELECT count(*) INTO n FROM jsonb_path_query(plan, 'strict $.**."GPU Output"[*]');
  ELSE
    SELECT sum(v::bigint) INTO n FROM jsonb_path_query(plan, format('strict $.**."%s"', what)::jsonpath) AS v;
  END IF;
  PERFORM set_config('gpustr.debug_require', 'allow', false);
  PERFORM set_config('gpustr.enabled', 'off', false);
  RETURN n;
END $$;
CREATE FUNCTION computed(query text) RETURNS bigint LANGUAGE sql AS $$SELECT scan_says(query, 'GPU Output')$$;
CREATE FUNCTION rechecked(query text) RETURNS bigint LANGUAGE sql AS
  $$SELECT scan_says(query, 'GPU Rows Rechecked', ', ANALYZE, SUMMARY OFF, TIMING OFF')$$;
\set ECHO all
SET datestyle = 'ISO';

CREATE COLLATION nondet (provider = icu, locale = 'und', deterministic = false);
CREATE DOMAIN word AS text;
CREATE TABLE t (id int, s text, c text COLLATE "C", icu text COLLATE "und-x-icu", tr text COLLATE "tr-x-icu", nd text COLLATE nondet,
                vc varchar(20), bc char(8), n name, w word, i2 smallint, i8 bigint, o oid, d date, u uuid, b bool, by bytea, num numeric);
INSERT INTO t
SELECT g, x, x, x, x, x, left(x, 20), left(x, 6), left(x, 15), x, g % 300 - 100, g * 1234567890123, g * 100000::bigint, date '1999-12-01' + g,
       md5(g::text)::uuid, g % 3 = 0, convert_to(x, 'UTF8'), g
FROM (SELECT g, CASE g % 12 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN ' x ' WHEN 3 THEN 'Ölaf ÅSTRÖM ' || g WHEN 4 THEN '漢字 仮名-x'
                WHEN 5 THEN 'a,b,,c' || g WHEN 6 THEN 'xxxyyxx' WHEN 7 THEN 'FOO bar BAZ ' || repeat('qux ', g % 30) WHEN 8 THEN '' || g
                WHEN 9 THEN 'don''t_stop ' || chr(9) || 'now-2day ' ELSE 'Hello, World ' || g END AS x
      FROM generate_series(1, 600) g) AS y;
-- what folds to another length, depends on what is beside it, or is not in a map; compressed and external values
INSERT INTO t SELECT 1000 + g, x, x, x, x, x, x, x, x, x, 0, 0, 0, '2000-01-01', NULL, NULL, '\x00ff', 0
FROM unnest(ARRAY['Straße', 'ΣΊΣΥΦΟΣ', 'σς', 'İI', 'ıi', U&'i\0307', 'ŉ', 'ﬁ', 'ǆ', 'ʼn', '😀é', 'Éé', U&'e\0301', 'ⓐⅷ', 'ꭰ', U&'\+01E922']) WITH ORDINALITY AS v(x, g);
INSERT INTO t SELECT 2001, x, x, x, x, x, 'a', 'a', 'a', x, NULL, NULL, NULL, 'infinity', NULL, true, x::bytea, 1
FROM (SELECT repeat('Long Text ', 1000) AS x) y;
INSERT INTO t SELECT 2002, x, x, x, x, x, 'a', 'a', 'a', x, -32768, -9223372036854775808, 4294967295, '-infinity', NULL, true, x::bytea, 1
FROM (SELECT string_agg(md5(g::text), ' Ab ') AS x FROM generate_series(1, 200) g) y;
INSERT INTO t SELECT 2003, x, x, x, x, x, 'a', 'a', 'a', x, 32767, 9223372036854775807, 1, '0044-03-15 BC', NULL, true, x::bytea, 1
FROM (SELECT repeat('é', 2100) AS x) y;
ANALYZE t;

-- each function, in a clause and as GPU Output (but for numbers alone); how many rows PostgreSQL has to compute: some of the last nineteen
CREATE TABLE calls (no serial, expr text);
INSERT INTO calls (expr) VALUES
 ('upper(s)'), ('upper(c)'), ('upper(icu)'), ('upper(vc)'), ('upper(bc)'), ('upper(n)'), ('upper(w)'),
 ('lower(s)'), ('lower(c)'), ('lower(icu)'), ('initcap(s)'), ('initcap(c)'),
 ('s || c COLLATE "C"'), ('s || ''x'''), ('''x'' || vc'), ('bc || s'), ('s || i2'), ('i8 || s'), ('d || s'), ('u || s'), ('n || vc'),
 ('concat(s, ''-'', vc)'), ('concat(c, bc, NULL, vc)'), ('concat(i2, s, u)'), ('concat(NULL, s)'), ('concat(s)'),
 ('concat_ws('', '', s, vc)'), ('concat_ws(vc, s, ''x'', n)'), ('concat_ws('''', NULL, s, NULL, i8)'), ('concat_ws(''/'', i2, u, d)'),
 ('concat_ws(n, s)'), ('concat_ws(''-'', ''a'', s, ''b'')'), ('concat_ws(''-'', s)'),
 ('substr(s, 3)'), ('substr(s, -1)'), ('substr(s, 2, 3)'), ('substr(s, -2, 5)'), ('substr(s, i2, 4)'), ('substring(s FROM 4)'), ('substring(s FOR 4)'),
 ('substring(s FROM 2 FOR 2)'), ('substring(vc FROM 2)'), ('left(s, 3)'), ('left(s, -2)'), ('left(s, i2)'), ('right(s, 3)'), ('right(s, -2)'), ('right(s, i2)'),
 ('replace(s, ''l'', ''LL'')'), ('replace(s, ''é'', '''')'), ('replace(s, vc, ''-'')'), ('replace(s, '''', ''x'')'), ('replace(s, ''x'', n)'),
 ('translate(s, ''ley'', ''13'')'), ('translate(s, ''é漢'', ''ß'')'), ('translate(s, vc, n)'),
 ('btrim(s)'), ('ltrim(s)'), ('rtrim(s)'), ('btrim(s, ''xy'')'), ('ltrim(s, vc)'), ('rtrim(s, ''0123456789'')'), ('trim(both ''é'' from s)'), ('trim(leading from s)'),
 ('lpad(s, 10)'), ('lpad(s, 10, ''é-'')'), ('rpad(s, 10)'), ('rpad(s, 10, vc)'), ('rpad(s, i2, ''xy'')'), ('lpad(s, 5, '''')'),
 ('repeat(s, 3)'), ('repeat(left(s, 5), i2)'), ('reverse(s)'), ('reverse(vc)'),
 ('split_part(s, '','', 1)'), ('split_part(s, '' '', 2)'), ('split_part(s, '','', -1)'), ('split_part(s, '''', 1)'), ('split_part(s, vc, 2)'),
 ('md5(s)'), ('md5(by)'), ('sha256(by)'), ('by || by'), ('to_hex(i2::int)'), ('to_hex(i8)'), ('to_hex(id)'), ('chr(id + 31)'), ('chr(ascii(s) + 1)'),
 ('i2::text'), ('id::varchar'), ('i8::text'), ('o::text'), ('b::text'), ('b::varchar'), ('d::text'), ('u::text'),
 ('coalesce(upper(s), vc, ''none'')'), ('CASE WHEN id % 2 = 0 THEN lower(s) WHEN s IS NULL THEN ''-'' ELSE reverse(vc) END'),
 ('nullif(left(s, 1), '''')'), ('lower(split_part(s, '' '', 2))'), ('rpad(initcap(replace(substr(s, 2), ''l'', ''r'')), 12, ''*'')'),
 ('upper(s) || lower(s) || upper(s)'), ('CASE left(s, 1) WHEN ''H'' THEN upper(s) WHEN '''' THEN ''empty'' END'),
 ('(s || ''x'')::varchar'), ('s::varchar(6)'), ('s::char(12)'), ('bc::varchar(3)'), ('vc::varchar(3)'), ('upper(s)::char(9) || ''|'''), ('substr(s, length(vc) - 1, position(''o'' in s))');
SELECT expr, regexp_replace(same(format('SELECT id FROM t WHERE length(%s) > 6', expr)), '^same .*', 'same') AS clause,
       regexp_replace(same(format('SELECT id, %s AS r FROM t WHERE id > 0', expr)), '^same .*', 'same') AS output,
       computed(format('SELECT id, %s AS r FROM t WHERE id > 0', expr)) AS n,
       rechecked(format('SELECT id FROM t WHERE length(%s) > 6', expr)) AS rechecked
FROM calls ORDER BY no;

-- functions whose answer is no text, and tests of texts that are made
SELECT q, same('SELECT id FROM t WHERE ' || q), rechecked('SELECT id FROM t WHERE ' || q) AS rechecked FROM (VALUES
 ($$strpos(s, 'o') > 3$$), ($$position('' in s) = 1$$), ($$strpos(s, vc) = 1$$), ($$strpos('Hello é', left(s, 1)) > 0$$), ($$ascii(s) = 72$$), ($$ascii(vc) > 200$$),
 ($$sha256(by) > '\x80'$$), ($$md5(by) = md5(s)$$), ($$by || '\x00' = '\x7800'$$), ($$octet_length(by || by) > 20$$),
 ($$starts_with(s, vc)$$), ($$starts_with(s, left(c, 2) COLLATE "C")$$), ($$s ^@ bc::text$$), ($$NOT starts_with('Hello', left(s, 1))$$),
 ($$lower(split_part(s, ' ', 2)) LIKE 'w%'$$), ($$length(replace(s, 'l', '')) > 3$$), ($$upper(s) ILIKE '%hello%'$$), ($$upper(s) ~ 'HEL+O'$$),
 ($$upper(c) > lower(c)$$), ($$upper(left(c, 1)) IN ('H', 'F', 'Ö')$$), ($$left(s, 2) = ANY ('{He,FO}')$$), ($$reverse(s) IS NOT DISTINCT FROM s$$),
 ($$btrim(s) = ''$$), ($$concat(s, vc) IS NULL$$), ($$upper(tr) = 'II'$$), ($$lower(tr) LIKE '%i%'$$), ($$lower(icu) = 'σίσυφος'$$), ($$upper(icu) = 'STRASSE'$$),
 ($$repeat(bc, 2) LIKE '%  %'$$), ($$bc || 'x' LIKE '% x'$$), ($$concat(bc, 'x') LIKE '% x'$$), ($$bc::varchar || 'x' = 'ax'$$),
 ($$coalesce(lower(s), '') || 'x' LIKE '%5x'$$), ($$s LIKE '%z%' OR upper(s) LIKE '%BAZ%' OR reverse(s) = 'x'$$), ($$NOT (lower(s) = upper(s))$$),
 ($$CASE WHEN b THEN upper(s) ELSE lower(s) END LIKE '%O%'$$), ($$i2::text LIKE '-%'$$), ($$i8::text > '5' COLLATE "C"$$), ($$d::text LIKE '2000-0_-1%'$$),
 ($$d::text = 'infinity'$$), ($$u::text LIKE 'a%'$$), ($$b::text = 'true'$$), ($$right(id::text, 1)::int = 7$$), ($$split_part('1,22,333', ',', 1 + id % 3)::smallint > 20$$),
 ($$id::text::bigint = 77$$), ($$('2000-01-' || to_hex(id % 9 + 1))::date > '2000-01-05'$$), ($$d::text::date = d$$), ($$left(b::text, 1)::bool$$),
 ($$(CASE id % 4 WHEN 0 THEN 'yes' WHEN 1 THEN 'OFF' WHEN 2 THEN ' tru ' END)::bool IS NOT TRUE$$), ($$chr(65 + id % 26) = 'Q'$$), ($$to_hex(id) = 'ff'$$)
) AS v(q);

-- errors: PostgreSQL's own, for the rows that come to them, and no others
SELECT q, same('SELECT id FROM t WHERE ' || q) FROM (VALUES
 ($$substr(s, 1, i2) = 'x'$$), ($$id > 5000 AND substr(s, 1, -1) = 'x'$$), ($$i2 >= 0 AND substr(s, 1, i2) = 'Hell'$$), ($$i2 < 0 OR substr(s, 1, i2) = 'Hell'$$),
 ($$CASE WHEN i2 < 0 THEN false ELSE substr(s, 1, i2) = 'Hell' END$$), ($$split_part(s, ',', i2) = 'x'$$), ($$split_part(s, ',', 0) = 'x'$$),
 ($$i2 <> 0 AND split_part(s, ',', i2) = 'b'$$), ($$chr(i2) = 'x'$$), ($$chr(0) = s$$), ($$chr(55296 + id) = 'x'$$), ($$id < 600 AND s::int > 3$$), ($$s::date > '2000-01-01'$$), ($$s::bool$$),
 ($$id % 12 = 8 AND s::int > 300$$), ($$s ~ '^\d+$' AND s::int > 300$$), ($$repeat(s || 'long', 1000000000) = 'x'$$), ($$lpad(s, 2000000000) = 'x'$$), ($$s || (1 / (id - 7))::text = 'x'$$),
 ($$(i8 || '0')::bigint > 0$$), ($$(i2 || '0')::smallint > 0$$), ($$replace(nd, 'l', 'L') = 'x'$$), ($$strpos(nd, 'x') = 1$$), ($$upper(nd) = 'X'$$)) AS v(q) WHERE q !~ 'nd';
SELECT q, same('SELECT ' || q || ' AS r FROM t') FROM (VALUES
 ($$substr(s, 1, i2)$$), ($$CASE WHEN i2 >= 0 THEN substr(s, 1, i2) END$$), ($$chr(i2)$$), ($$CASE WHEN i2 > 0 THEN chr(i2) ELSE upper(s) END$$),
 ($$upper(s) || (1 / (id - 7))$$), ($$repeat(s || 'long', 1000000000)$$), ($$left(s::date::text, 4)$$), ($$left((s || '2000-01-01')::date::text, 4)$$)) AS v(q);
-- the first row that PostgreSQL would come to
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT upper(s) || substr(s, 1, i2) FROM t LIMIT 3;
SELECT count(*) FROM t WHERE id BETWEEN 100 AND 1000 AND substr(s, 1, i2 + 1) = 'x';

-- EXPLAIN: what is computed, and why not
SELECT explain_masked('COSTS OFF, VERBOSE', q) FROM (VALUES
 ($$SELECT id, upper(s) FROM t WHERE lower(vc) LIKE 'h%'$$),
 ($$SELECT length(upper(s)), reverse(left(s, 3) || vc), quote_literal(lower(c)) FROM t$$),
 ($$SELECT upper(s), lower(s), initcap(s), reverse(s), md5(s) FROM t$$),
 ($$SELECT s, vc || '' FROM t WHERE initcap(icu) = 'X' AND upper(nd) = 'X' AND replace(nd, 'a', 'b') = 'c' AND num::text = '1' AND concat(num, s) = '1x' AND s::uuid = u$$),
 ($$SELECT gpustr.mask(lower(s), 1, 1), upper(gpustr.mask(s, 1, 1)), max(length(reverse(vc))) OVER () FROM t WHERE id > 3$$)) AS v(q);
SELECT explain_masked('COSTS OFF, ANALYZE, SUMMARY OFF', $$SELECT upper(s), left(vc, 3) FROM t WHERE id <= 600 AND reverse(s) LIKE '5%'$$);
SET gpustr.enable_output = off;
SELECT upper(s) FROM t;
RESET gpustr.enable_output;

-- DateStyle, when planned and when run
SET datestyle = 'German';
SELECT id FROM t WHERE d::text = '03.12.1999';
SELECT concat('on ', d) FROM t WHERE id = 1 AND d::text || s <> '';
SET datestyle = 'ISO';
SET plan_cache_mode = force_generic_plan;
PREPARE day (text) AS SELECT id, 'on ' || d AS day FROM t WHERE d::text = $1 AND id < 600;
EXECUTE day ('1999-12-04');
SET datestyle = 'SQL, DMY';
EXECUTE day ('1999-12-04');
EXECUTE day ('04/12/1999');
SET datestyle = 'ISO, MDY';
EXECUTE day ('1999-12-04');
-- while a scan runs: rows that come later are shown, and judged, in the new style
BEGIN;
SET LOCAL gpustr.enabled = on;
SET LOCAL gpustr.debug_require = 'require';
DECLARE dates NO SCROLL CURSOR FOR SELECT left(d::text, 30) AS d, concat(d, '!') AS c FROM t WHERE d::text LIKE '%-12-%' OR d::text LIKE '12/%' OR d::text LIKE '%.12.%';
FETCH 2 FROM dates;
SET LOCAL datestyle = 'SQL, MDY';
FETCH 2 FROM dates;
SET LOCAL datestyle = 'German';
FETCH 2 FROM dates;
ROLLBACK;

-- Params and other late values: as texts, positions, patterns
PREPARE p (text, int, text) AS
  SELECT id, rpad(upper(left(s, $2)), $2 + 2, $1) AS r, translate(vc, $1, $3) FROM t WHERE lower(s) LIKE $3 AND strpos(s, $1) > 0 AND id < 40;
SELECT explain_masked('COSTS OFF', $$EXECUTE p ('l', 4, 'hello%')$$);
EXECUTE p ('l', 4, 'hello%');
EXECUTE p ('o', -9, '%1_');
EXECUTE p ('', 2, '%3%');
EXECUTE p (NULL, 2, '%3%');
PREPARE e (int) AS SELECT id FROM t WHERE substr(s, 1, $1) = 'Hel' AND id < 30;
EXECUTE e (3);
EXECUTE e (-3);
DEALLOCATE ALL;
RESET plan_cache_mode;
SELECT count(*) FROM t WHERE upper(s) LIKE upper('hello' || (SELECT '%'));
SELECT count(*) FROM t WHERE replace(s, 'World', current_user) = 'Hello, ' || current_user || ' 10';

-- by cost: where a text is needed for most rows it is computed, where few pass it is not
SET gpustr.debug_require = 'allow';
SET gpustr.device_startup_cost = 0;
SET gpustr.engine = 'local';
CREATE TABLE many AS SELECT g AS id, 'Some words of row ' || g AS s FROM generate_series(1, 20000) g;
ANALYZE many;
SELECT q, (SELECT count(*) FROM explain_masked('COSTS OFF', q) AS l WHERE l LIKE '%GpuScan%') AS scans,
       (SELECT count(*) FROM explain_masked('COSTS OFF', q) AS l WHERE l LIKE '%GPU Output%') AS outputs
FROM (VALUES ($$SELECT upper(s) FROM many$$), ($$SELECT upper(s) FROM many WHERE id = 7$$), ($$SELECT reverse(upper(s)), lower(s) FROM many WHERE s LIKE '%w%'$$),
             ($$SELECT upper(s) FROM many ORDER BY id LIMIT 3$$), ($$SELECT upper(s), id::text FROM many$$), ($$SELECT id FROM many$$)) AS v(q);
RESET gpustr.device_startup_cost;
RESET gpustr.engine;

-- results that are much longer than what they are made of, as the scan learns
SELECT same($$SELECT id, repeat(s, 40) AS r, lpad(s, 2000, 'xy') AS l FROM many WHERE id % 2 = 0$$);
SELECT same($$SELECT id, repeat(s, id) AS r FROM many WHERE id BETWEEN 3000 AND 3100$$);

-- in other places: DML, joins, GROUP BY, UNION ALL, views, cursors, parallel
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
CREATE TABLE made AS SELECT id, upper(s) AS s, md5(s) AS m FROM many;
UPDATE made SET s = lower(s) WHERE right(s, 1) = '7';
DELETE FROM made WHERE left(m, 1) IN ('a', 'b');
INSERT INTO made (id, s) SELECT -id, initcap(s) FROM many WHERE left(s, 4) = 'Some' AND id % 1000 = 1 RETURNING id, s;
SELECT count(*), count(*) FILTER (WHERE s = lower(s)), min(m), max(m) FROM made WHERE left(s, 1) <> 'x';
SELECT left(s, 15) AS l, count(*) FROM many WHERE id < 5 GROUP BY left(s, 15) ORDER BY 1;
CREATE VIEW v AS SELECT id, upper(s) AS u FROM many UNION ALL SELECT id, reverse(s) FROM made;
SELECT * FROM v WHERE id IN (17, -1) ORDER BY 1, 2;
BEGIN;
DECLARE cur SCROLL CURSOR FOR SELECT id, upper(s) FROM many WHERE id % 7 = 0;
FETCH 2 FROM cur;
FETCH BACKWARD 1 FROM cur;
FETCH LAST FROM cur;
COMMIT;
SET gpustr.debug_require = 'allow';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT same($$SELECT upper(s) AS u, count(*) FROM many GROUP BY 1$$), same($$SELECT id, lower(s) FROM many WHERE initcap(s) LIKE '%Row 1%'$$);
DROP TABLE t, calls, many, made CASCADE;
DROP DOMAIN word;
DROP FUNCTION same, outcome, with_gpu, explain_masked, computed, rechecked, scan_says;
DROP COLLATION nondet;
