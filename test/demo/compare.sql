-- Run each question with gpustr on and off, and show what each says and costs.

-- The engine that EXPLAIN names for a query, or "PostgreSQL".
CREATE FUNCTION engine_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line ~ '^\s*Engine: ' THEN
			RETURN regexp_replace(line, '^\s*Engine: ', '');
		END IF;
	END LOOP;
	RETURN 'PostgreSQL';
END $$;

-- The answer of a query and how long it took: the best of two runs.
CREATE FUNCTION timed(query text, OUT answer text, OUT ms numeric) LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
	took numeric;
BEGIN
	FOR run IN 1 .. 2 LOOP
		start := clock_timestamp();
		EXECUTE query INTO answer;
		took := extract(epoch FROM clock_timestamp() - start) * 1000;
		ms := least(ms, took);
	END LOOP;
END $$;

CREATE FUNCTION compare(query text, required text, OUT answer text, OUT "without gpustr" text, OUT equal text,
						OUT ms numeric, OUT "ms without" numeric, OUT engine text)
LANGUAGE plpgsql AS $$
DECLARE
	on_ record;
	off_ record;
BEGIN
	SET LOCAL gpustr.enabled = on;
	PERFORM set_config('gpustr.debug_require', required, true);
	engine := engine_of(query);
	on_ := timed(query);
	SET LOCAL gpustr.debug_require = 'forbid';
	SET LOCAL gpustr.enabled = off;
	off_ := timed(query);
	RESET gpustr.debug_require;
	RESET gpustr.enabled;
	answer := on_.answer;
	"without gpustr" := off_.answer;
	equal := CASE WHEN on_.answer IS NOT DISTINCT FROM off_.answer THEN 'yes' ELSE 'NO' END;
	ms := round(on_.ms, 1);
	"ms without" := round(off_.ms, 1);
END $$;

\echo
\echo '--- How a count over a LIKE is planned and run'
\echo
EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, SUMMARY OFF)
SELECT count(*) FROM logs WHERE line LIKE '%Googlebot%' AND length(line) > 100;

\echo '--- Questions with gpustr on (a GpuScan or a GpuJoin wherever one is possible) and off: one process each, milliseconds, best of two'
\echo
CREATE TEMP TABLE questions (nr serial, about text, query text, required text DEFAULT 'require');
INSERT INTO questions (about, query) VALUES
	('log lines of Googlebot',
	 $$SELECT count(*) FROM logs WHERE line LIKE '%Googlebot%'$$),
	('pages not found, not by a browser',
	 $$SELECT count(*) FROM logs WHERE line LIKE '%" 404 %' AND line NOT LIKE '%Mozilla%'$$),
	('PNG or JPEG from one month',
	 $$SELECT sum(id) FROM logs WHERE (line LIKE '%.png %' OR line LIKE '%.jp_g %') AND line LIKE '%/May/2015%'$$),
	('descriptions of libraries',
	 $$SELECT count(*) FROM packages WHERE description LIKE '%library%'$$),
	('one section, without development files',
	 $$SELECT count(*) FROM packages WHERE section = 'libs' AND NOT package LIKE '%-dev'$$);
INSERT INTO questions (about, query, required) VALUES
	('each package beside its first copy, by name',
	 $$SELECT count(*) FROM packages p JOIN packages f USING (package) WHERE f.id <= 100000$$, 'require_join');
CREATE TEMP TABLE answers AS SELECT nr, about, c.* FROM questions, compare(query, required) AS c ORDER BY nr;
SELECT about, answer, "without gpustr", equal, ms, "ms without", engine FROM answers ORDER BY nr;

\echo '--- Redaction of a table: gpustr.redact(name, visibility)'
\echo
SELECT name, visibility, gpustr.redact(name, visibility)
FROM people WHERE id % 111111 = 1 ORDER BY id;

SET gpustr.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT name, visibility, gpustr.redact(name, visibility) FROM people;
RESET gpustr.debug_require;

-- The whole table four ways: each answer is the digest of all its rows.
CREATE TEMP TABLE ways (nr serial, way text, query text);
INSERT INTO ways (way, query) VALUES
	('as one array: gpustr.redact(text[], text[])',
	 $$SELECT md5(string_agg(r, ',')) FROM unnest(gpustr.redact(
		ARRAY(SELECT name FROM people ORDER BY id), ARRAY(SELECT visibility FROM people ORDER BY id))) AS r$$),
	('computed in the scan, GPU Output: gpustr.redact(text, text)',
	 $$SELECT md5(string_agg(r, ',' ORDER BY id)) FROM (SELECT id, gpustr.redact(name, visibility) AS r FROM people OFFSET 0) AS s$$),
	('row by row, by PostgreSQL: gpustr.redact(text, text)',
	 $$SELECT md5(string_agg(gpustr.redact(name, visibility), ',' ORDER BY id)) FROM people$$),
	('in plain SQL, without gpustr',
	 $$SELECT md5(string_agg(CASE WHEN visibility = 'public'
		THEN substr(split_part(name, ' ', 2), 1, 1) || ' ' || split_part(name, ' ', 1)
		ELSE 'X X' END, ',' ORDER BY id)) FROM people$$);
CREATE TEMP TABLE redacted AS SELECT nr, way, t.* FROM ways, timed(query) AS t ORDER BY nr;
SELECT way, answer AS "digest of all rows",
       CASE WHEN answer = (SELECT answer FROM redacted ORDER BY nr DESC LIMIT 1) THEN 'yes' ELSE 'NO' END AS equal,
       round(ms, 1) AS ms
FROM redacted ORDER BY nr;

\echo '--- What the device processes did'
\echo
SELECT * FROM gpustr.devices();
\x auto
SELECT * FROM gpustr.stat_device;
\x off

-- The last word, for the script.
SELECT CASE WHEN (SELECT bool_and(equal = 'yes') FROM answers)
             AND (SELECT count(DISTINCT answer) = 1 FROM redacted)
       THEN 'All answers are equal.' ELSE 'SOME ANSWERS DIFFER.' END AS verdict \gset
\echo :verdict
