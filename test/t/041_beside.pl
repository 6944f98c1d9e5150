
# Beside other extensions, in either order; and without gpustr again: it is switched
# off, dropped, no longer preloaded.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('beside', 'log_min_messages' => 'log', 'auto_explain.log_min_duration' => '0',
	'auto_explain.log_analyze' => 'on', 'auto_explain.log_nested_statements' => 'on', 'compute_query_id' => 'on',
	'max_parallel_workers_per_gather' => '2');

sub sql
{
	my ($query) = @_;

	return $node->safe_psql('postgres', $query);
}

sub fails
{
	my ($query, $pattern, $what) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', $query);

	like($err, $pattern, $what);
}

my $port = $node->port;
my $host = $node->host;
sql(qq{
	CREATE EXTENSION pg_stat_statements; CREATE EXTENSION postgres_fdw; CREATE EXTENSION pg_trgm;
	CREATE TABLE t (id int, k int, s text);
	INSERT INTO t SELECT g, g % 1000, 'row ' || g || repeat('.', g % 90) || CASE WHEN g % 5000 = 7 THEN 'needle' ELSE '' END
		FROM generate_series(1, 30000) g;
	CREATE TABLE d (k int, name text);
	INSERT INTO d SELECT g, 'name ' || g FROM generate_series(1, 900) g;
	CREATE INDEX t_trgm ON t USING gin (s gin_trgm_ops);
	CREATE TABLE p (id int, k int, s text) PARTITION BY RANGE (id);
	CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10000);
	CREATE TABLE p2 (s text, gone int, k int, id int);
	ALTER TABLE p2 DROP gone;
	ALTER TABLE p ATTACH PARTITION p2 FOR VALUES FROM (10000) TO (20000);
	CREATE TABLE p3 PARTITION OF p DEFAULT PARTITION BY HASH (k);
	CREATE TABLE p3a PARTITION OF p3 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
	CREATE TABLE p3b PARTITION OF p3 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	INSERT INTO p SELECT * FROM t;
	CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres',
		options '-c gpustr.debug_require=require', use_remote_estimate 'false');
	CREATE USER MAPPING FOR CURRENT_USER SERVER loopback;
	CREATE FOREIGN TABLE far (id int, k int, s text) SERVER loopback OPTIONS (table_name 't');
	VACUUM ANALYZE;
});

my %query = (
	'a scan' => "SELECT count(*), sum(id) FROM t WHERE s LIKE '%9%' AND s NOT LIKE '%7%'",
	'an output' => "SELECT count(r), min(r), max(r) FROM (SELECT gpustr.redact(s, 'public') AS r FROM t WHERE s LIKE '%9%' OFFSET 0) q",
	'a join' => "SELECT count(*), sum(t.id), min(d.name) FROM t JOIN d USING (k) WHERE t.s LIKE '%9%'",
	'partitions' => "SELECT count(*), sum(id) FROM p WHERE s LIKE '%9%' AND id < 25000",
	'a join of partitions' => "SELECT count(*), sum(p.id) FROM p JOIN d USING (k) WHERE p.s LIKE '%9%'");
my $plain = 'SET gpustr.enabled = off; SET jit = off;';
my $on_gpu = 'SET gpustr.enable_join = on; SET gpustr.debug_require = require;';
my %answer = map { $_ => sql("$plain $query{$_}") } keys %query;

