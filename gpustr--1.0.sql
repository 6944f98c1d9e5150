/* gpustr--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpustr" to load this file. \quit

-- Functions are for everybody, monitoring is restricted below
GRANT USAGE ON SCHEMA @extschema@ TO PUBLIC;

-- Redaction

CREATE FUNCTION redact(name text, visibility text) RETURNS text
	AS 'MODULE_PATHNAME', 'gpustr_redact'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION redact(text, text) IS
	'initial of the last name and the first name if visibility is ''public'', else ''X X''';

CREATE FUNCTION redact(names text[], visibilities text[]) RETURNS text[]
	AS 'MODULE_PATHNAME', 'gpustr_redact_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION redact(text[], text[]) IS
	'redact(text, text) element by element, in batches on a device where one is up';

CREATE FUNCTION mask(value text, keep_left integer, keep_right integer, mask text DEFAULT 'X')
	RETURNS text
	AS 'MODULE_PATHNAME', 'gpustr_mask'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION mask(text, integer, integer, text) IS
	'value with each character replaced by mask, but for the first keep_left and the last keep_right';

-- Search

CREATE FUNCTION contains_any(value text, patterns text[]) RETURNS boolean
	AS 'MODULE_PATHNAME', 'gpustr_contains_any'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION contains_any(text, text[]) IS
	'whether at least one of the patterns, byte by byte, occurs in value; NULL patterns occur nowhere, empty ones in every value';

CREATE FUNCTION matching(value text, patterns text[]) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'gpustr_matching'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

COMMENT ON FUNCTION matching(text, text[]) IS
	'which of the patterns occur in value, as contains_any() has it: their positions in the array, counted from 1, ascending';

CREATE FUNCTION redact_pii(value text, kinds text[]) RETURNS text
	AS 'MODULE_PATHNAME', 'gpustr_redact_pii'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION redact_pii(text, text[]) IS
	'value with personal data of these kinds hidden: email, phone, card, ipv4, ipv6, iban, ssn';

CREATE FUNCTION redact_pii(texts text[], kinds text[]) RETURNS text[]
	AS 'MODULE_PATHNAME', 'gpustr_redact_pii_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION redact_pii(text[], text[]) IS
	'redact_pii(text, text[]) element by element, in batches on a device where one is up';

CREATE FUNCTION redact_pattern(value text, regex text, replacement text) RETURNS text
	AS 'MODULE_PATHNAME', 'gpustr_redact_pattern'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION redact_pattern(text, text, text) IS
	'regexp_replace(value, regex, replacement, ''g'')';

CREATE FUNCTION find(haystack text, pattern text, start integer DEFAULT 1) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpustr_find'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION find(text, text, integer) IS
	'first position from start on where pattern stands in haystack, in characters from 1; 0: nowhere';

CREATE FUNCTION find(haystack bytea, pattern bytea, start integer DEFAULT 1) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpustr_find_bytea'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION find(bytea, bytea, integer) IS
	'first position from start on where pattern stands in haystack, in bytes from 1; 0: nowhere';

CREATE FUNCTION find_all(haystack text, pattern text) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'gpustr_find_all'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION find_all(text, text) IS
	'all positions where pattern stands in haystack, in characters from 1, ascending; they may overlap';

CREATE FUNCTION find_all(haystack bytea, pattern bytea) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'gpustr_find_all_bytea'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION find_all(bytea, bytea) IS
	'all positions where pattern stands in haystack, in bytes from 1, ascending; they may overlap';

CREATE FUNCTION count_matches(haystack text, pattern text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpustr_count_matches'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

COMMENT ON FUNCTION count_matches(text, text) IS
	'at how many positions pattern stands in haystack; they may overlap';

CREATE FUNCTION count_matches(haystack bytea, pattern bytea) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpustr_count_matches_bytea'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;

COMMENT ON FUNCTION count_matches(bytea, bytea) IS
	'at how many positions pattern stands in haystack; they may overlap';

CREATE FUNCTION edit_distance(a text, b text) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpustr_edit_distance'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

COMMENT ON FUNCTION edit_distance(text, text) IS
	'the least number of characters to insert, delete or replace that makes b of a';

CREATE FUNCTION edit_distance_within(a text, b text, k integer) RETURNS boolean
	AS 'MODULE_PATHNAME', 'gpustr_edit_distance_within'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;

COMMENT ON FUNCTION edit_distance_within(text, text, integer) IS
	'is edit_distance(a, b) at most k?';

CREATE FUNCTION fuzzy_find(haystack text, pattern text, k integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpustr_fuzzy_find'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

COMMENT ON FUNCTION fuzzy_find(text, text, integer) IS
	'position of the part of haystack that ends first of those at most k edits away from pattern; 0: there is none';

CREATE FUNCTION find(haystacks text[], pattern text, start integer DEFAULT 1) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'gpustr_find_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION find(text[], text, integer) IS
	'find(text, text, integer) element by element, in batches on a device where one is up';

CREATE FUNCTION count_matches(haystacks text[], pattern text) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'gpustr_count_matches_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION count_matches(text[], text) IS
	'count_matches(text, text) element by element, in batches on a device where one is up';

CREATE FUNCTION edit_distance(texts text[], b text) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'gpustr_edit_distance_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION edit_distance(text[], text) IS
	'edit_distance(text, text) element by element, in batches on a device where one is up';

CREATE FUNCTION edit_distance_within(texts text[], b text, k integer) RETURNS boolean[]
	AS 'MODULE_PATHNAME', 'gpustr_edit_distance_within_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION edit_distance_within(text[], text, integer) IS
	'edit_distance_within(text, text, integer) element by element, in batches on a device where one is up';

CREATE FUNCTION fuzzy_find(haystacks text[], pattern text, k integer) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'gpustr_fuzzy_find_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION fuzzy_find(text[], text, integer) IS
	'fuzzy_find(text, text, integer) element by element, in batches on a device where one is up';

-- Monitoring

CREATE FUNCTION devices(
		OUT id integer, OUT name text, OUT engine text, OUT state text,
		OUT generation bigint, OUT pid integer,
		OUT memory_total bigint, OUT memory_used bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'gpustr_devices_sql'
	LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10 ROWS 2;

COMMENT ON FUNCTION devices() IS 'the devices and their processes; memory in bytes';

CREATE FUNCTION stat_get_device(
		OUT id integer, OUT batches bigint, OUT rows bigint,
		OUT bytes_in bigint, OUT bytes_out bigint,
		OUT kernel_time double precision, OUT transfer_time double precision,
		OUT rechecks bigint, OUT fallbacks bigint, OUT restarts bigint,
		OUT stats_reset timestamptz,
		OUT programs integer, OUT program_bytes bigint,
		OUT program_hits bigint, OUT program_misses bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'gpustr_stat_get_device'
	LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10 ROWS 2;

COMMENT ON FUNCTION stat_get_device() IS 'the rows of view gpustr.stat_device';

CREATE VIEW stat_device AS SELECT * FROM stat_get_device();

COMMENT ON VIEW stat_device IS
	'work done by each device since stats_reset; times in milliseconds; fallbacks: batches redone in the session; programs: kept on the device now';

CREATE FUNCTION staging(
		OUT slots integer, OUT slots_in_use integer, OUT slot_bytes bigint,
		OUT pinned_buffers integer, OUT pinned_buffers_limit integer)
	RETURNS record
	AS 'MODULE_PATHNAME', 'gpustr_staging'
	LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION staging() IS 'the staging memory, and the buffers pinned for batches in flight';

CREATE FUNCTION stat_reset() RETURNS void
	AS 'MODULE_PATHNAME', 'gpustr_stat_reset'
	LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION stat_reset() IS 'sets the counters of gpustr.stat_device to zero';

-- Cost settings

/*
 * Measures, through the session's engine, what the planner's settings stand for
 * on this machine: in milliseconds, turned into cost units by PostgreSQL's own
 * scan of the same rows, of which both its cost and its time are known.  That scan
 * has no clause: a LIKE takes ten times what PostgreSQL says it costs, and beside
 * it the start of a device would look cheap.
 *
 * Probes: 1 PostgreSQL, no clause; 2 gpustr, one; 3 gpustr, sixteen; 4
 * PostgreSQL, few rows, one; 5 gpustr, the same; 6 PostgreSQL, rows that an engine
 * cannot decide (external values); 7 gpustr, the same.  The least of seven runs
 * counts.  At a device_row_cost of 1 the costs tell how many operators the
 * probes have.  The tables are gone again when the function returns.
 */
CREATE FUNCTION calibrate(OUT setting text, OUT value double precision, OUT command text)
	RETURNS SETOF record
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE COST 1000000 ROWS 3
	SET gpustr.enabled = on
	SET gpustr.debug_require = allow
	SET gpustr.device_row_cost = 1
	SET max_parallel_workers_per_gather = 0
	SET jit = off
AS $$
DECLARE
	wanted constant text := 'msg LIKE ''%mouse%keyboard%''';
	sixteen text;
	probe record;
	plan json;
	unit_ms double precision;
	run_ms double precision[];
	cost double precision[];
	operators double precision;
BEGIN
	IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
		RAISE insufficient_privilege USING
			MESSAGE = 'permission denied to calibrate gpustr',
			DETAIL = 'Only superusers may use gpustr.calibrate().';
	END IF;
	IF current_setting('gpustr.engine', true) IS DISTINCT FROM 'local' AND
		NOT EXISTS (SELECT FROM @extschema@.devices() WHERE state = 'up') THEN
		RAISE object_not_in_prerequisite_state USING
			MESSAGE = 'no device process is up, so there is nothing to measure',
			HINT = 'See gpustr.devices(), or set gpustr.engine to ''local'' to measure the host engine.';
	END IF;

	CREATE UNLOGGED TABLE @extschema@.calibration_many AS
		SELECT i, 'the mouse and the cat met at number ' || i || repeat(' and so on', 5) AS msg
		FROM generate_series(1, 300000) i;
	CREATE UNLOGGED TABLE @extschema@.calibration_few AS
		SELECT * FROM @extschema@.calibration_many LIMIT 100;
	CREATE UNLOGGED TABLE @extschema@.calibration_odd (i integer, msg text);
	ALTER TABLE @extschema@.calibration_odd ALTER msg SET STORAGE EXTERNAL;
	INSERT INTO @extschema@.calibration_odd
		SELECT i, repeat('mouse ', 400) FROM generate_series(1, 5000) i;
	ANALYZE @extschema@.calibration_many;
	ANALYZE @extschema@.calibration_few;
	ANALYZE @extschema@.calibration_odd;

	-- of sixteen texts: tests of one text may become one
	sixteen := (SELECT string_agg(format('substr(msg, %s) LIKE ''%%mouse%%key%s%%''', i, i), ' OR ')
				FROM generate_series(1, 16) i);
	FOR probe IN
		SELECT n, on_gpu,
			format('EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) '
				   'SELECT count(*) FROM @extschema@.calibration_%s WHERE %s', which, clauses) AS query
		FROM (VALUES
			(1, false, 'many', 'true'), (2, true, 'many', wanted), (3, true, 'many', sixteen),
			(4, false, 'few', wanted), (5, true, 'few', wanted),
			(6, false, 'odd', wanted), (7, true, 'odd', wanted)) AS p (n, on_gpu, which, clauses)
		ORDER BY n
	LOOP
		PERFORM set_config('gpustr.enabled', probe.on_gpu::text, true);
		PERFORM set_config('gpustr.debug_require',
						   CASE WHEN probe.on_gpu THEN 'require' ELSE 'allow' END, true);
		run_ms[probe.n] := 'Infinity';
		FOR i IN 1..7 LOOP
			EXECUTE probe.query INTO plan;
			run_ms[probe.n] := least(run_ms[probe.n], (plan->0->>'Execution Time')::double precision);
		END LOOP;
		cost[probe.n] := (plan->0->'Plan'->>'Total Cost')::double precision;
	END LOOP;
	DROP TABLE @extschema@.calibration_many, @extschema@.calibration_few, @extschema@.calibration_odd;

	unit_ms := run_ms[1] / cost[1];
	operators := cost[3] - cost[2];
	FOR setting, value IN VALUES
		('gpustr.device_startup_cost', (run_ms[5] - run_ms[4]) / unit_ms),
		('gpustr.device_row_cost', (run_ms[3] - run_ms[2]) / unit_ms / operators),
		('gpustr.recheck_cost', (run_ms[7] - run_ms[6]) / unit_ms / 5000)
	LOOP
		value := round(greatest(value, 0)::numeric, 6);
		command := format('ALTER SYSTEM SET %s = %s;', setting, value::numeric);
		RETURN NEXT;
	END LOOP;
END
$$;

COMMENT ON FUNCTION calibrate() IS
	'measures the cost settings on this machine; returns the ALTER SYSTEM commands that set them';

REVOKE ALL ON FUNCTION calibrate() FROM PUBLIC;

REVOKE ALL ON FUNCTION devices() FROM PUBLIC;
REVOKE ALL ON FUNCTION stat_get_device() FROM PUBLIC;
REVOKE ALL ON FUNCTION staging() FROM PUBLIC;
REVOKE ALL ON FUNCTION stat_reset() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION devices() TO pg_monitor;
GRANT EXECUTE ON FUNCTION stat_get_device() TO pg_monitor;
GRANT EXECUTE ON FUNCTION staging() TO pg_monitor;
GRANT SELECT ON stat_device TO pg_monitor;
