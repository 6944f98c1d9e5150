
# Bare pins (src/batch/page_pin.c): pages of batches in flight are pinned, and whatever
# ends the scan, nothing stays pinned: who waits for the page goes on.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('pins', 'gpustr.batch_bytes' => '256kB', 'gpustr.staging_memory' => '4MB',
	'gpustr.device_timeout' => '10min', 'gpustr.batch_depth' => 4, 'gpustr.debug_require' => 'allow',
	'shared_buffers' => '64MB', 'autovacuum' => 'off', 'synchronize_seqscans' => 'off',
	'max_parallel_workers_per_gather' => 0);

$node->safe_psql('postgres', q{
	CREATE TABLE t AS SELECT i AS id, 'line ' || i || repeat(' lorem ipsum', 6) AS msg FROM generate_series(1, 30000) i;
	VACUUM ANALYZE t;
	CREATE FUNCTION caught() RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM sum(1 / (id - 6000)) FROM t WHERE msg LIKE '%line%';
	EXCEPTION WHEN division_by_zero THEN
		RETURN 'caught';
	END $$;
});

my $scan = "SELECT count(*) FROM t WHERE msg LIKE '%line%1%'";
my $require = "SET gpustr.debug_require = 'require'";
my $right = $node->safe_psql('postgres', "SET gpustr.enabled = off; $scan");

# Scans that raise the usage counts, and leave hints, so that the next ones find their
# pages by these
$node->safe_psql('postgres', "$require; $scan; $scan; $scan") for 1 .. 3;

# Buffers are counted as by a sequential scan
sub buffers
{
	my ($enabled) = @_;
	my $count = "SELECT heap_blks_hit FROM pg_statio_user_tables WHERE relname = 't'";
	my $before = $node->safe_psql('postgres', $count);
	my $plan = $node->safe_psql('postgres', "SET gpustr.enabled = $enabled; EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) $scan");
	my ($hit) = $plan =~ /"Shared Hit Blocks": (\d+)/;
	my ($read) = $plan =~ /"Shared Read Blocks": (\d+)/;

	is($plan =~ /GpuScan/ ? 'on' : 'off', $enabled, "the plan with gpustr $enabled");
	return "$hit hit, $read read, " . ($node->safe_psql('postgres', $count) - $before) . ' counted';
}

is(buffers('on'), buffers('off'), 'buffers are counted as by a sequential scan');

# A session whose scan has batches in flight on a device that stands still
sub start_scan
{
	my ($sql) = @_;
	my $device = device_pid($node);
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe("$require; SELECT pg_backend_pid()");

	kill 'STOP', $device;
	$session->query_until(qr/started/, "\\echo started\n$sql;\n\\echo ended\n");
	ok( $node->poll_query_until('postgres',
			'SELECT pinned_buffers > 0 AND slots_in_use > 0 FROM gpustr.staging()'),
		'batches are in flight');
	# the first batch is small, and goes alone
	cmp_ok(pinned_buffers($node), '>=', 20, 'and their pages are pinned');
	return ($session, $pid, $device);
}

# Nobody pins anything, while the device still stands still
sub unpinned_ok
{
	my ($what) = @_;

	ok( $node->poll_query_until('postgres',
			'SELECT NOT EXISTS (SELECT FROM pg_buffercache WHERE pinning_backends > 0 AND relfilenode >= 16384)'),
		"$what: nothing is pinned");
}

# It ends well
my ($session, $pid, $device) = start_scan($scan);
kill 'CONT', $device;
ok($node->poll_query_until('postgres', "SELECT state = 'idle' FROM pg_stat_activity WHERE pid = $pid"), 'the scan ends');
unpinned_ok('a scan that has ended');
$session->quit;

# It is cancelled, alone and in a transaction that goes on; it is terminated
($session, $pid, $device) = start_scan($scan);
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
unpinned_ok('cancelled');
kill 'CONT', $device;
$session->quit;

($session, $pid, $device) = start_scan("BEGIN; SAVEPOINT s; $scan");
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
unpinned_ok('cancelled in a subtransaction');
kill 'CONT', $device;
$session->query("ROLLBACK TO s");
$session->{stderr} = '';    # what the cancelled one said
is($session->query_safe($scan), $right, 'the transaction goes on');
$session->query_safe('COMMIT');
$session->quit;

($session, $pid, $device) = start_scan($scan);
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
unpinned_ok('terminated');
kill 'CONT', $device;
$session->{run}->kill_kill;

# Several batches in flight, of a cursor that goes on
($session, $pid, $device) = start_scan($scan);
kill 'CONT', $device;
$session->query('SELECT 1');
$session->query_safe("BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT id FROM t WHERE msg LIKE '%line%'; MOVE 3000 FROM c");
kill 'STOP', $device;
$session->query_until(qr/moving/, "\\echo moving\nMOVE ALL FROM c;\n");
ok($node->poll_query_until('postgres', 'SELECT slots_in_use = 4 FROM gpustr.staging()'), 'four batches are in flight');
cmp_ok(pinned_buffers($node), '>', 50, 'their pages are pinned');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
unpinned_ok('four batches');
kill 'CONT', $device;
$session->quit;

# An error while other batches are in flight, caught in the same statement
$session = $node->background_psql('postgres', on_error_stop => 0);
is($session->query_safe("$require; BEGIN; SELECT caught()"), 'caught', 'an error is caught');
unpinned_ok('an error that was caught, in an open transaction');
is($session->query_safe($scan), $right, 'that transaction goes on');
$session->query_safe('COMMIT');
$session->quit;

