
# Functions of texts against PostgreSQL's own, by random nested calls over random
# tables, in each kind of encoding.  See test/fuzz/text_fuzz.py, and FuzzTest.pm for
# what the environment says.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use FuzzTest;
use GpustrTest;
use PostgreSQL::Test::Utils;

# en_US.utf8 and a single-byte locale, as in 025_encodings
my $has_locales = !$GpustrTest::has_gpu || -e '/usr/share/i18n/locales/en_US';
my $locales = temp_folder;
if ($has_locales)
{
	system_or_bail('localedef', '-i', 'en_US', '-f', 'UTF-8', "$locales/en_US.utf8");
	system_or_bail('localedef', '-i', 'de_DE', '-f', 'ISO-8859-1', "$locales/de_DE.iso88591");
}
local $ENV{LOCPATH} = "$locales:/usr/lib/locale";

fuzz_begin('text', 30);
foreach my $engine (fuzz_engines())
{
	# database, encoding, locale, its share of the time
	foreach (
		[ 'utf8', 'UTF8', 'C.UTF-8', 0.6 ],
		[ 'latin1', 'LATIN1', $has_locales ? 'de_DE.iso88591' : 'C', 0.2 ],
		[ 'sql_ascii', 'SQL_ASCII', 'C', 0.2 ])
	{
		my ($name, $encoding, $locale, $share) = @$_;

		fuzz_ok(fuzz_database("${name}_$engine", $encoding, $locale), $engine, $share * fuzz_seconds(),
			" in $encoding", fuzz_jobs("${engine}_$name"));
	}
}
fuzz_end();
