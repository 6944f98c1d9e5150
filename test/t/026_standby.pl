
# A standby, prepared transactions, and tables that are read while others work
# on them: what needs more than one server or one session.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('primary',
	'wal_level' => 'replica', 'max_wal_senders' => 5, 'max_prepared_transactions' => 5,
	'gpustr.batch_bytes' => '128kB', 'gpustr.staging_memory' => '2MB', 'autovacuum' => 'off',
	'shared_buffers' => '16MB', 'synchronize_seqscans' => 'off',
	'hot_standby_feedback' => 'off', 'max_standby_streaming_delay' => '0');
$node->safe_psql('postgres', q{
	CREATE TABLE t (id int, s text) WITH (vacuum_truncate = off);
	INSERT INTO t SELECT g, 'row ' || g || repeat('.', g % 90) FROM generate_series(1, 20000) g;
});
$node->safe_psql('postgres', 'VACUUM (FREEZE) t');
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
wait_for_device($standby);

$node->safe_psql('postgres', "CREATE TABLE d AS SELECT g AS id, 'name ' || g AS name FROM generate_series(3, 45000, 3) g");
my $join = "SELECT count(*), coalesce(sum(hashtext(t.id || s || coalesce(name, ''))::bigint), 0) FROM t LEFT JOIN d USING (id) WHERE s LIKE '%1%'";
my $query = "SELECT count(*), coalesce(sum(hashtext(id || s)::bigint), 0) FROM t WHERE s LIKE '%1%'";

# The same on the primary without gpustr, and on the standby either way.
sub standby_ok
{
	my ($what) = @_;
	my $expected = $node->safe_psql('postgres', "SET gpustr.enabled = off; $query");

	$node->wait_for_catchup($standby);
	is($standby->safe_psql('postgres', "SET gpustr.enabled = off; $query"), $expected, "$what: the standby without gpustr");
	foreach my $engine ('local', 'device')
	{
		is($standby->safe_psql('postgres', "SET gpustr.debug_require = 'require'; SET gpustr.engine = $engine; $query"),
			$expected, "$what: the standby, gpustr.engine = $engine");
		is($node->safe_psql('postgres', "SET gpustr.debug_require = 'require'; SET gpustr.engine = $engine; $query"),
			$expected, "$what: the primary, gpustr.engine = $engine");
	}
}

# A join on the standby
sub join_ok
{
	my ($what) = @_;
	my $expected = $standby->safe_psql('postgres', "SET gpustr.enabled = off; $join");

	foreach my $engine ('local', 'device')
	{
		is($standby->safe_psql('postgres', "SET gpustr.enable_join = on; SET gpustr.debug_require = 'require_join'; SET gpustr.engine = $engine; $join"),
			$expected, "$what: a join, gpustr.engine = $engine");
	}
}

standby_ok('all visible');
join_ok('the standby');

# An update of the extension reaches the standby, and a session that is there
$node->safe_psql('postgres', 'CREATE DATABASE older');
$node->safe_psql('older', "CREATE EXTENSION gpustr VERSION '1.0'; CREATE VIEW busy AS SELECT * FROM gpustr.stat_device");
$node->wait_for_catchup($standby);
my $older = $standby->background_psql('older', on_error_stop => 0);
my $version = "SELECT extversion = '1.0' FROM pg_extension WHERE extname = 'gpustr'";
$older->query_safe('PREPARE p AS SELECT id, batches >= 0 FROM gpustr.stat_device; SET plan_cache_mode = force_generic_plan');
is($older->query_safe("$version; EXECUTE p; SELECT id FROM busy"), "t\n0|t\n0", 'the standby has version 1.0');
$node->safe_psql('older', 'ALTER EXTENSION gpustr UPDATE');
$node->wait_for_catchup($standby);
is($older->query_safe("$version; EXECUTE p; SELECT id FROM busy; SELECT id, tables >= 0, table_bytes >= 0 FROM gpustr.stat_device"),
	"f\n0|t\n0\n0|t|t", 'and then the version of the primary');
$older->quit;

$node->safe_psql('postgres', 'DELETE FROM t WHERE id % 7 = 0');
standby_ok('rows deleted on pages that were all visible');
$node->safe_psql('postgres', "UPDATE t SET s = s || '1' WHERE id % 5 = 0");
standby_ok('rows updated');
$node->safe_psql('postgres', 'VACUUM t');
standby_ok('vacuumed');
$node->psql('postgres', "BEGIN; DELETE FROM t; INSERT INTO t SELECT g, 'row 1' FROM generate_series(1, 1000) g; ROLLBACK");
standby_ok('rows of an aborted transaction');
$node->safe_psql('postgres', "INSERT INTO t SELECT g, 'row 1 again' FROM generate_series(30000, 34000) g");
standby_ok('line pointers used again');

