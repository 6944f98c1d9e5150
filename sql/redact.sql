-- Redaction: gpustr.redact and gpustr.mask.  What is expected is written
-- beside each input, so that a wrong answer is seen without reading the .out.
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set fresh :srcdir '/test/fresh.sql'
\i :fresh
\set ECHO all

SELECT name, visibility, expected, gpustr.redact(name, visibility) AS got
FROM (VALUES
	('Jane Doe', 'public', 'D Jane'),
	('Jane Doe', 'private', 'X X'),
	('Jane Doe', 'PUBLIC', 'X X'),
	('Jane Doe', 'public ', 'X X'),
	('Jane Doe', '', 'X X'),
	('Mary Ann Smith', 'public', 'A Mary'),
	('Jane  Doe', 'public', 'D Jane'),
	('Jane', 'public', 'Jane'),
	('Jane ', 'public', 'Jane'),
	(' Doe', 'public', 'D '),
	('   ', 'public', ''),
	('', 'public', ''),
	('', 'private', 'X X'),
	('Åsa Öberg', 'public', 'Ö Åsa'),
	('小明 王', 'public', '王 小明'),
	('Zoë 😀x', 'public', '😀 Zoë'),
	('A B', 'public', 'B A'),
	(NULL, 'public', NULL),
	('Jane Doe', NULL, NULL)) AS t (name, visibility, expected)
WHERE gpustr.redact(name, visibility) IS DISTINCT FROM expected;

-- Values of every kind of storage
CREATE TABLE stored (id int, name text, visibility text);
INSERT INTO stored VALUES
	(1, 'Jane Doe', 'public'),
	(2, 'Jane ' || repeat('Doe', 5000), 'public'),
	(3, repeat('Jane', 5000) || ' Doe', 'public'),
	(4, (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 500) i) || ' Doe', 'public');
ALTER TABLE stored ALTER name SET STORAGE EXTERNAL;
INSERT INTO stored SELECT id + 4, name || '', visibility FROM stored;
SELECT id, length(gpustr.redact(name, visibility)), left(gpustr.redact(name, visibility), 8) FROM stored ORDER BY id;

-- Arrays
SELECT gpustr.redact(ARRAY['Jane Doe', NULL, 'Bo', 'Åsa Öberg'], ARRAY['public', 'public', 'no', 'public']);
SELECT gpustr.redact('{}'::text[], '{}'::text[]);
SELECT gpustr.redact(NULL::text[], ARRAY['public']) IS NULL AS strict;
SELECT gpustr.redact(ARRAY[NULL, NULL]::text[], ARRAY['public', NULL]);
SELECT gpustr.redact('[2:3]={Jane Doe,Al Bo}'::text[], ARRAY['public', 'x']);
SELECT gpustr.redact(ARRAY[['Jane Doe', 'Al Bo'], ['x y', NULL]], ARRAY[['public', 'public'], ['public', 'public']]);
SELECT gpustr.redact(ARRAY['Jane Doe', 'Al Bo'], ARRAY['public']);
\echo :LAST_ERROR_SQLSTATE
SELECT gpustr.redact(ARRAY['Jane Doe', 'Al Bo'], ARRAY[['public'], ['public']]);
\echo :LAST_ERROR_SQLSTATE

-- Many, more than a batch: the array form is the scalar form
CREATE TABLE people AS
	SELECT i AS id,
		CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'Prince' WHEN 3 THEN 'Ö' || i || '  Ægir' ELSE 'First' || i || ' Last' || i % 13 END
			|| CASE WHEN i % 5000 = 0 THEN repeat('x', 3000) ELSE '' END AS name,
		CASE i % 3 WHEN 0 THEN 'public' WHEN 1 THEN 'private' END AS visibility
	FROM generate_series(1, 100000) i;
SELECT count(*), count(r), sum(length(r)) FROM (
	SELECT unnest(gpustr.redact(array_agg(name ORDER BY id), array_agg(visibility ORDER BY id))) AS r FROM people) s;
SELECT count(*) AS different FROM (
	SELECT unnest(gpustr.redact(array_agg(name ORDER BY id), array_agg(visibility ORDER BY id))) AS r,
		unnest(array_agg(name ORDER BY id)) AS name, unnest(array_agg(visibility ORDER BY id)) AS visibility
	FROM people) s
WHERE r IS DISTINCT FROM gpustr.redact(name, visibility);
SELECT gpustr.redact(ARRAY[repeat('x', 20000000) || ' Doe', 'Al Bo'], ARRAY['public', 'public'])
	= ARRAY['D ' || repeat('x', 20000000), 'B Al'] AS larger_than_a_batch;

