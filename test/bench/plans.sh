#!/bin/bash
#
# The cost of a wrong choice: seventy queries over tables of 1,000 to 3 million
# rows, each with the plan that the planner chooses, without gpustr, and with a
# GpuScan where one is possible.  The tables of 1,000 rows shall keep PostgreSQL's
# plans, so they have a line of their own.
#
#	test/bench/plans.sh
#
# For each query: the time without gpustr and with a GpuScan, which of the two the
# planner chooses, and the ratio of its time to the best.  The last line is the worst
# ratio.  Times are the least of RUNS, taken in turn: what else runs on the machine
# only ever adds to them, and comes and goes within tenths of a second.  Then what
# gpustr costs where it is not used: planning time of an indexed point query.
#
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=test/bench/lib.sh
. test/bench/lib.sh

RUNS=${RUNS:-7}

bench_begin 2GB
sql bench -v ON_ERROR_STOP=1 -f - <<'SQL'
CREATE TABLE small AS SELECT i AS id, i % 7 AS kind, md5(i::text) AS msg, i::float8 / 3 AS val FROM generate_series(1, 1000) i;
CREATE TABLE middle AS SELECT i AS id, i % 100 AS kind, md5(i::text) || ' ' || i AS msg, i::float8 / 3 AS val
	FROM generate_series(1, 100000) i;
CREATE TABLE large AS SELECT i AS id, i % 1000 AS kind, md5(i::text) || ' line ' || i || ' of the log' AS msg,
	i::float8 / 3 AS val FROM generate_series(1, 3000000) i;
CREATE TABLE wide AS SELECT i AS id, i % 10 AS kind, repeat(md5(i::text), 20) AS msg, i::float8 AS val
	FROM generate_series(1, 200000) i;
CREATE TABLE toasted (id int, kind int, msg text, val float8);
ALTER TABLE toasted ALTER msg SET STORAGE EXTERNAL;
INSERT INTO toasted SELECT i, i % 10, repeat(md5(i::text), 80), i FROM generate_series(1, 20000) i;
CREATE INDEX ON small (id);
CREATE INDEX ON middle (id);
CREATE INDEX ON large (id);
CREATE INDEX ON large (kind);
VACUUM ANALYZE small, middle, large, wide, toasted;

-- Times one query without gpustr and with a GpuScan, in milliseconds without
-- planning: the least of runs; NULL if no GpuScan is possible
CREATE FUNCTION times_of(query text, runs int, OUT plain float8, OUT gpu float8) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	FOR i IN 1..runs LOOP
		PERFORM set_config('gpustr.enabled', 'off', true);
		EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
		plain := least(plain, (plan->0->>'Execution Time')::float8);
		PERFORM set_config('gpustr.enabled', 'on', true);
		PERFORM set_config('gpustr.debug_require', 'require', true);
		BEGIN
			EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
			gpu := least(gpu, (plan->0->>'Execution Time')::float8);
		EXCEPTION WHEN feature_not_supported THEN
		END;
		PERFORM set_config('gpustr.debug_require', 'allow', true);
	END LOOP;
END $$;