# Hooks chain, whoever was loaded first
foreach my $order ('pg_stat_statements, auto_explain, pg_trgm, gpustr', 'gpustr, pg_trgm, auto_explain, pg_stat_statements')
{
	configure($node, 'shared_preload_libraries' => $order);
	$node->restart;
	wait_for_device($node);
	sql('SELECT pg_stat_statements_reset()');
	my $offset = -s $node->logfile;

	foreach my $name (sort keys %query)
	{
		my $gpu = $on_gpu . ($name =~ /join/ ? ' SET gpustr.debug_require = require_join;' : '');

		is(sql("$gpu $query{$name}"), $answer{$name}, "$order: $name");
		is(sql("$gpu SET jit = on; SET jit_above_cost = 0; SET max_parallel_workers_per_gather = 0; $query{$name}"),
			$answer{$name}, "$order: $name, JIT");
	}
	is(sql(q{SELECT calls, rows FROM pg_stat_statements WHERE query LIKE 'SELECT count(*), sum(id) FROM t %'}), '2|2',
		"$order: pg_stat_statements has counted");
	my $log = slurp_file($node->logfile, $offset);
	like($log, qr/plan:.*Custom Scan \(GpuScan\) on t .*actual time.*GPU Filter:/s, "$order: auto_explain tells of scans");
	like($log, qr/Custom Scan \(GpuJoin\) .*actual time.*GPU Join Cond:/s, "$order: and of joins");
	like($log, qr/JIT:/, "$order: there was JIT") if sql('SELECT pg_jit_available()') eq 't';

	# pg_trgm's index stays the better plan where it finds few rows
	my $few = "SELECT id FROM t WHERE s LIKE '%needle%' ORDER BY id";

	like(sql("EXPLAIN $few"), qr/t_trgm/, "$order: the index of pg_trgm");
	is(sql("$on_gpu $few"), sql("SET enable_seqscan = off; $few"), "$order: the same rows by a GpuScan");

	# postgres_fdw: the far session has to use gpustr; the near one may, in a join
	is(sql($query{'a scan'} =~ s/FROM t/FROM far/r), $answer{'a scan'}, "$order: a foreign table");
	is(sql("SET gpustr.enable_join = on; SET gpustr.debug_require = require_join; " . $query{'a join'} =~ s/FROM t /FROM far t /r),
		$answer{'a join'}, "$order: a join with a foreign table");
	fails("BEGIN; DECLARE c CURSOR FOR SELECT * FROM far WHERE s LIKE '%9%'; MOVE 10 IN c; SELECT 1 / 0", qr/division by zero/,
		"$order: an error beside a foreign scan");
	idle_ok($node, $order);
}

# Kept plans follow the settings
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('SET plan_cache_mode = force_generic_plan; SET max_parallel_workers_per_gather = 0; SET gpustr.device_startup_cost = 0; SET gpustr.device_row_cost = 0; SET enable_bitmapscan = off; SET client_min_messages = warning');
$session->query_safe("PREPARE q (text) AS $query{'a scan'} AND s <> \$1");
my $explain = "EXPLAIN (COSTS OFF) EXECUTE q ('x')";
like($session->query_safe($explain), qr/GpuScan/, 'a kept plan uses gpustr');
foreach my $off ('gpustr.enabled = off', 'gpustr.enable_scan = off')
{
	my ($name) = $off =~ /^(\S+)/;

	$session->query_safe("SET $off");
	unlike($session->query_safe($explain), qr/GpuScan/, "SET $off: no more");
	is($session->query_safe("EXECUTE q ('x')"), $answer{'a scan'}, 'and it answers');
	$session->query_safe("RESET $name");
	like($session->query_safe($explain), qr/GpuScan/, "RESET $name: again");
}
$session->query_safe('SET gpustr.debug_require = forbid');
$session->query("EXECUTE q ('x')");
like($session->{stderr}, qr/this query would be run with gpustr/, 'SET gpustr.debug_require = forbid');
$session->{stderr} = '';
$session->query_safe('RESET gpustr.debug_require; SET gpustr.engine = local');
like($session->query_safe("EXPLAIN (ANALYZE, VERBOSE) EXECUTE q ('x')"), qr/Engine: host \(local\)/, 'a kept plan follows gpustr.engine');
$session->query_safe('BEGIN; SET LOCAL gpustr.enabled = off');
unlike($session->query_safe($explain), qr/GpuScan/, 'SET LOCAL');
$session->query_safe('ROLLBACK');
like($session->query_safe($explain), qr/GpuScan/, 'and its end');
$session->query_safe('RESET gpustr.engine');

# settings of others, when they come to the session
sub reload_until
{
	my ($command, $setting, $value) = @_;

	$node->safe_psql('postgres', $command);
	$node->reload;
	$session->query_safe("SELECT pg_sleep(0.01)") while $session->query_safe("SHOW $setting") ne $value;
}
reload_until('ALTER SYSTEM SET gpustr.enabled = off', 'gpustr.enabled', 'off');
unlike($session->query_safe($explain), qr/GpuScan/, 'ALTER SYSTEM SET gpustr.enabled = off, and a reload: no more');
is($session->query_safe("EXECUTE q ('x')"), $answer{'a scan'}, 'and it answers');
reload_until('ALTER SYSTEM RESET gpustr.enabled', 'gpustr.enabled', 'on');
like($session->query_safe($explain), qr/GpuScan/, 'ALTER SYSTEM RESET: again');

