
# Settings and installations that are wrong, small or unusual: the server
# starts, says what is the matter once, and every query has its answer.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $rows = 20000;
my $setup = qq{
	CREATE TABLE logs AS
		SELECT i AS id, 'line ' || i || ' of a log ' || repeat('x', i % 50) AS msg
		FROM generate_series(1, $rows) i;
	INSERT INTO logs VALUES (0, 'wide ' || (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 4000) i));
	ALTER TABLE logs ALTER msg SET STORAGE EXTERNAL;
	INSERT INTO logs VALUES (-1, 'wide ' || repeat('9', 300000));
	ANALYZE logs;
};
my $scan = "SELECT count(*) FROM logs WHERE msg LIKE '%9%'";
my $redact = q{SELECT count(*), sum(length(r)) FROM (
	SELECT unnest(gpustr.redact(array_agg(msg ORDER BY id), array_agg(CASE WHEN id % 3 = 0 THEN 'public' ELSE '' END ORDER BY id))) AS r FROM logs) s};
my ($scan_answer, $redact_answer);

sub answers_ok
{
	my ($node, $what) = @_;

	is($node->safe_psql('postgres', $scan), $scan_answer, "$what: scan");
	is($node->safe_psql('postgres', $redact), $redact_answer, "$what: redact");
}

sub restart_with
{
	my ($node, %setting) = @_;

	configure($node, %setting);
	$node->restart;
}

my $node = new_node('settings');
$node->safe_psql('postgres', $setup);
$scan_answer = $node->safe_psql('postgres', "SET gpustr.enabled = off; $scan");
$redact_answer = $node->safe_psql('postgres', "SET gpustr.engine = local; $redact");
is($redact_answer, $node->safe_psql('postgres',
		"SELECT count(*), sum(length(gpustr.redact(msg, CASE WHEN id % 3 = 0 THEN 'public' ELSE '' END))) FROM logs"),
	'array form and scalar form agree');
answers_ok($node, 'default settings');

# Values that are refused
my %refused = (
	'gpustr.engine' => [ 'gpu', qr/invalid value for parameter "gpustr.engine": "gpu"/ ],
	'gpustr.debug_require' => [ 'maybe', qr/invalid value for parameter/ ],
	'gpustr.batch_depth' => [ '0', qr/0 is outside the valid range for parameter "gpustr.batch_depth" \(1 \.\. 32\)/ ],
	'gpustr.device_row_cost' => [ '-1', qr/is outside the valid range/ ],
	'gpustr.device_startup_cost' => [ '-1', qr/is outside the valid range/ ],
	'gpustr.recheck_cost' => [ '-1', qr/is outside the valid range/ ],
	'gpustr.batch_bytes' => [ '1MB', qr/cannot be changed without restarting the server/ ],
	'gpustr.staging_memory' => [ '1MB', qr/cannot be changed without restarting the server/ ],
	'gpustr.devices' => [ 'none', qr/cannot be changed without restarting the server/ ],
	'gpustr.device_timeout' => [ '1s', qr/cannot be changed now/ ],
	'gpustr.nonsense' => [ '1', qr/invalid configuration parameter name "gpustr.nonsense"/ ]);
foreach my $name (sort keys %refused)
{
	my ($ret, $out, $err) = $node->psql('postgres', "SET $name = '$refused{$name}[0]'");
	like($err, $refused{$name}[1], "SET $name = $refused{$name}[0]");
}
foreach my $value ('gpu', '0,0', '0;1', '-1', '0,', '99', '')
{
	my ($ret, $out, $err) = $node->psql('postgres', "ALTER SYSTEM SET gpustr.devices = '$value'");
	like($err, qr/invalid value for parameter "gpustr.devices": "\Q$value\E"/, "gpustr.devices = '$value'");
	like($err, qr/DETAIL:  It must be "auto", "none", "host", or a list/, 'with a detail');
}

