-- A literal that a regular expression needs is looked for first, unless the
-- column's statistics say that most values have it.  Steps over rows are made so
-- dear here that a plan's cost tells how many there are.
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set ECHO all

SET gpustr.engine = local;
CREATE FUNCTION plan_cost(clause text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	SET LOCAL gpustr.debug_require = 'require';
	SET LOCAL gpustr.device_row_cost = 1000;
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT 1 FROM lines WHERE ' || clause INTO plan;
	RETURN plan->0->'Plan'->>'Total Cost';
END $$;
-- against the same automaton, but for an alternative that leaves it without a literal
CREATE FUNCTION literal_first(col text, regex text) RETURNS bool LANGUAGE sql AS $$
	SELECT plan_cost(format('%s ~ %L', col, regex)) > 1.2 * plan_cost(format('%s ~ %L', col, '(' || regex || '|\x01)'))
$$;
CREATE TABLE lines (id int, s text, v varchar(100), c char(60), kind text, empty text, u text);
INSERT INTO lines SELECT i, i || ' always ' || CASE WHEN i % 10 < 8 THEN 'mostly ' ELSE '' END || CASE WHEN i % 10 < 3 THEN 'seldom ' ELSE '' END,
		i || ' always 10%_\ ', 'always ' || i, CASE WHEN i % 10 < 8 THEN 'kind mostly' ELSE 'kind seldom' END, NULL,
		CASE WHEN i % 10 = 0 THEN i || ' always grüße' END
	FROM generate_series(1, 3000) i;
VACUUM lines;

-- nothing is known
SELECT literal_first('s', 'always [a-z]*9'), literal_first('s', 'never [a-z]*9');
ANALYZE lines;
SELECT literal_first('s', 'always [a-z]*9') AS always, literal_first('s', 'mostly [a-z]*9') AS mostly,
	literal_first('s', 'seldom [a-z]*9') AS seldom, literal_first('s', 'never [a-z]*9') AS never;
-- characters that mean something to LIKE; other types; most common values; NULLs are not counted
SELECT literal_first('v', ' 10%_\\ +9') AS always, literal_first('v', '1%_\\ +9') AS never,
	literal_first('c', 'always [0-9]+x') AS of_char;
SELECT literal_first('kind', 'mostly[0-9]') AS mostly, literal_first('kind', 'seldom[0-9]') AS seldom,
	literal_first('empty', 'seldom[0-9]') AS no_values, literal_first('u', 'grüße[0-9]') AS always_but_null;
-- of what is computed nothing is known
SELECT literal_first('upper(s)', 'ALWAYS [A-Z]*9');

-- who may not see the values does not see what they are like
CREATE ROLE gpustr_reader;
GRANT SELECT (id, s) ON lines TO gpustr_reader;
SET ROLE gpustr_reader;
SELECT literal_first('s', 'always [a-z]*9') AS column_may_be_seen;
RESET ROLE;
ALTER TABLE lines ENABLE ROW LEVEL SECURITY;
CREATE POLICY each_row ON lines USING (true);
SET ROLE gpustr_reader;
SELECT literal_first('s', 'always [a-z]*9') AS some_rows_may_be_hidden;
RESET ROLE;

-- the answers are the same either way
SELECT same('SELECT id FROM lines WHERE s ~ ''always [a-z]*ly''');
SELECT same('SELECT id FROM lines WHERE s ~ ''seldom *$'' OR u ~ ''always .*ß''');
DROP TABLE lines;
DROP ROLE gpustr_reader;
DROP FUNCTION same, outcome, with_gpu, explain_masked, plan_cost, literal_first;
