-- Is gpustr, as its packages install it, all there?  For tools/check-packages.
CREATE DATABASE gpustr_packages;
\c gpustr_packages
CREATE EXTENSION gpustr;
CREATE TABLE kept AS SELECT i AS id, 'Dr. Jane ' || i AS name FROM generate_series(1, 20000) AS i;
VACUUM ANALYZE kept;

-- The scan is gpustr's, and its answer PostgreSQL's.
SET gpustr.engine = 'local';
SET gpustr.debug_require = 'require';
SELECT count(*) = 5420 AS ok FROM kept WHERE name LIKE '%9_%' \gset
\if :ok
\else
	DO $$ BEGIN RAISE 'a wrong answer of the scan'; END $$;
\endif
RESET gpustr.debug_require;
SELECT gpustr.edit_distance('kitten', 'sitting') = 3
   AND (SELECT installed_version = default_version FROM pg_available_extensions WHERE name = 'gpustr') AS ok \gset
\if :ok
\else
	DO $$ BEGIN RAISE 'a wrong answer of a function, or an old version'; END $$;
\endif
SELECT id, name, engine, state FROM gpustr.devices();
