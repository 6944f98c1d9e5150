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
		OUT stats_reset timestamptz)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'gpustr_stat_get_device'
	LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10 ROWS 2;

COMMENT ON FUNCTION stat_get_device() IS 'the rows of view gpustr.stat_device';

CREATE VIEW stat_device AS SELECT * FROM stat_get_device();

COMMENT ON VIEW stat_device IS
	'work done by each device since stats_reset; times in milliseconds; fallbacks: batches redone in the session';

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

REVOKE ALL ON FUNCTION devices() FROM PUBLIC;
REVOKE ALL ON FUNCTION stat_get_device() FROM PUBLIC;
REVOKE ALL ON FUNCTION staging() FROM PUBLIC;
REVOKE ALL ON FUNCTION stat_reset() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION devices() TO pg_monitor;
GRANT EXECUTE ON FUNCTION stat_get_device() TO pg_monitor;
GRANT EXECUTE ON FUNCTION staging() TO pg_monitor;
GRANT SELECT ON stat_device TO pg_monitor;
