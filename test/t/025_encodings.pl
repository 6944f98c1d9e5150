
# Every encoding and every kind of collation gives PostgreSQL's answer: random
# patterns over each encoding's own characters, with gpustr and without; where
# it is not offloaded, the reason is shown.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $rounds = $ENV{GPUSTR_TEST_PATTERNS} // 15;
my $seed = $ENV{GPUSTR_TEST_SEED} // int(rand(1e9));
note "seed $seed";

# en_US.utf8 and a single-byte locale, wherever this runs; a GPU machine without
# the sources of locales does without these two
my $has_locales = !$GpustrTest::has_gpu || -e '/usr/share/i18n/locales/en_US';
my $locales = temp_folder;
if ($has_locales)
{
	system_or_bail('localedef', '-i', 'en_US', '-f', 'UTF-8', "$locales/en_US.utf8");
	system_or_bail('localedef', '-i', 'de_DE', '-f', 'ISO-8859-1', "$locales/de_DE.iso88591");
}
local $ENV{LOCPATH} = "$locales:/usr/lib/locale";

my $node = new_node('encodings', 'gpustr.device_startup_cost' => 0, 'gpustr.device_row_cost' => 0,
	'gpustr.batch_bytes' => '128kB', 'gpustr.staging_memory' => '4MB', 'autovacuum' => 'off');

# Per database: encoding, locale, characters as SQL expressions, why it is not
# offloaded, if so; and the provider of its locale, where that is not libc.
my $letters = q{chr(233), chr(228), chr(196), chr(8364), chr(305), chr(304), chr(223), chr(768), chr(931), chr(64257)};
my @databases = (
	[ 'utf8', 'UTF8', 'C.UTF-8', q{chr(233), chr(228), chr(196), chr(8364), chr(128512), chr(305), chr(304), chr(223), chr(768), chr(12354)} ],
	[ 'utf8_c', 'UTF8', 'C', q{chr(233), chr(196), chr(8364), chr(128512), chr(65533)} ],
	[ 'utf8_en', 'UTF8', 'en_US.utf8', q{chr(233), chr(228), chr(196), chr(8364), chr(305), chr(304), chr(223), chr(768)} ],
	[ 'sql_ascii', 'SQL_ASCII', 'C', q{convert_from('\xc3', 'SQL_ASCII'), convert_from('\xa9', 'SQL_ASCII'), convert_from('\xff', 'SQL_ASCII'), convert_from('\x80', 'SQL_ASCII'), convert_from('\xf09f', 'SQL_ASCII')} ],
	[ 'latin1', 'LATIN1', 'C', q{chr(233), chr(196), chr(228), chr(223), chr(255), chr(192), chr(160)} ],
	[ 'latin1_de', 'LATIN1', 'de_DE.iso88591', q{chr(233), chr(196), chr(228), chr(223), chr(255), chr(215)} ],
	[ 'euc_jp', 'EUC_JP', 'C', q{convert_from('\xc6fc', 'EUC_JP'), convert_from('\xcbdc', 'EUC_JP'), convert_from('\x8eb1', 'EUC_JP'), convert_from('\x8fb0a1', 'EUC_JP'), convert_from('\xa4a2', 'EUC_JP')},
		'encoding EUC_JP is not supported' ],
	[ 'utf8_icu', 'UTF8', 'C.UTF-8', $letters, undef, "icu ICU_LOCALE 'tr'" ]);
# 17: PostgreSQL's own tables of Unicode; 18: and full mapping of case
push @databases, [ 'utf8_builtin', 'UTF8', 'C', $letters, undef, "builtin BUILTIN_LOCALE 'C.UTF-8'" ] if $node->pg_version >= 17;
push @databases, [ 'utf8_fast', 'UTF8', 'C', $letters, undef, "builtin BUILTIN_LOCALE 'PG_UNICODE_FAST'" ] if $node->pg_version >= 18;
@databases = grep { $has_locales || $_->[2] !~ /^(?:en_US|de_DE)/ } @databases;

