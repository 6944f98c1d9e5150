
# Tables of joins: requests that make and probe them in a device process, which is
# lost, full, hung or busy; and what becomes of the tables, whatever becomes of the
# session.  Through requests of the tests' own (table_calls.c), without plans.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my $node = new_node('tables',
	'gpustr.batch_bytes' => '64kB', 'gpustr.staging_memory' => '1MB',
	'gpustr.device_timeout' => '2s', 'restart_after_crash' => 'on', 'autovacuum' => 'off');

# The server hides the symbols of modules from 16 on.
plan skip_all => 'the symbols of gpustr.so are hidden'
  if $node->safe_psql('postgres', 'SHOW server_version_num') >= 160000;

my $library = temp_folder . '/table_calls.so';
my $include = qx($ENV{PG_CONFIG} --includedir-server);
chomp $include;
system_or_bail('cc', '-shared', '-fPIC', '-O1', '-Wall', '-Werror', "-I$GpustrTest::top/src", "-I$include",
	'-o', $library, "$GpustrTest::top/test/t/table_calls.c");
chmod 0755, temp_folder, $library;
sub create_functions
{
	$node->safe_psql('postgres', qq{
		CREATE FUNCTION join_rows(nrows int, nkeys int, chunk int, room int, pause int) RETURNS text
			AS '$library' LANGUAGE c VOLATILE STRICT;
		CREATE FUNCTION hold_tables(n int) RETURNS int AS '$library' LANGUAGE c VOLATILE STRICT;
	});
}
create_functions();

# A join, its answer, and where it must have ended; 'again': the table was made anew.
sub join_ok
{
	my ($what, $set, $arguments, $place, $again) = @_;
	my ($nrows) = split /,/, $arguments;
	my $expected = sprintf '%d %d %s %s', $nrows, $nrows * ($nrows - 1) / 2, $place, $again;
	my ($ret, $out, $err) = $node->psql('postgres', "$set; SELECT join_rows($arguments)");

	is($out, $expected, $what);
	return $err;
}

# Start one that rests between build and probe, or stands still with its device.
sub start_join
{
	my ($arguments, $set) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0, timeout => 120);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	$session->query_safe($set) if $set;
	$session->query_until(qr/started/, "\\echo started\nSELECT join_rows($arguments);\n");
	return ($session, $pid);
}

sub answer_of
{
	my ($session) = @_;
	my $got = $session->query_until(qr/^end$/m, "\\echo end\n");

	$got =~ s/\s*end\s*//;
	return $got;
}

sub tables_are
{
	my ($what, $n) = @_;

	ok( $node->poll_query_until('postgres', "SELECT tables = $n AND (table_bytes > 0) = ($n > 0) FROM gpustr.stat_device WHERE id = 0"),
		"$what: tables $n");
}

# In order
my $small = '5000, 700, 300, 100, 0';
join_ok('one request', '', '10, 10, 10, 10, 0', 'device', 0);
die 'no join at all' unless Test::More->builder->is_passing;
join_ok('several', '', $small, 'device', 0);
join_ok('of few rows', '', '3000, 1, 17, 7, 0', 'device', 0);
join_ok('no rows', '', '0, 5, 10, 10, 0', 'device', 0);
join_ok('in the session', 'SET gpustr.engine = local', $small, 'local', 0);
idle_ok($node, 'in order');

# Larger than a slot: in the session from the start, or from the probe on
join_ok('a request larger than a slot', '', '50000, 50000, 20000, 1000, 0', 'local', 1);
join_ok('results larger than a slot', '', '5000, 700, 300, 20000, 0', 'local', 1);
idle_ok($node, 'large requests');

# Every step on the way fails, for every number that a join makes
foreach my $fault ('', 'lost', 'crash')
{
	my $max = 0;
	my (@wrong, %kinds);

	foreach my $n (1 .. 200)
	{
		wait_for_device($node);
		my ($ret, $out, $err) = $node->psql('postgres',
			($fault ? "SET gpustr.debug_device_fault = $fault;" : '')
			. "SET gpustr.debug_fail_engine_call = $n; SELECT join_rows(900, 90, 200, 300, 0)");
		my ($kind) = $err =~ /NOTICE:  engine call $n fails on demand: (.*)/;

		push @wrong, "$n ($kind): $out $err" if $out !~ /^900 404550 (?:device|local) [01]$/;
		$max = $n, $kinds{$kind} = $out if $kind;
		last if !$kind;
	}
	is(join("\n", @wrong), '', "each call fails once, $fault: right");
	is(join(', ', sort keys %kinds), 'acquire a slot, claim a table, run on a device, submit, wait',
		"each call fails once, $fault: all kinds");
	cmp_ok($max, '<', 200, "each call fails once, $fault: all calls");
	wait_for_device($node);
	idle_ok($node, "each call fails once, $fault");
}
{
	my ($wrong, $errors) = ('', 0);

	foreach my $n (1 .. 60)
	{
		foreach my $engine ('local', 'device')
		{
			my $sign = $engine eq 'local' ? '' : '-';
			my ($ret, $out, $err) = $node->psql('postgres',
				"SET gpustr.engine = $engine; SET gpustr.debug_fail_engine_call = $sign$n; SELECT join_rows(900, 90, 200, 300, 0)");

			if ($ret == 0) { $wrong .= $out if $out !~ /^900 404550/ }
			else { $errors++; $wrong .= $err if $err !~ /could not (?:start the host engine|run a batch)/ }
		}
	}
	is($wrong, '', 'in the session, and from some call on: right, or one clear error');
	cmp_ok($errors, '>', 0, 'some did end in an error');
	idle_ok($node, 'errors');
}

