
# Devices: they come up, do the work, are seen, and leave nothing behind.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('devices');

# What a DBA sees
is( $node->safe_psql('postgres', 'SELECT count(*) FROM gpustr.devices()'),
	'1', 'one device');
is( $node->safe_psql('postgres',
		"SELECT state, generation, pid > 0, name <> '', engine IN ('host', 'cuda') FROM gpustr.devices()"),
	'up|0|t|t|t', 'the device is up');

$node->safe_psql('postgres', q{
	SELECT gpustr.stat_reset();
	CREATE TABLE people AS
		SELECT CASE i % 4 WHEN 0 THEN 'Åsa Öberg' WHEN 1 THEN 'Jane Doe' WHEN 2 THEN 'Prince' ELSE NULL END || CASE WHEN i % 5 = 0 THEN '' ELSE i::text END AS name,
			CASE i % 3 WHEN 0 THEN 'public' WHEN 1 THEN 'private' END AS visibility
		FROM generate_series(1, 300000) i;
});
is( $node->safe_psql('postgres', q{
		SELECT count(*), count(r) FROM (
			SELECT unnest(gpustr.redact(array_agg(name), array_agg(visibility))) AS r FROM people) s}),
	'300000|150000', 'redact of arrays');
is( $node->safe_psql('postgres',
		'SELECT batches > 0, rows, bytes_in > 0, bytes_out > 0, kernel_time > 0, fallbacks FROM gpustr.stat_device'),
	't|300000|t|t|t|0', 'the device process did it');
is( $node->safe_psql('postgres', q{
		SELECT count(*) FROM (
			SELECT unnest(gpustr.redact(array_agg(name), array_agg(visibility))) AS r,
				unnest(array_agg(name)) AS name, unnest(array_agg(visibility)) AS visibility
			FROM people) s
		WHERE r IS DISTINCT FROM gpustr.redact(name, visibility)}),
	'0', 'array form and scalar form agree');
idle_ok($node, 'after redact');

$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
is( $node->safe_psql('postgres',
		'SELECT batches, rows, stats_reset IS NOT NULL FROM gpustr.stat_device'),
	'0|0|t', 'counters are reset');

# Who may see it
$node->safe_psql('postgres', q{
	CREATE ROLE monitor LOGIN;
	GRANT pg_monitor TO monitor;
	CREATE ROLE nobody LOGIN;
});
is( $node->safe_psql('postgres',
		'SELECT count(*) FROM gpustr.devices(), gpustr.stat_device, gpustr.staging()',
		extra_params => [ '-U', 'monitor' ]),
	'1', 'pg_monitor may look');
my ($ret, $out, $err) = $node->psql('postgres', 'SELECT gpustr.stat_reset()',
	extra_params => [ '-U', 'monitor' ]);
like($err, qr/permission denied for function stat_reset/, 'pg_monitor may not reset');
foreach my $query ('SELECT * FROM gpustr.devices()', 'SELECT * FROM gpustr.stat_device',
	'SELECT * FROM gpustr.staging()')
{
	($ret, $out, $err) =
	  $node->psql('postgres', $query, extra_params => [ '-U', 'nobody' ]);
	like($err, qr/permission denied/, "others may not: $query");
}
is( $node->safe_psql('postgres', "SELECT gpustr.redact('Jane Doe', 'public')",
		extra_params => [ '-U', 'nobody' ]),
	'D Jane', 'anybody may redact');

# CUDA stays out of PostgreSQL's own processes
my $pid = device_pid($node);
is_deeply([ device_processes($node) ], [$pid], 'one device process');
my $postmaster = (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];
my $backend = $node->background_psql('postgres');
$backend->query_safe("SELECT gpustr.redact(array['a b'], array['public'])")
  if $backend->can('query_safe');
