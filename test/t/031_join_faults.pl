
# GpuJoins under failures: every call to an engine, the device's loss at any time, its
# memory from none on, sessions that are cancelled, killed and many.  The answer is
# PostgreSQL's or, in the session's own engine, one clear error; nothing is left in use.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use FaultTest;
use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = new_node('join_faults',
	'gpustr.batch_bytes' => '64kB', 'gpustr.staging_memory' => '2MB',
	'gpustr.device_startup_cost' => 0, 'gpustr.batch_depth' => 3, 'gpustr.device_timeout' => '2s',
	'autovacuum' => 'off', 'synchronize_seqscans' => 'off', 'restart_after_crash' => 'on',
	'max_connections' => 60, 'max_parallel_workers_per_gather' => 0,
	'log_min_error_statement' => 'panic');

$node->safe_psql('postgres', q{
	CREATE TABLE f AS SELECT g AS id, g % 500 AS k, 'key ' || g % 330 AS t, g % 7 AS x, repeat('-', g % 40) AS pad
		FROM generate_series(1, 4000) g;
	CREATE TABLE d AS SELECT g AS k, 'name ' || g AS name, g % 10 AS seg FROM generate_series(1, 800) g;
	CREATE TABLE h AS SELECT 'key ' || g AS t, g % 9 AS rack FROM generate_series(1, 300) g;
	CREATE TABLE s AS SELECT g AS x, 'x ' || g AS xname FROM generate_series(0, 5) g;
	CREATE TABLE wide AS SELECT g AS k, repeat(md5(g::text), 30) AS v FROM generate_series(1, 9000) g;
	CREATE TABLE one AS SELECT 1 AS k, g AS id FROM generate_series(1, 12000) g;
	CREATE TABLE log (session int, n int);
	-- a filter that is PostgreSQL's
	CREATE FUNCTION odd(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 % 2 = 1; END';
	CREATE FUNCTION survivors() RETURNS text LANGUAGE plpgsql AS $$
	DECLARE n bigint; m bigint; BEGIN
		BEGIN
			SELECT count(*) INTO n FROM f JOIN d USING (k);
		EXCEPTION WHEN out_of_memory THEN n := -1;
		END;
		SELECT sum(id) INTO m FROM f JOIN h USING (t);
		RETURN CASE WHEN n = -1 THEN 'caught' ELSE n::text END || ' ' || m;
	END $$;
	ANALYZE;
});

my $sums = 'SELECT count(*), sum(f.id), count(d.name), sum(length(d.name)), sum(d.seg) FROM';
my %query = (
	inner => "$sums f JOIN d USING (k) WHERE d.seg < 7 AND f.pad LIKE '%-%';",
	filter => "$sums f JOIN d ON f.k = d.k AND odd(f.id / 3 + d.seg);",
	left => "$sums f LEFT JOIN d ON f.k = d.k AND odd(f.id / 3 + d.seg);",
	full => "$sums f FULL JOIN d ON f.k = d.k;",
	semi => "SELECT count(*), sum(id) FROM f WHERE EXISTS (SELECT FROM h WHERE h.t = f.t AND rack < 7);",
	anti => "SELECT count(*), sum(id) FROM f WHERE NOT EXISTS (SELECT FROM h WHERE h.t = f.t);",
	star => "SELECT count(*), sum(f.id), min(xname), max(t) FROM f JOIN d USING (k) JOIN h USING (t) JOIN s USING (x);",
	rows => "SELECT id, name, pad FROM f JOIN d USING (k) WHERE id % 5 = 0 ORDER BY id;",
	cursor => "BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT rack FROM f JOIN h USING (t) WHERE rack = 3; FETCH 3 FROM c; MOVE 4 FROM c; FETCH ALL FROM c; COMMIT;");
my $plain = 'SET gpustr.enabled = off;';
my $join = "SET gpustr.enabled = on; SET gpustr.enable_join = on; SET gpustr.debug_require = 'require';";
my $max = 120;    # more calls than any of them makes

sub explain
{
	my ($name, $set) = @_;
	my ($select) = $query{$name} =~ /(SELECT .*?;)/;

	return $node->safe_psql('postgres', "$set EXPLAIN (COSTS OFF) $select");
}

# What PostgreSQL answers.
my %answer;
foreach my $name (sort keys %query)
{
	$answer{$name} = $node->safe_psql('postgres', "$plain $query{$name}");
	like(explain($name, $join), qr/GpuJoin/, "$name: a GpuJoin");
}

sub answers_ok
{
	my ($what, $set, @names) = @_;
	my @wrong;

	foreach my $name (@names ? @names : sort keys %query)
	{
		wait_for_device($node) if $set =~ /debug/;
		my ($ret, $out, $err) = $node->psql('postgres', "$join $set $query{$name}");
		push @wrong, "$name: $out $err" if $out ne $answer{$name} || $err =~ /ERROR|WARNING/;
	}
	is(join("\n", @wrong), '', "$what: right");
}

answers_ok('on the device', '');
is($node->safe_psql('postgres', 'SELECT fallbacks FROM gpustr.stat_device'), '0', 'and nothing was redone');
answers_ok('in the session', 'SET gpustr.engine = local;');
idle_ok($node, 'at first');

# Every call fails once, and all from some call on
my %calls;
foreach my $name (sort keys %query)
{
	my $device = "$plain SET gpustr.engine = device;";

	$calls{$name} = faults_ok($node, $name, $query{$name}, 'on the device', $device, $join, 0, 1 .. $max);
	foreach my $kind ('claim a table', 'acquire a slot', 'submit', 'run on a device', 'wait')
	{
		ok($calls{$name}{$kind}, "$name: there were failures to $kind");
	}
	faults_ok($node, $name, $query{$name}, 'from some call on', $device, $join, 1, map { -3 * $_ } 1 .. $max / 3);
	faults_ok($node, $name, $query{$name}, 'in the session', "$plain SET gpustr.engine = local;", $join, 1, 1 .. $max);
}
idle_ok($node, 'after all of them');

# The process dies with the Nth request, is out of memory for all, hangs
foreach my $name (sort keys %query)
{
	my @run = sort { $a <=> $b } keys %{ $calls{$name}{'run on a device'} };

	foreach my $n (@run[ 0, @run / 3, 2 * @run / 3, -1 ])
	{
		foreach my $fault ('lost', 'crash')
		{
			wait_for_device($node);
			my $got = run_each($node, $query{$name}, "$join SET gpustr.debug_device_fault = $fault;", $n)->{$n};

			is($got->[0], $answer{$name}, "$name: the device is lost with call $n, $fault");
			unlike($got->[1], qr/ERROR/, "$name: and that is no error");
		}
	}
}
wait_for_device($node);

# What EXPLAIN says of the tables' keys is right whatever fails, and wherever they are built
sub keys_of
{
	my ($out) = @_;

	return join "\n", sort $out =~ /Hash Table.*?: (rows \d+, distinct keys \d+)/g;
}
my %keys = (inner => "rows 560, distinct keys 560", left => "rows 800, distinct keys 800",
	semi => "rows 234, distinct keys 234", star => "rows 300, distinct keys 300\nrows 6, distinct keys 6\nrows 800, distinct keys 800");
foreach my $name (sort keys %keys)
{
	my ($select) = $query{$name} =~ /(SELECT .*?;)/;
	my $explain = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $select";
	my @run = sort { $a <=> $b } keys %{ $calls{$name}{'run on a device'} };

	wait_for_device($node);
	my $got = run_each($node, $explain, $join, 0 .. $run[-1] + 1);
	my (@wrong, $redone);

	is(keys_of($got->{0}[0]), $keys{$name}, "$name: keys of the tables");
	foreach my $n (sort { $a <=> $b } keys %$got)
	{
		push @wrong, "$n: $got->{$n}[0]" if keys_of($got->{$n}[0]) ne $keys{$name};
		$redone++ if $got->{$n}[0] =~ /GPU Batches (?:Redone|Local)/;
	}
	is(join("\n", @wrong[ 0 .. ($#wrong > 2 ? 2 : $#wrong) ]), '', "$name: keys of the tables, a call fails");
	cmp_ok($redone, '>', 0, "$name: some of them have not been built, or probed, on the device");
	foreach my $n (@run[ 0, @run / 2, -1 ])
	{
		wait_for_device($node);
		$got = run_each($node, $explain, "$join SET gpustr.debug_device_fault = lost;", $n)->{$n};
		is(keys_of($got->[0]), $keys{$name}, "$name: keys of the tables, the device is lost with call $n");
	}
}
wait_for_device($node);
answers_ok('out of memory', 'SET gpustr.debug_device_fault = out_of_memory;');
foreach my $fault ('lost', 'crash', 'hang')
{
	wait_for_device($node);
	answers_ok($fault, "SET gpustr.debug_device_fault = $fault;", $fault eq 'hang' ? ('left', 'star') : ());
}
wait_for_device($node);
idle_ok($node, 'after losses');

# Caught in a subtransaction
is( $node->safe_psql('postgres', "$join SET gpustr.engine = local; SELECT survivors(); SET gpustr.debug_fail_engine_call = 1; SELECT survivors()"),
	$node->safe_psql('postgres', q{SELECT a || ' ' || b || E'\ncaught ' || b FROM (SELECT count(*) AS a FROM f JOIN d USING (k)) x, (SELECT sum(id) AS b FROM f JOIN h USING (t)) y}),
	'caught in a subtransaction');
idle_ok($node, 'caught');

# Memory of the device, from none on, and little of the session's
my $wide = 'SELECT count(*), sum(a.k), sum(length(a.v)), count(b.v), sum(ascii(b.v)) FROM wide a';
my %wide = (
	wide => "SELECT count(*), sum(f.id), sum(length(v)), md5(string_agg(md5(v), '' ORDER BY f.id)) FROM f JOIN wide ON f.id = wide.k;",
	passes => "$wide JOIN wide b USING (k);",
	left_passes => "$wide LEFT JOIN wide b ON a.k = b.k - 7 AND odd(a.k / 3 + ascii(b.v));",
	full_passes => "$wide FULL JOIN wide b ON a.k = b.k - 7;");
foreach my $name (sort keys %wide)
{
	$query{$name} = $wide{$name};
	$answer{$name} = $node->safe_psql('postgres', "$plain $query{$name}");
}
foreach my $limit (0, 1, 2, 4, 8, 64)
{
	configure($node, 'gpustr.device_memory_limit' => "${limit}MB");
	$node->reload;
	usleep(400_000);
	answers_ok("limit $limit MB", '');
	answers_ok("limit $limit MB, little work_mem", q{SET work_mem = '64kB'; SET hash_mem_multiplier = 1;}, 'full', 'star', 'wide');
}
configure($node, 'gpustr.device_memory_limit' => '1MB');
$node->reload;
usleep(400_000);
like($node->safe_psql('postgres', "$join EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query{$_}"), qr/partitions (?:[2-9]|\d\d)/, "in several passes: $_")
  foreach ('passes', 'left_passes', 'full_passes');
{
	my %passes;

	foreach my $n (map { 13 * $_ } 1 .. 20)
	{
		my ($ret, $out, $err) = $node->psql('postgres', "$join SET gpustr.debug_fail_engine_call = $n; $query{left_passes}");
		$passes{ $out eq $answer{left_passes} && $err !~ /ERROR/ ? 'right' : "$n: $out $err" }++;
	}
	is_deeply([ keys %passes ], ['right'], 'in several passes: a call fails');
}
configure($node, 'gpustr.device_memory_limit' => undef);
$node->reload;
usleep(400_000);
idle_ok($node, 'memory limits');

# kill -9 of the device in mid-join, that is, while a cursor rests in its results
foreach my $name ('rows', 'full', 'left', 'star', 'wide')
{
	foreach my $fetched (0, 1, 700)
	{
		my ($select) = {
			rows => 'SELECT id, name, pad FROM f JOIN d USING (k)',
			full => 'SELECT f.id, d.k, d.name FROM f FULL JOIN d ON f.k = d.k',
			left => 'SELECT f.id, d.k, d.name FROM f LEFT JOIN d ON f.k = d.k AND odd(f.id / 3 + d.seg)',
			star => 'SELECT f.id, name, rack, xname FROM f JOIN d USING (k) JOIN h USING (t) JOIN s USING (x)',
			wide => 'SELECT f.id, v FROM f JOIN wide ON f.id = wide.k' }->{$name};
		my $session = $node->background_psql('postgres', on_error_stop => 0, timeout => 120);

		$session->query_safe("$join SET cursor_tuple_fraction = 1; CREATE TEMP TABLE expected AS SELECT NULL WHERE false");
		$session->query_safe("BEGIN; DECLARE c NO SCROLL CURSOR FOR $select");
		my $got = $fetched ? $session->query("FETCH $fetched FROM c") . "\n" : '';
		kill 'KILL', device_pid($node);
		$got .= $session->query('FETCH ALL FROM c');
		$session->quit;
		my $expected = $node->safe_psql('postgres', "$plain $select");
		is(join("\n", sort split /\n/, $got), join("\n", sort split /\n/, $expected), "$name: the device is killed after $fetched rows");
		wait_for_device($node);
	}
}
idle_ok($node, 'killed in mid-join');

# A statement that is started and goes on by itself, and its pid
sub start_statement
{
	my ($sql, $set) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0, timeout => 120);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	$session->query_safe("$join $set");
	$session->query_until(qr/started/, "\\echo started\n$sql\n");
	return ($session, $pid);
}

# It is cancelled, timed out or terminated: the session has an error, and nothing is left
sub stopped_ok
{
	my ($what, $how, $session, $pid) = @_;

	$node->safe_psql('postgres', "SELECT pg_${how}_backend($pid)") if $how ne 'timeout';
	ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid AND state = 'active'"), "$what: $how");
	idle_ok($node, "$what: $how");
	if ($how eq 'terminate') { $session->{run}->kill_kill; return }
	my $got = $session->query_until(qr/^end$/m, "\\echo end\n");
	like($got, qr/^\s*end\s*$/, "$what: no answer");
	is($session->query($query{inner}), $answer{inner}, "$what: the session goes on");
	$session->quit;
}

# While the device stands still: in build, or in probe (each join builds one table at a time)
foreach my $how ('cancel', 'terminate', 'timeout')
{
	my $set = $how eq 'timeout' ? "SET statement_timeout = '900ms';" : '';

	foreach my $what ('build', 'probe')
	{
		my $device = device_pid($node);
		my ($session, $pid);

		if ($what eq 'build')
		{
			kill 'STOP', $device;
			($session, $pid) = start_statement($query{wide}, $set);
			$node->poll_query_until('postgres', 'SELECT slots_in_use > 0 FROM gpustr.staging()') or die;
		}
		else
		{
			$session = $node->background_psql('postgres', on_error_stop => 0, timeout => 120);
			$pid = $session->query_safe('SELECT pg_backend_pid()');
			$session->query_safe("$join BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT f.id, name FROM f JOIN d USING (k); MOVE 1 FROM c;");
			is($node->safe_psql('postgres', 'SELECT sum(tables) > 0 FROM gpustr.stat_device'), 't', "$what: there is a table")
			  if $node->poll_query_until('postgres', 'SELECT sum(tables) > 0 FROM gpustr.stat_device');
			kill 'STOP', $device;
			$session->query_until(qr/started/, "\\echo started\n$set MOVE ALL FROM c;\n");
			$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE pid = $pid AND wait_event_type = 'Extension'") or die;
		}
		if ($how ne 'timeout') { $node->safe_psql('postgres', "SELECT pg_${how}_backend($pid)") }
		ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid AND state = 'active'"), "$what: $how while the device stands still");
		kill 'CONT', $device;
		idle_ok($node, "$what: $how while the device stands still");
		$session->{run}->kill_kill;
	}
}

# In output: 144 million pairs
foreach my $engine ('device', 'local')
{
	foreach my $how ('cancel', 'timeout', 'terminate')
	{
		my ($session, $pid) = start_statement('SELECT count(*) FROM one a JOIN one b USING (k);',
			"SET gpustr.engine = $engine;" . ($how eq 'timeout' ? "SET statement_timeout = '700ms';" : ''));

		usleep(500_000);
		stopped_ok("output, $engine", $how, $session, $pid);
	}
}

# kill -9 of a session in mid-join
{
	my $session = $node->background_psql('postgres', on_error_stop => 0, timeout => 120);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	my $offset = -s $node->logfile;

	$session->query_safe("$join BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT f.id, name FROM f JOIN d USING (k); MOVE 1 FROM c;");
	ok($node->poll_query_until('postgres', 'SELECT sum(tables) > 0 FROM gpustr.stat_device'), 'a session has a table');
	kill 'KILL', $pid;
	wait_until_back($node, $offset);
	wait_for_device($node);
	idle_ok($node, 'a session is killed');
	answers_ok('a session is killed', '');
	$session->{run}->kill_kill;
}

# More tables than there are ids: the last joins are the session's own
{
	my $star = 'SELECT f.id FROM f JOIN d USING (k) JOIN h USING (t) JOIN s USING (x)';
	my $n = $node->safe_psql('postgres', "$plain SELECT count(*) FROM ($star) s");
	my $session = $node->background_psql('postgres', timeout => 180);
	my $wrong = 0;

	$session->query_safe("$join BEGIN");
	foreach my $i (1 .. 100)
	{
		$session->query_safe("DECLARE c$i NO SCROLL CURSOR FOR $star; MOVE 1 FROM c$i");
	}
	ok($node->poll_query_until('postgres', 'SELECT sum(tables) BETWEEN 250 AND 256 FROM gpustr.stat_device'), 'all ids are in use');
	answers_ok('all ids are in use, of another session', '');
	foreach my $i (1 .. 100)
	{
		my $got = $session->query_safe("FETCH ALL FROM c$i");
		$wrong++ if scalar(split /\n/, $got) != $n - 1;
	}
	is($wrong, 0, 'all ids are in use: right');
	$session->query_safe('COMMIT');
	idle_ok($node, 'all ids were in use');
	$session->quit;
}

# Many sessions at a time, as the device dies again and again.  While it is down there
# are no GpuJoins.
{
	my $allow = $join =~ s/'require'/'allow'/r . 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_nestloop = off;';
	my $round = 0;
	my $scripts = sub { my ($set) = @_; $round++; return { map {
		("031_${round}_$_\@10" => "$set\nSELECT 1 / (md5(q::text) = md5('" . $answer{$_} . "'))::int FROM (SELECT concat_ws('|', "
			  . ($_ eq 'inner' || $_ eq 'left' || $_ eq 'full' ? 'a, b, c, d, e' : 'a, b')
			  . ') AS q FROM (' . ($query{$_} =~ s/;$//r) . ') t('
			  . ($_ eq 'inner' || $_ eq 'left' || $_ eq 'full' ? 'a, b, c, d, e' : 'a, b') . ')) s;')
	} ('inner', 'left', 'full', 'semi', 'anti') } };
	my $killer = fork() // die;

	if ($killer == 0)
	{
		foreach my $i (1 .. 8)
		{
			my $pid = eval { device_pid($node) };

			kill 'KILL', $pid if $pid;
			usleep(900_000);
		}
		require POSIX;
		POSIX::_exit(0);
	}
	$node->pgbench('-n -c 10 -j 2 -T 9', 0, [qr/number of failed transactions: 0/], [qr/^(?!.*(?:division|ERROR))/s],
		'many sessions join, and the device dies', $scripts->($allow));
	waitpid $killer, 0;
	wait_for_device($node);
	$node->pgbench('-n -c 30 -j 2 -T 5', 0, [qr/number of failed transactions: 0/], [qr/^(?!.*(?:division|ERROR))/s],
		'more sessions than slots', $scripts->($join));
	idle_ok($node, 'many sessions');
}

# Parallel plans
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;';
answers_ok('parallel', $parallel);
foreach my $fault ('out_of_memory', 'lost', 'crash')
{
	wait_for_device($node);
	answers_ok("parallel, $fault", "$parallel SET gpustr.debug_device_fault = $fault;");
	wait_for_device($node);
	idle_ok($node, "parallel, $fault");
}
foreach my $n (1 .. 12)
{
	wait_for_device($node);
	answers_ok("parallel, call $n fails in each process", "$parallel SET gpustr.debug_fail_engine_call = $n; SET client_min_messages = error;", 'inner', 'left', 'full');
}
idle_ok($node, 'parallel');

# Two devices: the tables of a join are on one of them
my $control = temp_folder . '/control';
configure($node, 'gpustr.devices' => '0,1', 'gpustr.debug_cuda_library' => fake_cuda_library(2, undef, $control));
$node->restart;
wait_for_device($node, $_) foreach (0, 1);
answers_ok('two devices', '');
answers_ok('two devices, parallel', $parallel);
kill 'KILL', device_pid($node, 1);
answers_ok('one of two is lost', '');
wait_for_device($node, 1);
is($node->safe_psql('postgres', 'SELECT min(batches) > 0 FROM gpustr.stat_device'), 't', 'both had joins');
idle_ok($node, 'two devices');

# One that says of tables what cannot be has none
append_to_file($control, 'lies');
answers_ok('what cannot be is said of tables', '');
{
	my ($ret, $out, $err) = $node->psql('postgres', "$join SET client_min_messages = debug1; EXPLAIN (ANALYZE, COSTS OFF) $query{star}");

	is(keys_of($out), $keys{star}, 'what cannot be is said of tables: those in the session have these keys');
	like($err, qr/an engine reports an impossible hash table of \d+ rows/, 'what cannot be is said of tables: it is seen');
}
idle_ok($node, 'what cannot be is said of tables');
unlink $control;
answers_ok('what is said of tables is right again', '');
idle_ok($node, 'what is said of tables is right again');
configure($node, 'gpustr.devices' => $GpustrTest::devices, 'gpustr.debug_cuda_library' => undef, 'gpustr.staging_memory' => 0);
$node->restart;
is($node->safe_psql('postgres', "SET gpustr.enable_join = on; $query{$_}"), $answer{$_}, "without staging memory: $_") foreach ('inner', 'full', 'star');
answers_ok('without staging memory, in the session', 'SET gpustr.engine = local;');

log_ok($node, 'in the end', qr/terminated by signal 9|the host engine could not run a batch|could not start the host engine|could not (?:open|stat|remove)/);
$node->stop;
is_deeply([ device_processes($node) ], [], 'no process is left');

done_testing();
