-- gpustr.calibrate(): figures differ between machines, so only their kind is shown;
-- a step over a row costs nowhere as much as 100 tuples do
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set fresh :srcdir '/test/fresh.sql'
\i :fresh
\set ECHO all
SELECT setting, value >= 0 AND value < CASE setting WHEN 'gpustr.device_row_cost' THEN 1 ELSE 1e9 END AS plausible,
	command LIKE format('ALTER SYSTEM SET %s = %%;', setting) AS as_command
FROM gpustr.calibrate();

-- It leaves settings and tables as they were
SHOW gpustr.device_row_cost;
SHOW gpustr.debug_require;
SELECT count(*) FROM pg_class WHERE relname LIKE 'calibration%';

-- Functions and operators of others that fit better than PostgreSQL's are not called
CREATE SCHEMA gpustr_lure;
CREATE FUNCTION gpustr_lure.format(text, int, int) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE ''lured''; END';
CREATE FUNCTION gpustr_lure.append(text, int) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE ''lured''; END';
CREATE OPERATOR gpustr_lure.|| (FUNCTION = gpustr_lure.append, LEFTARG = text, RIGHTARG = int);
SET search_path = public, gpustr_lure;
SELECT format('%s', 1, 2);
SELECT count(*) FROM gpustr.calibrate();
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA gpustr_lure CASCADE;
RESET client_min_messages;

-- Only for superusers, even where EXECUTE is granted
CREATE ROLE gpustr_calibrator;
SET ROLE gpustr_calibrator;
SELECT * FROM gpustr.calibrate();
RESET ROLE;
GRANT EXECUTE ON FUNCTION gpustr.calibrate() TO gpustr_calibrator;
SET ROLE gpustr_calibrator;
SELECT * FROM gpustr.calibrate();
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
REVOKE EXECUTE ON FUNCTION gpustr.calibrate() FROM gpustr_calibrator;
DROP ROLE gpustr_calibrator;