my @with_cuda;
foreach my $stat (glob "/proc/[0-9]*/stat")
{
	my ($p, $parent) = do
	{
		open(my $fh, '<', $stat) or next;
		my $line = <$fh> // '';
		$line =~ /^(\d+) \(.*\) \S (\d+)/ or next;
		($1, $2);
	};
	next unless $p == $postmaster || $parent == $postmaster;
	push @with_cuda, $p if slurp_file("/proc/$p/maps") =~ /libcuda|gpustr_cuda/;
}
is_deeply(\@with_cuda, [], 'no CUDA in any process of the server');
if ($GpustrTest::has_gpu)
{
	like(slurp_file("/proc/$pid/maps"), qr/gpustr_cuda.*/, 'the device process has it');
	like(slurp_file("/proc/$pid/maps"), qr/libcuda/, 'and the driver');
}
$backend->can('quit') ? $backend->quit : $backend->finish;

# A reload is passed on and harms nothing
$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
configure($node, 'gpustr.device_memory_limit' => '0');
$node->reload;
$node->poll_query_until('postgres', q{SELECT current_setting('gpustr.device_memory_limit') = '0'})
  or die;
sleep 1;
is( $node->safe_psql('postgres', q{
		SELECT count(r) FROM (
			SELECT unnest(gpustr.redact(array_agg(name), array_agg(visibility))) AS r FROM people) s}),
	'150000', 'a device without memory: the answer is still there');
is( $node->safe_psql('postgres', 'SELECT batches = 0, fallbacks > 0 FROM gpustr.stat_device'),
	't|t', 'by the session');
configure($node, 'gpustr.device_memory_limit' => '-1');
$node->reload;
is(device_pid($node), $pid, 'the process lives on');

# Ends and starts: nothing left over, the next start works at once
foreach my $mode ('fast', 'immediate', 'fast')
{
	$node->stop($mode);
	is_deeply([ device_processes($node) ], [], "no process is left after stop $mode");
	$node->start;
	wait_for_device($node);
	is( $node->safe_psql('postgres', "SELECT gpustr.redact(array['Jane Doe'], array['public'])"),
		'{"D Jane"}', "works after stop $mode");
}

# The supervisor ends: its devices end with it, and both come again
$pid = device_pid($node);
my ($supervisor) = slurp_file("/proc/$pid/stat") =~ /^\d+ \(.*\) \S (\d+)/;
kill 'TERM', $supervisor;
$node->poll_query_until('postgres', "SELECT pid <> $pid AND state = 'up' FROM gpustr.devices()")
  or die;
pass('supervisor and device come again');

# A backend is killed while its batches wait for a device that stands still:
# PostgreSQL restarts, and gpustr with it
configure($node, 'restart_after_crash' => 'on', 'gpustr.device_timeout' => '60s');
$node->reload;
$node->poll_query_until('postgres', "SELECT current_setting('restart_after_crash') = 'on'") or die;
$pid = device_pid($node);
$backend = $node->background_psql('postgres', on_error_stop => 0);
my $victim = $backend->query_safe('SELECT pg_backend_pid()');
kill 'STOP', $pid;
$backend->query_until(qr/started/,
	"\\echo started\nSELECT array_length(gpustr.redact(array_agg(name), array_agg(visibility)), 1) FROM people;\n");
$node->poll_query_until('postgres', 'SELECT slots_in_use > 0 FROM gpustr.staging()')
  or die 'no batch in flight';
my $offset = -s $node->logfile;
kill 'KILL', $victim;
wait_until_back($node, $offset);
$node->poll_query_until('postgres', "SELECT pid <> $pid AND state = 'up' FROM gpustr.devices()")
  or die 'no device after crash restart';
is( $node->safe_psql('postgres', "SELECT gpustr.redact(array['Jane Doe'], array['public'])"),
	'{"D Jane"}', 'works after a crash restart');
is(scalar(device_processes($node)), 1, 'one device process after a crash restart');
idle_ok($node, 'after a crash restart');
$backend->{run}->kill_kill if $backend->{run};
$node->stop;
is_deeply([ device_processes($node) ], [], 'no process is left at the end');

done_testing();
