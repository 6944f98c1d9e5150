
# Installations of PostgreSQL with gpustr of a test's own, in which files can be changed.

package InstallationTest;

use strict;
use warnings;

use Exporter 'import';
use File::Basename;
use File::Path 'make_path';
use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_installation new_library write_file node_of);

sub pg_config
{
	my ($what) = @_;
	my $path = `pg_config --$what`;

	chomp $path;
	return $path;
}

# A copy of the installation that pg_config names: the programs, links to all other
# files, and copies of gpustr's own.  Programs look for the rest beside themselves.
sub new_installation
{
	my $root = temp_folder;
	my ($bin, $lib, $share) = map { pg_config($_) } ('bindir', 'pkglibdir', 'sharedir');

	foreach my $dir ($bin, $lib, $share)
	{
		make_path(dirname("$root$dir"));
		system_or_bail('cp', $dir eq $bin ? '-rL' : '-rs', $dir, "$root$dir");
	}
	my $own = { install_path => dirname("$root$bin"), lib => "$root$lib", extension => "$root$share/extension" };

	foreach my $file (glob("$own->{lib}/gpustr.so"), glob("$own->{extension}/gpustr*"))
	{
		system_or_bail('cp', '--remove-destination', readlink $file, $file);
	}
	return $own;
}

# A cluster of that installation, with a device process of the host engine, and
# nothing but what it starts with.
sub node_of
{
	my ($own, $name, %setting) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, install_path => $own->{install_path});

	$node->init(extra => [ '--locale=C.UTF-8', '--encoding=UTF8' ]);
	configure($node, 'shared_preload_libraries' => 'gpustr', 'gpustr.devices' => 'host', %setting);
	return $node;
}

sub write_file
{
	my ($path, $text) = @_;

	open(my $fh, '>', $path) or die "$path: $!";
	print $fh $text;
	close $fh or die "$path: $!";
}

# A library in place of gpustr.so that has these C functions and no others, of this
# major of PostgreSQL or of another one.  Each function answers NULL.
sub new_library
{
	my ($path, $other_major, @functions) = @_;
	my $source = temp_folder . '/library.c';
	my $magic = "PG_MODULE_MAGIC;\n";

	# the version is the block's second int in all majors
	$magic = q{
#undef PG_MAGIC_FUNCTION_NAME
#define PG_MAGIC_FUNCTION_NAME own_magic
PG_MODULE_MAGIC;
extern PGDLLEXPORT const Pg_magic_struct *Pg_magic_func(void);
const Pg_magic_struct *
Pg_magic_func(void)
{
	static Pg_magic_struct magic;

	magic = *own_magic();
	((int *) &magic)[1] = 1400;
	return &magic;
}
} if $other_major;
	write_file($source, "#include \"postgres.h\"\n#include \"fmgr.h\"\n$magic"
		  . join('', map { "PG_FUNCTION_INFO_V1($_);\nDatum\n$_(PG_FUNCTION_ARGS)\n{\n\tPG_RETURN_NULL();\n}\n" } @functions));
	system_or_bail('cc', '-shared', '-fPIC', '-w', '-I' . pg_config('includedir-server'), '-o', $path, $source);
}

1;