# A snapshot on the standby that is older than what comes in meanwhile
my $session = $standby->background_psql('postgres', on_error_stop => 0);
$session->query_safe("SET gpustr.debug_require = 'require'; BEGIN ISOLATION LEVEL REPEATABLE READ");
my $before = $session->query_safe($query);
$node->safe_psql('postgres', "INSERT INTO t SELECT g, 'late 1' FROM generate_series(40000, 50000) g");
$node->wait_for_catchup($standby);
is($session->query_safe($query), $before, 'a snapshot on the standby is kept');
$session->query_safe('COMMIT');
isnt($session->query_safe($query), $before, 'and a newer one sees more');

# A recovery conflict with batches in flight
$session->query_safe("SET gpustr.batch_depth = 4; BEGIN ISOLATION LEVEL REPEATABLE READ; DECLARE c NO SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%1%'; MOVE 500 FROM c");
kill 'STOP', device_pid($standby);
$session->query_until(qr/started/, "\\echo started\nMOVE ALL FROM c;\n");
ok( $standby->poll_query_until('postgres', 'SELECT slots_in_use > 0 FROM gpustr.staging()'),
	'batches are in flight on the standby');
my $stopped = device_pid($standby);
my $offset = -s $standby->logfile;
$node->safe_psql('postgres', 'DELETE FROM t WHERE id % 3 = 0');
$node->safe_psql('postgres', 'VACUUM t');
ok($standby->wait_for_log(qr/conflict with recovery/, $offset), 'the vacuum cancels the standby query');
$node->wait_for_catchup($standby);
kill 'CONT', $stopped;
$session->{run}->kill_kill;
wait_for_device($standby);
idle_ok($standby, 'after a conflict');
standby_ok('after a conflict');

# Prepared transactions: their rows are seen when they are committed
$node->safe_psql('postgres', "BEGIN; INSERT INTO t SELECT g, 'prepared 1' FROM generate_series(60000, 60100) g; DELETE FROM t WHERE id < 100; PREPARE TRANSACTION 'p'");
standby_ok('a transaction is prepared');
my $count = "SET gpustr.debug_require = 'require'; SELECT count(*) FROM t WHERE s LIKE 'prepared%'";
is($node->safe_psql('postgres', $count), '0', 'it is not seen yet');
$node->safe_psql('postgres', "COMMIT PREPARED 'p'");
is($node->safe_psql('postgres', $count), '101', 'it is seen');
standby_ok('it is committed');
my ($ret, $out, $err) = $node->psql('postgres',
	"SET gpustr.debug_require = 'require'; BEGIN; DECLARE c CURSOR FOR SELECT id FROM t WHERE s LIKE '%1%'; FETCH 1 FROM c; UPDATE t SET s = s WHERE s LIKE 'prepared 1' AND id = 60000; PREPARE TRANSACTION 'q'; ROLLBACK PREPARED 'q'");
unlike($err, qr/leak|still referenced/, 'a transaction with an open scan is prepared');
idle_ok($node, 'after prepared transactions');

# DDL and maintenance beside an open scan
$session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe("SET gpustr.debug_require = 'require'");
my $rows = $node->safe_psql('postgres', "SET gpustr.enabled = off; SELECT count(*) FROM t WHERE s LIKE '%1%'");
$session->query_safe("BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT id FROM t WHERE s LIKE '%1%'; MOVE 10 FROM c");
$node->safe_psql('postgres', "DELETE FROM t WHERE id % 2 = 0");
$node->safe_psql('postgres', 'VACUUM t');
$node->safe_psql('postgres', 'ANALYZE t');
($ret, $out, $err) = $node->psql('postgres', "SET lock_timeout = '100ms'; ALTER TABLE t ADD COLUMN n int DEFAULT 7");
like($err, qr/lock timeout/, 'ALTER TABLE waits for the scan');
$session->query_safe('CREATE TEMP TABLE r (n bigint)');
my $rest = $session->query_safe(q{DO $$ DECLARE r record; n int := 10; c refcursor := 'c'; BEGIN
	LOOP FETCH c INTO r; EXIT WHEN NOT FOUND; n := n + 1; END LOOP; INSERT INTO r VALUES (n); END $$;
	SET gpustr.debug_require = allow; SELECT n FROM r});
is($rest, $rows, 'the cursor still sees the rows of its snapshot');
$session->query_safe('COMMIT');
$session->quit;
$node->safe_psql('postgres', "ALTER TABLE t ADD COLUMN n int DEFAULT 7; CREATE INDEX CONCURRENTLY ON t (id); VACUUM FULL t");
standby_ok('a column was added, and the table rewritten');

# The standby takes over
$standby->promote;
$node->stop;
wait_for_device($standby);
is($standby->safe_psql('postgres', "SET gpustr.debug_require = 'require'; INSERT INTO t VALUES (1, 'promoted 1'); SELECT count(*) FROM t WHERE s LIKE 'promoted%'"),
	'1', 'a promoted standby');
join_ok('promoted');
idle_ok($standby, 'in the end');
log_ok($standby, 'standby', qr/could not (?:connect|receive|run)|conflict with recovery/);
$standby->stop;
is_deeply([ device_processes($standby) ], [], 'no process is left');

done_testing();
