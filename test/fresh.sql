-- Start with an empty schema: what a test that failed has left behind is in no
-- other test's way.  Included by the tests in sql/.
SET client_min_messages = error;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public AUTHORIZATION pg_database_owner;
GRANT USAGE ON SCHEMA public TO PUBLIC;
DROP ROLE IF EXISTS gpustr_reader, gpustr_calibrator;
RESET client_min_messages;
-- the setting that 16 gave another name
SELECT name AS force_parallel FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset
