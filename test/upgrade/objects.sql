-- A database in which everything that can hang on gpustr's functions hangs on them.  The
-- extension is there, at some version; the roles are those of pg_upgrade.pl.
SET gpustr.enabled = off;

-- Generated columns, constraints, defaults, a domain; texts from none to ones that are stored out of line
CREATE DOMAIN polite AS text CHECK (NOT gpustr.contains_any(VALUE, '{forbidden,"not allowed"}'));
CREATE TABLE people (
	id int PRIMARY KEY,
	name text,
	note polite DEFAULT gpustr.mask('nothing known', 1, 0),
	long text,
	shown text GENERATED ALWAYS AS (gpustr.redact(name, CASE WHEN id % 2 = 0 THEN 'public' ELSE '' END)) STORED,
	masked text GENERATED ALWAYS AS (gpustr.mask(name, 1, 1, '*é')) STORED,
	near bool GENERATED ALWAYS AS (gpustr.edit_distance_within(name, 'name 17', 11)) STORED,
	places bigint[] GENERATED ALWAYS AS (gpustr.find_all(note, '0')) STORED,
	CONSTRAINT no_ferret CHECK (gpustr.find(name, 'ferret') = 0));
INSERT INTO people SELECT i, CASE WHEN i % 41 > 0 THEN 'Élodie' || i || ' name ' || i % 50 END,
	concat('mail u', i, '@host', i % 5, '.com or call +1 415 555 ', lpad(i::text, 4, '0'), ' ', repeat('漢', i % 11)),
	CASE i % 100 WHEN 0 THEN (SELECT string_agg(md5((i * 1000 + j)::text), ' ') FROM generate_series(1, 400) j)
		WHEN 1 THEN repeat('needle and ' || i || ' ', 700) ELSE left(md5(i::text), i % 30) END
	FROM generate_series(1, 8000) i;

-- Expression indexes of each kind
CREATE INDEX people_pii ON people (gpustr.redact_pii(note, '{email,phone}'));
CREATE INDEX people_find ON people (gpustr.find(note, '@'), id) WHERE gpustr.contains_any(note, '{host1,host3}');
CREATE UNIQUE INDEX people_masked ON people (gpustr.mask(note, 11, 11), id);
CREATE INDEX people_hash ON people USING hash (gpustr.redact(name, 'public'));
CREATE INDEX people_gin ON people USING gin (gpustr.matching(note, '{u1,u2,host3,9}'));
CREATE INDEX people_brin ON people USING brin (gpustr.count_matches(note, '漢')) WITH (pages_per_range = 8);
CREATE INDEX people_shown ON people (shown);
CREATE STATISTICS people_stats ON (gpustr.find(note, '@')), (gpustr.count_matches(note, '漢')) FROM people;

-- Partitions by expressions
CREATE TABLE events (id int, what text) PARTITION BY LIST (gpustr.count_matches(what, '!'));
CREATE TABLE events_0 PARTITION OF events FOR VALUES IN (0);
CREATE TABLE events_more PARTITION OF events DEFAULT PARTITION BY RANGE (gpustr.find(what, '!'));
CREATE TABLE events_early PARTITION OF events_more FOR VALUES FROM (0) TO (8);
CREATE TABLE events_late PARTITION OF events_more FOR VALUES FROM (8) TO (MAXVALUE);
CREATE INDEX events_what ON events (gpustr.redact_pattern(what, '[0-9]+', '#'));
INSERT INTO events SELECT i, concat('event ', i, repeat('!', i % 4), ' of ', i % 13) FROM generate_series(1, 5000) i;

-- Views of all kinds, functions, a trigger, row security
CREATE VIEW hidden AS SELECT id, gpustr.mask(name, 1, 1) AS m, gpustr.find(note, '@') AS f FROM people;
CREATE VIEW hidden_more WITH (security_barrier) AS SELECT id, gpustr.count_matches(m, 'X') AS n FROM hidden WHERE f > 8;
CREATE VIEW busy AS SELECT id, batches + fallbacks AS work FROM gpustr.stat_device;
CREATE VIEW everything AS SELECT * FROM gpustr.stat_device;
CREATE VIEW direct AS SELECT * FROM gpustr.stat_get_device();
CREATE TABLE seen (at int, device gpustr.stat_device);
INSERT INTO seen SELECT 1, d FROM gpustr.stat_device d;
CREATE MATERIALIZED VIEW digests AS SELECT id, md5(gpustr.redact_pii(note, '{email}')) AS d FROM people WHERE near IS NOT NULL;
CREATE UNIQUE INDEX digests_id ON digests (id);
CREATE INDEX digests_d ON digests (gpustr.mask(d, 2, 2));
CREATE FUNCTION hide(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT gpustr.redact($1, 'public') $$;
CREATE FUNCTION hide_atomic(t text) RETURNS text LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT gpustr.mask(t, 2, 0); END;
CREATE FUNCTION hide_late(t text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN gpustr.redact_pii(t, '{email}'); END $$;
ALTER FUNCTION hide(text) DEPENDS ON EXTENSION gpustr;
CREATE TABLE secrets (id int, s text);
INSERT INTO secrets SELECT i, CASE WHEN i % 3 = 0 THEN 'open ' ELSE 'closed ' END || i FROM generate_series(1, 300) i;
ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY only_open ON secrets TO app USING (gpustr.contains_any(s, '{open}'));
CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.s := gpustr.mask(NEW.s, 4, 0); RETURN NEW; END $$;
CREATE TRIGGER cut BEFORE INSERT ON secrets FOR EACH ROW WHEN (gpustr.find(NEW.s, 'secret') > 0) EXECUTE FUNCTION cut();
CREATE TABLE hosts AS SELECT 'host' || i AS host, 'data centre ' || i % 2 AS place FROM generate_series(0, 3) i;

-- What is granted, on tables, and on functions beside what the extension grants
GRANT SELECT ON people, events, secrets, hosts TO app;
GRANT SELECT ON gpustr.stat_device TO watcher;
GRANT EXECUTE ON FUNCTION gpustr.stat_get_device() TO watcher;
GRANT EXECUTE ON FUNCTION gpustr.calibrate() TO app WITH GRANT OPTION;
REVOKE EXECUTE ON FUNCTION gpustr.fuzzy_find(text, text, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpustr.fuzzy_find(text, text, int) TO app;
ANALYZE;