# The device hangs, is out of memory, dies at each request
foreach my $fault ('hang', 'out_of_memory', 'lost', 'crash')
{
	wait_for_device($node);
	join_ok("fault $fault", "SET gpustr.debug_device_fault = $fault", $small, 'local', 1);
}
wait_for_device($node);
join_ok('then all is well', '', $small, 'device', 0);
idle_ok($node, 'faults');

# kill -9 between build and probe: the next process does not have the table
foreach my $wait (0, 1)
{
	my ($session) = start_join('5000, 700, 300, 100, 2000');

	tables_are('between build and probe', 1);
	kill 'KILL', device_pid($node);
	wait_for_device($node) if $wait;
	is(answer_of($session), '5000 12497500 local 1', 'a new process of the device does not have the table');
	$session->quit;
	wait_for_device($node);
	idle_ok($node, 'killed between build and probe');
}

# ... and while it is built: the half that the old process had is missed
foreach my $round (1 .. 3)
{
	my $pid = device_pid($node);

	kill 'STOP', $pid;
	my ($session) = start_join('5000, 700, 300, 100, 0');

	$node->poll_query_until('postgres', 'SELECT slots_in_use > 0 FROM gpustr.staging()') or die;
	if ($round > 1)
	{
		kill 'CONT', $pid;
		usleep(300 * $round);
	}
	kill 'KILL', $pid;
	my $got = answer_of($session);
	ok($got =~ /^5000 12497500 local 1$/ || ($round > 1 && $got =~ /^5000 12497500 device 0$/), 'killed while the table is built') or diag($got);
	$session->quit;
	wait_for_device($node);
	idle_ok($node, 'killed while the table is built');
}

# The memory of the device, from none on
my %place;
foreach my $limit (0, 1, 2, 4, 8, 16)
{
	configure($node, 'gpustr.device_memory_limit' => "${limit}MB");
	$node->reload;
	usleep(500_000);
	my ($ret, $out, $err) = $node->psql('postgres', 'SELECT join_rows(200000, 1000, 5000, 1000, 0)');
	like($out, qr/^200000 19999900000 (?:local|device) [01]$/, "limit $limit MB");
	$place{$limit} = $out =~ /device/ ? 'device' : 'session';
	diag($err) if $err;
}
is($place{0}, 'session', 'without memory in the session');
is($place{16}, 'device', 'with enough on the device');
configure($node, 'gpustr.device_memory_limit' => undef);
$node->reload;
usleep(500_000);
idle_ok($node, 'memory limits');

# A session that ends in any way leaves nothing: cancelled, timed out, terminated
foreach my $how ('cancel', 'timeout', 'terminate', 'disconnect')
{
	my $call = 'pg_' . ($how eq 'cancel' ? 'cancel' : 'terminate') . '_backend';
	my ($session, $pid) = start_join('5000, 700, 300, 100, 60000',
		$how eq 'timeout' ? 'SET statement_timeout = 700' : $how eq 'disconnect' ? 'SET client_connection_check_interval = 100' : '');

	tables_are($how, 1);
	$node->safe_psql('postgres', "SELECT $call($pid)") if $how =~ /^(?:cancel|terminate)$/;
	$session->{run}->kill_kill if $how eq 'disconnect';
	tables_are($how, 0);
	idle_ok($node, $how);
	if ($how =~ /cancel|timeout/)
	{
		is(answer_of($session), '', "$how: no answer");
		like($session->query("SELECT join_rows($small)"), qr/^5000 12497500 device 0/, "$how: the session goes on");
		$session->quit;
	}
	elsif ($how eq 'terminate') { $session->{run}->kill_kill }
}

