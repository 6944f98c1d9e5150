--
-- GPU Output: expressions of the target list that a GpuScan's engine computes
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
-- how many expressions the scans of the query's plan compute
CREATE FUNCTION computed(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
  n bigint;
BEGIN
  PERFORM set_config('gpustr.enabled', 'on', false);
  PERFORM set_config('gpustr.debug_require', 'require', false);
  EXECUTE 'EXPLAIN (FORMAT JSON, COSTS OFF) ' || query INTO plan;
  SELECT count(*) INTO n FROM jsonb_path_query(plan, 'strict $.**."GPU Output"[*]');
  PERFORM set_config('gpustr.debug_require', 'allow', false);
  PERFORM set_config('gpustr.enabled', 'off', false);
  RETURN n;
END $$;
\set ECHO all

CREATE TABLE people (gone int, id int, name text, visibility text, card varchar(30), code char(12), level name);
INSERT INTO people
SELECT 0, g,
  CASE g % 9 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'Ölaf Åström' WHEN 3 THEN ' ' WHEN 4 THEN '漢字 仮名 x'
       WHEN 5 THEN 'Mary  Ann ' || g WHEN 6 THEN 'Single' ELSE 'Jane Doe' || g END,
  CASE g % 4 WHEN 0 THEN 'public' WHEN 1 THEN 'private' WHEN 2 THEN NULL ELSE 'publiC' END,
  CASE WHEN g % 11 = 0 THEN NULL ELSE 'ß' || g || '-4000-1234' END,
  'c' || g % 100, 'public'
FROM generate_series(1, 4000) g;
ALTER TABLE people DROP COLUMN gone;
ALTER TABLE people ADD COLUMN extra text DEFAULT 'Added Later';
-- compressed, external, and longer than a page
INSERT INTO people VALUES
  (-1, repeat('Long ', 2000) || 'Name', 'public', 'x', 'y', 'public', 'Not Missing'),
  (-2, (SELECT string_agg(chr(65 + g * 7919 % 57), '') FROM generate_series(1, 9000) g) || ' Last', 'public', 'x', 'y', 'z', NULL),
  (-3, 'Jane ' || repeat('d', 3000), 'public', 'x', 'y', 'public', '');
ANALYZE people;

-- what EXPLAIN says
SET gpustr.debug_require = 'require';
SELECT explain_masked('COSTS OFF, VERBOSE', 'SELECT id, gpustr.redact(name, visibility) FROM people WHERE id > 7');
SELECT explain_masked('COSTS OFF', $$SELECT upper(gpustr.redact(name, visibility)) || gpustr.mask(card, 1, 4) FROM people$$);
SELECT explain_masked('COSTS OFF, FORMAT JSON', $$SELECT gpustr.mask(name, 1, 4) FROM people$$);
SELECT explain_masked('COSTS OFF', $$SELECT count(r) FROM (SELECT gpustr.redact(name, visibility) AS r FROM people OFFSET 0) s$$);
SELECT explain_masked('COSTS OFF, ANALYZE, SUMMARY OFF', $$SELECT gpustr.redact(name, visibility) FROM people$$);
SELECT id, gpustr.redact(name, visibility), gpustr.mask(card, 1, 4), gpustr.mask(code, 2, 0, '##'), gpustr.redact(extra, level)
FROM people WHERE id BETWEEN -1 AND 12 AND id <> -1;
SET gpustr.debug_require = 'allow';

-- the same as without
SELECT query, computed(query) AS n, same(query) FROM (VALUES
  ($$SELECT gpustr.redact(name, visibility) FROM people$$),
  ($$SELECT id, gpustr.redact(name, visibility) AS r FROM people$$),
  ($$SELECT gpustr.redact(name, visibility) AS a, gpustr.mask(name, 1, 1) AS b, gpustr.mask(card, 0, 4, '') AS c, gpustr.redact(extra, 'public') AS d FROM people$$),
  ($$SELECT gpustr.redact(name, visibility) AS a, gpustr.redact(name, visibility) AS b, name FROM people$$),
  ($$SELECT gpustr.mask(name, 1, 1) AS a, gpustr.mask(name, 1, 2) AS b, gpustr.mask(name, 1, 3) AS c, gpustr.mask(name, 1, 4) AS d, gpustr.mask(name, 1, 5) AS e FROM people$$),
  ($$SELECT gpustr.mask(name, 0, 0, '漢') AS a, gpustr.mask(code, 3, 3, 'ab') AS b, gpustr.mask(level, 1, 1) AS c FROM people$$),
  ($$SELECT gpustr.mask(gpustr.redact(name, visibility), 1, 0) AS r FROM people$$),
  ($$SELECT gpustr.redact(coalesce(name, extra), CASE WHEN id % 2 = 0 THEN 'public' ELSE visibility END) AS r FROM people$$),
  ($$SELECT upper(gpustr.redact(name, visibility)) || id AS r, length(gpustr.mask(card, 1, 1)) AS l FROM people$$),
  ($$SELECT CASE WHEN id % 3 = 0 THEN gpustr.mask(name, 2, 2) ELSE card END AS r FROM people$$),
  ($$SELECT gpustr.redact(name, visibility) AS r FROM people WHERE id % 5 = 1$$),
  ($$SELECT gpustr.redact(name, visibility) AS r, id FROM people WHERE name LIKE '%a%' AND lower(visibility) = 'public'$$),
  ($$SELECT gpustr.redact(name, visibility) AS r FROM people WHERE gpustr.redact(name, visibility) LIKE 'X%' AND id > 5$$),
  ($$SELECT gpustr.redact(name, visibility) AS r FROM people WHERE id < 0$$),
  ($$SELECT gpustr.redact(name, visibility) AS r FROM people WHERE name LIKE '%nobody%'$$),
  ($$SELECT DISTINCT gpustr.redact(name, visibility) AS r FROM people$$),
  ($$SELECT gpustr.redact(name, visibility) AS r, count(*) FROM people GROUP BY 1$$),
  ($$SELECT upper(gpustr.mask(code, 1, 0)) AS r, max(id), max(gpustr.redact(name, visibility)) AS m FROM people GROUP BY 1 HAVING count(*) > 3$$),
  ($$SELECT max(r), count(r), count(*) AS n FROM (SELECT gpustr.redact(name, visibility) AS r FROM people OFFSET 0) s$$),
  ($$SELECT r FROM (SELECT gpustr.redact(name, visibility) AS r, id FROM people ORDER BY gpustr.redact(name, visibility), id LIMIT 50 OFFSET 3) s$$),
  ($$SELECT id, (SELECT count(*) FROM people b WHERE b.id = a.id + 1) AS n, gpustr.mask(card, 2, 2) AS m FROM people a WHERE id < 20$$),
  ($$SELECT gpustr.mask(card, 2, 2) AS m FROM people a WHERE EXISTS (SELECT FROM people b WHERE b.id = a.id * 3) AND a.id > 0$$),
  ($$SELECT a.id, m FROM people a, LATERAL (SELECT gpustr.mask(b.name, 1, 0) AS m FROM people b WHERE b.id = a.id OFFSET 0) s WHERE a.id < 9 AND a.name LIKE '%a%'$$),
  ($$WITH s AS MATERIALIZED (SELECT gpustr.mask(name, 1, 0) AS m FROM people) SELECT * FROM s$$),
  ($$SELECT gpustr.mask(name, 1, 0) AS m FROM people UNION ALL SELECT gpustr.redact(name, visibility) FROM people$$)) q (query);

-- errors are PostgreSQL's, and only for rows that get there
SELECT query, computed(query) AS n, same(query) FROM (VALUES
  ($$SELECT gpustr.mask(name, -1, 0) AS r FROM people$$),
  ($$SELECT gpustr.mask(name, -1, 0) AS r FROM people WHERE id > 100000$$),
  ($$SELECT CASE WHEN id > 100000 THEN gpustr.mask(name, -1, 0) END AS r FROM people$$),
  ($$SELECT gpustr.redact(name, CASE WHEN 10 / id > 1 THEN 'public' ELSE 'x' END) AS r FROM people$$),
  ($$SELECT gpustr.redact(name, CASE WHEN 10 / (id - 7) > 1 THEN 'public' ELSE 'x' END) AS r FROM people WHERE id <> 7$$),
  ($$SELECT gpustr.redact(name, CASE WHEN 10 / (id - 7) > 1 THEN 'public' ELSE 'x' END) AS r FROM people$$)) q (query);

-- a text that would be longer than 1 GB is PostgreSQL's to refuse
CREATE TABLE wide (s text, ok bool);
INSERT INTO wide VALUES ('short', true), (repeat('y', 20000), false);
SELECT query, computed(query) AS n, same(query) FROM (VALUES
  ($$SELECT length(gpustr.mask(s, 0, 0, repeat('z', 60000))) AS r FROM wide$$),
  ($$SELECT length(gpustr.mask(s, 0, 0, repeat('z', 60000))) AS r FROM wide WHERE ok$$),
  ($$SELECT CASE WHEN ok THEN length(gpustr.mask(s, 0, 0, repeat('z', 60000))) END AS r FROM wide$$)) q (query);
SET gpustr.debug_require = 'require';
SET gpustr.enabled = on;
SELECT gpustr.mask(s, 0, 0, repeat('z', 100000)) AS r FROM wide;
SET gpustr.debug_require = 'allow';

-- values that need more room than a batch has at first
CREATE TABLE many (id int, s text);
INSERT INTO many SELECT g, repeat('v', g % 200) FROM generate_series(1, 20000) g;
SELECT query, computed(query) AS n, same(query) FROM (VALUES
  ($$SELECT id, gpustr.mask(s, 1, 1, 'twelve bytes') AS r FROM many$$),
  ($$SELECT id, gpustr.mask(s, 1, 1, 'twelve bytes') AS r, gpustr.mask(s, 0, 1, '') AS q FROM many WHERE id % 3 = 0$$)) q (query);

-- where the target list does not get to the scan, or needs the table's tuples
SELECT query, computed(query) AS n FROM (VALUES
  ($$SELECT count(gpustr.redact(name, visibility)) FROM people WHERE id > 0$$),
  ($$SELECT gpustr.redact(name, visibility), row_number() OVER () FROM people WHERE id > 0$$),
  ($$SELECT gpustr.redact(name, visibility), generate_series(1, 2) FROM people WHERE id > 0$$),
  ($$SELECT gpustr.redact(name, visibility), count(*) FROM people WHERE id > 0 GROUP BY GROUPING SETS ((1), ())$$),
  ($$SELECT gpustr.redact(a.name, a.visibility) FROM people a JOIN people b USING (id) WHERE a.id > 0$$),
  ($$SELECT ctid, gpustr.redact(name, visibility) FROM people WHERE id > 0$$),
  ($$SELECT people, gpustr.redact(name, visibility) FROM people WHERE id > 0$$),
  ($$SELECT gpustr.redact(name, visibility) FROM people WHERE id > 0 AND tableoid > 0$$),
  ($$SELECT gpustr.redact(name, visibility) FROM people WHERE id > 0 FOR UPDATE$$),
  ($$UPDATE people SET name = gpustr.redact(name, visibility) WHERE id > 0$$),
  ($$DELETE FROM people WHERE id > 0 RETURNING gpustr.redact(name, visibility)$$)) q (query);
SELECT query, computed(query) AS n FROM (VALUES
  ($$SELECT gpustr.redact(quote_literal(name), visibility) FROM people WHERE id > 0$$),
  ($$SELECT gpustr.mask(name, id, 0) FROM people WHERE id > 0$$),
  ($$SELECT gpustr.redact(name, (SELECT 'public')) FROM people WHERE id > 0$$),
  ($$SELECT gpustr.redact(ARRAY[name], ARRAY[visibility]) FROM people WHERE id > 0$$)) q (query);
SELECT query, same(query) FROM (VALUES
  ($$SELECT ctid AS c, gpustr.redact(name, visibility) AS r FROM people WHERE id > 0$$),
  ($$SELECT people AS p, gpustr.redact(name, visibility) AS r FROM people WHERE id > 0$$),
  ($$SELECT gpustr.redact(name, (SELECT 'public')) AS r FROM people WHERE id > 0$$),
  ($$SELECT gpustr.redact(name, visibility) AS r, row_number() OVER (ORDER BY id) AS n FROM people WHERE id > 0$$)) q (query);
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT upper(gpustr.redact(quote_literal(p.name), visibility)), gpustr.mask(name, id, 0), gpustr.mask(code, 1, 1) FROM people p WHERE id > 0 AND quote_ident(name) = 'x'$$);
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT ctid, gpustr.mask(code, 1, 1) FROM people p WHERE id > 0$$);
SELECT gpustr.redact(quote_literal(name), visibility) FROM people;
SET gpustr.enable_output = off;
SELECT gpustr.redact(name, visibility) FROM people;
RESET gpustr.enable_output;

