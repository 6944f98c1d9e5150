
# Device processes are killed every 50 ms (a GPU's, which take a second to start,
# every 2 s) while sessions work, and some of the sessions are cancelled, time out
# and are terminated.  Whatever query comes to an end has the right answer.
#
# GPUSTR_SOAK=seconds makes it run that long; otherwise it does a fixed amount
# of work.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep time);

my $pause_us = ($ENV{GPUSTR_TEST_DEVICES} // 'host') eq 'host' ? 50_000 : 2_000_000;
my $soak = $ENV{GPUSTR_SOAK} // 0;
my $seed = $ENV{GPUSTR_TEST_SEED} // int(rand(1e9));
srand($seed);
note "seed $seed";

my $node = new_node('soak',
	'gpustr.batch_bytes' => '256kB', 'gpustr.staging_memory' => '6MB',
	'gpustr.device_timeout' => '1s', 'gpustr.device_startup_cost' => 0,
	'max_connections' => 60, 'log_statement' => 'none', 'autovacuum' => 'off');

# check_answer(n) runs the nth query and compares with what is known.  Its plans
# are made for the local engine, so that they are GpuScans whether or not a
# device is up at that moment; they run on the device where there is one.
$node->safe_psql('postgres', q{
	CREATE TABLE logs AS
		SELECT i AS id, 'line ' || i || CASE WHEN i % 10 = 0 THEN ' error' ELSE ' fine' END
			|| CASE WHEN i % 500 = 0 THEN repeat(' wide', 1000) ELSE repeat(' lorem ipsum', 6) END AS msg
		FROM generate_series(1, 20000) i;
	CREATE TABLE names AS
		SELECT array_agg('First' || i || ' Last' || i) AS name,
			array_agg(CASE WHEN i % 2 = 0 THEN 'public' ELSE 'private' END) AS visibility
		FROM generate_series(1, 10000) i;
	CREATE TABLE known (n int PRIMARY KEY, answer text);
	ANALYZE;

	CREATE FUNCTION answer(n int) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE r record; result text := ''; c refcursor; BEGIN
		CASE n
		WHEN 1 THEN SELECT count(*) || ' ' || sum(id) INTO result FROM logs WHERE msg LIKE '%error%lorem%';
		WHEN 2 THEN SELECT count(*)::text INTO result FROM logs WHERE msg NOT LIKE '%1%' AND id % 3 = 0;
		WHEN 3 THEN SELECT string_agg(id::text, ',' ORDER BY id) INTO result FROM logs
			WHERE msg = 'line 77 fine' || repeat(' lorem ipsum', 6) OR msg LIKE '%error% wide%';
		WHEN 4 THEN
			OPEN c NO SCROLL FOR SELECT id FROM logs WHERE msg LIKE '%9%';
			MOVE FORWARD 1500 FROM c;
			FOR i IN 1 .. 5 LOOP FETCH c INTO r; result := result || r.id || ' '; END LOOP;
			CLOSE c;
		WHEN 5 THEN SELECT count(*) || ' ' || sum(length(s)) INTO result
			FROM (SELECT unnest(gpustr.redact(name, visibility)) AS s FROM names) x;
		WHEN 6 THEN
			CREATE TEMP TABLE mine ON COMMIT DROP AS SELECT id, msg FROM logs WHERE msg LIKE '%77%';
			EXECUTE $q$ SELECT count(*)::text FROM mine WHERE msg LIKE '%error%' $q$ INTO result;
			DROP TABLE mine;
		WHEN 7 THEN
			BEGIN
				SELECT sum(1 / (id - 9000))::text INTO result FROM logs WHERE msg LIKE '%line%';
			EXCEPTION WHEN division_by_zero THEN result := 'division by zero';
			END;
		WHEN 8 THEN SELECT count(*)::text INTO result FROM logs a JOIN logs b ON b.id = a.id + 1
			WHERE a.msg LIKE '%error%' AND b.msg LIKE '%1 fine%';
		WHEN 9 THEN SELECT md5(string_agg(x.r || x.m, ' ')) INTO result
			FROM (SELECT gpustr.redact(msg, 'public') AS r, gpustr.mask(msg, 4, 2, '..') AS m FROM logs WHERE id % 4 = 1 ORDER BY id) x;
		END CASE;
		RETURN result;
	END $$;

	CREATE FUNCTION check_answer(which int) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE got text; expected text; BEGIN
		IF coalesce(current_setting('soak.planned', true), '') <> 'on' THEN
			PERFORM set_config('gpustr.engine', 'local', false);
			PERFORM set_config('gpustr.debug_require', 'require', false);
			PERFORM answer(n) FROM generate_series(1, 9) n WHERE n <> 5;
			PERFORM set_config('gpustr.debug_require', 'allow', false);
			PERFORM set_config('gpustr.engine', 'device', false);
			PERFORM set_config('soak.planned', 'on', false);
		END IF;
		SELECT answer INTO expected FROM known WHERE n = which;
		got := answer(which);
		IF got IS DISTINCT FROM expected THEN
			RAISE 'WRONG ANSWER to query %: %, not %', which, got, expected;
		END IF;
		RETURN 'right';
	END $$;
	ALTER FUNCTION check_answer(int) SET plan_cache_mode = force_generic_plan;

	SET gpustr.enabled = off;
	SET gpustr.engine = local;
	INSERT INTO known SELECT n, answer(n) FROM generate_series(1, 9) n;
});
is($node->safe_psql('postgres', 'SELECT string_agg(check_answer(n), $$ $$) FROM generate_series(1, 9) n'),
	join(' ', ('right') x 9), 'the answers in peace');
is($node->safe_psql('postgres', 'SELECT answer(7)'), 'division by zero', 'one of them fails and goes on');
$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');

# The steady sessions: no error of any kind.
my $dir = temp_folder;
append_to_file("$dir/steady.sql", "\\set n random(1, 9)\nSELECT check_answer(:n);\n");
my @amount = $soak ? ('-T', $soak) : ('-t', 40);
my ($out, $err) = ('', '');
my $steady = IPC::Run::start(
	[ 'pgbench', '-n', '-c', 4, '-j', 1, @amount, '-f', "$dir/steady.sql", '-d', 'postgres', '-h', $node->host, '-p', $node->port ],
	'<', '/dev/null', '>', \$out, '2>', \$err);

# The victims, one psql after the other until told to stop.
my $victim_sql = join '', map {
	'SET statement_timeout = ' . (rand() < 0.3 ? 1 + int(rand(60)) : 0) . ";\nSELECT check_answer(" . (1 + int(rand(8))) . ");\n"
} 1 .. 20;
append_to_file("$dir/victim.sql", $victim_sql);
my @victims;
my @said = ('') x 4;
foreach my $i (0 .. 3)
{
	push @victims, IPC::Run::start(
		[ 'sh', '-c', 'while [ ! -e "$0/stop" ]; do psql -XAtq -d "$1" -f "$0/victim.sql"; done', $dir,
			$node->connstr('postgres') . " application_name=victim$i" ],
		'<', '/dev/null', '>&', \$said[$i]);
}

# The killer.  A process is started again ever later, up to a second; so in
# every second turn it may live a little longer.
my $killer = $node->background_psql('postgres', timeout => $soak + 300);
my ($kills, $turn) = (0, 0);
my $limit = time + ($soak || 0) + 240;
while ($steady->pumpable && time < $limit)
{
	$turn++;
	if (int($turn / 20) % 2 == 0 || rand() < 0.15)
	{
		$kills += kill 'KILL', device_processes($node);
	}
	$killer->query_safe(sprintf(
			'SELECT pg_%s_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $$victim%%$$ ORDER BY random() LIMIT 1',
			$turn % 7 == 0 ? 'terminate' : 'cancel')) if $turn % 2 == 0;
	$_->pump_nb foreach $steady, grep { $_->pumpable } @victims;
	usleep($pause_us);
}
append_to_file("$dir/stop", '');
ok($steady->finish, 'steady sessions: pgbench met no error') or diag($err);
unlike($err, qr/ERROR|FATAL|aborted/, 'and said so');
like($out, qr{processed: 160/160|duration: \d+ s}, 'all queries were run');
$_->finish foreach @victims;
$killer->quit;
cmp_ok($kills, '>=', 3, "device processes were killed ($kills)");

my $said = join '', @said;
my $right = () = $said =~ /^right$/mg;
my $cancelled = () = $said =~ /canceling statement/g;
cmp_ok($right, '>', 0, "victims: some queries came to an end ($right)");
cmp_ok($cancelled, '>', 0, "some were cancelled ($cancelled)");
my @other = grep {
	!/^right$|canceling statement due to (?:user request|statement timeout)|terminating connection due to administrator command|server closed the connection|This probably means|before or while processing|connection to server was lost|^CONTEXT:|PL\/pgSQL function|^SQL (?:statement|function)|^PL|^\s|^$|^COPY|psql:.*error: connection|^FETCH|^DETAIL:|^\s*FROM|unnamed portal/
} split /\n/, $said;
is(join("\n", @other[ 0 .. ($#other > 5 ? 5 : $#other) ]), '', 'victims: no other error, no wrong answer');

# Whether a kill met a batch in flight was left to chance: go on until one has.
# (The first answer of a session plans, and runs, all queries locally.)
my $redone = 'SELECT sum(fallbacks) > 0 FROM gpustr.stat_device';
foreach my $round (1 .. 100)
{
	last if $node->safe_psql('postgres', $redone) eq 't';
	wait_for_device($node);
	my $query = $node->background_psql('postgres');
	$query->query_until(qr/started/, "SELECT check_answer(1);\n\\echo started\n" . 'SELECT check_answer(1 + n % 3) FROM generate_series(1, 30) n;' . "\n");
	usleep(1_000 * $round);
	kill 'KILL', device_processes($node);
	$query->quit;
}

# And after all that
wait_for_device($node);
idle_ok($node, 'after the soak');
is(scalar(device_processes($node)), 1, 'one device process');
is( $node->safe_psql('postgres', 'SELECT count(*) FROM gpustr.stat_device WHERE batches > 0 AND fallbacks > 0 AND restarts > 0'),
	'1', 'devices did some of it, sessions the rest');
$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
is($node->safe_psql('postgres', 'SELECT string_agg(check_answer(n), $$ $$) FROM generate_series(1, 9) n'),
	join(' ', ('right') x 9), 'the answers in peace again');
is($node->safe_psql('postgres', 'SELECT batches > 0, fallbacks FROM gpustr.stat_device'), 't|0', 'by the device');
my $log = slurp_file($node->logfile);
like($log, qr/process of gpustr device 0 was terminated by signal 9: Killed/, 'the log says that processes died');
like($log, qr/gpustr device 0: device process up: /, 'and that others took their place');
unlike($log, qr/WRONG ANSWER/, 'no wrong answer');
log_ok($node, 'the soak');
$node->stop;
is_deeply([ device_processes($node) ], [], 'no process is left');

done_testing();
