
# Parallel scans that are disturbed, with many staging slots and with far fewer
# than workers.  No wrong answer, no hang, nothing left in use.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = new_node(
	'parallel',
	'gpustr.device_timeout' => '1s',
	'gpustr.batch_bytes' => '256kB',
	'gpustr.staging_memory' => '512kB',
	'max_worker_processes' => 16,
	'max_parallel_workers' => 12,
	'max_parallel_workers_per_gather' => 8,
	'parallel_setup_cost' => 0,
	'parallel_tuple_cost' => 0,
	'autovacuum' => 'off');

$node->safe_psql('postgres', q{
	CREATE TABLE logs WITH (parallel_workers = 8) AS
		SELECT i AS id, 'line ' || i || CASE WHEN i % 10 = 0 THEN ' error' ELSE ' fine' END
			|| repeat(' lorem ipsum', 6) AS msg
		FROM generate_series(1, 200000) i;
	CREATE FUNCTION slow(int) RETURNS bool LANGUAGE plpgsql PARALLEL SAFE COST 100000
		AS $$ BEGIN PERFORM pg_sleep(0.01); RETURN true; END $$;
	VACUUM ANALYZE logs;
});

my $require = "SET gpustr.debug_require = 'require'";
my $scan = "SELECT count(*), sum(id) FROM logs WHERE msg LIKE '%error%lorem%'";
my $answer = '20000|2000100000';
my $slow = "SELECT count(*) FROM logs WHERE msg LIKE '%error%' AND slow(id)";

sub scan_ok
{
	my ($what) = @_;

	wait_for_device($node);
	is($node->safe_psql('postgres', "$require; $scan"), $answer, "$what: the next answer is right");
	idle_ok($node, $what);
}

# Is there a worker that runs this session's query?  Its pid.
sub worker_pid
{
	my $pid;

	$node->poll_query_until('postgres',
		"SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'")
	  or die 'no worker was started';
	return $node->safe_psql('postgres',
		"SELECT min(pid) FROM pg_stat_activity WHERE backend_type = 'parallel worker'");
}

foreach my $staging ('512kB', '4MB')
{
	configure($node, 'gpustr.staging_memory' => $staging);
	$node->restart;
	wait_for_device($node);
	my $slots = $node->safe_psql('postgres', 'SELECT slots FROM gpustr.staging()');
	my $with = "$slots slots";

	like($node->safe_psql('postgres', "$require; EXPLAIN (ANALYZE, COSTS OFF) $scan"),
		qr/Workers Launched: 8\n.*Parallel Custom Scan \(GpuScan\).*GPU Rows: 200000\n/s,
		"$with: eight workers share the table");
	scan_ok("$with, undisturbed");

	# several such queries at a time: more workers than there can be, too
	my (@sessions, %out, %err);
	foreach my $i (0 .. 2)
	{
		push @sessions,
		  IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $require,
				map { ('-c', $scan) } 1 .. 5 ],
			'<', '/dev/null', '>', \$out{$i}, '2>', \$err{$i});
	}
	$_->finish foreach @sessions;
	is($out{$_} . $err{$_}, "$answer\n" x 5, "$with: session $_ among others") foreach 0 .. 2;
	idle_ok($node, "$with, three sessions");

	# the device process is killed again and again
	my $rounds = $ENV{GPUSTR_TEST_ROUNDS} // 20;
	my $sql = "SET plan_cache_mode = force_generic_plan;\n$require;\nPREPARE scan AS $scan;\n"
	  . "EXPLAIN (COSTS OFF) EXECUTE scan \\g /dev/null\nRESET gpustr.debug_require;\n"
	  . "EXECUTE scan;\n" x $rounds;
	my ($out, $err) = ('', '');
	wait_for_device($node);
	my $file = temp_folder . '/session.sql';
	append_to_file($file, $sql);
	my $session =
	  IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $file ],
		'<', '/dev/null', '>', \$out, '2>', \$err);
	my $kills = 0;
	# the plan is made while there is a device
	$session->pump while $session->pumpable && $out !~ /\n/;
	while ($session->pumpable)
	{
		$kills += kill 'KILL', device_processes($node);
		$session->pump_nb;
		usleep(50_000);
	}
	$session->finish;
	cmp_ok($kills, '>=', 2, "$with: device processes were killed");
	is($err, '', "$with: no error when they are");
	is($out, "$answer\n" x $rounds, "$with: all answers are right");
	scan_ok("$with, killed");

	# the device stands still, and is given up
	is($node->safe_psql('postgres', "$require; SET gpustr.debug_device_fault = 'hang'; $scan"),
		$answer, "$with: a device that hangs");
	scan_ok("$with, hung");

	# a worker is terminated
	wait_for_device($node);
	my $background = $node->background_psql('postgres', on_error_stop => 0);
	$background->query_until(qr/started/, "$require;\n\\echo started\n$slow;\n");
	my $pid = worker_pid();
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
	$node->poll_query_until('postgres',
		"SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'");
	idle_ok($node, "$with, worker terminated");
	is(scalar($background->query($scan)), $answer, "$with: its session goes on");
	$background->quit;

	# cancelled at different moments
	foreach my $ms (1, 5, 20, 50, 200)
	{
		my $query = $ms < 200 ? $scan : $slow;
		my ($ret, $stdout, $stderr) = $node->psql('postgres',
			"SET statement_timeout = $ms;\n$query;\nSET statement_timeout = 0;\n$scan;\n", on_error_stop => 0);
		like($stderr, $ms < 200 ? qr/^$|canceling statement due to statement timeout/ : qr/canceling statement due to statement timeout/,
			"$with: cancelled after $ms ms");
		like($stdout, qr/(?:^|\n)\Q$answer\E$/, "$with: and the session has the answer after that");
	}
	scan_ok("$with, cancelled");

	# the leader has had enough
	is( $node->safe_psql('postgres',
			"$require; SELECT count(*) FROM (SELECT id FROM logs WHERE msg LIKE '%error%' AND id * 2 > 0 LIMIT 1000) x"),
		'1000', "$with: LIMIT");
	scan_ok("$with, LIMIT");

	# an error in a worker
	my ($ret, $stdout, $stderr) = $node->psql('postgres',
		"$require; SET parallel_leader_participation = off; SELECT count(*) FROM logs WHERE msg LIKE '%error%' AND 1 / (id - 150000) = 0");
	like($stderr, qr/division by zero/, "$with: an error in a worker");
	scan_ok("$with, error");
}

$node->stop;
is_deeply([ device_processes($node) ], [], 'no process is left');

done_testing();
