
# The server itself crashes or is stopped while scans are in flight; a GPU fails
# for good, is away for a while, and returns.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = new_node('server_loss',
	'gpustr.batch_bytes' => '128kB', 'gpustr.staging_memory' => '4MB',
	'gpustr.device_startup_cost' => 0, 'restart_after_crash' => 'on', 'autovacuum' => 'off');
$node->safe_psql('postgres', q{
	CREATE TABLE logs AS
		SELECT i AS id, 'line ' || i || CASE WHEN i % 10 = 0 THEN ' error' ELSE ' fine' END AS msg
		FROM generate_series(1, 50000) i;
	CHECKPOINT;
});
my $scan = "SELECT count(*), sum(id) FROM logs WHERE msg LIKE '%error%'";
my $answer = '5000|125025000';

sub answer_ok
{
	my ($what) = @_;

	wait_for_device($node);
	is($node->safe_psql('postgres', "SET gpustr.debug_require = 'require'; $scan"), $answer, $what);
}

# A session with batches in flight, as its device stands still; returns it and
# its pid.
sub session_in_flight
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	$session->query_safe("SET gpustr.debug_require = 'require'; SET gpustr.batch_depth = 3");
	$session->query_safe("BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT id FROM logs WHERE msg LIKE '%error%'; MOVE 500 FROM c");
	kill 'STOP', device_pid($node);
	$session->query_until(qr/started/, "\\echo started\nMOVE ALL FROM c;\n");
	$node->poll_query_until('postgres', 'SELECT slots_in_use = 3 FROM gpustr.staging()')
	  or die 'no batches in flight';
	return ($session, $pid);
}

answer_ok('at first');

# kill -9 of a backend: PostgreSQL restarts all
foreach my $round (1 .. 2)
{
	my ($session, $pid) = session_in_flight();
	my $device = device_pid($node);
	my $offset = -s $node->logfile;

	kill 'KILL', $pid;
	ok($node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset),
		"crash $round: the server restarts");
	wait_until_back($node, $offset);
	answer_ok("crash $round: the answer");
	isnt(device_pid($node), $device, "crash $round: in a new device process");
	is_deeply([ device_processes($node) ], [ device_pid($node) ], "crash $round: the old one is gone");
	idle_ok($node, "crash $round");
	$session->{run}->kill_kill;
}

# kill -9 of the supervisor, and of device and backend together
{
	my ($session, $pid) = session_in_flight();
	my $offset = -s $node->logfile;
	my ($supervisor) = slurp_file('/proc/' . device_pid($node) . '/stat') =~ /^\d+ \(gpustr device\) \S (\d+)/;

	kill 'KILL', $supervisor;
	ok($node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset), 'the supervisor is killed');
	wait_until_back($node, $offset);
	answer_ok('the supervisor was killed: the answer');
	is_deeply([ device_processes($node) ], [ device_pid($node) ], 'one device process');
	$session->{run}->kill_kill;

	($session, $pid) = session_in_flight();
	$offset = -s $node->logfile;
	kill 'KILL', device_pid($node), $pid;
	ok($node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset), 'device and backend are killed at once');
	wait_until_back($node, $offset);
	answer_ok('device and backend were killed: the answer');
	idle_ok($node, 'device and backend were killed');
	$session->{run}->kill_kill;
}

# Stopped in every way with batches in flight: nothing is left, and it starts
foreach my $mode ('immediate', 'fast')
{
	my ($session, $pid) = session_in_flight();

	$node->stop($mode);
	is_deeply([ device_processes($node) ], [], "$mode stop: no process is left");
	$node->start;
	answer_ok("$mode stop: the answer after it");
	idle_ok($node, "$mode stop");
	$session->{run}->kill_kill;
}
{
	my ($session, $pid) = session_in_flight();
	my ($postmaster) = split /\n/, slurp_file($node->data_dir . '/postmaster.pid');

	kill 'KILL', $postmaster;
	foreach my $try (1 .. 600)
	{
		last unless device_processes($node);
		usleep(50_000);
	}
	is_deeply([ device_processes($node) ], [], 'the postmaster is killed: no device process is left');
	$session->{run}->kill_kill;
	# its backends notice as soon as they wait for something
	foreach my $try (1 .. 600)
	{
		last unless kill 0, $pid;
		usleep(50_000);
	}
	ok(!kill(0, $pid), 'nor the session that waited for it');
	$node->{_pid} = undef;
	$node->start;
	answer_ok('the postmaster was killed: the answer after it');
}
log_ok($node, 'crashes', qr/terminated by signal 9|could not (?:open|stat|remove)/);

# A GPU: it faults, cannot be opened, is away, and is back.
my $trouble = temp_folder . '/trouble';
sub gpu
{
	my ($state) = @_;

	unlink $trouble;
	append_to_file($trouble, $state) if $state;
}
configure($node, 'gpustr.devices' => '0', 'gpustr.debug_cuda_library' => fake_cuda_library(1, undef, $trouble));
$node->restart;
answer_ok('a GPU');
my %message = (
	'sticky' => qr/device lost: an illegal memory access was encountered.*could not open cuda device 0: uncorrectable ECC error encountered/s,
	'gone' => qr/device lost: an illegal memory access was encountered.*no GPU: no CUDA-capable device is detected.*gpustr device 0 is not there, queries run without it/s);
foreach my $state ('sticky', 'gone', 'sticky')
{
	my $offset = -s $node->logfile;
	my $session = $node->background_psql('postgres');

	wait_for_device($node);
	$session->query_safe("SET plan_cache_mode = force_generic_plan; SET gpustr.debug_require = 'require'; PREPARE scan AS $scan");
	is($session->query_safe('EXECUTE scan'), $answer, "$state: the answer before");
	$session->query_safe('RESET gpustr.debug_require');
	gpu($state);
	is($session->query_safe('EXECUTE scan'), $answer, "$state: as it happens");
	is($session->query_safe('EXECUTE scan'), $answer, "$state: again");
	ok($node->wait_for_log($message{$state}, $offset), "$state: the log says why");
	is($session->query_safe('EXECUTE scan'), $answer, "$state: while it is away");
	like($session->query_safe("EXPLAIN (COSTS OFF) $scan"), qr/Seq Scan/, "$state: new plans do without");
	idle_ok($node, "$state");
	gpu('');
	$offset = -s $node->logfile;
	wait_for_device($node);
	ok($node->wait_for_log(qr/gpustr device 0: device process up: cuda \(Fake\)/, $offset), "$state: the log says that it is back")
	  if $state eq 'gone';
	$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
	is($session->query_safe('EXECUTE scan'), $answer, "$state: it is back");
	is($node->safe_psql('postgres', 'SELECT batches > 0, fallbacks FROM gpustr.stat_device'), 't|0', "$state: and works");
	$session->quit;
}
idle_ok($node, 'in the end');
$node->stop;
is_deeply([ device_processes($node) ], [], 'no process is left');

done_testing();
