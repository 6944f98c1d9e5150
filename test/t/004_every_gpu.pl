
# All GPUs of the machine at once: each gets its share of the work, and one that
# is lost does not stop the others.  (003_settings.pl does the same without GPUs.)

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'GPUSTR_TEST_DEVICES is not set: no GPU' unless $GpustrTest::has_gpu;

my ($list) = run_command([ 'nvidia-smi', '-L' ]);
my $gpus = () = $list =~ /^GPU /mg;
cmp_ok($gpus, '>', 0, 'there is a GPU');

my $node = new_node('gpus', 'gpustr.devices' => 'auto', 'gpustr.batch_bytes' => '1MB');
wait_for_device($node, $_) foreach 0 .. $gpus - 1;
is( $node->safe_psql('postgres',
		q{SELECT count(*), count(DISTINCT pid), bool_and(engine = 'cuda'), bool_and(memory_total > 1e9) FROM gpustr.devices()}),
	"$gpus|$gpus|t|t", "$gpus GPUs, a process each");

$node->safe_psql('postgres', q{
	CREATE TABLE logs AS
		SELECT i AS id, 'line ' || i || repeat(' lorem ipsum', 8) AS msg FROM generate_series(1, 300000) i;
	VACUUM ANALYZE logs;
});
my $query = "SELECT count(*), sum(id) FROM logs WHERE msg LIKE '%7%lorem%'";
my $answer = $node->safe_psql('postgres', "SET gpustr.enabled = off; $query");

$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
foreach my $i (1 .. 5)
{
	is($node->safe_psql('postgres', "SET gpustr.debug_require = require; $query"), $answer,
		"answer $i");
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM gpustr.stat_device WHERE batches > 0'),
	$gpus, 'each GPU did some of it');

my $last = $gpus - 1;
kill 'KILL', device_pid($node, $last);
is($node->safe_psql('postgres', $query), $answer, 'one is lost');
wait_for_device($node, $last);
is($node->safe_psql('postgres', "SET gpustr.debug_require = require; $query"), $answer, 'and back');
idle_ok($node, 'in the end');
$node->stop;
is_deeply([ device_processes($node) ], [], 'no process is left');

done_testing();
