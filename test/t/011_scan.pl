
# GpuScan in other surroundings: under concurrent writers, with few buffers,
# on a standby, in databases of other encodings.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('scan',
	'max_connections' => 30,
	'wal_level' => 'replica',
	'max_wal_senders' => 5,
	'autovacuum' => 'off');

#
# Concurrent writers.  In one snapshot both ways of scanning must see the same
# rows, whatever is pruned, vacuumed and moved meanwhile.
#
$node->safe_psql('postgres', q{
	CREATE TABLE t (id int PRIMARY KEY, s text, n int) WITH (fillfactor = 70);
	INSERT INTO t SELECT g, 'row ' || g || repeat('.', g % 150), 0 FROM generate_series(1, 20000) g;
	CREATE FUNCTION digest(with_gpustr bool) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE r text; BEGIN
		PERFORM set_config('gpustr.enabled', with_gpustr::text, true);
		PERFORM set_config('gpustr.debug_require', CASE WHEN with_gpustr THEN 'require' ELSE 'forbid' END, true);
		SELECT count(*) || ' ' || count(*) FILTER (WHERE n % 2 = 0) || ' ' ||
			coalesce(sum(hashtext(id || s || n)::bigint), 0) INTO r FROM t WHERE s LIKE '%1%.';
		RETURN r;
	END $$;
	CREATE FUNCTION check_digest() RETURNS text LANGUAGE plpgsql AS $$
	DECLARE fast text; slow text; BEGIN
		fast := digest(true);
		slow := digest(false);
		IF fast <> slow THEN RAISE 'with gpustr %, without %', fast, slow; END IF;
		RETURN 'same';
	END $$;
});

my %script = (
	'read' => "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT check_digest();\nCOMMIT;\n",
	'update' => "\\set i random(1, 19900)\nUPDATE t SET n = n + 1, s = 'row ' || id || repeat('.', (id + n) % 170) WHERE id BETWEEN :i AND :i + 50;\n",
	'delete' => "\\set i random(1, 20000)\nBEGIN;\nDELETE FROM t WHERE id = :i;\nINSERT INTO t VALUES (:i, 'row ' || :i || repeat('long', 1 + :i % 600), 0) ON CONFLICT DO NOTHING;\nCOMMIT;\n",
	'abort' => "\\set i random(30000, 90000)\nBEGIN;\nINSERT INTO t SELECT :i + g, 'garbage 1.', 0 FROM generate_series(1, 20) g ON CONFLICT DO NOTHING;\nROLLBACK;\n",
	'vacuum' => "VACUUM t;\n");

foreach my $engine ('local', 'device')
{
	$node->safe_psql('postgres', "ALTER SYSTEM SET gpustr.engine = '$engine'");
	$node->reload;
	$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
	$node->pgbench(
		'--no-vacuum --client=6 --jobs=2 --time=5', 0,
		[qr{processed}], [qr{^$}],
		"concurrent writers, gpustr.engine = $engine",
		{
			map { ("011_scan_$engine\_$_\@" . ($_ eq 'read' ? 4 : $_ eq 'vacuum' ? 1 : 3) => $script{$_}) }
			  sort keys %script
		});
	my $batches = $node->safe_psql('postgres', 'SELECT sum(batches) FROM gpustr.stat_device');

	if ($engine eq 'device') { cmp_ok($batches, '>', 0, 'the device did it') }
	else { is($batches, 0, 'no device did it') }
	idle_ok($node, "after that, gpustr.engine = $engine");
}

#
# An error or a cancel with batches in flight leaves nothing behind.
#
$node->safe_psql('postgres', q{
	CREATE TABLE big AS SELECT g AS id, 'big ' || g || repeat('-', 300) AS s FROM generate_series(1, 100000) g;
});
my ($rc, $out, $err) = $node->psql('postgres', q{
	SET gpustr.debug_require = 'require';
	SELECT sum(1 / (id - 500)) FROM big WHERE s LIKE '%0-%';
});
like($err, qr/division by zero/, 'an error with batches in flight');
idle_ok($node, 'after an error');
($rc, $out, $err) = $node->psql('postgres', q{
	SET gpustr.debug_require = 'require';
	SET statement_timeout = '100ms';
	SELECT count(pg_sleep(0.01)) FROM big WHERE s LIKE '%0-%';
});
like($err, qr/canceling statement due to statement timeout/, 'cancelled with batches in flight');
idle_ok($node, 'after a cancel');

# An idle cursor holds slots, but no pins.
my $session = $node->background_psql('postgres');
$session->query_safe(q{SET gpustr.debug_require = 'require'});
$session->query_safe(q{SET synchronize_seqscans = off});
$session->query_safe(q{BEGIN});
$session->query_safe(q{DECLARE c NO SCROLL CURSOR FOR SELECT id FROM big WHERE s LIKE '%0-%'});
is($session->query_safe('FETCH 1 FROM c'), '10', 'a cursor gives its first row');
is($session->query_safe('MOVE 2000 FROM c'), '', 'and moves on');
is($node->safe_psql('postgres', 'SELECT pinned_buffers FROM gpustr.staging()'), '0', 'an idle cursor counts no pins');
is($node->safe_psql('postgres', 'SELECT slots_in_use FROM gpustr.staging()'), '0', 'nor slots');
is($session->query_safe('FETCH 1 FROM c'), '20020', 'it goes on');
$session->query_safe('COMMIT');
$session->quit;
idle_ok($node, 'after the cursor');

