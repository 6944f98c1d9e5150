
# Beside extensions that are in the same hooks and do there what pg_hint_plan,
# TimescaleDB and their like do (other_hooks.c): the hooks chain in either order, and
# plans of both have PostgreSQL's answers.  And beside hypopg, where it is installed.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $library = temp_folder . '/other_hooks.so';
my $include = qx($ENV{PG_CONFIG} --includedir-server);
chomp $include;
system_or_bail('cc', '-shared', '-fPIC', '-O1', '-Wall', '-Werror', "-I$GpustrTest::top/src", "-I$include",
	'-o', $library, "$GpustrTest::top/test/t/other_hooks.c");
chmod 0755, temp_folder, $library;

my $node = new_node('hooks', 'gpustr.device_startup_cost' => '0', 'gpustr.device_row_cost' => '0', 'gpustr.table_row_cost' => '0',
	'gpustr.probe_row_cost' => '0', 'gpustr.enable_join' => 'on', 'max_parallel_workers_per_gather' => '0', 'min_parallel_table_scan_size' => '0',
	'parallel_setup_cost' => '0', 'parallel_tuple_cost' => '0', 'enable_partitionwise_join' => 'on');

sub sql
{
	my ($query) = @_;

	return $node->safe_psql('postgres', $query);
}

