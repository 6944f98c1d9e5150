-- After gpustr's packages are removed: the data are there, the objects go.
\c gpustr_packages
SELECT count(*) = 20000 AS ok FROM kept WHERE name LIKE 'Dr. Jane%' \gset
\if :ok
\else
	DO $$ BEGIN RAISE 'a wrong answer'; END $$;
\endif
DROP EXTENSION gpustr;
