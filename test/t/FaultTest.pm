
# Queries under failures on demand: "the Nth call to an engine fails".

package FaultTest;

use strict;
use warnings;

use Exporter 'import';
use Test::More;

our @EXPORT = qw(run_each faults_ok);

# Run a query once for each of these settings; per setting, [stdout, stderr].
sub run_each
{
	my ($node, $query, $set, @n) = @_;
	my $script = "$set\n";
	my (%result, $out, $err);

	$script .= "\\echo == $_\n\\warn == $_\nSET gpustr.debug_fail_engine_call = $_;\n"
	  . "$query\nROLLBACK;\nSET gpustr.debug_fail_engine_call = 0;\n"
	  foreach @n;
	# what ROLLBACK has to say where there is no transaction is of no interest
	$script = "SET client_min_messages = notice;\n$script";
	$node->psql('postgres', $script, stdout => \$out, stderr => \$err, on_error_stop => 0);
	foreach my $stream ([ 0, $out ], [ 1, $err ])
	{
		my @part = split /^.*== (-?\d+)\n?/m, "$stream->[1]\n";
		shift @part;
		while (my ($n, $text) = splice(@part, 0, 2))
		{
			$result{$n}[ $stream->[0] ] = join "\n",
			  grep { !/^$|there is no transaction in progress/ } split /\n/, $text // '';
		}
	}
	return \%result;
}

# Judge a query under faults, for each of these settings, the last of which is more than
# it makes calls; returns the calls that failed, by what they were.  plan: settings that
# the answer is not to depend on; may_fail: it may end in an error.
sub faults_ok
{
	my ($node, $name, $query, $what, $set, $plan, $may_fail, @n) = @_;
	my $expected = run_each($node, $query, $set, 0)->{0}[0];
	my $result = run_each($node, $query, "$set $plan", @n);
	my (%calls, @wrong);
	my $errors = 0;

	isnt($expected, '', "$what, $name: there is an answer");
	foreach my $n (@n)
	{
		my ($out, $err) = @{ $result->{$n} };
		my @failed = $err =~ /NOTICE:  engine call (\d+) fails on demand: (.*)/g;
		my @errors = $err =~ /^(?:psql:.*)?ERROR:  (.*)/mg;
		my $clear = @errors > 0
		  && $errors[0] =~ /^the host engine could not run a batch$|^could not start the host engine$/
		  && !grep { !/current transaction is aborted/ } @errors[ 1 .. $#errors ];

		while (my ($call, $kind) = splice(@failed, 0, 2)) { $calls{$kind}{$call} = 1 }
		$errors++ if @errors;
		next if !@errors && $out eq $expected;
		next if $may_fail && $clear && index("$expected\n", $out) == 0;
		push @wrong, "N = $n:\n$out\n$err";
	}
	is(join("\n", @wrong[ 0 .. ($#wrong > 2 ? 2 : $#wrong) ]), '', "$what, $name: right, or one clear error");
	unlike($result->{ $n[-1] }[1], qr/fails on demand/, "$what, $name: every call has failed once");
	cmp_ok($errors, '>', 0, "$what, $name: some did end in an error") if $may_fail;
	return \%calls;
}

1;
