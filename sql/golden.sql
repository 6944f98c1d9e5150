--
-- Values that must never change: they are in indexes and generated columns.  Whoever
-- changes what an immutable function answers breaks them, and has this test fail.
--
-- What is right the other tests say; this one says what it has been since 1.0.
--
CREATE TEMP TABLE texts (id int, t text);
INSERT INTO texts VALUES
	(1, ''), (2, ' '), (3, 'John Smith'), (4, 'Mary Ann van der Berg'), (5, 'Žofia Élodie Ñandú'),
	(6, '漢字 かな'), (7, 'aaaa'), (8, 'abababa'), (9, E'tab\tnew\nline'), (10, '😀 grin 😀'), (11, NULL),
	(12, 'mail bob.smith+tag@example.co.uk or call +1 (415) 555-2671 x12'),
	(13, 'card 4111 1111 1111 1111, iban GB82 WEST 1234 5698 7654 32, ssn 078-05-1120'),
	(14, 'from 10.0.0.1:80 and fe80::1%eth0 and ::ffff:192.168.1.1'),
	(15, E'e\u0301 is not \u00e9'), (16, '100% \ _ % done'), (17, 'ſ K İ ı ß ẞ Σ σ ς'), (18, repeat('x', 300) || 'needle');

-- one text
CREATE TEMP VIEW redacted AS
	SELECT id, gpustr.redact(t, 'public') AS public, gpustr.redact(t, 'private') AS private,
		gpustr.mask(t, 1, 2) AS mask, gpustr.mask(t, 0, 0, '*é') AS mask_by_two, gpustr.mask(t, 3, 300) AS mask_none
	FROM texts WHERE id <> 18;
SELECT * FROM redacted ORDER BY id;
CREATE TEMP VIEW pii AS
	SELECT id, gpustr.redact_pii(t, '{email,phone,card,ipv4,ipv6,iban,ssn}') AS pii,
		gpustr.redact_pattern(t, '[aeiouäöü]+(\d?)', '<\1>') AS pattern
	FROM texts WHERE id <> 18;
SELECT * FROM pii ORDER BY id;
CREATE TEMP VIEW found AS
	SELECT id, gpustr.contains_any(t, '{bab,漢," "}') AS c, gpustr.matching(t, '{a,ab,é,NULL,"",漢字,x}') AS matching,
		gpustr.find(t, 'a') AS f, gpustr.find(t, 'a', 3) AS f3, gpustr.find(t, '') AS f0, gpustr.find_all(t, 'a') AS fa,
		gpustr.count_matches(t, 'aba') AS n, gpustr.count_matches(t, '') AS n0
	FROM texts;
SELECT * FROM found ORDER BY id;
CREATE TEMP VIEW near AS
	SELECT id, gpustr.edit_distance(t, 'Jon Smyth') AS d, gpustr.edit_distance(t, 'かな 漢字') AS d_kana,
		gpustr.edit_distance_within(t, 'John Smith', 9) AS w, gpustr.edit_distance_within(t, '', 0) AS w0,
		gpustr.fuzzy_find(t, 'neddle', 1) AS z, gpustr.fuzzy_find(t, 'abx', 2) AS z2
	FROM texts;
SELECT * FROM near ORDER BY id;
CREATE TEMP VIEW found_bytes AS
	SELECT id, gpustr.find(b, '\x61') AS f, gpustr.find(b, '\xa9', 2) AS f2, gpustr.find_all(b, '\x6161') AS fa,
		gpustr.count_matches(b, '\xe5') AS n
	FROM (SELECT id, convert_to(t, 'UTF8') || '\x00a9' AS b FROM texts) s;
SELECT * FROM found_bytes ORDER BY id;

-- arrays of texts
CREATE TEMP VIEW arrays AS
	SELECT gpustr.redact(a, array_fill('public'::text, array[cardinality(a)])) AS redact,
		gpustr.redact_pii(a, '{email,phone,card}') AS pii, gpustr.find(a, 'a', 2) AS find, gpustr.count_matches(a, 'a') AS n,
		gpustr.edit_distance(a, 'John Smyth') AS d, gpustr.edit_distance_within(a, 'abab', 4) AS w,
		gpustr.fuzzy_find(a, 'neddle', 1) AS z
	FROM (SELECT array_agg(t ORDER BY id) AS a FROM texts WHERE id NOT IN (12, 14, 18)) s;
\x on
SELECT * FROM arrays;
\x off

-- many more texts, by their digests
CREATE TEMP TABLE many AS
	SELECT i, concat_ws(' ', substr(md5(i::text), 1, i % 33), chr(64 + i % 2000), 'user' || i || '@host' || i % 7 || '.com',
		'+1 415 555 ' || lpad((i % 10000)::text, 4, '0'), '10.' || i % 300 || '.0.1', repeat('ab', i % 9)) AS t
	FROM generate_series(1, 3000) i;
CREATE TEMP VIEW digests AS
	SELECT count(*), md5(string_agg(gpustr.redact(t, CASE WHEN i % 2 = 0 THEN 'public' ELSE '' END), '|' ORDER BY i)) AS redact,
		md5(string_agg(gpustr.mask(t, i % 5, i % 7, '#'), '|' ORDER BY i)) AS mask,
		md5(string_agg(gpustr.redact_pii(t, '{email,phone,card,ipv4,ipv6,iban,ssn}'), '|' ORDER BY i)) AS pii,
		md5(string_agg(gpustr.redact_pattern(t, '([0-9a-f])\1', '<\1>'), '|' ORDER BY i)) AS pattern,
		md5(string_agg(gpustr.matching(t, '{a,ab,5b,é,ж,00}')::text, '|' ORDER BY i)) AS matching,
		md5(string_agg(gpustr.find_all(t, 'a')::text, '|' ORDER BY i)) AS find_all,
		md5(string_agg(gpustr.edit_distance(t, 'user 415')::text, '|' ORDER BY i)) AS distance,
		md5(string_agg(gpustr.fuzzy_find(t, 'usser1', 1)::text, '|' ORDER BY i)) AS fuzzy
	FROM many;
\x on
SELECT * FROM digests;
\x off

-- None is missing above
SELECT p.oid::regprocedure AS function_without_values
FROM pg_proc p JOIN pg_depend e ON e.classid = 'pg_proc'::regclass AND e.objid = p.oid
	AND e.refclassid = 'pg_extension'::regclass AND e.deptype = 'e'
	AND e.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpustr')
WHERE provolatile = 'i'
	AND NOT EXISTS (SELECT FROM pg_depend v JOIN pg_rewrite r ON v.classid = 'pg_rewrite'::regclass AND v.objid = r.oid
		JOIN pg_class c ON c.oid = r.ev_class AND c.relnamespace = pg_my_temp_schema()
		WHERE v.refclassid = 'pg_proc'::regclass AND v.refobjid = p.oid)
ORDER BY 1;