# ... while the device stands still with its requests
foreach my $how ('cancel', 'terminate')
{
	my $device = device_pid($node);
	my ($session, $pid);

	kill 'STOP', $device;
	($session, $pid) = start_join($small);
	$node->poll_query_until('postgres', 'SELECT slots_in_use = 4 FROM gpustr.staging()') or die;
	$node->safe_psql('postgres', "SELECT pg_${how}_backend($pid)");
	$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid AND state = 'active'") or die;
	kill 'CONT', $device;
	idle_ok($node, "$how in mid-build");
	$session->{run}->kill_kill;
}

# kill -9 of a session: the server makes its shared memory anew
{
	my ($session, $pid) = start_join('5000, 700, 300, 100, 60000');
	my $offset = -s $node->logfile;

	tables_are('before a crash', 1);
	kill 'KILL', $pid;
	wait_until_back($node, $offset);
	wait_for_device($node);
	idle_ok($node, 'after a crash');
	join_ok('after a crash', '', $small, 'device', 0);
	$session->{run}->kill_kill;
}

# All ids are in use; they are given back with the transaction, or its savepoint
{
	my $holder = $node->background_psql('postgres');

	is($holder->query_safe('BEGIN; SELECT hold_tables(200)'), '200', 'ids for one');
	is($node->safe_psql('postgres', 'SELECT hold_tables(100)'), '56', 'for another as many as are left');
	is($node->safe_psql('postgres', 'SELECT hold_tables(100)'), '56', 'which came back');
	is($holder->query_safe('SELECT hold_tables(100)'), '56', 'all');
	join_ok('without an id', '', $small, 'local', 0);
	$holder->query_safe('ROLLBACK');
	is($node->safe_psql('postgres', 'SELECT hold_tables(300)'), '256', 'back after the rollback');
	is($holder->query_safe('BEGIN; SELECT hold_tables(300)'), '256', 'back after a commit');
	$holder->query_safe('COMMIT');
	is($holder->query_safe('BEGIN; SELECT hold_tables(256)'), '256', 'and again');
	$holder->quit;
	ok($node->poll_query_until('postgres', 'SELECT hold_tables(256) = 256'), 'back after the end of a session');
	idle_ok($node, 'ids');
}
is($node->safe_psql('postgres', "SELECT count(*) FROM (SELECT join_rows($small) AS r FROM generate_series(1, 300)) s WHERE r LIKE '5000 12497500 device%'"),
	'300', 'more joins in a statement than there are ids');
idle_ok($node, 'many joins');

# Many sessions at a time, few slots, and some of them cancelled
{
	my %script = ('030_tables_join@20' => q{SELECT 1 / (join_rows(4000, 300, 250, 90, 0) ~ '^4000 7998000')::int;},
		'030_tables_cancel@1' => q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim';
		SELECT pg_sleep(0.02);});
	my $victim = $node->background_psql('postgres', on_error_stop => 0, timeout => 180);

	$victim->query_safe("SET application_name = 'victim'");
	$victim->query_until(qr/started/, "\\echo started\n"
		. "SELECT count(join_rows(4000, 300, 250, 90, 1)) FROM generate_series(1, 100000);\n" x 200);
	$node->pgbench('-n -c 12 -j 2 -T 8', 0, [qr/number of failed transactions: 0/], [qr/^(?!.*(?:division|ERROR))/s],
		'many sessions join, some are cancelled', \%script);
	$victim->{run}->kill_kill;
	$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'");
	idle_ok($node, 'many sessions');
}

# Requests that make and probe are cancelled within a request
foreach my $engine ('local', 'device')
{
	foreach my $arguments ('20000000, 20000000, 3000, 3000, 0', '200000000, 1, 3000, 100, 0')
	{
		my ($session, $pid) = start_join($arguments, "SET gpustr.engine = $engine");

		usleep(700_000);
		my $start = time;
		$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
		is(answer_of($session), '', "$arguments, $engine: cancelled");
		note(sprintf 'after %.0f ms, those of two connections included', (time - $start) * 1000);
		$session->quit;
		idle_ok($node, "$arguments, $engine: cancelled");
	}
}

# No staging memory; then not preloaded
configure($node, 'gpustr.staging_memory' => 0);
$node->restart;
join_ok('without staging memory', '', $small, 'local', 0);
configure($node, 'shared_preload_libraries' => '', 'gpustr.devices' => undef);
$node->restart;
join_ok('not preloaded', q{LOAD 'gpustr'}, $small, 'local', 0);
is($node->safe_psql('postgres', q{LOAD 'gpustr'; SELECT hold_tables(5)}), '0', 'not preloaded: no ids');

log_ok($node, 'in the end', qr/terminated by signal 9|could not (?:start the host engine|run a batch)|the host engine could not|could not (?:open|stat|remove)/);
$node->stop;
is_deeply([ device_processes($node) ], [], 'no process is left');

done_testing();