-- mask
SELECT value, l, r, m, expected, gpustr.mask(value, l, r, m) AS got
FROM (VALUES
	('4111111111111111', 0, 4, '*', '************1111'),
	('4111111111111111', 4, 4, 'X', '4111XXXXXXXX1111'),
	('secret', 0, 0, '#', '######'),
	('secret', 3, 3, '#', 'secret'),
	('secret', 4, 4, '#', 'secret'),
	('secret', 100, 0, '#', 'secret'),
	('secret', 0, 2147483647, '#', 'secret'),
	('secret', 2147483647, 2147483647, '#', 'secret'),
	('secret', 1, 1, '', 'st'),
	('secret', 1, 1, 'ab', 'sababababt'),
	('', 0, 0, '*', ''),
	('Åsa Öberg', 1, 1, '·', 'Å·······g'),
	('小明王', 1, 1, '*', '小*王'),
	('secret', 5, 0, '#', 'secre#'),
	('secret', 0, 5, '#', '#ecret'),
	('secret', 6, 0, '#', 'secret'),
	('secret', 0, 6, '#', 'secret'),
	('secret', 2, 3, '明王', 'se明王ret'),
	('😀é中a', 1, 1, '*', '😀**a'),
	('😀é中a', 0, 3, '', 'é中a'),
	('😀', 0, 0, '中', '中'),
	('x', 1, 0, '*', 'x'),
	('x', 0, 0, '*', '*'),
	('', 0, 2147483647, '*', ''),
	(NULL, 1, 1, '*', NULL),
	('x', NULL, 1, '*', NULL),
	('x', 1, NULL, '*', NULL),
	('x', 1, 1, NULL, NULL)) AS t (value, l, r, m, expected)
WHERE gpustr.mask(value, l, r, m) IS DISTINCT FROM expected;
SELECT gpustr.mask('secret', 1, 1);
SELECT gpustr.mask('secret', -1, 1);
SELECT gpustr.mask('secret', 1, -1);
\echo :LAST_ERROR_SQLSTATE
SELECT gpustr.mask(repeat('x', 1000), 0, 0, repeat('y', 2000000));
\echo :LAST_ERROR_SQLSTATE
SELECT gpustr.mask(repeat('x', 65536), 0, 0, repeat('y', 65536));
\echo :LAST_ERROR_SQLSTATE

-- mask, by PostgreSQL's own functions, of values of every kind of storage and of many
CREATE FUNCTION mask_by_sql(v text, l int, r int, m text) RETURNS text LANGUAGE sql AS
	$$ SELECT CASE WHEN length(v) <= l + r THEN v ELSE left(v, l) || repeat(m, length(v) - l - r) || right(v, r) END $$;
SELECT id, l, r, m FROM stored, (VALUES (0, 0, '*'), (4, 4, 'é'), (1, 0, ''), (0, 3, 'ab'), (9999, 9999, '*')) AS p (l, r, m)
WHERE gpustr.mask(name, l, r, m) IS DISTINCT FROM mask_by_sql(name, l, r, m) ORDER BY id;
SELECT count(*) AS different FROM people
WHERE gpustr.mask(name, id % 5, id % 3, CASE id % 2 WHEN 0 THEN '*' ELSE 'é-' END)
	IS DISTINCT FROM mask_by_sql(name, id % 5, id % 3, CASE id % 2 WHEN 0 THEN '*' ELSE 'é-' END);
DROP FUNCTION mask_by_sql;

-- What they are: usable in indexes and parallel plans
SELECT oid::regprocedure, provolatile, proisstrict, proparallel FROM pg_proc
WHERE pronamespace = 'gpustr'::regnamespace AND proname IN ('redact', 'mask') ORDER BY 1::text;
CREATE INDEX ON people (gpustr.redact(name, visibility));
DROP TABLE people, stored;

-- A name is looked at piece by piece, so that the statement can be canceled
SELECT a, b, left(r, 4) AS l, length(r) AS n, r = CASE WHEN z THEN 'z ' ELSE '' END || repeat('a', a) AS as_expected
FROM unnest('{4194303,4194304,4194305,9000000}'::int[], '{1,4194304,4194303,5000000}'::int[]) u (a, b),
	unnest('{t,f}'::bool[]) z,
	LATERAL gpustr.redact(repeat('a', a) || repeat(' ', b) || CASE WHEN z THEN 'zed' ELSE '' END, 'public') r
ORDER BY a, z;