# but for the file that it includes, of which a new database has no need
my $functions = slurp_file("$GpustrTest::top/test/same.sql") =~ s/^\\ir .*//mr . q{
	-- One query with a GpuScan wherever one is possible, and without.
	CREATE FUNCTION compare(query text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE fast text; slow text; BEGIN
		PERFORM set_config('gpustr.enabled', 'on', true);
		BEGIN EXECUTE query INTO fast; EXCEPTION WHEN OTHERS THEN fast := SQLERRM; END;
		PERFORM set_config('gpustr.enabled', 'off', true);
		BEGIN EXECUTE query INTO slow; EXCEPTION WHEN OTHERS THEN slow := SQLERRM; END;
		RETURN CASE WHEN fast IS DISTINCT FROM slow THEN format('%s: with %s, without %s', query, fast, slow) END;
	END $$;

	CREATE FUNCTION one_of(a text[]) RETURNS text LANGUAGE sql VOLATILE AS
		'SELECT a[1 + floor(random() * cardinality(a))::int]';

	-- The texts that differ, over random operators and patterns.
	CREATE FUNCTION differences(rounds int, operators text[], collation_clause text, strict bool) RETURNS SETOF text
	LANGUAGE plpgsql AS $$
	DECLARE pattern text; query text; found text; alphabet text[]; BEGIN
		SELECT array_agg(c) || '{%,%,%,_,_,a,A,b,\\\\}' INTO alphabet FROM chars;
		FOR i IN 1 .. rounds LOOP
			pattern := '';
			FOR k IN 0 .. floor(random() * 5)::int LOOP pattern := pattern || one_of(alphabet); END LOOP;
			query := format('SELECT count(*) || %L || coalesce(sum(hashtext(s)::bigint), 0) FROM t WHERE s %s %L %s',
				' ', one_of(operators), pattern, collation_clause);
			IF strict THEN
				found := same(replace(query, 'SELECT ', 'SELECT 1 AS n, '));
				IF found LIKE 'DIFFERENT%' THEN RETURN NEXT query || ': ' || found; END IF;
			ELSE
				found := compare(query);
				IF found IS NOT NULL THEN RETURN NEXT found; END IF;
			END IF;
		END LOOP;
	END $$;
};

# Functions of texts, over all that is in t.
my @texts = (
	"upper(s)", "lower(s)", "initcap(s)", "upper('a' || s || 'b')", "lower('A' || s || 'B')", "initcap(s || 'ab ' || s)", "reverse(s)",
	"left(s, 2)", "right(s, 2)", "right(s, -1)", "substr(s, 2, 2)", "replace(s, left(s, 1), 'xyz')", "translate(s, 'a' || right(s, 1), 'bA')",
	"btrim(s, right(s, 1) || 'a')", "rtrim(s, 'Ab')", "lpad(s, 9, right(s, 2))", "rpad(s, 5)", "repeat(s, 2)", "split_part(s, left(s, 1), 2)",
	"concat_ws(left(s, 1), s, id, s)", "md5(s)", "strpos(s, right(s, 2))::text", "ascii(s)::text", "chr(ascii(s))");
my $texts = join(', ', map { "\$f\$$_\$f\$" } @texts);