#
# A standby: pages' all-visible flags are not trusted there.
#
$node->safe_psql('postgres', 'VACUUM t');
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', 'hot_standby_feedback = on');
$standby->start;
$node->safe_psql('postgres', "UPDATE t SET s = s || '1.' WHERE id % 7 = 0; DELETE FROM t WHERE id % 11 = 0");
$node->wait_for_catchup($standby);
wait_for_device($standby);
foreach my $engine ('local', 'device')
{
	is( $standby->safe_psql('postgres',
			"SET gpustr.engine = $engine; SELECT digest(true) = digest(false)"),
		't', "the same on a standby, gpustr.engine = $engine");
	is( $standby->safe_psql('postgres', "SET gpustr.engine = $engine; SELECT digest(true)"),
		$node->safe_psql('postgres', 'SELECT digest(false)'),
		"and as on the primary, gpustr.engine = $engine");
}
$standby->stop;

#
# Encodings: those of one byte a character, and UTF8; others stay PostgreSQL's.
#
my %encoding = (
	'LATIN1' => 'used', 'SQL_ASCII' => 'used', 'WIN1252' => 'used', 'UTF8' => 'used',
	'EUC_JP' => 'encoding EUC_JP is not supported',
	'EUC_KR' => 'encoding EUC_KR is not supported');
foreach my $encoding (sort keys %encoding)
{
	my $database = lc("db_$encoding");
	$node->safe_psql('postgres',
		"CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
	$node->safe_psql($database, q{
		CREATE TABLE t AS SELECT g AS id, 'a' || CASE WHEN g % 2 = 0 THEN chr(g % 26 + 97) ELSE '' END || 'z' AS s
			FROM generate_series(1, 1000) g;
	});
	if ($encoding eq 'LATIN1' || $encoding eq 'WIN1252')
	{
		$node->safe_psql($database, q{INSERT INTO t SELECT g, 'a' || chr(g) || 'z' FROM generate_series(192, 255) g});
	}
	if ($encoding eq 'SQL_ASCII')
	{
		# bytes that are UTF-8 elsewhere are two characters here
		$node->safe_psql($database, q{INSERT INTO t SELECT 1, convert_from('\x61c3a97a', 'SQL_ASCII') FROM generate_series(1, 9)});
	}
	($rc, $out, $err) = $node->psql($database, q{
		SET gpustr.debug_require = 'require';
		SELECT count(*) FROM t WHERE s LIKE 'a_z' OR s = 'aaz';
	});
	if ($encoding{$encoding} eq 'used')
	{
		is($out, $node->safe_psql($database, q{
				SET gpustr.enabled = off;
				SELECT count(*) FROM t WHERE s LIKE 'a_z' OR s = 'aaz'}), "the same in $encoding");
	}
	else
	{
		like($err, qr/$encoding{$encoding}/, "$encoding is not offloaded");
	}
}

#
# Few buffers: pages are copied rather than pinned, and the table is read
# through a ring.
#
$node->append_conf('postgresql.conf', "shared_buffers = '1MB'");
$node->restart;
wait_for_device($node);
foreach my $engine ('local', 'device')
{
	is($node->safe_psql('postgres', qq{
			SET gpustr.engine = '$engine';
			SET gpustr.debug_require = 'require';
			SELECT count(*), sum(id) FROM big WHERE s LIKE '%77%'}),
		$node->safe_psql('postgres', q{
			SET gpustr.enabled = off;
			SELECT count(*), sum(id) FROM big WHERE s LIKE '%77%'}),
		"the same with few buffers, gpustr.engine = $engine");
	is($node->safe_psql('postgres', "SET gpustr.engine = '$engine'; SELECT check_digest()"),
		'same', "and where tuples are fetched, gpustr.engine = $engine");
}

# Scans of a large table keep step: one begins where another was last.
foreach my $engine ('local', 'device')
{
	my $gpu = "SET gpustr.engine = '$engine'; SET gpustr.debug_require = 'require';";
	my $plain = 'SET gpustr.enabled = off;';
	my $first = "SELECT id FROM step WHERE s LIKE '%-' LIMIT 1";

	foreach my $way ([ $plain, $gpu, 'a GpuScan after PostgreSQL' ], [ $gpu, $plain, 'PostgreSQL after a GpuScan' ])
	{
		$node->safe_psql('postgres', 'DROP TABLE IF EXISTS step; CREATE TABLE step AS TABLE big');
		$node->safe_psql('postgres', "$way->[0] $first OFFSET 20000");
		cmp_ok($node->safe_psql('postgres', "$way->[1] $first"), '>', 10000,
			"$way->[2], gpustr.engine = $engine");
	}
	$node->safe_psql('postgres', "$plain $first OFFSET 20000");
	is($node->safe_psql('postgres', "$gpu SELECT count(*), sum(id) FROM step WHERE s LIKE '%-'"),
		'100000|5000050000', "once around the table, gpustr.engine = $engine");
}
idle_ok($node, 'with few buffers');

$node->stop;
done_testing();
