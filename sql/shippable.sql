--
-- What is offloaded and what is not, why not, and in which order clauses are
-- judged: PostgreSQL's errors stay PostgreSQL's
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

CREATE COLLATION nondet (provider = icu, locale = 'und', deterministic = false);
CREATE DOMAIN word AS text;
CREATE TYPE pair AS (x int, y int);
CREATE TABLE t (id int, s text, r text, v varchar, c char(8), d word, n name, b bool, p pair,
                nd text COLLATE nondet, cc text COLLATE "C", a text[], j int);
INSERT INTO t SELECT g, 'text ' || g, 'text ' || (g / 2 * 2), 'v' || g % 5, 'c' || g % 3, 'd' || g % 4,
                     'n' || g, g % 2 = 0, ROW(g, NULL)::pair, 'Nd' || g % 3, 'cc' || g, ARRAY['x'], g % 10
FROM generate_series(1, 200) g;
CREATE FUNCTION leaky(text) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS
$$ BEGIN RAISE NOTICE 'leaked %', $1; RETURN true; END $$;

-- the reasons, as EXPLAIN gives them; one LIKE makes it a GpuScan
CREATE FUNCTION reasons(clause text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  SET LOCAL gpustr.debug_require = 'require';
  SET LOCAL gpustr.enabled = on;
  EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT id FROM t WHERE cc LIKE ''%1%'' AND (' || clause || ')' INTO plan;
  SET LOCAL gpustr.debug_require = 'allow';
  RETURN QUERY SELECT plain_subqueries(json_array_elements_text(plan #> '{0,Plan,Not Offloaded}'))
    UNION ALL SELECT 'offloaded' WHERE (plan #> '{0,Plan,Not Offloaded}') IS NULL;
END $$;
SELECT q, reasons(q) FROM (VALUES
 ($$s LIKE 'a%'$$), ($$v LIKE 'a%'$$), ($$d LIKE 'a%'$$), ($$d = 'd1'$$), ($$v = 'v1'$$), ($$cc = 'x'$$),
 ($$s IS NULL$$), ($$j IS NOT NULL$$), ($$c IS NULL$$), ($$a IS NULL$$), ($$s = 'x' COLLATE "C"$$),
 ($$length(s) = 3$$), ($$lower(s) = 'x'$$), ($$lower(s) LIKE 'x%'$$), ($$s || 'x' = 'y'$$), ($$quote_literal(s) = 'x'$$), ($$upper(quote_literal(s)) = 'x'$$),
 ($$s = r$$), ($$s LIKE r$$), ($$'abc' LIKE s$$), ($$s < 'x' COLLATE "en-x-icu"$$), ($$s ILIKE 'x%'$$), ($$s ~ 'x'$$),
 ($$c LIKE 'c1%'$$), ($$c = 'c1'$$), ($$c::text = 'c1'$$), ($$n LIKE 'n1%'$$), ($$n = 'n1'$$),
 ($$nd = 'ND1'$$), ($$nd <> 'ND1'$$), ($$s = 'x' COLLATE nondet$$), ($$nd IS NULL$$),
 ($$b$$), ($$NOT b$$), ($$b IS TRUE$$), ($$(s LIKE 'x') IS NOT TRUE$$), ($$s IS DISTINCT FROM 'x'$$),
 ($$s IN ('a', 'b')$$), ($$s LIKE ANY (ARRAY['a%', 'b%'])$$), ($$id = 3$$), ($$p IS NULL$$), ($$t IS NOT NULL$$),
 ($$s = (SELECT 'x')$$), ($$b OR EXISTS (SELECT 1 FROM t t2 WHERE t2.s = t.r)$$), ($$id NOT IN (SELECT id FROM t t2)$$), ($$coalesce(b, true)$$),
 ($$CASE WHEN s = 'x' THEN b END$$), ($$ctid = '(0,1)'$$), ($$s LIKE 'x%' OR length(s) = 3$$),
 ($$s LIKE 'x%' OR id = 3$$), ($$s = current_user$$), ($$s LIKE current_user || '%'$$),
 ($$j / (id - 1000) = 1 AND s LIKE 'a%'$$), ($$j::numeric / (id - 1000) = 1 AND s LIKE 'a%'$$)
) AS x(q);
-- a clause that comes first and may raise an error or leak keeps the others back
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT * FROM t WHERE leaky(s) AND s LIKE 'a%';
RESET gpustr.debug_require;
-- too many steps for one program: the rest stays with PostgreSQL
SELECT count(*) AS clauses, count(*) FILTER (WHERE r LIKE '%too large') > 0 AS some_too_large
FROM (SELECT reasons(string_agg(format('(s NOT LIKE %L OR v IS NULL)', 'zz' || i || '%'), ' AND ')) AS r
      FROM generate_series(1, 100) i) x;
SELECT same('SELECT * FROM t WHERE ' || string_agg(format('(s NOT LIKE %L OR v IS NULL)', '%xt 1' || i || '%'), ' AND '))
FROM generate_series(1, 100) i;
SELECT same('SELECT * FROM t WHERE ' || string_agg(format('s = %L', repeat('x', 2000) || i), ' OR ') || ' OR s = ''text 7''')
FROM generate_series(1, 20) i;
SELECT same('SELECT * FROM t WHERE s LIKE ''%1%'' AND (' || string_agg(format('s <> %L', repeat('x', 10000) || i), ' AND ') || ')')
FROM generate_series(1, 20) i;

-- answers where only a part is offloaded
SELECT q, same('SELECT * FROM t WHERE ' || q) FROM (VALUES
 ($$s LIKE '%1%' AND id < 50$$), ($$s LIKE '%1%' AND b$$), ($$s LIKE '%1%' AND length(s) = 7$$),
 ($$s = r AND s LIKE '%2%'$$), ($$d LIKE 'd_' AND c = 'c1'$$), ($$cc = 'cc7'$$),
 ($$s LIKE '%1%' AND nd = 'Nd1'$$), ($$s LIKE '%1%' AND nd = 'nd1'$$),
 ($$s LIKE '%1%' AND id IN (SELECT id FROM t t2 WHERE t2.v = 'v1')$$),
 ($$v = 'v1' AND EXISTS (SELECT 1 FROM t t2 WHERE t2.r = t.s)$$)
) AS x(q);
-- nondeterministic: never offloaded, so PostgreSQL gives its answer, or up to 17 its error
SELECT q, outcome(q, 'with_' || n, true, 'forbid') = outcome(q, 'without_' || n, false) AS same FROM (VALUES
 (1, $$SELECT id FROM t WHERE nd LIKE 'Nd%'$$), (2, $$SELECT id FROM t WHERE s LIKE 'x%' COLLATE nondet$$)) AS v(n, q);
SET gpustr.enabled = on;
SELECT count(*) FROM t WHERE nd = 'nD1';
SET gpustr.debug_require = 'require';
SELECT count(*) FROM t WHERE nd = 'nD1';
SELECT count(*) FROM t WHERE quote_literal(s) = 'x';
SELECT count(*) FROM t;
EXPLAIN (COSTS OFF) UPDATE t SET id = 1 WHERE quote_literal(s) = 'x';
-- without a table, or with nothing to read, there is nothing to require
SELECT 1;
SELECT count(*) > 0 AS catalog FROM pg_class WHERE relname LIKE 'pg%';
INSERT INTO t (id) VALUES (1000);
SET gpustr.debug_require = 'forbid';
SET gpustr.device_startup_cost = 0;
SET gpustr.device_row_cost = 0;
SELECT count(*) FROM t WHERE s LIKE 'x%';
SET gpustr.enable_scan = off;
SELECT count(*) FROM t WHERE s LIKE 'x%';
SET gpustr.debug_require = 'require';
SELECT count(*) FROM t WHERE s LIKE 'x%';
RESET gpustr.enable_scan;
RESET gpustr.device_startup_cost;
RESET gpustr.device_row_cost;
SET gpustr.debug_require = 'allow';

-- errors: a pattern that ends in the escape character is an error only for the
-- rows that get that far
CREATE TABLE esc (id int, s text);
INSERT INTO esc VALUES (1, 'abc'), (2, 'xyz'), (3, NULL), (4, '');
SELECT q, same('SELECT * FROM esc WHERE ' || q) FROM (VALUES
 ($$s LIKE 'zz\'$$), ($$s LIKE 'abc\'$$), ($$s LIKE 'ab\'$$), ($$s LIKE '%\'$$), ($$s NOT LIKE 'q\'$$),
 ($$id <> 1 AND s LIKE 'ab\'$$), ($$s LIKE 'x%' AND s LIKE 'ab\'$$), ($$s LIKE 'ab\' AND s LIKE 'x%'$$),
 ($$s = 'xyz' OR s LIKE 'ab\'$$), ($$s LIKE 'ab\' OR s = 'xyz'$$), ($$s IS NULL AND s LIKE 'ab\'$$),
 ($$s = 'nothing' AND s LIKE 'ab\'$$), ($$NOT (s LIKE 'ab\' AND s = 'x')$$)
) AS x(q);

-- order: a local clause that PostgreSQL evaluates first may raise an error
CREATE FUNCTION raises(int) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS
$$ BEGIN IF $1 = 0 THEN RAISE 'raised for %', $1; END IF; RETURN true; END $$;
CREATE FUNCTION raises_late(int) RETURNS bool LANGUAGE plpgsql COST 1000 AS
$$ BEGIN IF $1 = 0 THEN RAISE 'raised for %', $1; END IF; RETURN true; END $$;
SELECT q, same('SELECT * FROM t WHERE ' || q) FROM (VALUES
 ($$10 / j::numeric > 0 AND s LIKE 'none%'$$),
 ($$s LIKE 'none%' AND 10 / j::numeric > 0$$),
 ($$s LIKE '%1' AND 10 / j::numeric > 0$$),
 ($$s LIKE '%0' AND 10 / j::numeric > 0$$),
 ($$s IS NOT NULL AND raises(j) AND s LIKE 'none%'$$),
 ($$raises_late(j) AND s LIKE '%1'$$),
 ($$raises_late(j) AND s LIKE '%0'$$),
 ($$j < 5 AND s IS NOT NULL AND s LIKE '%1' AND raises(1)$$)
) AS x(q);

-- volatile functions run as often as in PostgreSQL
CREATE SEQUENCE calls;
CREATE FUNCTION counted(int) RETURNS bool LANGUAGE plpgsql VOLATILE COST 0.0001 AS $$ BEGIN RETURN nextval('calls') > 0 AND $1 % 3 = 0; END $$;
CREATE FUNCTION counted_late(int) RETURNS bool LANGUAGE plpgsql VOLATILE COST 1000 AS $$ BEGIN RETURN nextval('calls') > 0 AND $1 % 3 = 0; END $$;
CREATE FUNCTION calls_of(clause text, with_gpustr bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint; made bigint;
BEGIN
  PERFORM setval('calls', 1);
  PERFORM set_config('gpustr.enabled', with_gpustr::text, false);
  EXECUTE 'SELECT count(*) FROM toast_t WHERE ' || clause INTO n;
  made := nextval('calls') - 2;
  RETURN n || ' rows, ' || made || ' calls';
END $$;
CREATE TABLE toast_t AS SELECT g AS id, CASE WHEN g % 4 = 0 THEN repeat('long ' || g, 2000) ELSE 'short ' || g END AS s
FROM generate_series(1, 200) g;
SET gpustr.debug_require = 'allow';
SET gpustr.device_startup_cost = 0;
SET gpustr.device_row_cost = 0;
SET gpustr.recheck_cost = 0;
SELECT q, calls_of(q, true), calls_of(q, false) FROM (VALUES
 ($$s LIKE '%1%' AND counted(id)$$), ($$s LIKE '%1%' AND counted_late(id)$$),
 ($$counted_late(id) AND s LIKE '%1%' AND s LIKE '%2%'$$)
) AS x(q);
SET gpustr.enabled = on;
SELECT explain_masked('COSTS OFF', $$SELECT count(*) FROM toast_t WHERE s LIKE '%1%' AND counted_late(id)$$);

-- row security: a leaky function must not see hidden rows, nor may an error
-- tell of them
CREATE ROLE gpustr_reader;
CREATE TABLE secret (id int, owner text, s text);
INSERT INTO secret SELECT g, CASE WHEN g % 2 = 0 THEN 'gpustr_reader' ELSE 'boss' END,
                          CASE WHEN g % 2 = 0 THEN 'mine ' || g ELSE 'hidden' END
FROM generate_series(1, 6) g;
INSERT INTO secret VALUES (7, 'boss', repeat('hidden and compressed ', 1000));
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON secret USING (owner = 'gpustr_reader');
GRANT SELECT ON secret TO gpustr_reader;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM secret WHERE owner LIKE 'gpu%';
GRANT SELECT ON barrier TO gpustr_reader;
SET ROLE gpustr_reader;
SET gpustr.debug_require = 'require';
SELECT id, s FROM secret WHERE leaky(s);
SELECT id, s FROM barrier WHERE leaky(s) AND s LIKE '%4';
-- raises for 'hidden', which is not to be seen
SELECT id, s FROM secret WHERE s LIKE 'hidden\';
SELECT id, s FROM barrier WHERE s LIKE '%\';
SELECT count(*) FROM secret WHERE s LIKE 'hidden%';
RESET ROLE;
SET gpustr.debug_require = 'allow';

-- nor may EXPLAIN: a clause that is not leakproof is not offloaded where one
-- that hides rows from it stays; a leakproof one is
ALTER TABLE secret ADD tenant int DEFAULT 1, ADD made timetz DEFAULT '12:00+00';
CREATE POLICY tenants ON secret AS RESTRICTIVE USING (tenant::numeric % 2 = 1);
CREATE POLICY low ON secret AS RESTRICTIVE USING (made < '23:00+00');
SET ROLE gpustr_reader;
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT id FROM secret WHERE s LIKE 'mine%';
RESET ROLE;
DROP POLICY tenants ON secret;
SET ROLE gpustr_reader;
SELECT id FROM secret WHERE s LIKE 'mine%' ORDER BY id;
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT id FROM secret WHERE s LIKE 'mine%' AND s = 'mine 2'$$);
RESET ROLE;
SET gpustr.debug_require = 'allow';
DROP POLICY own ON secret;
CREATE POLICY everything ON secret USING (true);
SET ROLE gpustr_reader;
SET gpustr.debug_require = 'require';
SELECT id FROM secret WHERE s LIKE 'mine%' ORDER BY id;
SELECT id FROM secret WHERE s = 'mine 2';
RESET ROLE;
SET gpustr.debug_require = 'allow';

-- an InitPlan runs when it is first looked at, and may raise
CREATE FUNCTION one() RETURNS int VOLATILE LANGUAGE sql AS 'SELECT 1';
SELECT same($$SELECT id FROM t WHERE s LIKE '%nomatch%' AND id < (SELECT 1 / (one() - 1))$$);
SET gpustr.debug_require = 'allow';
SET gpustr.enabled = on;
SELECT count(*) FROM t WHERE id < (SELECT 1 / (one() - 1)) AND s LIKE '%nomatch%';
DROP FUNCTION one;

DROP TABLE t, esc, toast_t;
DROP TABLE secret CASCADE;
DROP ROLE gpustr_reader;
DROP SEQUENCE calls;
DROP FUNCTION raises, raises_late, leaky, reasons, counted, counted_late, calls_of, same, outcome, with_gpu, explain_masked;
DROP COLLATION nondet;
DROP DOMAIN word;
DROP TYPE pair;
