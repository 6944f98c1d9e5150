--
-- What is offloaded, by type, operator, cast and function, as the planner finds
-- it: the lines that begin with | are those of docs/compatibility.md, too
-- (tools/check-style compares them).
--
SET gpustr.device_startup_cost = 0;
SET gpustr.device_row_cost = 0;
SET client_min_messages = warning;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TYPE pair AS (a int, b text);
-- the types in the order of the page, with a constant of each
CREATE TABLE types (nr serial, type text, value text, known bool);
INSERT INTO types (type, value) VALUES
 ('boolean', 'true'), ('smallint', '1'), ('integer', '1'), ('bigint', '1'), ('real', '1.5'), ('double precision', '1.5'),
 ('numeric', '1.5'), ('oid', '1'), ('regclass', 'pg_class'), ('date', '2024-02-29'), ('time', '12:00'), ('timestamp', '2024-02-29 12:00'),
 ('timestamptz', '2024-02-29 12:00+0'), ('interval', '1 day'), ('uuid', '00000000-0000-0000-0000-000000000001'), ('text', 'i'),
 ('varchar', 'i'), ('char(8)', 'i'), ('name', 'i'), ('"char"', 'i'), ('bytea', 'i'), ('mood', 'ok'),
 ('timetz', '12:00+0'), ('money', '1'), ('json', '1'), ('jsonb', '1'), ('inet', '10.0.0.1'), ('cidr', '10.0.0.0/8'), ('macaddr', '08:00:2b:01:02:03'),
 ('bit(8)', '10101010'), ('varbit', '101'), ('xml', NULL), ('point', '(1,1)'), ('box', '((1,1),(0,0))'), ('tsvector', 'a'), ('tsquery', 'a'),
 ('pg_lsn', '0/1'), ('xid', '1'), ('tid', '(0,1)'), ('integer[]', '{1}'), ('text[]', '{i}'), ('int4range', '[1,2)'), ('int4multirange', '{[1,2)}'), ('pair', '(1,i)');
DO $$ BEGIN
  EXECUTE (SELECT format('CREATE TABLE t (id int, fixed text COLLATE "C", %s)', string_agg(format('c%s %s', nr, type), ', ' ORDER BY nr)) FROM types);
END $$;
INSERT INTO t (id, fixed) VALUES (1, '1');
ANALYZE t;
SET gpustr.enable_join = on;
SET datestyle = 'ISO';

