
# A device is lost in every way; sessions give up in every way.  No wrong
# answer, no hang, nothing left in use.

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
	'loss',
	'gpustr.device_timeout' => '1s',
	'gpustr.batch_bytes' => '256kB',
	'gpustr.staging_memory' => '4MB',
	'autovacuum' => 'off');

$node->safe_psql('postgres', q{
	CREATE TABLE logs AS
		SELECT i AS id, 'line ' || i || CASE WHEN i % 10 = 0 THEN ' error' ELSE ' fine' END
			|| repeat(' lorem ipsum', 6) AS msg
		FROM generate_series(1, 200000) i;
	CREATE TABLE names AS
		SELECT array_agg('First' || i || ' Last' || i) AS name,
			array_agg(CASE WHEN i % 2 = 0 THEN 'public' ELSE 'private' END) AS visibility
		FROM generate_series(1, 200000) i;
	VACUUM ANALYZE logs;
});

my %query = (
	scan => [ "SET gpustr.debug_require = 'require'; SELECT count(*), sum(id) FROM logs WHERE msg LIKE '%error%lorem%'",
		'20000|2000100000' ],
	redact => [ "SELECT count(*), sum(length(r)) FROM (SELECT unnest(gpustr.redact(name, visibility)) AS r FROM names) s",
		undef ]);
$query{redact}[1] = $node->safe_psql('postgres', 'SET gpustr.engine = local; ' . $query{redact}[0]);

sub answers_ok
{
	my ($set, $what) = @_;

	foreach my $name (sort keys %query)
	{
		wait_for_device($node);
		is($node->safe_psql('postgres', "$set; $query{$name}[0]"), $query{$name}[1],
			"$what: $name");
	}
}

sub reset_counters
{
	$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
}

sub counters
{
	return $node->safe_psql('postgres',
		'SELECT batches > 0, fallbacks > 0, restarts > 0 FROM gpustr.stat_device');
}

answers_ok('', 'healthy');
is(counters(), 't|f|f', 'the device did it');
idle_ok($node, 'healthy');

# Simulated faults
foreach my $fault ('out_of_memory', 'lost', 'crash', 'hang')
{
	reset_counters();
	answers_ok("SET gpustr.debug_device_fault = '$fault'", $fault);
	my $restarted = $fault eq 'out_of_memory' ? 'f' : 't';
	wait_for_device($node);
	like(counters(), qr/^[tf]\|t\|$restarted$/, "$fault: batches were redone");
	idle_ok($node, $fault);
}
like(slurp_file($node->logfile), qr/has not answered for 1000 ms, terminating its process/,
	'a hanging process is reported');
like(slurp_file($node->logfile), qr/device lost: simulated loss of the device/,
	'so is a lost device');

# Killed again and again while sessions work
wait_for_device($node);
reset_counters();
my $rounds = $ENV{GPUSTR_TEST_ROUNDS} // 100;
my $dir = temp_folder;
my (%out, %err, @sessions);
# The plan is made once, so that it is a GpuScan whatever the device's state.
wait_for_device($node);
my ($scan) = $query{scan}[0] =~ /(SELECT .*)/;
foreach my $i (0 .. 3)
{
	my $sql = "SET plan_cache_mode = force_generic_plan;\nSET gpustr.debug_require = 'require';\n"
	  . "PREPARE scan AS $scan;\nEXPLAIN (COSTS OFF) EXECUTE scan \\g /dev/null\nRESET gpustr.debug_require;\n";
	$sql .= "EXECUTE scan;\n$query{redact}[0];\n" for 1 .. $rounds;
	my $file = "$dir/session$i.sql";
	append_to_file($file, $sql);
	push @sessions,
	  IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $file ],
		'<', '/dev/null', '>', \$out{$i}, '2>', \$err{$i});
}
my $kills = 0;
usleep(300_000);
while (grep { $_->pumpable } @sessions)
{
	my @pids = device_processes($node);
	$kills += kill 'KILL', @pids;
	$_->pump_nb foreach grep { $_->pumpable } @sessions;
	usleep(50_000);
}
$_->finish foreach @sessions;
cmp_ok($kills, '>=', 3, 'device processes were killed');
foreach my $i (0 .. 3)
{
	is($err{$i}, '', "session $i: no error");
	my %answer;
	$answer{$_}++ foreach split /\n/, $out{$i};
	is_deeply(\%answer, { $query{scan}[1] => $rounds, $query{redact}[1] => $rounds },
		"session $i: all answers are right");
}
wait_for_device($node);
like(counters(), qr/\|t$/, 'the supervisor started new ones');
idle_ok($node, 'killed');

