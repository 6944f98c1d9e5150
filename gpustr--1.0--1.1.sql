/* gpustr--1.0--1.1.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpustr UPDATE TO '1.1'" to load this file. \quit

-- First, so that a library without it changes nothing
DO $$
BEGIN
	CREATE FUNCTION library_version() RETURNS text
		AS 'MODULE_PATHNAME', 'gpustr_library_version'
		LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1;
EXCEPTION WHEN undefined_function THEN
	RAISE undefined_function USING
		MESSAGE = 'the library of gpustr is older than version 1.1 of its SQL objects',
		DETAIL = pg_catalog.format('PostgreSQL says: %s.', SQLERRM),
		HINT = 'Install library and SQL files of one version, and restart the server if it has gpustr preloaded.';
END
$$;

COMMENT ON FUNCTION library_version() IS
	'version of the library that this session has loaded; pg_extension has that of the SQL objects';

/*
 * stat_device gets columns, and so does the function it reads.  PostgreSQL
 * replaces a function by one with further OUT parameters only if it is dropped
 * before, with all views over it and with what has been granted on it.  What is
 * appended harms none of these, so the catalog's row is changed in place.
 */
UPDATE pg_catalog.pg_proc SET
	proallargtypes = proallargtypes OPERATOR(pg_catalog.||)
		ARRAY['pg_catalog.int4'::pg_catalog.regtype::pg_catalog.oid, 'pg_catalog.int8'::pg_catalog.regtype::pg_catalog.oid],
	proargmodes = proargmodes OPERATOR(pg_catalog.||) '{o,o}'::pg_catalog."char"[],
	proargnames = proargnames OPERATOR(pg_catalog.||) '{tables,table_bytes}'::pg_catalog.text[],
	prosrc = 'gpustr_stat_get_device_1_1'
WHERE oid OPERATOR(pg_catalog.=) '@extschema@.stat_get_device()'::pg_catalog.regprocedure;

SELECT pg_catalog.fmgr_c_validator('@extschema@.stat_get_device()'::pg_catalog.regprocedure);

CREATE OR REPLACE VIEW stat_device AS SELECT * FROM stat_get_device();

COMMENT ON VIEW stat_device IS
	'work done by each device since stats_reset; times in milliseconds; fallbacks: batches redone in the session; programs, tables: kept on the device now';

-- Superusers call it, whose search_path may have functions and operators of others
ALTER FUNCTION calibrate() SET search_path = pg_catalog, pg_temp;