# A cursor of the transaction fails in a subtransaction, which takes its pins with it
$session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe("$require; BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT 1 / (id - 6000) FROM t WHERE msg LIKE '%line%'; MOVE 100 FROM c; SAVEPOINT s");
$session->query('MOVE ALL FROM c');
like($session->{stderr}, qr/division by zero/, 'a cursor fails in a subtransaction');
$session->{stderr} = '';
unpinned_ok('a cursor that failed, before its subtransaction is rolled back');
$session->query_safe('ROLLBACK TO s');
is($session->query_safe($scan), $right, 'the transaction of the cursor goes on');
$session->query_safe('COMMIT');

# A cursor that fails as it is held at the end of its transaction
$session->query_safe("BEGIN; DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT 1 / (id - 6000) FROM t WHERE msg LIKE '%line%'; MOVE 100 FROM c");
$session->query('COMMIT');
like($session->{stderr}, qr/division by zero/, 'a cursor fails as it is held');
$session->{stderr} = '';
unpinned_ok('a cursor that could not be held');
$session->quit;

# Leader and workers have batches in flight: the leader is cancelled, a worker is
# terminated
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0';
my $workers = "FROM pg_stat_activity WHERE backend_type = 'parallel worker'";

foreach my $victim ("SELECT pg_cancel_backend(LEADER)", "SELECT pg_terminate_backend(pid) $workers LIMIT 1")
{
	($session, $pid, $device) = start_scan("$parallel; $scan");
	ok( $node->poll_query_until('postgres', "SELECT count(*) = 2 $workers AND wait_event = 'Extension'"),
		'workers wait for the device');
	$node->safe_psql('postgres', $victim =~ s/LEADER/$pid/r);
	unpinned_ok($victim);
	kill 'CONT', $device;
	$session->quit;
}

# Cursors: one that rests, one that is closed, one of a subtransaction
$session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe("$require; BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT id FROM t WHERE msg LIKE '%line%'; MOVE 5000 FROM c");
cmp_ok(pinned_buffers($node), '<=', 1, 'a cursor that rests pins the page of its row at most');
$session->query_safe("SAVEPOINT s; DECLARE d NO SCROLL CURSOR FOR SELECT id FROM t WHERE msg LIKE '%line%'; MOVE 300 FROM d; MOVE 300 FROM c; ROLLBACK TO s");
cmp_ok(pinned_buffers($node), '<=', 1, 'and so it is when a cursor of a subtransaction has gone');
is($session->query_safe('FETCH 1 FROM c'), '5301', 'the other cursor goes on');
$session->query_safe('CLOSE c; COMMIT');
unpinned_ok('closed');
$session->quit;

# VACUUM that wants a page alone waits for the pins, and is woken by their end.  It wants
# one with something to freeze: pages that the first one may have frozen already stay
# all visible when their rows are locked.
$node->safe_psql('postgres', 'UPDATE t SET msg = msg WHERE id = 1');
$node->safe_psql('postgres', "VACUUM t");
$node->safe_psql('postgres', 'SELECT count(*) FROM (SELECT FROM t FOR UPDATE) x');
$node->safe_psql('postgres', "$require; $scan") for 1 .. 3;
($session, $pid, $device) = start_scan($scan);
my $vacuum = $node->background_psql('postgres', on_error_stop => 0);
my $vacuum_pid = $vacuum->query_safe('SELECT pg_backend_pid()');
$vacuum->query_until(qr/started/, "\\echo started\nVACUUM (FREEZE, DISABLE_PAGE_SKIPPING) t;\n\\echo ended\n");
ok( $node->poll_query_until('postgres',
		"SELECT wait_event = 'BufferPin' FROM pg_stat_activity WHERE pid = $vacuum_pid"),
	'VACUUM waits for the pin of a page in flight');
kill 'CONT', $device;
ok($node->poll_query_until('postgres', "SELECT state = 'idle' FROM pg_stat_activity WHERE pid = $vacuum_pid"),
	'and goes on when it is dropped');
$vacuum->quit;
$session->quit;
is($node->safe_psql('postgres', "$require; $scan"), $right, 'the answer after it');
is($node->safe_psql('postgres', 'SELECT count(*) FROM t WHERE age(xmin) < 0 OR xmin::text::bigint < 3'), '0', 'tuples are well');

# Buffers pinned by a scan are not taken for other pages
($session, $pid, $device) = start_scan($scan);
$node->safe_psql('postgres', 'CREATE TABLE big AS SELECT i, repeat(md5(i::text), 20) AS s FROM generate_series(1, 150000) i');
cmp_ok(pinned_buffers($node), '>=', 20, 'pages stay pinned while others come and go');
kill 'CONT', $device;
ok($node->poll_query_until('postgres', "SELECT state = 'idle' FROM pg_stat_activity WHERE pid = $pid"), 'the scan ends');
$session->quit;
is($node->safe_psql('postgres', "$require; $scan"), $right, 'and the answer is right');

# Tables go away at once: nobody waits for a pin that nobody drops
$node->safe_psql('postgres', 'TRUNCATE t; DROP TABLE t, big');
idle_ok($node, 'at the end');
log_ok($node, 'at the end');
$node->stop;
done_testing();