-- Is all of the clause offloaded?  NULL: PostgreSQL has no such thing.
CREATE FUNCTION offloaded(clause text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN SELECT 1 FROM t WHERE ' || clause;
  SET LOCAL gpustr.debug_require = 'require';
  EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT 1 FROM t WHERE fixed LIKE ''%1%'' AND (' || clause || ')' INTO plan;
  SET LOCAL gpustr.debug_require = 'allow';
  RETURN (plan #> '{0,Plan,Not Offloaded}') IS NULL;
EXCEPTION WHEN OTHERS THEN
  RETURN CASE WHEN SQLSTATE IN ('42883', '42846', '42704', '42725') THEN NULL ELSE false END;
END $$;
-- Can a join on that be a GpuJoin?
CREATE FUNCTION joins(clause text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN SELECT 1 FROM t a JOIN t b ON ' || clause;
  SET LOCAL gpustr.debug_require = 'require';
  EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) SELECT 1 FROM t a JOIN t b ON ' || clause INTO plan;
  SET LOCAL gpustr.debug_require = 'allow';
  RETURN plan::text LIKE '%GpuJoin%';
EXCEPTION WHEN OTHERS THEN
  RETURN CASE WHEN SQLSTATE IN ('42883', '42846', '42704', '42725') THEN NULL ELSE false END;
END $$;
-- Can the command have a plan with that?
CREATE FUNCTION runs(command text, node text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN ' || command;
  SET LOCAL gpustr.debug_require = 'require';
  EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) ' || command INTO plan;
  SET LOCAL gpustr.debug_require = 'allow';
  RETURN plan::text LIKE '%' || node || '%';
EXCEPTION WHEN feature_not_supported THEN
  RETURN false;
END $$;
-- Does a scan compute that of a SELECT list?
CREATE FUNCTION computed(expr text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN SELECT ' || expr || ' FROM t';
  SET LOCAL gpustr.debug_require = 'require';
  EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT ' || expr || ' FROM t' INTO plan;
  SET LOCAL gpustr.debug_require = 'allow';
  RETURN (plan #> '{0,Plan,GPU Output}') IS NOT NULL;
EXCEPTION WHEN OTHERS THEN
  RETURN false;
END $$;
CREATE FUNCTION says(answer bool) RETURNS text LANGUAGE sql AS
$$ SELECT CASE WHEN answer THEN 'yes' WHEN NOT answer THEN '' ELSE '-' END $$;

-- A type as the page names it.
CREATE FUNCTION named(type text) RETURNS text LANGUAGE sql AS
$$ SELECT CASE type WHEN 'mood' THEN 'an enum' WHEN 'pair' THEN 'a composite type' ELSE '`' || type || '`' END $$;

UPDATE types SET known = coalesce(offloaded(format('c%s = %L::%s', nr, value, type)), false);

\pset format unaligned
\pset tuples_only on
-- | command | scan | join |
CREATE TABLE other (id int);
SELECT format('| `%s` | %s | %s |', name, says(runs(scan, 'GpuScan')), says(runs(joined, 'GpuJoin')))
FROM (VALUES
 (1, 'SELECT', 'SELECT 1 FROM t WHERE fixed LIKE ''%1%''', 'SELECT 1 FROM t JOIN other USING (id)'),
 (2, 'SELECT ... FOR UPDATE', 'SELECT 1 FROM t WHERE fixed LIKE ''%1%'' FOR UPDATE', 'SELECT 1 FROM t JOIN other USING (id) FOR UPDATE'),
 (3, 'INSERT ... SELECT', 'INSERT INTO other SELECT id FROM t WHERE fixed LIKE ''%1%''', 'INSERT INTO other SELECT id FROM t JOIN other USING (id)'),
 (4, 'CREATE TABLE ... AS', 'CREATE TABLE new AS SELECT id FROM t WHERE fixed LIKE ''%1%''', 'CREATE TABLE new AS SELECT id FROM t JOIN other USING (id)'),
 (5, 'DECLARE ... CURSOR FOR', 'DECLARE c CURSOR FOR SELECT id FROM t WHERE fixed LIKE ''%1%''', 'DECLARE c CURSOR FOR SELECT id FROM t JOIN other USING (id)'),
 (6, 'UPDATE', 'UPDATE t SET id = 1 WHERE fixed LIKE ''%1%''', 'UPDATE t SET id = 1 FROM other WHERE other.id = t.id'),
 (7, 'DELETE', 'DELETE FROM t WHERE fixed LIKE ''%1%''', 'DELETE FROM t USING other WHERE other.id = t.id'),
 (8, 'MERGE', 'MERGE INTO other USING (SELECT id FROM t WHERE fixed LIKE ''%1%'') t ON other.id = t.id WHEN MATCHED THEN DELETE', 'MERGE INTO other USING t ON other.id = t.id WHEN MATCHED THEN DELETE')
) AS x(nr, name, scan, joined) ORDER BY nr;
-- | kind of table | scan | join |
CREATE TEMPORARY TABLE temporary (LIKE t);
CREATE UNLOGGED TABLE unlogged (LIKE t);
CREATE TABLE parted (LIKE t) PARTITION BY LIST (id);
CREATE TABLE part PARTITION OF parted DEFAULT;
CREATE TABLE parent (LIKE t);
CREATE TABLE child () INHERITS (parent);
CREATE MATERIALIZED VIEW materialized AS SELECT * FROM t;
CREATE VIEW viewed AS SELECT * FROM t;
CREATE VIEW barred WITH (security_barrier) AS SELECT * FROM t;
CREATE TABLE secured (LIKE t);
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY one ON secured USING (fixed <> 'x');
GRANT SELECT ON secured, other TO pg_monitor;
SET ROLE pg_monitor;
SELECT format('| %s | %s | %s |', name, says(runs(format('SELECT 1 FROM %s AS x WHERE x.%s::text LIKE ''%%1%%''', target, col), 'GpuScan')),
              says(runs(format('SELECT 1 FROM %s AS x, other WHERE other.id = x.%s', target, key), 'GpuJoin')))
FROM (VALUES (9, 'a table with row level security', 'secured', 'fixed', 'id')) AS x(nr, name, target, col, key);
RESET ROLE;
SELECT format('| %s | %s | %s |', name, says(runs(format('SELECT 1 FROM %s WHERE fixed LIKE ''%%1%%''', target), 'GpuScan')),
              says(runs(format('SELECT 1 FROM %s JOIN other USING (id)', target), 'GpuJoin')))
FROM (VALUES (1, 'a plain table', 't'), (2, 'a temporary table', 'temporary'), (3, 'an unlogged table', 'unlogged'), (4, 'a partitioned table', 'parted'),
 (5, 'an inherited table', 'parent'), (6, 'a materialized view', 'materialized'), (7, 'a view over a table', 'viewed'), (8, 'a view that is a security barrier', 'barred'),
 (10, 'a sample of a table', 't TABLESAMPLE BERNOULLI (50)'),
 (11, 'a subquery with a limit', '(SELECT id, fixed FROM t LIMIT 5) AS x'), (12, 'a set of values', '(SELECT g AS id, ''x'' || g AS fixed FROM generate_series(1, 9) AS g) AS x')
) AS x(nr, name, target) ORDER BY nr;
SELECT format('| %s | %s | %s |', 'a system catalog', says(runs('SELECT 1 FROM pg_class WHERE relname LIKE ''%1%''', 'GpuScan')),
              says(runs('SELECT 1 FROM pg_class JOIN other ON oid = id::oid', 'GpuJoin')));
-- | type | = <> | < <= > >= | IS NULL | join key |
SELECT format('| %s | %s | %s | %s | %s |', named(type),
              says(offloaded(format('c%s = %L::%s', nr, value, type)) AND offloaded(format('c%s <> %L::%s', nr, value, type))),
              says(offloaded(format('c%s < %L::%s', nr, value, type)) AND offloaded(format('c%s >= %L::%s', nr, value, type))),
              says(offloaded(format('c%s IS NULL', nr))),
              says(joins(format('a.c%s = b.c%s', nr, nr))))
FROM types ORDER BY nr;
-- of the other types, those that are known; IS NULL is of all others, too
CREATE TABLE other_types AS
SELECT row_number() OVER (ORDER BY typname) AS nr, typname FROM pg_type
WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm') AND typcategory NOT IN ('A', 'Z') AND typname NOT LIKE '\_%'
  AND NOT EXISTS (SELECT FROM types WHERE type::regtype = pg_type.oid);
DO $$ BEGIN
  EXECUTE (SELECT format('ALTER TABLE t %s', string_agg(format('ADD a%s %s, ADD b%s %s', nr, typname, nr, typname), ', ')) FROM other_types);
END $$;
SELECT format('| `%s` | %s | %s | %s | %s |', typname, says(eq), says(lt), says(is_null), says(joined))
FROM (SELECT nr, typname, offloaded(format('a%s = b%s', nr, nr)) AND offloaded(format('a%s <> b%s', nr, nr)),
             offloaded(format('a%s < b%s', nr, nr)) AND offloaded(format('a%s >= b%s', nr, nr)),
             offloaded(format('a%s IS NULL', nr)), joins(format('a.a%s = b.a%s', nr, nr)) FROM other_types) AS x(nr, typname, eq, lt, is_null, joined)
WHERE eq OR lt OR joined OR is_null IS NOT TRUE ORDER BY nr;
-- | text under a collation | = <> | < <= > >= | LIKE | ILIKE | ~ | upper | join key |
CREATE COLLATION nondet (provider = icu, locale = 'und', deterministic = false);
SELECT format('| `%s` | %s | %s | %s | %s | %s | %s | %s |', name,
              says(offloaded(format('fixed = ''i'' COLLATE %s', c)) AND offloaded(format('fixed <> ''i'' COLLATE %s', c))),
              says(offloaded(format('fixed < ''i'' COLLATE %s', c)) AND offloaded(format('fixed >= ''i'' COLLATE %s', c))),
              says(offloaded(format('fixed LIKE ''i%%'' COLLATE %s', c))),
              says(offloaded(format('fixed ILIKE ''i%%'' COLLATE %s', c))),
              says(offloaded(format('fixed ~ ''i.*j'' COLLATE %s', c))),
              says(offloaded(format('upper(fixed COLLATE %s) LIKE ''I%%''', c))),
              says(joins(format('a.fixed COLLATE %s = b.fixed', c))))
FROM (VALUES (1, 'C', '"C"'), (2, 'POSIX', '"POSIX"'), (3, 'one of libc', '"C.utf8"'), (4, 'one of ICU', '"en-x-icu"'), (5, 'a nondeterministic one', 'nondet')) AS x(nr, name, c)
ORDER BY nr;
-- | operator | types |: with another column or a constant on the right; of comparisons, those of two types only
CREATE TABLE found_operators AS
SELECT oprname AS name, l.nr AS left_nr, r.nr AS right_nr,
       CASE WHEN l.nr = r.nr THEN named(r.type) ELSE concat_ws(' with ', named(l.type), named(r.type)) END AS types
FROM pg_operator AS o JOIN types AS r ON r.type::regtype = oprright LEFT JOIN types AS l ON l.type::regtype = oprleft
WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprcode <> 0 AND (oprleft = 0 OR l.nr IS NOT NULL)
  AND (offloaded(format('(%s OPERATOR(pg_catalog.%s) c%s) IS NOT NULL', 'c' || l.nr, oprname, r.nr))
       OR oprleft <> 0 AND offloaded(format('(c%s OPERATOR(pg_catalog.%s) %L::%s) IS NOT NULL', l.nr, oprname, r.value, r.type)));
SELECT format('| `%s` | %s |', replace(name, '|', '\|'), string_agg(types, ', ' ORDER BY left_nr NULLS FIRST, right_nr))
FROM found_operators WHERE NOT (name IN ('=', '<>', '<', '<=', '>', '>=') AND left_nr = right_nr)
GROUP BY name ORDER BY name COLLATE "C";
-- | cast to | from | of these, in SELECT lists, too |
SELECT format('| %s | %s | %s |', named(target.type), string_agg(named(source.type), ', ' ORDER BY source.nr),
              string_agg(named(source.type), ', ' ORDER BY source.nr) FILTER (WHERE computed(format('c%s::%s', source.nr, target.type))))
FROM types AS source, types AS target
WHERE source.nr <> target.nr AND source.known AND target.known AND offloaded(format('(c%s::%s) IS NOT NULL', source.nr, target.type))
GROUP BY target.nr, target.type ORDER BY target.nr;
-- | function | arguments | in clauses | in SELECT lists |: the first argument a column, the others constants; but for operators and casts
CREATE TABLE calls (proname text, args text[], call text);
INSERT INTO calls
SELECT proname, args, format('%s.%I(%s)', nspname, proname, list)
FROM pg_proc AS p JOIN pg_namespace AS s ON s.oid = pronamespace, (VALUES ('1'), ('0')) AS i(number),
     LATERAL (SELECT array_agg(type ORDER BY n) AS args,
                     string_agg(CASE WHEN n = 1 THEN 'c' || nr ELSE format('%L::%s', CASE WHEN type ~ 'int$|integer$' THEN number ELSE value END, type) END, ', ' ORDER BY n) AS list
              FROM unnest(proargtypes::oid[]) WITH ORDINALITY AS x(oid, n) JOIN types ON type::regtype = x.oid) AS a
WHERE nspname IN ('pg_catalog', 'gpustr') AND prokind = 'f' AND NOT proretset AND provolatile IN ('i', 's') AND cardinality(args) = pronargs
  AND NOT EXISTS (SELECT 1 FROM pg_operator WHERE oprcode = p.oid) AND NOT EXISTS (SELECT 1 FROM pg_cast WHERE castfunc = p.oid)
  AND NOT EXISTS (SELECT 1 FROM pg_type WHERE p.oid IN (typinput, typoutput, typreceive, typsend, typmodin, typmodout));
INSERT INTO calls VALUES
 ('concat', '{any, ...}', 'concat(c16, c3, ''i'')'), ('concat_ws', '{text, any, ...}', 'concat_ws(''i'', c16, c3)'),
 ('encode', '{bytea, ''hex''}', 'encode(c21, ''hex'')'), ('redact_pii', '{text, text[]}', 'gpustr.redact_pii(c16, ''{email}'')');
CREATE TABLE found_calls AS
SELECT proname, args, format('`(%s)`', array_to_string(args, ', ')) AS list, bool_or(clause) AS clause, bool_or(output) AS output
FROM (SELECT proname, args, offloaded('(' || call || ') IS NOT NULL') AS clause, computed(call) AS output FROM calls) AS x
GROUP BY proname, args;
SELECT format('| `%s` | %s | %s | %s |', proname, string_agg(list, ', ' ORDER BY list COLLATE "C"), says(clause), says(output))
FROM found_calls WHERE clause OR output GROUP BY proname, clause, output ORDER BY proname COLLATE "C", clause, output;
-- gpustr's own that are neither
SELECT DISTINCT proname, args FROM calls WHERE call LIKE 'gpustr.%' AND (proname, args) NOT IN
  (SELECT proname, args FROM found_calls WHERE clause OR output) ORDER BY proname, args;
\pset tuples_only off
-- and one of them runs
SET gpustr.debug_require = 'require';
SELECT count(*) FROM t WHERE fixed LIKE '%1%';
