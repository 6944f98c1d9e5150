
# Programs that a device keeps: the view counts them, and sessions and workers that
# run the same query share them.  Without a GPU, by a library that keeps them as the
# CUDA engine does (fake_cuda.c).

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %setting = ('gpustr.batch_bytes' => '256kB', 'max_parallel_workers' => 8,
	'max_worker_processes' => 12);
my $node;

if ($GpustrTest::has_gpu)
{
	$node = new_node('programs', %setting);
}
else
{
	$node = new_node('programs', %setting, 'gpustr.devices' => '0',
		'gpustr.debug_cuda_library' => fake_cuda_library(1));
	wait_for_device($node);
}

$node->safe_psql('postgres', q{
	CREATE TABLE logs AS
		SELECT i AS id, md5(i::text) || ' lorem ipsum ' || i AS msg FROM generate_series(1, 200000) i;
	ALTER TABLE logs SET (parallel_workers = 3);
	VACUUM ANALYZE logs;
});

# Literals enough for a program of some kilobytes
sub query
{
	my ($first) = @_;
	my $literals = join(',', map { sprintf("'%05x'", $first + 37 * $_) } 1 .. 300);

	return "SELECT count(*), sum(id) FROM logs WHERE gpustr.contains_any(msg, ARRAY[$literals])";
}

# programs, hits and misses, once as many batches have been counted as there were
sub counted
{
	my $last = '';

	foreach my $i (1 .. 100)
	{
		my $now = $node->safe_psql('postgres',
			'SELECT batches, program_hits, program_misses FROM gpustr.stat_device');

		my ($batches, $hits, $misses) = split /\|/, $now;
		return ($batches, $hits, $misses) if $now eq $last;
		$last = $now;
		select(undef, undef, undef, 0.3);
	}
	die 'the counters do not come to rest';
}

my $serial = 'SET gpustr.debug_require = require; SET max_parallel_workers_per_gather = 0;';
my $parallel = 'SET gpustr.debug_require = require; SET max_parallel_workers_per_gather = 3; '
  . 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;';
my $answer = $node->safe_psql('postgres', 'SET gpustr.enabled = off; ' . query(70000));

sub runs_ok
{
	my ($settings, $what) = @_;

	is($node->safe_psql('postgres', $settings . query(70000)), $answer, $what);
}

# A scan: its second batch leaves the program, the others find it
$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
runs_ok($serial, 'a scan');
my ($batches, $hits, $misses) = counted();
cmp_ok($batches, '>', 3, 'has several batches');
is("$hits|$misses", ($batches - 2) . '|2', 'all but two find the program');
is( $node->safe_psql('postgres', 'SELECT programs, program_bytes > 4096 FROM gpustr.stat_device'),
	'1|t', 'it is kept') unless $GpustrTest::has_gpu;    # or no longer

# The same query in other sessions, and in workers; all of it soon enough
$node->safe_psql('postgres', "$serial SELECT gpustr.stat_reset()");
runs_ok($serial, 'once more') foreach 1 .. 2;
runs_ok($parallel, 'in workers');
($batches, $hits, $misses) = counted();
is("$hits|$misses", "$batches|0", 'all find the program');

# Another one, and one that is too small to be kept
is( $node->safe_psql('postgres', $serial . query(500000)),
	$node->safe_psql('postgres', 'SET gpustr.enabled = off; ' . query(500000)), 'another program');
($batches, $hits, $misses) = counted();
is($misses, 2, 'is kept, too');
$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
$node->safe_psql('postgres', "$serial SELECT count(*) FROM logs WHERE msg LIKE '%lorem%'");
($batches, $hits, $misses) = counted();
is($batches > 0 ? "$hits|$misses" : 'none', '0|0', 'a small one does not count');

# Where the limit has no room for copies, answers are the same, and none is kept
if ($GpustrTest::has_gpu)
{
	configure($node, 'gpustr.device_memory_limit' => '2MB');
	$node->reload;
	runs_ok($serial, 'little memory');
	configure($node, 'gpustr.device_memory_limit' => '0');
	$node->reload;
	ok( $node->poll_query_until('postgres', 'SELECT programs = 0 AND program_bytes = 0 FROM gpustr.stat_device'),
		'none is kept without memory');
	runs_ok($serial, 'no memory');
	configure($node, 'gpustr.device_memory_limit' => undef);
	$node->reload;
}

# The host engine keeps none
configure($node, 'gpustr.devices' => 'host', 'gpustr.debug_cuda_library' => undef);
$node->restart;
wait_for_device($node);
runs_ok($serial, 'host engine');
is( $node->safe_psql('postgres',
		'SELECT batches > 0, programs, program_bytes, program_hits, program_misses FROM gpustr.stat_device'),
	't||||', 'which keeps no programs');
log_ok($node, 'programs');
$node->stop;
done_testing();
