
# Clusters with gpustr, and what several tests ask of them.

package GpustrTest;

use strict;
use warnings;

use Exporter 'import';
use File::Basename;
use File::Spec;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_node configure wait_for_device wait_until_back device_pid device_processes
  idle_ok log_ok pinned_buffers fake_cuda_library temp_folder);

# The device that tests run on: the host engine where there is no GPU, the first
# GPU where the environment says 'auto'.
our $devices = $ENV{GPUSTR_TEST_DEVICES} || 'host';
our $has_gpu = $devices ne 'host';
$devices = '0' if $devices eq 'auto';

# The project's sources, for tests that compile something.
our $top = dirname(dirname(dirname(Cwd::abs_path(__FILE__))));

# A running cluster with gpustr preloaded and these settings; with a device up,
# unless they say which devices there are.
sub new_node
{
	my ($name, %setting) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(extra => [ '--locale=C.UTF-8', '--encoding=UTF8' ]);
	my $wait = !defined $setting{'gpustr.devices'};

	$setting{'gpustr.devices'} //= $devices;
	configure($node, 'shared_preload_libraries' => 'gpustr', %setting);
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gpustr');
	$node->safe_psql('postgres', 'CREATE EXTENSION pg_buffercache');
	wait_for_device($node) if $wait;
	return $node;
}

# Change settings in postgresql.conf; undef takes one out.
sub configure
{
	my ($node, %setting) = @_;

	foreach my $name (sort keys %setting)
	{
		$node->adjust_conf('postgresql.conf', $name, undef);
		$node->append_conf('postgresql.conf', "$name = '$setting{$name}'")
		  if defined $setting{$name};
	}
}

sub wait_for_device
{
	my ($node, $id) = @_;

	$id //= 0;
	$node->poll_query_until('postgres',
		"SELECT coalesce((SELECT state = 'up' FROM gpustr.devices() WHERE id = $id), false)")
	  or die "device $id did not come up";
}

# The server has started anew after a crash, noted in its log behind that place, and
# accepts connections.  Asked without a query: a psql that is turned away does not read
# one, and who writes it gets a broken pipe.
sub wait_until_back
{
	my ($node, $offset) = @_;

	$node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset);
	$node->poll_query_until('postgres', undef, '') or die 'the server did not come back';
}

sub device_pid
{
	my ($node, $id) = @_;

	$id //= 0;
	return $node->safe_psql('postgres', "SELECT pid FROM gpustr.devices() WHERE id = $id");
}

# The pids of all processes that have this cluster's shared memory attached but
# are not children of its postmaster: device processes, live or left over.
sub device_processes
{
	my ($node) = @_;
	my @pids;

	foreach my $stat (glob "/proc/[0-9]*/stat")
	{
		open(my $fh, '<', $stat) or next;
		my $line = <$fh> // '';
		close $fh;
		next unless $line =~ /^(\d+) \(gpustr device\) (\S)/ && $2 ne 'Z';
		my $pid = $1;
		my $cwd = readlink("/proc/$pid/cwd") // '';
		push @pids, $pid if $cwd eq Cwd::abs_path($node->data_dir);
	}
	return @pids;
}

# The number of buffers of user tables that somebody pins.
sub pinned_buffers
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		'SELECT count(*) FROM pg_buffercache WHERE pinning_backends > 0 AND relfilenode >= 16384');
}

# Nothing is in use any more: slots, pins, tables, memory of the devices.
sub idle_ok
{
	my ($node, $what) = @_;

	ok( $node->poll_query_until(
			'postgres',
			'SELECT slots_in_use = 0 AND pinned_buffers = 0 AND coalesce(memory_used, 0) = 0
				AND coalesce(tables, 0) = 0
				AND NOT EXISTS (SELECT FROM pg_buffercache WHERE pinning_backends > 0 AND relfilenode >= 16384)
			 FROM gpustr.staging(), (SELECT sum(memory_used) AS memory_used FROM gpustr.devices()) d,
				(SELECT sum(tables + table_bytes) AS tables FROM gpustr.stat_device) t'),
		"$what: no slot, no pin, no table, no device memory is left in use");
}

# The server's log has nothing in it that it must not have: damage, leaks, and
# lines that say something could not be done, but for those 'expected'.
sub log_ok
{
	my ($node, $what, $expected) = @_;
	my @bad = grep { /PANIC|TRAP:|refcount leak|reference leak|was not closed|still referenced|signal (?:6|7|8|11)\b|could not|corrupt|invalid memory|stuck spinlock/i }
	  split /\n/, slurp_file($node->logfile);

	@bad = grep { !/could not (?:receive|send) data (?:from|to) client/ } @bad;
	@bad = grep { !/$expected/ } @bad if $expected;
	is(join("\n", @bad), '', "$what: nothing unwanted in the server's log");
}

# A folder that lasts as long as the test; from 17 on, tempdir's name is a relative one,
# and a server has another working directory.
sub temp_folder
{
	return File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir);
}

# A library in place of gpustr_cuda.so: see fake_cuda.c.
sub fake_cuda_library
{
	my ($count, $version, $control_file, $abi) = @_;
	my $dir = temp_folder;
	my $library = "$dir/fake_cuda.so";
	my $control = slurp_file("$top/gpustr.control");
	my ($own) = $control =~ /^default_version\s*=\s*'(.*)'/m;
	my @sources = map { glob "$top/$_" } (
		'test/t/fake_cuda.c', 'src/engine/*.c', 'src/program/*.c');

	$version //= $own;
	$control_file //= '/nonexistent';
	my ($own_abi) = run_command(['make', '-s', '-f', "$top/src/engine/interface.mk",
		'--eval', 'number: ; @echo $(GPUSTR_ENGINE_ABI)', 'number']);
	$abi //= $own_abi;
	system_or_bail('cc', '-shared', '-fPIC', '-O1', '-D_GNU_SOURCE', "-I$top/src",
		"-DGPUSTR_VERSION=\"$own\"", "-DGPUSTR_ENGINE_ABI=$own_abi", "-DFAKE_VERSION=\"$version\"", "-DFAKE_ABI=$abi",
		"-DFAKE_COUNT=($count)", "-DFAKE_CONTROL=\"$control_file\"", '-o', $library, @sources);
	return $library;
}

1;