# and kept joins
$session->query_safe("SET gpustr.enable_join = on; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_nestloop = off; PREPARE j (text) AS $query{'a join'} AND t.s <> \$1");
my $explain_join = "EXPLAIN (COSTS OFF) EXECUTE j ('x')";
like($session->query_safe($explain_join), qr/GpuJoin/, 'a kept plan with a GpuJoin');
$session->query_safe('SET gpustr.enable_join = off');
unlike($session->query_safe($explain_join), qr/GpuJoin/, 'SET gpustr.enable_join = off: no more');
is($session->query_safe("EXECUTE j ('x')"), $answer{'a join'}, 'and it answers');
$session->query_safe('SET gpustr.enable_join = on');
like($session->query_safe($explain_join), qr/GpuJoin/, 'SET gpustr.enable_join = on: again');
is($session->query_safe("EXECUTE j ('x')"), $answer{'a join'}, 'and it answers');
$session->query_safe('RESET gpustr.enable_join; RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_nestloop; DEALLOCATE j');

# and functions that call a function of gpustr's follow the extension
$session->query_safe("PREPARE r AS SELECT max(gpustr.redact(s, 'public')) FROM t WHERE s LIKE '%9%'");
my $redacted = $session->query_safe('EXECUTE r');
is($redacted, sql("$plain SELECT max(gpustr.redact(s, 'public')) FROM t WHERE s LIKE '%9%'"), 'a prepared statement with gpustr.redact');

# DROP EXTENSION refuses where something depends on it
sql(q{
	CREATE VIEW redacted AS SELECT id, gpustr.redact(s, 'public') AS r FROM t;
	CREATE TABLE g (s text, r text GENERATED ALWAYS AS (gpustr.mask(s, 1, 1)) STORED, plain int);
	INSERT INTO g VALUES ('secret', DEFAULT, 1);
	CREATE INDEX t_find ON t (gpustr.find(s, '9'));
	CREATE FUNCTION late(text) RETURNS text LANGUAGE plpgsql AS $$BEGIN RETURN gpustr.redact($1, 'public'); END$$;
});
fails('DROP EXTENSION gpustr', qr/cannot drop extension gpustr because other objects depend on it.*view redacted.*HINT:  Use DROP \.\.\. CASCADE/s, 'DROP EXTENSION refuses');
fails('DROP SCHEMA gpustr', qr/cannot drop schema gpustr because other objects depend on it/, 'DROP SCHEMA, too');
fails('DROP FUNCTION gpustr.redact(text, text)', qr/cannot drop function .* because extension gpustr requires it/, 'one function cannot go');
is($session->query_safe('BEGIN; DROP EXTENSION gpustr CASCADE; ROLLBACK; EXECUTE r'), $redacted, 'a DROP that is rolled back');
sql('DROP EXTENSION gpustr CASCADE');
is(sql("SELECT to_regclass('redacted') IS NULL, to_regclass('t_find') IS NULL, to_regclass('gpustr.stat_device') IS NULL"), 't|t|t',
	'CASCADE takes views and indexes');
is(sql('SELECT * FROM g'), 'secret|1', 'and generated columns, not their tables');
is(sql("SELECT count(*) FROM pg_proc WHERE pronamespace = 'gpustr'::regnamespace"), '0', 'nothing is left in the schema');
fails("SELECT late('a b')", qr/function gpustr\.redact\(text, unknown\) does not exist|function gpustr\.redact\(text, text\) does not exist/,
	'a function that called one says what is missing');
$session->query('EXECUTE r');
like($session->{stderr}, qr/does not exist/, 'and so does the prepared statement');
$session->{stderr} = '';
is($session->query("EXECUTE q ('x')"), $answer{'a scan'}, 'what needs none of its functions runs');
like($session->query($explain), qr/GpuScan/, 'with a GpuScan: that is the library');
sql('CREATE EXTENSION gpustr');
is($session->query('EXECUTE r'), $redacted, 'created again, the prepared statement runs again');
is(sql("SELECT late('Jane Doe')"), 'D Jane', 'and the function');
is($session->query('SELECT batches >= 0 FROM gpustr.stat_device'), 't', 'and the view');
$session->quit;
idle_ok($node, 'in the end');

# No longer preloaded: plans are PostgreSQL's, settings left in the file are no error
configure($node, 'shared_preload_libraries' => 'pg_stat_statements', 'gpustr.engine' => 'auto');
$node->restart;
is_deeply([ device_processes($node) ], [], 'not preloaded: no device process');
is(sql("SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'gpustr%'"), '0', 'nor a supervisor');
foreach my $name (sort keys %query)
{
	unlike(sql("EXPLAIN $query{$name}"), qr/Gpu(?:Scan|Join)/, "not preloaded: a plain plan for $name");
	is(sql($query{$name}), $answer{$name}, "not preloaded: $name");
}
sql('DROP EXTENSION gpustr CASCADE; DROP SCHEMA gpustr');
is(sql($query{'a scan'}), $answer{'a scan'}, 'dropped');
log_ok($node, 'beside');
$node->stop;

done_testing();