# Pool and batch sizes from nothing up
foreach my $size ([ '0', '8MB' ], [ '64kB', '64kB' ], [ '100kB', '64kB' ], [ '1MB', '70000' ],
	[ '1MB', '8MB' ], [ '64MB', '64MB' ])
{
	restart_with($node, 'gpustr.staging_memory' => $size->[0], 'gpustr.batch_bytes' => $size->[1]);
	wait_for_device($node);
	answers_ok($node, "staging_memory $size->[0], batch_bytes $size->[1]");
	idle_ok($node, "staging_memory $size->[0]");
}
restart_with($node, 'gpustr.staging_memory' => '16MB', 'gpustr.batch_bytes' => '1MB');

# Memory of the device from nothing up
foreach my $limit (0 .. 4, 16, 64)
{
	configure($node, 'gpustr.device_memory_limit' => "${limit}MB");
	$node->reload;
	$node->poll_query_until('postgres',
		"SELECT setting = '$limit' FROM pg_settings WHERE name = 'gpustr.device_memory_limit'") or die;
	answers_ok($node, "device_memory_limit $limit MB");
}
configure($node, 'gpustr.device_memory_limit' => '-1');

# No devices
restart_with($node, 'gpustr.devices' => 'none');
answers_ok($node, 'no devices');
is($node->safe_psql('postgres', 'SELECT count(*) FROM gpustr.devices()'), '0', 'none is shown');
unlike($node->safe_psql('postgres', "EXPLAIN $scan"), qr/GpuScan/, "plans are PostgreSQL's");
unlike($node->safe_psql('postgres', "SET gpustr.engine = device; EXPLAIN $scan"), qr/GpuScan/,
	"also with gpustr.engine = 'device'");
like($node->safe_psql('postgres', "SET gpustr.engine = local; SET gpustr.device_startup_cost = 0; EXPLAIN $scan"),
	qr/Engine: host \(local\)/, "but not with gpustr.engine = 'local'");
my ($ret, $out, $err) = $node->psql('postgres', "SET gpustr.debug_require = require; $scan");
like($err, qr/could not run this query with gpustr/, 'require says so');

# Without a device, automata are worth the session's engine, where that is cheaper
my $words = 'CREATE TEMP TABLE words AS SELECT md5(i::text) AS w FROM generate_series(1, 20000) i; ANALYZE words';
my $regex = "SELECT count(*) FROM words WHERE w ~ 'a+b[0-9]c'";
my $any = "SELECT count(*) FROM words WHERE gpustr.contains_any(w, '{abc,def}')";
foreach my $query ($regex, $any)
{
	my $plan = $node->safe_psql('postgres', "$words; EXPLAIN (COSTS OFF) $query");
	like($plan, qr/GpuScan.*Engine: host \(local\)/s, "no devices: $query");
	is( $node->safe_psql('postgres', "$words; SET gpustr.debug_require = require; $query"),
		$node->safe_psql('postgres', "$words; SET gpustr.enabled = off; $query"),
		'the same answer');
	unlike($node->safe_psql('postgres', "$words; SET gpustr.engine = device; EXPLAIN $query"), qr/GpuScan/,
		"not with gpustr.engine = 'device'");
}
unlike($node->safe_psql('postgres', "$words; DELETE FROM words WHERE ctid > '(0,9)'; VACUUM ANALYZE words; EXPLAIN $regex"),
	qr/GpuScan/, 'nor where it is not cheaper');

# Libraries and GPUs that are not what they should be
sub log_has
{
	my ($what, $pattern, %setting) = @_;
	my $offset = -s $node->logfile;

	restart_with($node, %setting);
	ok($node->wait_for_log($pattern, $offset), $what);
	is( $node->safe_psql('postgres', 'SELECT DISTINCT state FROM gpustr.devices() WHERE id = 0'),
		'absent', "$what: the device is absent");
	answers_ok($node, $what);
	$node->psql('postgres', 'SELECT pg_sleep(1.5)');
	my $log = slurp_file($node->logfile, $offset);
	my $lines = () = $log =~ /queries run without it/g;
	is($lines, 1, "$what: reported once");
}
log_has('library missing', qr/could not load the CUDA engine: .*nowhere\.so/,
	'gpustr.devices' => 'auto', 'gpustr.debug_cuda_library' => '/nowhere.so');