-- a function of the same name, or of the same symbol elsewhere, is another one
SET gpustr.debug_require = 'allow';
CREATE FUNCTION redact(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$SELECT quote_literal($1)$$;
CREATE FUNCTION gpustr_redact(text, text) RETURNS text LANGUAGE internal IMMUTABLE STRICT AS 'textcat';
SELECT computed('SELECT redact(name, visibility) FROM people WHERE id > 0'),
       computed('SELECT gpustr_redact(name, visibility) FROM people WHERE id > 0');
DROP FUNCTION redact(text, text), gpustr_redact(text, text);

-- INSERT ... SELECT, COPY, CREATE TABLE AS, a view, a function, a rule
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
CREATE TABLE redacted (id int, r text, m varchar(8), again text);
INSERT INTO redacted SELECT id, gpustr.redact(name, visibility), left(gpustr.mask(card, 1, 1), 8), gpustr.redact(name, visibility) FROM people;
INSERT INTO redacted (r, id) SELECT gpustr.redact(name, visibility), -id FROM people WHERE id > 3990 RETURNING id, r;
COPY (SELECT id, gpustr.redact(name, visibility) FROM people ORDER BY id OFFSET 3 LIMIT 5) TO STDOUT;
CREATE TABLE made AS SELECT id, gpustr.redact(name, visibility) AS r FROM people;
CREATE VIEW shown AS SELECT id, gpustr.redact(name, visibility) AS r FROM people;
CREATE VIEW barrier WITH (security_barrier) AS SELECT id, gpustr.redact(name, visibility) AS r FROM people WHERE id % 2 = 0;
SELECT * FROM shown WHERE id IN (7, 8);
SELECT * FROM barrier WHERE id IN (7, 8) OR r LIKE 'never%';
SET gpustr.debug_require = 'allow';
SELECT count(*), count(*) FILTER (WHERE d.r IS DISTINCT FROM gpustr.redact(p.name, p.visibility) OR d.again IS DISTINCT FROM d.r OR d.m IS DISTINCT FROM left(gpustr.mask(p.card, 1, 1), 8)) AS wrong
FROM redacted d JOIN people p USING (id);
SELECT count(*), count(*) FILTER (WHERE m.r IS DISTINCT FROM gpustr.redact(p.name, p.visibility)) AS wrong FROM made m JOIN people p USING (id);

-- Params: a generic plan, and one that is run over and over
SET gpustr.debug_require = 'require';
SET plan_cache_mode = force_generic_plan;
PREPARE p (text, int, text) AS
  SELECT id, gpustr.redact(name, $1), gpustr.mask(card, $2, 2, $3) FROM people WHERE id BETWEEN 1 AND 5;
SELECT explain_masked('COSTS OFF', $$EXECUTE p ('public', 1, '*')$$);
EXECUTE p ('public', 1, '*');
EXECUTE p ('private', 0, '<>');
EXECUTE p (NULL, 0, NULL);
EXECUTE p ('public', -1, '*');
EXECUTE p ('public', 3, '');
DEALLOCATE p;
RESET plan_cache_mode;

-- cursors: forward, backward, held, and moved about
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id, gpustr.redact(name, visibility) AS r, gpustr.mask(card, 1, 1) FROM people WHERE id > 10;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH 2 FROM c;
MOVE LAST FROM c;
FETCH 1 FROM c;
FETCH BACKWARD 3 FROM c;
FETCH FIRST FROM c;
CLOSE c;
DECLARE h CURSOR WITH HOLD FOR SELECT id, gpustr.redact(name, visibility) AS r FROM people WHERE id > 3997;
FETCH 1 FROM h;
COMMIT;
FETCH ALL FROM h;
CLOSE h;
-- WHERE CURRENT OF: after a row that PostgreSQL computes comes one whose tuple is not looked at
BEGIN;
CREATE TABLE current AS SELECT id, CASE id WHEN 2 THEN (SELECT name FROM people WHERE id = -2) ELSE name END AS name, visibility
FROM people WHERE id BETWEEN 1 AND 5 ORDER BY id;
DECLARE c NO SCROLL CURSOR FOR SELECT gpustr.mask(name, 1, 1) IS NULL FROM current WHERE id > 0;
DECLARE d NO SCROLL CURSOR FOR SELECT gpustr.redact(name, visibility) FROM current;
MOVE 4 FROM c;
MOVE 4 FROM d;
SET LOCAL gpustr.debug_require = 'allow';
DELETE FROM current WHERE CURRENT OF c RETURNING id;
MOVE 1 FROM d;
UPDATE current SET name = 'here' WHERE CURRENT OF d RETURNING id, name;
ROLLBACK;

-- a call that is not computed, of what an outer join would have made NULL
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT gpustr.redact(quote_literal(n), v) FROM (SELECT 1) d LEFT JOIN
  (SELECT coalesce(name, 'none') AS n, visibility AS v, id FROM people) s ON true WHERE v = 'public' AND id > 7$$);