CREATE FUNCTION uses_gpu(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan::text LIKE '%GpuScan%';
END $$;

-- Planning time in microseconds with gpustr on and off, in turn: means of the
-- nine fastest tenths, as the clock has whole microseconds
CREATE FUNCTION planning_of(query text, runs int, OUT on_us float8, OUT off_us float8) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
	times float8[];
	enabled text;
BEGIN
	FOR i IN 1..runs LOOP
		FOREACH enabled IN ARRAY '{on,off}'::text[] LOOP
			PERFORM set_config('gpustr.enabled', enabled, true);
			EXECUTE 'EXPLAIN (SUMMARY, FORMAT JSON) ' || query INTO plan;
			times := times || 1000 * (plan->0->>'Planning Time')::float8;
		END LOOP;
	END LOOP;
	SELECT avg(t) FILTER (WHERE n % 2 = 1), avg(t) FILTER (WHERE n % 2 = 0) INTO on_us, off_us
	FROM (SELECT t, n, percent_rank() OVER (PARTITION BY n % 2 ORDER BY t) AS rank
		FROM unnest(times) WITH ORDINALITY u (t, n)) u WHERE rank < 0.9;
END $$;

CREATE TABLE queries (n serial, query text);
INSERT INTO queries (query)
SELECT format('SELECT %s FROM %s WHERE %s', columns, tab, clause)
FROM unnest('{small,middle,large,wide,toasted}'::text[]) tab,
	(VALUES
		('count(*)', 'msg LIKE ''%77%line%'''),
		('count(*)', 'msg LIKE ''abc%'''),
		('count(*)', 'msg LIKE ''%a%'''),
		('count(*)', 'kind = 3 AND msg LIKE ''%9%'''),
		('count(*)', 'id BETWEEN 500 AND 510'),
		('count(*)', 'id < 90000 AND val > 12'),
		('sum(length(msg))', 'msg NOT LIKE ''%zzz%'''),
		('id, msg', 'msg LIKE ''%77 line 1%'''),
		('max(val)', 'msg = ''nothing'' OR kind IN (1, 2, 3, 5, 8)'),
		('count(*)', 'msg ILIKE ''%AB%9%'' AND val IS NOT NULL')) q (columns, clause);
INSERT INTO queries (query)
SELECT replace(query, 'TAB', tab)
FROM unnest('{small,middle,large,wide,toasted}'::text[]) tab,
	unnest(ARRAY['SELECT count(r) FROM (SELECT gpustr.redact(msg, ''public'') AS r FROM TAB OFFSET 0) s',
		'SELECT id, gpustr.mask(msg, 4, 4) FROM TAB LIMIT 20',
		'SELECT gpustr.mask(msg, 4, 4) AS m, count(*) FROM TAB WHERE kind = 3 GROUP BY 1 ORDER BY 1 LIMIT 5',
		'SELECT id, kind, gpustr.mask(msg, 4, 4) FROM TAB WHERE id BETWEEN 500 AND 600']) query;
SQL
wait_until_registered || die "no device"

measure()
{
	sql bench -q -v runs="$RUNS" -f - <<SQL
$1
CREATE TABLE figures AS
	SELECT n, query, uses_gpu(query) AS chose_gpu, plain, gpu FROM queries, times_of(query, :runs);
SELECT n, CASE WHEN chose_gpu THEN 'gpu' ELSE '' END AS chose, round(plain::numeric, 2) AS plain_ms,
	round(gpu::numeric, 2) AS gpu_ms,
	round((CASE WHEN chose_gpu THEN gpu ELSE plain END / least(plain, gpu))::numeric, 2) AS ratio, query
FROM figures ORDER BY 5 DESC, n;
SELECT query ~ 'small' AS thousand_rows, count(*) AS queries, count(*) FILTER (WHERE chose_gpu) AS on_gpu,
	round(max(CASE WHEN chose_gpu THEN gpu ELSE plain END / least(plain, gpu))::numeric, 2) AS worst_ratio,
	round(max(CASE WHEN chose_gpu THEN gpu ELSE plain END - least(plain, gpu))::numeric, 2) AS worst_ms_lost
FROM figures GROUP BY 1 ORDER BY 1;
DROP TABLE figures;
SQL
}

echo
echo 'as shipped:'
measure ''
echo 'after the ALTER SYSTEM commands of gpustr.calibrate():'
sql bench -At -c 'SELECT command FROM gpustr.calibrate()' | tee >(cat >&2) | sql bench -q -f -
sql bench -c 'SELECT pg_reload_conf()' >/dev/null
measure ''

echo 'planning time in microseconds, gpustr on and off:'
sql bench -q -f - <<'SQL'
SELECT query, round(on_us::numeric, 1) AS "on", round(off_us::numeric, 1) AS "off",
	round((100 * (on_us / off_us - 1))::numeric, 1) AS percent
FROM unnest(ARRAY['SELECT * FROM large WHERE id = 7', 'SELECT * FROM small WHERE msg LIKE ''%7%''']) query,
	planning_of(query, 10000);
SQL
