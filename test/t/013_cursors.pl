
# Random cursor scripts, with gpustr and without: fetches and moves in every
# direction, savepoints rolled back between them, rows changed meanwhile, held
# cursors after COMMIT.  Output and errors must be the same to the letter.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $scripts = $ENV{GPUSTR_TEST_SCRIPTS} // 100;
my $seed = $ENV{GPUSTR_TEST_SEED} // int(rand(1e9));
srand($seed);
note "seed $seed";

my $node = new_node('cursors', 'gpustr.batch_bytes' => '256kB', 'gpustr.staging_memory' => '4MB');
$node->safe_psql('postgres', q{
	CREATE TABLE plain AS
		SELECT g AS id, CASE WHEN g % 37 = 0 THEN repeat('compressed', 800) || g ELSE 'r ' || g || repeat('y', g % 200) END AS s
		FROM generate_series(1, 5000) g;
	DELETE FROM plain WHERE id % 7 = 0 OR id BETWEEN 900 AND 1300;
	CREATE TABLE parts (id int, s text) PARTITION BY RANGE (id);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (1000);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (1000) TO (1100);
	CREATE TABLE parts3 PARTITION OF parts FOR VALUES FROM (1100) TO (9000);
	INSERT INTO parts SELECT * FROM plain WHERE id NOT BETWEEN 1000 AND 1099;
	CREATE TABLE tiny AS SELECT g AS id, 'r ' || g AS s FROM generate_series(1, 150) g;
	ANALYZE;
});

sub one_of
{
	return $_[ int(rand(@_)) ];
}

# What happens to cursor c in one script; no changes of rows if it is held
sub steps
{
	my ($table, $held) = @_;
	my @steps;

	foreach my $i (1 .. 3 + int(rand(12)))
	{
		my $dice = rand;

		push @steps, one_of('FETCH', 'FETCH', 'MOVE') . ' '
		  . one_of('NEXT', 'NEXT', 'FORWARD 5', 'FORWARD 40', 'FORWARD 700', 'PRIOR', 'PRIOR',
			'BACKWARD 3', 'BACKWARD 50', 'ALL', 'BACKWARD ALL', 'FIRST', 'LAST',
			'ABSOLUTE 10', 'ABSOLUTE -3', 'RELATIVE 0', 'RELATIVE -2', 'RELATIVE 7') . ' FROM c;';
		if ($dice < 0.1)
		{
			push @steps, 'SAVEPOINT a;', 'FETCH FORWARD ' . int(rand(60)) . ' FROM c;', 'ROLLBACK TO a;';
		}
		elsif ($dice < 0.15)
		{
			push @steps, 'SET LOCAL gpustr.batch_depth = ' . one_of(1, 2, 8) . ';';
		}
		elsif ($dice < 0.2 && !$held && $table ne 'temporary')
		{
			push @steps, "UPDATE $table SET s = s || '1' WHERE id % 5 = 1;";
		}
	}
	return join("\n", @steps);
}

sub run_script
{
	my ($script) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', $script, on_error_stop => 0);

	return "$out\n$err";
}

my $different = 0;
my %engine_used;
foreach my $i (1 .. $scripts)
{
	my $table = one_of('plain', 'plain', 'parts', 'tiny', 'temporary');
	my $where = one_of(q{s LIKE '%1%'}, q{s LIKE 'r%'}, q{s LIKE '%9%9%'}, q{s NOT LIKE '%3%'},
		q{s LIKE '%77%' AND id % 2 = 0}, q{s IS NOT NULL}, q{s LIKE 'zz%'});
	my $columns = one_of('id', 'ctid, id', '1', 'id, tableoid::regclass', '');
	my $limit = one_of('', '', 'LIMIT 20', 'OFFSET 3 LIMIT 900');
	my $held = one_of('', '', '', 'WITH HOLD');
	my $declare = 'DECLARE c ' . one_of('', '', 'SCROLL', 'NO SCROLL')
	  . " CURSOR $held FOR SELECT $columns FROM $table WHERE $where $limit;";
	my $steps = steps($table, $held);
	my $engine = one_of('device', 'device', 'local');
	my %outcome;

	foreach my $enabled ('on', 'off')
	{
		$outcome{$enabled} = run_script(join "\n",
			"SET gpustr.enabled = $enabled; SET gpustr.engine = $engine;",
			'SET gpustr.device_startup_cost = 0; SET synchronize_seqscans = off;',
			'CREATE TEMP TABLE temporary AS TABLE plain;',
			'SET gpustr.debug_require = ' . ($enabled eq 'on' ? 'require' : 'forbid') . ';',
			'BEGIN;', $declare, 'SET LOCAL gpustr.debug_require = allow;', $steps,
			$held ? 'COMMIT; FETCH 3 FROM c; FETCH PRIOR FROM c;' : 'ROLLBACK;');
	}
	$engine_used{$engine}++;
	next if $outcome{on} eq $outcome{off};
	$different++;
	diag("script $i, gpustr.engine = $engine:\n$declare\n$steps\n"
		  . "--- with gpustr\n$outcome{on}\n--- without\n$outcome{off}");
}
is($different, 0, "$scripts cursor scripts are the same with gpustr and without, seed $seed");
is( $node->safe_psql('postgres', 'SELECT sum(batches) > 0 FROM gpustr.stat_device'),
	't', 'devices had a part in it');
idle_ok($node, 'in the end');
$node->stop;

done_testing();