SELECT gpustr.redact(n, v) FROM (SELECT 1) d LEFT JOIN
  (SELECT coalesce(name, 'none') AS n, visibility AS v, id FROM people) s ON true WHERE v = 'public' AND id BETWEEN 7 AND 13;
-- of an outer query's value
SELECT explain_masked('COSTS OFF, VERBOSE', $$SELECT (SELECT min(r) FROM
  (SELECT gpustr.redact(name, v) AS r FROM people WHERE id > 7 OFFSET 0) s) FROM (VALUES ('public'), ('private')) q (v)$$);

-- what is put off until after LIMIT is not computed, so a scan does not get cheaper by it
SELECT query, computed(query) FROM (VALUES
  ($$SELECT gpustr.mask(name, 1, 1), visibility FROM people WHERE id > 0 ORDER BY id LIMIT 3$$),
  ($$SELECT gpustr.mask(name, 1, 1) || visibility FROM people WHERE id > 0 ORDER BY id LIMIT 3$$),
  ($$SELECT gpustr.mask(name, 1, 1) || visibility FROM people WHERE id > 0 ORDER BY 1 LIMIT 3$$)) q (query);
SET gpustr.enabled = on;
SET gpustr.device_startup_cost = 0;
SELECT explain_masked('COSTS OFF', $$SELECT gpustr.mask(name, 1, 1) || visibility FROM people ORDER BY id LIMIT 3$$);
SELECT explain_masked('COSTS OFF', $$SELECT gpustr.mask(name, 1, 1) || visibility FROM people ORDER BY id$$);
RESET gpustr.device_startup_cost;

