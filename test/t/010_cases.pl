
# Reported failures of other programs (test/cases) give PostgreSQL's answer
# without gpustr and with it forced on; and the device has done its share.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use File::Basename;
use GpustrTest;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

# Cases that must have used a device when gpustr was forced on: those with a
# LIKE, ILIKE, = or IS NULL over a text column of a plain table, or with a join.
my %uses_device = map { $_ => 1 } qw(01 03 05 06 08 09 22 23 27 29 30 32 33 35 37 38 40 41 42 44 45 47 48 50 51 53 55 57 60 61 63);

# Cases that take long, and the word in PG_TEST_EXTRA that asks for them.
my %extra = ('24' => 'large');

my $timeout = 300;    # seconds, for one case

my $cases = "$FindBin::RealBin/../cases";
my $node = new_node('cases', 'max_connections' => 50);

# What is forced: every table scan that can be a GpuScan is one, and every join that can
# be a GpuJoin.
my %forced = (
	'gpustr.enabled' => 'on',
	'gpustr.engine' => 'device',
	'gpustr.device_startup_cost' => 0,
	'gpustr.device_row_cost' => 0,
	'gpustr.recheck_cost' => 0,
	'gpustr.table_row_cost' => 0,
	'gpustr.probe_row_cost' => 0,
	'enable_hashjoin' => 'off',
	'enable_mergejoin' => 'off',
	'enable_nestloop' => 'off',
	'enable_seqscan' => 'off',
	'enable_indexscan' => 'off',
	'enable_indexonlyscan' => 'off',
	'enable_bitmapscan' => 'off');

# One case in a new database: what it prints.
sub run_case
{
	my ($file, $database) = @_;
	my $got = '';
	my $statements = slurp_file($file);

	# the setting that 16 gave another name
	$statements =~ s/\bforce_parallel_mode\b/debug_parallel_query/g if $node->pg_version >= 16;
	$node->safe_psql('postgres',
		"CREATE DATABASE $database TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'");
	my $done = eval {
		IPC::Run::run(
			[ 'psql', '-X', '-q', '-d', $node->connstr($database) ],
			'<', \$statements, '>', \$got, '2>&1', IPC::Run::timeout($timeout));
		1;
	};
	$got .= "\nnot finished: $@" unless $done;
	$node->safe_psql('postgres', "DROP DATABASE $database WITH (FORCE)");
	return $got;
}

# What a case is to print; a name with a major is for that and later ones.
sub expected_file
{
	my ($name) = @_;

	return "$cases/$name.18.out" if $node->pg_version >= 18 && -e "$cases/$name.18.out";
	return "$cases/$name.out";
}

# The lines that differ, as diff gives them.
sub differences
{
	my ($expected, $got) = @_;
	my $file = temp_folder . '/got';
	my $diff = '';

	append_to_file($file, $got);
	IPC::Run::run([ 'diff', $expected, $file ], '>', \$diff, '2>&1');
	unlink $file;
	return $diff;
}

sub batches
{
	return $node->safe_psql('postgres', 'SELECT coalesce(sum(batches), 0) FROM gpustr.stat_device');
}

foreach my $mode ('off', 'forced on')
{
	if ($mode eq 'off')
	{
		$node->safe_psql('postgres', 'ALTER SYSTEM SET gpustr.enabled = off');
	}
	else
	{
		$node->safe_psql('postgres', "ALTER SYSTEM SET $_ = '$forced{$_}'") for sort keys %forced;
	}
	$node->reload;

	my @used;
	foreach my $file (sort glob "$cases/*.sql")
	{
		my $name = basename($file, '.sql');
		my ($number) = $name =~ /^(\d+)/;

	  SKIP:
		{
			if ($extra{$number} && ($ENV{PG_TEST_EXTRA} // '') !~ /\b$extra{$number}\b/)
			{
				skip "case $name, gpustr $mode: takes long (PG_TEST_EXTRA=$extra{$number} runs it)", 1;
			}
			my $before = batches();
			my $start = time;
			my $got = run_case($file, "case_$number");

			is(differences(expected_file($name), $got), '',
				sprintf('case %s, gpustr %s', $name, $mode));
			note(sprintf('%.1f s', time - $start)) if time - $start > 2;
			push @used, $number if batches() > $before;
		}
	}
	note("gpustr $mode: the device worked for cases @used");
	if ($mode eq 'off')
	{
		is("@used", '', 'no device work with gpustr off');
	}
	else
	{
		is(join(' ', grep { $uses_device{$_} } @used),
			join(' ', sort keys %uses_device), 'the device worked for the cases that it should');
	}
}

idle_ok($node, 'after all cases');
$node->stop;
done_testing();