# A scan keeps several batches in flight: with the device at a stand, as many as
# gpustr.batch_depth wait for it.
wait_for_device($node);
my $device = device_pid($node);
my $session = $node->background_psql('postgres');
$session->query_safe("SET gpustr.batch_depth = 3; SET gpustr.debug_require = 'require'; BEGIN");
$session->query_safe("DECLARE c NO SCROLL CURSOR FOR SELECT id FROM logs WHERE msg LIKE '%error%'");
$session->query_safe('MOVE 3000 FROM c');
kill 'STOP', $device;
$session->query_until(qr/started/, "\\echo started\nMOVE ALL FROM c;\n");
ok($node->poll_query_until('postgres', 'SELECT slots_in_use = 3 FROM gpustr.staging()'),
	'batches wait for a device that stands still');
kill 'CONT', $device;
is($session->query_safe('SELECT 1'), '1', 'and are through when it goes on');
$session->query_safe('COMMIT');
$session->quit;
idle_ok($node, 'in flight');

# Sessions give up: cancelled, failed, terminated, while the device works
my $slow = "SET gpustr.engine = 'device'; ";
foreach my $ms (1, 2, 5, 10, 20, 50)
{
	my ($ret, $out, $err) = $node->psql('postgres',
		"SET statement_timeout = $ms; $query{scan}[0]; SET statement_timeout = 0; $query{scan}[0]");
	like($err, qr/^$|canceling statement due to statement timeout/, "cancelled after $ms ms");
	like($out, qr/$query{scan}[1]/, "the next query of that session is right ($ms ms)")
	  if $err eq '' || $out ne '';
}
idle_ok($node, 'cancelled');

my ($ret, $out, $err) = $node->psql('postgres',
	"SELECT count(*) FROM logs WHERE msg LIKE '%error%' AND 1 / (id - 100) > 0");
like($err, qr/division by zero/, 'a query that fails between batches');
idle_ok($node, 'failed');

my $cursor = q{
	BEGIN;
	DECLARE c CURSOR FOR SELECT id FROM logs WHERE msg LIKE '%error%';
	FETCH 5 FROM c;
	SAVEPOINT s;
	FETCH 5 FROM c;
	DECLARE d CURSOR FOR SELECT id FROM logs WHERE msg LIKE '%fine%';
	FETCH 1 FROM d;
	ROLLBACK TO s;
	FETCH 5 FROM c;
	SELECT count(*) FROM logs WHERE msg LIKE '%error%';
};
is( $node->safe_psql('postgres', "$cursor COMMIT;"),
	join("\n", (map { $_ * 10 } 1 .. 10), 1, (map { $_ * 10 } 11 .. 15), 20000),
	'a cursor survives a subtransaction that only fetched from it');
$node->psql('postgres', "$cursor SELECT 1 / 0; COMMIT;");
idle_ok($node, 'aborted');
$node->psql('postgres', "$cursor SELECT pg_terminate_backend(pg_backend_pid());");
idle_ok($node, 'terminated');

# Hung while a session is cancelled: the session need not wait for the device
wait_for_device($node);
($ret, $out, $err) = $node->psql('postgres',
	"SET statement_timeout = 200; SET gpustr.debug_device_fault = hang; $query{scan}[0]");
like($err, qr/canceling statement due to statement timeout/, 'cancelled while the device hangs');
wait_for_device($node);
idle_ok($node, 'cancelled while the device hung');

answers_ok('', 'in the end');
$node->stop;
is_deeply([ device_processes($node) ], [], 'no process is left');

done_testing();