# What each of these statements outputs, in one session.
sub outputs
{
	my ($set, @statements) = @_;
	my @output = split /^--next--\n?/m, sql("SET client_min_messages = warning; $set;\n" . join('', map { "\\echo --next--\n$_;\n" } @statements)) . "\n";

	shift @output;
	return map { s/\n$//r } @output;
}

sql(qq{
	CREATE FUNCTION other_hooks_calls() RETURNS text AS '$library' LANGUAGE c;
	CREATE FUNCTION other_hooks_reset() RETURNS void AS '$library' LANGUAGE c;
	CREATE TABLE t (id int, k int, s text);
	INSERT INTO t SELECT g, g % 1000, 'row ' || g || repeat('.', g % 90) FROM generate_series(1, 8000) g;
	CREATE INDEX ON t (id);
	CREATE TABLE d (k int, name text);
	INSERT INTO d SELECT g, 'name ' || g FROM generate_series(1, 900) g;
	CREATE TABLE e (name text, v int);
	INSERT INTO e SELECT 'name ' || g, g FROM generate_series(100, 1200) g;
	CREATE TABLE p (id int, k int, s text) PARTITION BY RANGE (id);
	CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (3000);
	CREATE TABLE p2 (s text, gone int, k int, id int);
	ALTER TABLE p2 DROP gone;
	ALTER TABLE p ATTACH PARTITION p2 FOR VALUES FROM (3000) TO (6000);
	CREATE TABLE p3 PARTITION OF p DEFAULT;
	INSERT INTO p SELECT * FROM t;
	CREATE TABLE hints (query text, hint text);
	INSERT INTO hints SELECT 'query ' || g, 'hint ' || g FROM generate_series(1, 200) g;
	CREATE VIEW v AS SELECT t.id, d.name, upper(t.s) AS u FROM t LEFT JOIN d USING (k);
	VACUUM ANALYZE;
});

# name, query; those with "join" in the name can be a GpuJoin, all others a GpuScan
my @queries = (
	'a scan' => "SELECT count(*), sum(id) FROM t WHERE s LIKE '%9%' AND s NOT LIKE '%7%'",
	'no column' => "SELECT count(*) FROM t WHERE s LIKE '%9%'",
	'a filter beside' => "SELECT count(*), min(s) FROM t WHERE s LIKE '%9%' AND format('%s', k) < '5'",
	'an output' => "SELECT count(r), min(r), max(r) FROM (SELECT gpustr.redact(s, 'public') AS r FROM t WHERE s LIKE '%9%' OFFSET 0) q",
	'rows' => "SELECT * FROM t WHERE s LIKE '%99%' ORDER BY id",
	'partitions' => "SELECT count(*), sum(id), max(s) FROM p WHERE s LIKE '%9%' AND id < 5000",
	'a union' => "SELECT count(*), sum(x) FROM (SELECT id AS x FROM t WHERE s LIKE '%9%' UNION ALL SELECT v FROM e WHERE name LIKE '%1%') q",
	'a subplan' => "SELECT sum(v * (SELECT count(*) FROM d WHERE d.name LIKE '%' || v % 7 || '%')) FROM e WHERE name LIKE '%77%'",
	'a recursion' => "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < (SELECT count(*) FROM d WHERE name LIKE '%99%')) SELECT sum(n) FROM r",
	'locked rows' => "SELECT count(*), sum(id) FROM (SELECT id FROM t WHERE s LIKE '%99%' FOR UPDATE) q",
	'a join' => "SELECT count(*), sum(t.id), min(d.name) FROM t JOIN d USING (k) WHERE t.s LIKE '%9%'",
	'a join of three' => "SELECT count(*), sum(t.id + e.v), min(d.name) FROM t JOIN d USING (k) JOIN e USING (name) WHERE t.s LIKE '%9%' AND e.v > 200",
	'a join, filtered' => "SELECT count(*), sum(t.id) FROM t JOIN d ON t.k = d.k AND format('%s', t.id) < d.name AND t.id > d.k + 10 WHERE t.s LIKE '%9%'",
	'an outer join' => "SELECT count(*), count(u), count(name), sum(id), max(u) FROM v WHERE u LIKE '%9%'",
	'a full join' => "SELECT count(*), count(t.id), count(d.k) FROM t FULL JOIN d ON t.id = d.k AND t.s LIKE '%9%'",
	'a semi join' => "SELECT count(*), sum(id) FROM t WHERE s LIKE '%9%' AND EXISTS (SELECT FROM d WHERE d.k = t.k AND d.name LIKE '%1%')",
	'an anti join' => "SELECT count(*), sum(id) FROM t WHERE s LIKE '%9%' AND NOT EXISTS (SELECT FROM d WHERE d.k = t.k)",
	'a join of partitions' => "SELECT count(*), sum(p.id) FROM p JOIN d USING (k) WHERE p.s LIKE '%9%'");
my (@names, %query, %answer);
while (my ($name, $query) = splice(@queries, 0, 2))
{
	push @names, $name;
	$query{$name} = $query;
	$answer{$name} = sql("SET gpustr.enabled = off; $query");
}

my $read = q{SET other_hooks.read = 'SELECT count(*) FROM hints JOIN (SELECT hint AS h FROM hints WHERE hint LIKE ''%7%'') q ON h = hint'};
my %mode = (
	'nothing' => '',
	'reads' => $read,
	'sets' => "SET other_hooks.set = 'enable_hashjoin=off'",
	'plans twice' => 'SET other_hooks.twice = on',
	'makes paths anew' => 'SET other_hooks.anew = on',
	'joins in order' => 'SET other_hooks.left_deep = on',
	'joins by geqo' => 'SET geqo_threshold = 2',
	'wraps' => 'SET other_hooks.wrap = on',
	'does all' => "$read; SET other_hooks.set = 'enable_mergejoin=off'; SET other_hooks.twice = on; SET other_hooks.anew = on; SET other_hooks.left_deep = on; SET other_hooks.wrap = on");

# All queries in that mode of the other extension; in some modes with workers, too.
sub try_mode
{
	my ($first, $mode) = @_;
	my $name = "$first first, the other one $mode";
	my $wraps = $mode{$mode} =~ /wrap/;
	my $anew = $mode{$mode} =~ /anew/ && $first eq 'gpustr';
	my @all = map { $query{$_} } @names;
	my @serial = outputs($mode{$mode}, @all, 'SELECT other_hooks_calls()');
	my $calls = pop @serial;
	my @parallel = $mode =~ /nothing|all/ ? outputs("$mode{$mode}; SET max_parallel_workers_per_gather = 2", @all) : ();
	my @plans = outputs($mode{$mode}, map { "EXPLAIN (COSTS OFF) $_" } @all);

	foreach my $i (0 .. $#names)
	{
		is($serial[$i], $answer{ $names[$i] }, "$name: $names[$i]");
		is($parallel[$i], $answer{ $names[$i] }, "$name: $names[$i], parallel") if @parallel;

		# gpustr is in the plan, unless the other one has thrown that path away
		if ($names[$i] =~ /join/) { like($plans[$i], qr/Custom Scan \(GpuJoin\)/, "$name: a GpuJoin for $names[$i]"); }
		elsif ($anew) { unlike($plans[$i], qr/Custom Scan \(GpuScan\)/, "$name: no GpuScan for $names[$i]"); }
		else { like($plans[$i], qr/Custom Scan \(GpuScan\)/, "$name: a GpuScan for $names[$i]"); }
	}

	# each hook of both is called
	is(join(' ', $calls =~ /(\w+)=0\b/g), $wraps ? '' : 'wrapped_rows', "$name: its hooks are called");
	is("@plans" =~ /Custom Scan \(Wrap\)/ ? 1 : 0, $wraps ? 1 : 0, "$name: its nodes");
	return unless $wraps && $first eq 'gpustr';
	like("@plans", qr/Custom Scan \(Wrap\)\n *->  Custom Scan \(GpuJoin\)/, "$name: one over a GpuJoin");
	like("@plans", qr/Custom Scan \(Wrap\)\n *->  Custom Scan \(GpuScan\)/, "$name: one over a GpuScan") unless $anew;
}

# Statements that end early, or are kept.
sub try_ends
{
	my ($name) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query_safe("SET other_hooks.wrap = on; SET other_hooks.twice = on; $read; SET plan_cache_mode = force_generic_plan");
	$session->query_safe("PREPARE q (text) AS $query{'a join'} AND t.s LIKE \$1");
	is($session->query_safe("EXECUTE q ('%')"), $answer{'a join'}, "$name: a prepared join");
	is($session->query_safe("EXECUTE q ('%')"), $answer{'a join'}, "$name: again");
	like($session->query_safe("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE q ('%')"), qr/GpuJoin\) \(actual rows/, "$name: it is a GpuJoin");
	$session->query_safe('BEGIN');
	$session->query_safe("DECLARE c CURSOR FOR SELECT t.id FROM t JOIN d USING (k) WHERE t.s LIKE '%9%'");
	is($session->query_safe('MOVE 20 IN c; SELECT count(*) FROM t'), '8000', "$name: a cursor at rest");
	$session->query('SELECT 1 / (t.id - 5007) FROM t JOIN d USING (k) WHERE t.id < 6000');
	like($session->{stderr}, qr/division by zero/, "$name: an error in a join");
	$session->{stderr} = '';
	$session->query_safe('ROLLBACK');
	$session->query_safe("SET other_hooks.read = 'SELECT 1 / (count(*) - 200) FROM hints JOIN hints h USING (hint)'");
	$session->query($query{'a join'});
	like($session->{stderr}, qr/division by zero/, "$name: an error in a join while a query is planned");
	$session->{stderr} = '';
	$session->query_safe("SET other_hooks.read = ''; SET gpustr.debug_require = require_join");
	is($session->query_safe($query{'a join'}), $answer{'a join'}, "$name: and the next query");
	$session->quit;
	idle_ok($node, $name);
}

# hypopg: indexes that are not there, for EXPLAIN
sub try_hypopg
{
	my ($name) = @_;
	my @plans = outputs("CREATE EXTENSION IF NOT EXISTS hypopg; SELECT hypopg_create_index('CREATE INDEX ON d (k)'), hypopg_create_index('CREATE INDEX ON t (k)')",
		'SET gpustr.device_startup_cost = 1000; EXPLAIN (COSTS OFF) SELECT * FROM d WHERE k = 7; RESET gpustr.device_startup_cost', map({ "EXPLAIN (COSTS OFF) $query{$_}" } 'a scan', 'a join'), map({ $query{$_} } 'a scan', 'a join'));

	like($plans[0], qr/Index Scan using .*btree_d_k/, "$name: an index of hypopg's");
	like($plans[1], qr/GpuScan/, "$name: a GpuScan beside it");
	like($plans[2], qr/GpuJoin/, "$name: a GpuJoin beside it");
	is($plans[3], $answer{'a scan'}, "$name: the scan");
	is($plans[4], $answer{'a join'}, "$name: the join");
}

my $has_hypopg = sql("SELECT count(*) FROM pg_available_extensions WHERE name = 'hypopg'");
foreach my $first ('gpustr', 'other')
{
	my @libraries = ($library, $has_hypopg ? 'hypopg' : ());

	configure($node, 'shared_preload_libraries' => join(', ', $first eq 'gpustr' ? ('gpustr', @libraries) : (@libraries, 'gpustr')));
	$node->restart;
	wait_for_device($node);
	try_mode($first, $_) foreach sort keys %mode;
	try_ends("$first first");
  SKIP:
	{
		skip 'hypopg is not installed', 5 unless $has_hypopg;
		try_hypopg("$first first");
	}
}
log_ok($node, 'hooks');
$node->stop;

done_testing();