foreach my $entry (@databases)
{
	my ($name, $encoding, $locale, $chars, $reason, $provider) = @$entry;
	my $database = "db_$name";

	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE '$locale'"
		  . ($provider ? " LOCALE_PROVIDER $provider" : ''));
	my $setup = "SET client_min_messages = warning; CREATE EXTENSION gpustr;\n$functions" . qq{
		CREATE TABLE chars AS SELECT unnest(array[$chars]) AS c;
		SELECT setseed(@{[ ($seed % 1000) / 1000 ]});
		CREATE TABLE t (id int, s text);
		INSERT INTO t SELECT g, (SELECT string_agg(one_of(array[$chars, 'a', 'A', 'b', '%', '_', ' ', E'\\\\']), '')
			FROM generate_series(1, 1 + g % 7) k WHERE g = g) FROM generate_series(1, 600) g;
		INSERT INTO t VALUES (0, ''), (-1, NULL);
		INSERT INTO t SELECT -10 - g, repeat(c, 700 * g) || 'a' FROM chars, generate_series(1, 4) g;
		ANALYZE t;
	};
	$node->safe_psql($database, $setup);
	my $seeding = "SELECT setseed(@{[ ($seed % 997) / 997 ]}) \\g /dev/null\n";

	if (!$reason)
	{
		my $out = $node->safe_psql($database,
			"$seeding SELECT * FROM differences($rounds, array['LIKE', 'NOT LIKE', '=', '<>'], '', true)");
		is($out, '', "$name: LIKE and equality are offloaded and the same");
	}
	else
	{
		my ($ret, $out, $err) = $node->psql($database, "SET gpustr.debug_require = 'require'; SELECT count(*) FROM t WHERE s LIKE '%a_'");
		like($err, qr/\Q$reason\E/, "$name: the error has the reason");
		like($node->safe_psql($database, "EXPLAIN (VERBOSE, COSTS OFF) SELECT count(*) FROM t WHERE s LIKE '%a_'"),
			qr/Seq Scan/, "$name: the plan is PostgreSQL's");
	}
	my $out = $node->safe_psql($database, "$seeding SELECT * FROM differences("
		  . "$rounds, array['LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE', '<', '>=', '=', 'IS DISTINCT FROM', '^\@', '~~*'], '', false)");
	is($out, '', "$name: whatever is offloaded is the same");

	is( $node->safe_psql($database, q{
			SELECT count(*) FROM (SELECT unnest(gpustr.redact(array_agg(s ORDER BY id), array_agg(CASE WHEN id % 2 = 0 THEN 'public' ELSE '' END ORDER BY id))) AS r,
				unnest(array_agg(s ORDER BY id)) AS s, unnest(array_agg(id ORDER BY id)) AS id FROM t) x
			WHERE r IS DISTINCT FROM gpustr.redact(s, CASE WHEN id % 2 = 0 THEN 'public' ELSE '' END)}),
		'0', "$name: redact of arrays");
	is( $node->safe_psql($database, q{
			SELECT count(*) FROM t, generate_series(0, 3) l, generate_series(0, 2) r WHERE gpustr.mask(s, l, r, '*-') IS DISTINCT FROM
				CASE WHEN char_length(s) <= l + r THEN s ELSE left(s, l) || repeat('*-', char_length(s) - l - r) || right(s, r) END}),
		'0', "$name: mask counts characters");
	is( $node->safe_psql($database, q{
			SELECT count(*) FROM chars WHERE gpustr.redact_pii(c || '4111111111111111' || c || ' bob@example.com' || c, '{card,email}')
				IS DISTINCT FROM c || '[CARD]' || c || ' [EMAIL]' || c}),
		'0', "$name: other characters are borders of personal data");
	my $computed = q{SELECT id, gpustr.redact(s, CASE WHEN id % 2 = 0 THEN 'public' ELSE '' END) AS r, gpustr.mask(s, 1, 1, '*') AS m FROM t};
	like($node->safe_psql($database, "SELECT same(\$q\$$computed\$q\$)"), qr/^same \d+ rows$/, "$name: computed columns are the same")
	  if !$reason;
	is( $node->safe_psql($database, "SELECT compare(\$q\$SELECT md5(string_agg(x::text, ' ' ORDER BY id)) FROM ($computed OFFSET 0) x\$q\$)"),
		'', "$name: computed columns, where they are");
	# the words of ICU are others than the engines'
	my $refused = $name =~ /_icu$/ ? q{f ~ 'initcap'} : 'false';
	my $compare = $reason ? 'compare(query) IS NULL' : qq{CASE WHEN $refused THEN compare(query) IS NULL ELSE same(query) LIKE 'same%' END};
	is( $node->safe_psql($database, qq{
			SELECT string_agg(query, ' ') FROM unnest(array[$texts]) AS f, format('SELECT id, %s AS r FROM t WHERE length(%1\$s) <> 1', f) AS query
			WHERE NOT $compare}),
		'', "$name: functions of texts are the same");
	is( $node->safe_psql($database, q{
			CREATE TABLE all_chars AS SELECT g AS id, chr(g) AS s FROM generate_series(1, CASE getdatabaseencoding() WHEN 'UTF8' THEN 131071 ELSE 255 END) g
			WHERE g NOT BETWEEN 55296 AND 57343;
			ANALYZE all_chars;
			SELECT same('SELECT id, upper(s) || lower(s) AS a, upper(''i'' || s || ''i'') AS u, lower(''I'' || s || ''I'') AS l, initcap(s || ''ab '' || s) AS i FROM all_chars')}),
		'same ' . ($encoding eq 'UTF8' ? 129023 : 255) . ' rows', "$name: the case of each character") if !$reason && $encoding ne 'SQL_ASCII';
	is($node->safe_psql($database, "SELECT batches > 0 FROM gpustr.stat_device"), $reason ? 'f' : 't',
		"$name: the device had its part" . ($reason ? ', which is none' : ''));
	is( $node->safe_psql($database, q{
			SELECT count(*) FROM t, (SELECT c || 'a' AS c FROM chars UNION ALL SELECT c FROM chars) x WHERE s IS NOT NULL AND (
				gpustr.find(s, c) <> strpos(s, c) OR gpustr.fuzzy_find(s, c, 0) <> strpos(s, c) OR
				gpustr.count_matches(s, c) <> cardinality(gpustr.find_all(s, c)) OR
				gpustr.find_all(s, c) <> coalesce((SELECT array_agg(p ORDER BY p) FROM generate_series(1, least(char_length(s), 30)) p
					WHERE substr(s, p, char_length(c)) = c), '{}') || coalesce((SELECT array_agg(p) FROM unnest(gpustr.find_all(s, c)) p WHERE p > 30), '{}'))}),
		'0', "$name: positions of hits");
	is( $node->safe_psql($database, q{
			CREATE EXTENSION fuzzystrmatch;
			SELECT count(*) FROM t a, t b WHERE a.id BETWEEN 0 AND 80 AND b.id BETWEEN 0 AND 80 AND (
				gpustr.edit_distance(a.s, b.s) <> levenshtein(a.s, b.s) OR
				gpustr.edit_distance_within(a.s, b.s, 2) <> (levenshtein(a.s, b.s) <= 2))}),
		'0', "$name: edit distance");
	is( $node->safe_psql($database, q{
			SELECT count(*) FROM (SELECT unnest(gpustr.edit_distance(array_agg(s ORDER BY id), 'ab')) AS d, unnest(gpustr.find(array_agg(s ORDER BY id), 'a')) AS f,
				unnest(array_agg(s ORDER BY id)) AS s FROM t) x WHERE d IS DISTINCT FROM gpustr.edit_distance(s, 'ab') OR f IS DISTINCT FROM strpos(s, 'a')}),
		'0', "$name: arrays");
	$node->safe_psql($database, 'SELECT gpustr.stat_reset()');
}

