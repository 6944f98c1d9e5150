
# Nothing of one user's data reaches another through the memory that batches
# pass through: what a request has not written itself is never read.
#
# First by sight: one user's secrets go through every slot, and are not found in
# anything that another gets.  Then by proof: with gpustr.debug_poison and
# malloc's own, memory that is used again is full of one byte; if any of that
# were read, answers would depend on the byte.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# glibc fills what malloc() returns, in all processes of the server
local $ENV{MALLOC_PERTURB_} = 0x5A;

my $node = new_node('old_bytes',
	'gpustr.batch_bytes' => '128kB', 'gpustr.staging_memory' => '1MB',
	'gpustr.device_startup_cost' => 0, 'gpustr.batch_depth' => 8,
	'shared_buffers' => '4MB', 'autovacuum' => 'off', 'max_parallel_workers_per_gather' => 0);
$node->safe_psql('postgres', q{
	CREATE ROLE owner LOGIN;
	CREATE ROLE other LOGIN;
	GRANT CREATE ON SCHEMA public TO owner, other;
});
$node->safe_psql('postgres', q{
	CREATE TABLE secrets AS
		SELECT g AS id, 'SECRET' || md5(g::text) || ' SECRET' || md5(g::text) AS s FROM generate_series(1, 20000) g;
}, extra_params => [ '-U', 'owner' ]);
$node->safe_psql('postgres', q{
	CREATE TABLE mine AS
		SELECT g AS id, CASE g % 5 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'a' WHEN 3 THEN 'b ü' || repeat('c', g % 40)
			ELSE repeat('wide ' || g, 700) END AS s, CASE g % 3 WHEN 0 THEN 'public' WHEN 1 THEN 'private' END AS v
		FROM generate_series(1, 3000) g;
}, extra_params => [ '-U', 'other' ]);

my $super = $node->safe_psql('postgres', 'SELECT current_user');
my $slots = $node->safe_psql('postgres', 'SELECT slots FROM gpustr.staging()');
is($slots, '8', 'a pool of eight slots');
my $fill = q{
	SET gpustr.debug_require = 'allow';
	SELECT count(s) FROM (SELECT unnest(gpustr.redact(array_agg(s), array_agg('public'::text))) AS s FROM secrets) x;
	SET gpustr.debug_require = 'require';
	SELECT count(*) FROM secrets WHERE s LIKE '%SECRET%';
};
my @queries = (
	q{SELECT id, s FROM mine WHERE s LIKE '%b%'},
	q{SELECT id, s FROM mine WHERE s = '' OR s IS NULL},
	q{SELECT id FROM mine WHERE s LIKE '%7' AND s NOT LIKE 'wide 2%'},
	q{SELECT ctid, tableoid::regclass, * FROM mine WHERE s LIKE '_'},
	q{SELECT count(*) FROM mine WHERE s LIKE '%SECRET%'},
	q{SELECT count(*) FROM mine WHERE s NOT LIKE '%a%' AND s <> 'b'},
	q{SELECT id, gpustr.redact(s, v), gpustr.mask(s, 1, 0, '') FROM mine},
	q{SELECT gpustr.redact(s, v), gpustr.mask(s, 0, 1, 'longer than what was there before') FROM mine WHERE s LIKE '%b%'},
	q{SELECT unnest(r) FROM (SELECT gpustr.redact(array_agg(s ORDER BY id), array_agg(v ORDER BY id)) AS r FROM mine) x},
	q{SELECT gpustr.redact(array['', 'a', 'a b', NULL, 'ü ', ' '], array['public', 'public', 'public', 'public', 'public', 'public'])},
	q{SELECT gpustr.redact(array['only'], array['public'])},
	q{SELECT gpustr.redact('{}'::text[], '{}'::text[])},
	q{SELECT gpustr.redact(array_agg(NULL::text), array_agg(NULL::text)) FROM generate_series(1, 70)},
	q{SELECT array_send(gpustr.redact(array_agg(s ORDER BY id), array_agg(v ORDER BY id))) FROM mine WHERE id < 200});

sub outputs
{
	my ($set, $user) = @_;
	my $out = '';

	foreach my $query (@queries)
	{
		my $require = $query =~ /redact\(array|array_agg/ ? '' : "SET gpustr.debug_require = 'require';";

		$require = "SET gpustr.debug_require = 'forbid';" if $set =~ /enabled = off/;
		$out .= "$query\n" . $node->safe_psql('postgres', "$set $require $query", extra_params => [ '-U', $user ]) . "\n";
	}
	return $out;
}

my $expected = outputs('SET gpustr.enabled = off; SET gpustr.engine = local;', 'other');
like($expected, qr/X X/, 'there is something in what is expected');

# By sight.  Eight requests in flight: every slot has held secrets before each
# query of the other user.
foreach my $engine ('device', 'local')
{
	my $out = '';

	foreach my $query (@queries)
	{
		is($node->safe_psql('postgres', $fill, extra_params => [ '-U', 'owner' ]), "20000\n20000", 'secrets pass')
		  if $query eq $queries[0];
		$node->safe_psql('postgres', $fill, extra_params => [ '-U', 'owner' ]);
		$out .= "$query\n" . $node->safe_psql('postgres', "SET gpustr.engine = $engine; $query", extra_params => [ '-U', 'other' ]) . "\n";
	}
	is($out, $expected, "the other user's answers, gpustr.engine = $engine");
	my $secrets = () = $out =~ /SECRET/g;
	is($secrets, 1, 'no secret in them but the word in the query');
}

# In the session's own memory: roles of one session after each other.
my $switched = $node->safe_psql('postgres', join "\n",
	'SET gpustr.engine = local; SET ROLE owner;', $fill, 'RESET ROLE; SET ROLE other; SET gpustr.debug_require = allow;',
	map { "$_;" } @queries);
my $secrets = () = $switched =~ /SECRET/g;
is($secrets, 0, 'nor where one session changes roles');

# By proof.
foreach my $engine ('device', 'local')
{
	foreach my $byte (0x00, 0x01, 0x53, 0x7F, 0xA5, 0xFF)
	{
		is(outputs("SET gpustr.engine = $engine; SET gpustr.debug_poison = $byte;", $super), $expected,
			sprintf('the same over memory full of 0x%02X, gpustr.engine = %s', $byte, $engine));
	}
}

# And where the session does again what a device left half done.
foreach my $n (1 .. 6)
{
	is(outputs("SET gpustr.debug_poison = 165; SET client_min_messages = warning; SET gpustr.debug_fail_engine_call = $n;", $super),
		$expected, "the same over poison with engine call $n failing");
}
is($node->safe_psql('postgres', 'SELECT batches > 0 FROM gpustr.stat_device'), 't', 'the device had its part');
idle_ok($node, 'in the end');
log_ok($node, 'old bytes');
$node->stop;

done_testing();