log_has('library of another version', qr/is version 0\.9 .* install both from one build/,
	'gpustr.debug_cuda_library' => fake_cuda_library(1, '0.9'));
log_has('library of this version, of a build with another interface',
	qr/is version (\S+) \(interface 3\), gpustr\.so is version \1 \(interface \d+\): install both from one build/,
	'gpustr.debug_cuda_library' => fake_cuda_library(1, undef, undef, 3));
my $cut = temp_folder . '/cut.so';
system_or_bail('touch', $cut);
log_has('a library of no bytes', qr/could not load the CUDA engine: .*cut\.so: file too short/,
	'gpustr.debug_cuda_library' => $cut);
log_has('a library that is something else', qr/is version unknown \(interface 0\), gpustr\.so is version .* install both from one build/,
	'gpustr.debug_cuda_library' => $node->config_data('--pkglibdir') . '/pg_buffercache.so');
log_has('no GPU', qr/no GPU: no CUDA-capable device is detected/,
	'gpustr.debug_cuda_library' => fake_cuda_library(-1));
log_has('a GPU that does not exist', qr/GPU 7 does not exist: this machine has 2/,
	'gpustr.devices' => '7', 'gpustr.debug_cuda_library' => fake_cuda_library(2));

# Several devices: each gets work, and one that dies does not stop the others
restart_with($node, 'gpustr.devices' => 'auto', 'gpustr.debug_cuda_library' => fake_cuda_library(3));
wait_for_device($node, $_) foreach 0 .. 2;
is( $node->safe_psql('postgres', "SELECT count(*), count(DISTINCT pid), min(name), min(engine) FROM gpustr.devices()"),
	'3|3|Fake|cuda', 'three devices');
$node->safe_psql('postgres', 'SELECT gpustr.stat_reset()');
my $pgbench = $node->safe_psql('postgres', "SELECT string_agg(\$\$$redact\$\$, ';') FROM generate_series(1, 10)");
answers_ok($node, 'three devices') foreach 1 .. 5;
is( $node->safe_psql('postgres', 'SELECT count(*) FROM gpustr.stat_device WHERE batches > 0'),
	'3', 'each did some of it');
like($node->safe_psql('postgres', "SET gpustr.device_startup_cost = 0; EXPLAIN $scan"),
	qr/Engine: cuda \(Fake\)/, 'EXPLAIN names it');
kill 'KILL', device_pid($node, 1);
answers_ok($node, 'one of three killed');
wait_for_device($node, 1);
restart_with($node, 'gpustr.devices' => '2, 0');
wait_for_device($node, $_) foreach 0 .. 1;
is($node->safe_psql('postgres', 'SELECT count(*) FROM gpustr.devices()'), '2', 'two of them by number');
answers_ok($node, 'two devices');

# Not preloaded
restart_with($node, map { $_ => undef } (
		'shared_preload_libraries', 'gpustr.devices', 'gpustr.staging_memory',
		'gpustr.batch_bytes', 'gpustr.debug_cuda_library'));
answers_ok($node, 'not preloaded');
is($node->safe_psql('postgres', "LOAD 'gpustr'; SET gpustr.engine = local; SET gpustr.debug_require = require; $scan"),
	$scan_answer, 'not preloaded: the local engine runs scans');
foreach my $query ('SELECT * FROM gpustr.devices()', 'SELECT * FROM gpustr.stat_device',
	'SELECT * FROM gpustr.staging()', 'SELECT gpustr.stat_reset()')
{
	($ret, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$query");
	like($err, qr/55000: .*gpustr is not loaded at server start/, "not preloaded: $query");
	like($err, qr/HINT:  Add "gpustr" to "shared_preload_libraries" and restart the server\./, 'with a hint');
}

done_testing();