-- partitions of another column order, and inheritance
SET gpustr.debug_require = 'allow';
CREATE TABLE parts (id int, name text, visibility text) PARTITION BY RANGE (id);
CREATE TABLE parts1 (visibility text, junk int, id int, name text);
ALTER TABLE parts1 DROP COLUMN junk;
ALTER TABLE parts ATTACH PARTITION parts1 FOR VALUES FROM (0) TO (1000);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (1000) TO (5000) PARTITION BY LIST (visibility);
CREATE TABLE parts2p PARTITION OF parts2 FOR VALUES IN ('public');
CREATE TABLE parts2d PARTITION OF parts2 DEFAULT;
INSERT INTO parts SELECT id, name, visibility FROM people WHERE id >= 0;
CREATE TABLE parent (id int, name text, visibility text);
CREATE TABLE child (more int) INHERITS (parent);
INSERT INTO parent SELECT id, name, visibility FROM people WHERE id % 2 = 0;
INSERT INTO child SELECT id, name, visibility, 1 FROM people WHERE id % 2 = 1;
ANALYZE parts, parent, child;
SELECT query, computed(query) AS n, same(query) FROM (VALUES
  ($$SELECT gpustr.redact(name, visibility) AS r FROM parts$$),
  ($$SELECT id, gpustr.redact(name, visibility) AS r FROM parts WHERE id % 7 = 1$$),
  ($$SELECT gpustr.mask(name, 1, 1) AS r, count(*) FROM parts GROUP BY 1$$),
  ($$SELECT r FROM (SELECT gpustr.redact(name, visibility) AS r, id FROM parts ORDER BY id DESC LIMIT 9) s$$),
  ($$SELECT gpustr.redact(name, visibility) AS r FROM parent WHERE id > 0$$)) q (query);

-- parallel
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT query, computed(query) AS n, same(query) FROM (VALUES
  ($$SELECT gpustr.redact(name, visibility) AS r FROM people$$),
  ($$SELECT id, gpustr.redact(name, visibility) AS r FROM people WHERE name LIKE '%a%'$$),
  ($$SELECT gpustr.redact(name, visibility) AS r, count(*) FROM people GROUP BY 1$$),
  ($$SELECT id, gpustr.redact(name, visibility) AS r FROM parts ORDER BY 2, 1$$)) q (query);
SET gpustr.enabled = on;
SET gpustr.debug_require = 'require';
SET :force_parallel = regress;
SELECT count(r), max(length(r)) FROM (SELECT gpustr.redact(name, visibility) AS r FROM people OFFSET 0) s;
RESET :force_parallel;
SET gpustr.debug_require = 'allow';
DROP TABLE people, wide, many, redacted, made, parts, parent CASCADE;
DROP FUNCTION same, outcome, with_gpu, explain_masked, computed;