# Bytes of a text that stand across two characters
is($node->safe_psql('db_euc_jp', q{SELECT gpustr.find(s, p), gpustr.count_matches(s, p), gpustr.find_all(s, p), gpustr.find_all(s || p, p)
		FROM (SELECT convert_from('\xc6fccbdc', 'EUC_JP') AS s, convert_from('\xfccb', 'EUC_JP') AS p) x}),
	'0|0|{}|{3}', 'euc_jp: not inside a character');

# Collations of clauses and of columns
$node->safe_psql('db_utf8', q{
	CREATE COLLATION c_utf8 (provider = libc, locale = 'C.UTF-8');
	CREATE COLLATION nondet (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	CREATE COLLATION nondet_in_name_only (provider = icu, locale = 'und');
});
$node->safe_psql('db_utf8', q{CREATE COLLATION en_us (provider = libc, locale = 'en_US.utf8')}) if $has_locales;
foreach my $collation ('"C"', '"POSIX"', 'c_utf8', $has_locales ? 'en_us' : (), '"en-x-icu"', '"tr-x-icu"', 'nondet_in_name_only',
	$node->pg_version >= 17 ? 'pg_c_utf8' : (), $node->pg_version >= 18 ? 'pg_unicode_fast' : ())
{
	my $out = $node->safe_psql('db_utf8',
		"SELECT * FROM differences($rounds, array['LIKE', 'NOT LIKE', '=', '<>'], 'COLLATE $collation', true)");
	is($out, '', "COLLATE $collation: LIKE and equality are offloaded and the same");
	$out = $node->safe_psql('db_utf8',
		"SELECT * FROM differences($rounds, array['ILIKE', 'NOT ILIKE', '<', '<=', '>', '>=', 'LIKE'], 'COLLATE $collation', false)");
	is($out, '', "COLLATE $collation: whatever is offloaded is the same");
	$node->safe_psql('db_utf8', "CREATE TABLE c AS SELECT id, s COLLATE $collation AS s FROM t; ALTER TABLE t RENAME TO t_saved; ALTER TABLE c RENAME TO t");
	$out = $node->safe_psql('db_utf8',
		"SELECT * FROM differences($rounds, array['LIKE', '=', 'ILIKE', '<', '>='], '', false)");
	is($out, '', "a column of COLLATE $collation: the same");
	$out = $node->safe_psql('db_utf8', q{
		SELECT string_agg(f, ' ') FROM unnest(array['upper(s)', 'lower(s)', 'initcap(s)', 'initcap(s || s)']) AS f
		WHERE compare(format('SELECT md5(string_agg(id::text, '' '' ORDER BY id)) FROM t WHERE %s <> upper(right(s, 2))', f)) IS NOT NULL
			OR (f !~ 'initcap' AND same(format('SELECT id, %s AS r FROM t', f)) NOT LIKE 'same%')});
	is($out, '', "a column of COLLATE $collation: its case");
	$node->safe_psql('db_utf8', 'DROP TABLE t; ALTER TABLE t_saved RENAME TO t');
}
foreach my $operator ('=', '<>', 'LIKE')
{
	my ($ret, $out, $err) = $node->psql('db_utf8',
		"SET gpustr.debug_require = 'require'; SELECT count(*) FROM t WHERE s $operator 'a' COLLATE nondet");
	like($err, qr/collation "nondet" is nondeterministic/, "a nondeterministic collation is not offloaded: $operator");
}
is($node->safe_psql('db_utf8', "SELECT * FROM differences($rounds, array['=', '<>', '<', 'LIKE'], 'COLLATE nondet', false)"),
	'', 'and the same');
is($node->safe_psql('db_utf8', q{SELECT count(*) > (SELECT count(*) FROM t WHERE s = 'a') FROM t WHERE s = 'a' COLLATE nondet}),
	't', 'it does find more');

idle_ok($node, 'in the end');
log_ok($node, 'encodings', qr/could not run this query|could not determine which collation/);
$node->stop;

done_testing();
