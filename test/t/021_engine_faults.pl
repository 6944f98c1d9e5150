
# "The Nth call to an engine fails", for every N that a set of queries makes:
# each has the right answer or one clear error, never part of an answer, and
# nothing is left in use.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use FaultTest;
use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Slots of few pages, so that a small table makes many batches.
my $node = new_node('faults',
	'gpustr.batch_bytes' => '64kB', 'gpustr.staging_memory' => '8MB',
	'gpustr.device_startup_cost' => 0, 'gpustr.batch_depth' => 3,
	'autovacuum' => 'off', 'synchronize_seqscans' => 'off',
	'max_parallel_workers_per_gather' => 0);

$node->safe_psql('postgres', q{
	CREATE TABLE t AS SELECT g AS id,
			CASE WHEN g % 97 = 0 THEN repeat('compressed ', 400) || g ELSE 'line ' || g || repeat(' -', g % 60) END AS s
		FROM generate_series(1, 2500) g;
	CREATE TABLE names AS
		SELECT array_agg(s ORDER BY id) AS name, array_agg(CASE WHEN id % 2 = 0 THEN 'public' ELSE '' END ORDER BY id) AS visibility
		FROM t;
	CREATE FUNCTION survivors() RETURNS text LANGUAGE plpgsql AS $$
	DECLARE n bigint; m bigint; BEGIN
		BEGIN
			SELECT count(*) INTO n FROM t WHERE s LIKE '%1%';
		EXCEPTION WHEN out_of_memory THEN n := -1;
		END;
		SELECT count(*) INTO m FROM t WHERE s LIKE '%2%';
		RETURN CASE WHEN n = -1 THEN 'caught' ELSE n::text END || ' ' || m;
	END $$;
	ANALYZE;
});

my %query = (
	count => "SELECT count(*), sum(id) FROM t WHERE s LIKE '%1%-';",
	rows => "SELECT id, length(s) FROM t WHERE s LIKE '%9%' AND id % 2 = 1;",
	limit => "SELECT id FROM t WHERE s LIKE '%7%' LIMIT 3 OFFSET 500;",
	join => "SELECT count(*), sum(a.id) FROM t a JOIN t b ON a.id = b.id + 1 WHERE a.s LIKE '%1%' AND b.s LIKE '%2%';",
	cursor => "BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%3%'; FETCH 2 FROM c; MOVE 400 FROM c; FETCH 2 FROM c; COMMIT;",
	scroll => "BEGIN; DECLARE c SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%3%'; FETCH 2 FROM c; MOVE 300 FROM c; FETCH BACKWARD 2 FROM c; FETCH 1 FROM c; COMMIT;",
	update => "BEGIN; UPDATE t SET s = s || '!' WHERE s LIKE '%44%' AND id < 600; SELECT count(*) FROM t WHERE s LIKE '%!'; ROLLBACK;",
	computed => "SELECT id, gpustr.redact(s, 'public'), gpustr.mask(s, 1, 1) FROM t WHERE id % 3 = 0;",
	redact => "SELECT md5(gpustr.redact(name, visibility)::text) FROM names;");
my $max = 300;    # more than any of them makes

# Its scans must be GpuScans.
sub plan_of
{
	my ($name) = @_;

	return $name eq 'redact' ? '' : "SET gpustr.debug_require = 'require';";
}

my %device_calls;
foreach my $name (sort keys %query)
{
	my $device = "SET gpustr.engine = device;";

	$device_calls{$name} = faults_ok($node, $name, $query{$name}, 'on the device', $device, plan_of($name), 0, 1 .. $max);
	foreach my $kind ('acquire a slot', 'submit', 'run on a device', 'wait')
	{
		ok($device_calls{$name}{$kind}, "$name: there were failures to $kind");
	}
	faults_ok($node, $name, $query{$name}, 'from some call on', $device, plan_of($name), 1, map { -$_ } 1 .. $max);
	faults_ok($node, $name, $query{$name}, 'in the session', 'SET gpustr.engine = local;', plan_of($name), 1, 1 .. $max);
}
idle_ok($node, 'after all of them');

# The process dies with the Nth request: first, in the middle, last.
foreach my $name ('count', 'computed', 'cursor', 'redact')
{
	my @run = sort { $a <=> $b } keys %{ $device_calls{$name}{'run on a device'} };

	foreach my $n ($run[0], $run[ @run / 2 ], $run[-1])
	{
		foreach my $fault ('lost', 'crash')
		{
			wait_for_device($node);
			my $expected = run_each($node, $query{$name}, '', 0)->{0}[0];
			my $got = run_each($node, $query{$name}, "SET gpustr.debug_device_fault = $fault; " . plan_of($name), $n)->{$n};
			is($got->[0], $expected, "$name: the device is lost with call $n, $fault");
			unlike($got->[1], qr/ERROR/, "$name: and that is no error");
		}
	}
}
wait_for_device($node);
idle_ok($node, 'after losses');

# An error in a subtransaction leaves the transaction well.
is( $node->safe_psql('postgres', "SET gpustr.engine = local; SET gpustr.debug_require = 'require'; SELECT survivors(); SET gpustr.debug_fail_engine_call = 1; SELECT survivors()"),
	$node->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE s LIKE '%1%') || ' ' || count(*) FILTER (WHERE s LIKE '%2%') || E'\ncaught ' || count(*) FILTER (WHERE s LIKE '%2%') FROM t}),
	'caught in a subtransaction');
idle_ok($node, 'caught');
is($node->safe_psql('postgres', "SET gpustr.debug_require = 'require'; SELECT count(*) FROM t WHERE s LIKE 'line%'"),
	$node->safe_psql('postgres', "SET gpustr.enabled = off; SELECT count(*) FROM t WHERE s LIKE 'line%'"), 'all is well in the end');

my ($ret, $out, $err) = $node->psql('postgres', 'CREATE ROLE plain; SET ROLE plain; SET gpustr.debug_fail_engine_call = 1');
like($err, qr/permission denied to set parameter "gpustr.debug_fail_engine_call"/, 'superusers only');
($ret, $out, $err) = $node->psql('postgres', 'SET ROLE plain; SET gpustr.debug_poison = 1');
like($err, qr/permission denied to set parameter "gpustr.debug_poison"/, 'poison, too');

log_ok($node, 'in the end', qr/the host engine could not run a batch|could not start the host engine|permission denied/);
$node->stop;
is_deeply([ device_processes($node) ], [], 'no process is left');

done_testing();
