
# Two hundred sessions share one device: none starves beside others that never
# stop scanning, and none holds a lock while it waits for the device.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sessions = $ENV{GPUSTR_TEST_SESSIONS} // 200;
my $heavy = 4;

my $node = new_node('many',
	'max_connections' => $sessions + 30, 'shared_buffers' => '64MB',
	'gpustr.batch_bytes' => '256kB', 'gpustr.staging_memory' => '8MB',
	'gpustr.device_timeout' => '600s', 'gpustr.device_startup_cost' => 0,
	'log_statement' => 'none', 'autovacuum' => 'off');
$node->safe_psql('postgres', q{
	CREATE TABLE logs AS
		SELECT i AS id, 'line ' || i || CASE WHEN i % 10 = 0 THEN ' error' ELSE ' fine' END AS msg
		FROM generate_series(1, 40000) i;
	CREATE TABLE small AS SELECT * FROM logs WHERE id <= 2000;
	CREATE TABLE done (session text, n int);
	CREATE TABLE stop ();
	CREATE FUNCTION heavy(name text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE n bigint; BEGIN
		LOOP
			SELECT count(*) INTO n FROM logs WHERE msg LIKE '%error%';
			IF n <> 4000 THEN RAISE 'WRONG ANSWER %', n; END IF;
			PERFORM set_config('gpustr.debug_require', 'allow', true);
			INSERT INTO done VALUES (name, 1);
			EXIT WHEN EXISTS (SELECT FROM pg_class WHERE relname = 'stopped');
		END LOOP;
	END $$;
	CREATE FUNCTION light() RETURNS void LANGUAGE plpgsql AS $$
	DECLARE n bigint; BEGIN
		SELECT count(*) INTO n FROM small WHERE msg LIKE '%error%';
		IF n <> 200 THEN RAISE 'WRONG ANSWER %', n; END IF;
	END $$;
	ANALYZE;
	SELECT gpustr.stat_reset();
});

# Those that never stop
my (@heavy, @said);
my $require = "PGOPTIONS=-c gpustr.debug_require=allow -c gpustr.batch_depth=8";
foreach my $i (1 .. $heavy)
{
	$said[$i] = '';
	push @heavy, IPC::Run::start(
		[ 'env', $require, 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', "SELECT heavy('heavy $i')" ],
		'<', '/dev/null', '>&', \$said[$i]);
}
$node->poll_query_until('postgres',
	"SELECT count(*) = $heavy FROM pg_stat_activity WHERE query LIKE 'SELECT heavy%'") or die;

# ... beside a fixed amount of work in many sessions
my $lights = $sessions - $heavy;
my $dir = temp_folder;
append_to_file("$dir/light.sql", "SELECT light();\nINSERT INTO done VALUES ('light ' || :client_id, 1);\n");
my ($out, $err) = ('', '');
ok( IPC::Run::run(
		[ 'pgbench', '-n', '-c', $lights, '-j', 2, '-t', 3, '-f', "$dir/light.sql", '-d', 'postgres',
			'-h', $node->host, '-p', $node->port ],
		'<', '/dev/null', '>', \$out, '2>', \$err, IPC::Run::timeout(300)),
	"$lights sessions did their work beside $heavy that never stop") or diag($err);
my $all = $lights * 3;
like($out, qr{processed: $all/$all}, 'all of it');
my $at_the_end = $node->safe_psql('postgres', 'SELECT coalesce(sum(n), 0) FROM done WHERE session LIKE $$heavy%$$');
$node->safe_psql('postgres', 'CREATE TABLE stopped ()');
$_->finish foreach @heavy;
unlike(join('', @said[ 1 .. $heavy ]), qr/ERROR|WARNING/, 'those that never stop met no error');
is($node->safe_psql('postgres', "SELECT count(DISTINCT session), min(k) FROM (SELECT session, sum(n) AS k FROM done WHERE session LIKE 'light%' GROUP BY 1) s"),
	"$lights|3", 'each session did its share');
is($node->safe_psql('postgres', "SELECT count(DISTINCT session) FROM done WHERE session LIKE 'heavy%'"),
	$heavy, 'and none of the others starved');
is($node->safe_psql('postgres', 'SELECT batches > 0, fallbacks FROM gpustr.stat_device'), 't|0', 'the device did it');
idle_ok($node, 'after many sessions');

# All wait for a device that stands still, one batch each.  The pool has fewer
# slots than there are sessions; those without one scan by themselves.
my $device = device_pid($node);
my $slots = $node->safe_psql('postgres', 'SELECT slots FROM gpustr.staging()');
my @waiting;
kill 'STOP', $device;
foreach my $i (1 .. 20)
{
	my $session = $node->background_psql('postgres', on_error_stop => 0, timeout => 300);

	$session->query_safe("SET gpustr.debug_require = 'require'; SET gpustr.batch_depth = 1");
	$session->query_until(qr/started/, "\\echo started\nSELECT count(*) FROM logs WHERE msg LIKE '%error%';\n");
	push @waiting, $session;
}
ok( $node->poll_query_until('postgres',
		"SELECT count(*) = 20 FROM pg_stat_activity WHERE wait_event_type = 'Extension' AND query LIKE 'SELECT count(*) FROM logs%'"),
	'sessions wait for the device, and pg_stat_activity says so');
is( $node->safe_psql('postgres', q{
		SELECT DISTINCT l.locktype, l.mode, coalesce(l.relation::regclass::text, '') FROM pg_locks l
		JOIN pg_stat_activity a USING (pid) WHERE a.query LIKE 'SELECT count(*) FROM logs%' ORDER BY 1, 2}),
	"relation|AccessShareLock|logs\nvirtualxid|ExclusiveLock|", 'they hold the locks of a reader and no other');

# No lock of a page or of shared memory either: everybody else gets through
my $others = q{
	SET statement_timeout = '60s';
	SET gpustr.enabled = off;
	SELECT count(*) FROM logs WHERE msg LIKE '%error%';
	UPDATE logs SET msg = msg || ' ' WHERE id % 10 = 1;
	DELETE FROM logs WHERE id % 10 = 2;
	INSERT INTO logs SELECT 1000000 + g, 'late error' FROM generate_series(1, 1000) g;
	VACUUM logs;
	CHECKPOINT;
	ANALYZE logs;
	SELECT count(*) FROM gpustr.devices();
};
is($node->safe_psql('postgres', $others), "4000\n1", 'others read, write, vacuum and checkpoint meanwhile');
is( $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Extension' AND query LIKE 'SELECT count(*) FROM logs%'"),
	'20', 'while they wait still');
# one of them may be cancelled, without the device
$node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid IN (SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT count(*) FROM logs%' LIMIT 1)");
ok( $node->poll_query_until('postgres',
		"SELECT count(*) = 19 FROM pg_stat_activity WHERE wait_event_type = 'Extension' AND query LIKE 'SELECT count(*) FROM logs%' AND state = 'active'"),
	'one is cancelled before the device goes on');
kill 'CONT', $device;
my %answer;
foreach my $session (@waiting)
{
	my $got = $session->query_until(qr/^end$/m, "\\echo end\n");

	$got =~ s/\s*end\s*//;
	$answer{$got}++;
	$session->quit;
}
is_deeply(\%answer, { '4000' => 19, '' => 1 }, 'then all have the answer of their snapshot');
idle_ok($node, 'in the end');
log_ok($node, 'many sessions');
$node->stop;

done_testing();
