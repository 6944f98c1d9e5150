
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
my $locales = PostgreSQL::Test::Utils::tempdir;
if ($has_locales)
{
	system_or_bail('localedef', '-i', 'en_US', '-f', 'UTF-8', "$locales/en_US.utf8");
	system_or_bail('localedef', '-i', 'de_DE', '-f', 'ISO-8859-1', "$locales/de_DE.iso88591");
}
local $ENV{LOCPATH} = "$locales:/usr/lib/locale";

my $node = new_node('encodings', 'gpustr.device_startup_cost' => 0, 'gpustr.device_row_cost' => 0,
	'gpustr.batch_bytes' => '128kB', 'gpustr.staging_memory' => '4MB', 'autovacuum' => 'off');

# Per database: encoding, locale, characters as SQL expressions, and why it is
# not offloaded, if so.
my @databases = (
	[ 'utf8', 'UTF8', 'C.UTF-8', q{chr(233), chr(228), chr(196), chr(8364), chr(128512), chr(305), chr(304), chr(223), chr(768), chr(12354)} ],
	[ 'utf8_c', 'UTF8', 'C', q{chr(233), chr(196), chr(8364), chr(128512), chr(65533)} ],
	[ 'utf8_en', 'UTF8', 'en_US.utf8', q{chr(233), chr(228), chr(196), chr(8364), chr(305), chr(304), chr(223), chr(768)} ],
	[ 'sql_ascii', 'SQL_ASCII', 'C', q{convert_from('\xc3', 'SQL_ASCII'), convert_from('\xa9', 'SQL_ASCII'), convert_from('\xff', 'SQL_ASCII'), convert_from('\x80', 'SQL_ASCII'), convert_from('\xf09f', 'SQL_ASCII')} ],
	[ 'latin1', 'LATIN1', 'C', q{chr(233), chr(196), chr(228), chr(223), chr(255), chr(192), chr(160)} ],
	[ 'latin1_de', 'LATIN1', 'de_DE.iso88591', q{chr(233), chr(196), chr(228), chr(223), chr(255), chr(215)} ],
	[ 'euc_jp', 'EUC_JP', 'C', q{convert_from('\xc6fc', 'EUC_JP'), convert_from('\xcbdc', 'EUC_JP'), convert_from('\x8eb1', 'EUC_JP'), convert_from('\x8fb0a1', 'EUC_JP'), convert_from('\xa4a2', 'EUC_JP')},
		'encoding EUC_JP is not supported' ]);
@databases = grep { $has_locales || $_->[2] !~ /^(?:en_US|de_DE)/ } @databases;

my $functions = slurp_file("$GpustrTest::top/test/same.sql") . q{
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

foreach my $entry (@databases)
{
	my ($name, $encoding, $locale, $chars, $reason) = @$entry;
	my $database = "db_$name";

	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE '$locale'");
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
	is($node->safe_psql($database, "SELECT batches > 0 FROM gpustr.stat_device"), $reason ? 'f' : 't',
		"$name: the device had its part" . ($reason ? ', which is none' : ''));
	$node->safe_psql($database, 'SELECT gpustr.stat_reset()');
}

# Collations of clauses and of columns
$node->safe_psql('db_utf8', q{
	CREATE COLLATION c_utf8 (provider = libc, locale = 'C.UTF-8');
	CREATE COLLATION nondet (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	CREATE COLLATION nondet_in_name_only (provider = icu, locale = 'und');
});
$node->safe_psql('db_utf8', q{CREATE COLLATION en_us (provider = libc, locale = 'en_US.utf8')}) if $has_locales;
foreach my $collation ('"C"', '"POSIX"', 'c_utf8', $has_locales ? 'en_us' : (), '"en-x-icu"', '"tr-x-icu"', 'nondet_in_name_only')
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
