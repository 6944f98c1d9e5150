
# Joins of real data (test/data, and more of ../shared where that is) have their known
# answers without gpustr, and with a GpuJoin wherever there can be one, on both engines.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpustrTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $data = "$FindBin::RealBin/../data";
my $shared = ($ENV{GPUSTR_SHARED} // "$FindBin::RealBin/../../../shared") . "/data";
my $node = new_node('real_joins');

# A table of text columns by the names in the file's first line, so that nothing is lost;
# "NA" and the like are values.
sub load
{
	my ($table, $file, $columns, $format) = @_;
	my $cat = $file =~ /\.gz$/ ? "gzip -dc $file" : "cat $file";

	$format //= 'FORMAT csv, HEADER';
	$node->safe_psql('postgres', "CREATE TABLE $table ($columns);\n"
		. "COPY $table FROM PROGRAM '$cat' ($format);\nVACUUM ANALYZE $table;");
	return;
}

load('artist', "$data/chinook/Artist.csv", 'artist_id int, name varchar(120)');
load('album', "$data/chinook/Album.csv", 'album_id int, title varchar(160), artist_id bigint');
load('genre', "$data/chinook/Genre.csv", 'genre_id smallint, name text');
load('track', "$data/chinook/Track.csv", 'track_id int, name text, album_id int, media_type_id int, genre_id int,
	composer text, milliseconds int, bytes int, unit_price numeric(10,2)');
load('playlist', "$data/chinook/Playlist.csv", 'playlist_id int, name text');
load('playlist_track', "$data/chinook/PlaylistTrack.csv", 'playlist_id int, track_id bigint');
load('invoice', "$data/chinook/Invoice.csv", 'invoice_id int, customer_id int, invoice_date timestamp, city text,
	state text, country text, total numeric');
load('invoice_line', "$data/chinook/InvoiceLine.csv", 'line_id int, invoice_id int, track_id int, unit_price numeric, quantity int');

load('airline', "$data/nycflights13/airlines.csv", 'carrier text, name text');
load('airport', "$data/nycflights13/airports.csv", 'faa char(3), name text, lat float8, lon float8, alt int, tz int, dst "char", tzone text');
load('plane', "$data/nycflights13/planes.csv", 'tailnum text, year text, type text, manufacturer text, model text,
	engines int, seats int, speed text, engine text');
load('weather', "$data/nycflights13/weather.csv.gz", 'origin text, year smallint, month smallint, day smallint, hour int, temp text,
	dewp text, humid text, wind_dir text, wind_speed text, wind_gust text, precip float8, pressure text, visib float4, time_hour timestamptz');

load('pci_vendor', "$data/hwids/pci_vendors.csv", 'vendor_id text, name text');
load('pci_device', "$data/hwids/pci_devices.csv.gz", 'vendor_id text, device_id char(8), name text');
load('pci_subsystem', "$data/hwids/pci_subsystems.csv.gz", 'vendor_id text, device_id varchar, subvendor_id text, subdevice_id text, name text');
load('usb_vendor', "$data/hwids/usb_vendors.csv", 'vendor_id text, name text');
load('usb_device', "$data/hwids/usb_devices.csv.gz", 'vendor_id text, device_id text, name text');

my @queries = (
	# name, query, answer (undef: as PostgreSQL says)
	[ 'invoice lines of genre Rock', q{SELECT count(*), sum(l.unit_price * l.quantity) FROM invoice_line l
		JOIN track t USING (track_id) JOIN genre g ON g.genre_id = t.genre_id WHERE g.name = 'Rock'}, '835|826.65' ],
	[ 'albums by artist', q{SELECT count(*), count(DISTINCT name), md5(string_agg(name || title, ',' ORDER BY album_id))
		FROM album JOIN artist USING (artist_id)}, undef ],
	[ 'artists without an album', q{SELECT count(*) FROM artist a LEFT JOIN album b ON a.artist_id = b.artist_id WHERE b.album_id IS NULL}, undef ],
	[ 'tracks on playlists', q{SELECT count(*), sum(milliseconds) FROM playlist_track p JOIN track t ON p.track_id = t.track_id}, undef ],
	[ 'playlists that have a long track', q{SELECT string_agg(name, ',' ORDER BY playlist_id) FROM playlist p
		WHERE EXISTS (SELECT FROM playlist_track pt JOIN track t USING (track_id) WHERE pt.playlist_id = p.playlist_id AND milliseconds > 3000000)}, undef ],
	[ 'tracks never sold', q{SELECT count(*) FROM track t WHERE NOT EXISTS (SELECT FROM invoice_line l WHERE l.track_id = t.track_id)}, undef ],
	[ 'tracks of the same name, by other case', q{SELECT count(*) FROM track a JOIN track b ON lower(a.name) = lower(b.name) AND a.track_id < b.track_id}, undef ],
	[ 'equal prices', q{SELECT count(*) FROM track t JOIN invoice_line l ON t.unit_price = l.unit_price AND t.track_id = l.track_id}, '2240' ],
	[ 'composer that is an artist', q{SELECT count(*), md5(string_agg(t.name, ',' ORDER BY track_id)) FROM track t JOIN artist a ON a.name = t.composer}, undef ],
	[ 'weather by the hour at two airports', q{SELECT count(*), max(abs(a.visib - b.visib)) FROM weather a JOIN weather b
		USING (year, month, day, hour) WHERE a.origin = 'EWR' AND b.origin = 'JFK'}, undef ],
	[ 'weather at airports', q{SELECT count(*), min(name), max(name) FROM weather w JOIN airport a ON w.origin = a.faa}, undef ],
	[ 'airports at one height', q{SELECT count(*) FROM airport a JOIN airport b ON a.alt = b.alt AND a.faa <> b.faa AND a.tz = b.tz}, undef ],
	[ 'hours that only one airport has', q{SELECT count(*) FROM (SELECT * FROM weather WHERE origin = 'LGA') a
		FULL JOIN (SELECT * FROM weather WHERE origin = 'JFK') b ON a.time_hour = b.time_hour WHERE a.origin IS NULL OR b.origin IS NULL}, undef ],
	[ 'planes that share model and seats', q{SELECT count(*) FROM plane a JOIN plane b ON a.manufacturer = b.manufacturer AND a.model = b.model
		AND a.seats = b.seats AND a.year < b.year}, undef ],
	[ 'precipitation, as floats', q{SELECT count(*) FROM weather a JOIN (SELECT DISTINCT precip FROM weather WHERE precip > 0) b ON a.precip = b.precip}, undef ],
	[ 'subsystems of devices', q{SELECT count(*) FROM pci_subsystem JOIN pci_device USING (vendor_id, device_id)}, '15447' ],
	[ 'devices of vendors', q{SELECT count(*), count(DISTINCT v.name) FROM pci_device d JOIN pci_vendor v USING (vendor_id)}, undef ],
	[ 'vendors without a device', q{SELECT count(*) FROM pci_device d RIGHT JOIN pci_vendor v USING (vendor_id) WHERE d.device_id IS NULL}, undef ],
	[ 'subsystems of another vendor', q{SELECT count(*) FROM pci_subsystem s JOIN pci_vendor v ON v.vendor_id = s.subvendor_id
		JOIN pci_vendor w ON w.vendor_id = s.vendor_id AND w.name <> v.name}, undef ],
	[ 'names that are both PCI and USB', q{SELECT count(*), md5(string_agg(p.name, ',' ORDER BY p.name, p.device_id, u.device_id))
		FROM pci_device p JOIN usb_device u ON p.name = u.name}, undef ],
	[ 'vendors of one name', q{SELECT count(*) FROM pci_vendor p FULL JOIN usb_vendor u ON lower(p.name) = lower(u.name)}, undef ]);

if (-d $shared)
{
	load('package', "$shared/debian_packages/packages.csv.gz", 'package text, source text, version text, section text, priority text,
		architecture text, installed_kb bigint, deb_bytes bigint, description text');
	load('depends', "$shared/debian_packages/depends.csv.gz", 'package text, depends_on text, alternative int, op text, version text');
	load('port', "$shared/openflights/airports.dat", 'id int, name text, city text, country text, iata text, icao text, lat float8, lon float8,
		alt int, tz text, dst text, tzone text, type text, source text', q{FORMAT csv, NULL '\N', ESCAPE '\'});
	load('line', "$shared/openflights/airlines.dat", 'id int, name text, alias text, iata text, icao text, callsign text, country text, active text',
		q{FORMAT csv, NULL '\N', ESCAPE '\'});
	load('route', "$shared/openflights/routes.dat.gz", 'airline text, airline_id int, source text, source_id int, destination text,
		destination_id int, codeshare text, stops int, equipment text', q{FORMAT csv, NULL '\N', ESCAPE '\'});
	load('orders', "$shared/northwind/orders.csv", 'order_id int, customer_id char(5), employee_id int, order_date date, required_date date,
		shipped_date date, ship_via int, freight float8, ship_name text, ship_city text, ship_region text, ship_country text');
	load('customer', "$shared/northwind/customers.csv", 'customer_id text, company_name text, contact_name text, contact_title text, city text,
		region text, country text');
	load('order_detail', "$shared/northwind/order_details.csv", 'order_id int, product_id int, unit_price float8, quantity int, discount float8');
	load('product', "$shared/northwind/products.csv", 'product_id int, product_name text, supplier_id int, category_id int, quantity_per_unit text,
		unit_price float8, units_in_stock int, units_on_order int, reorder_level int, discontinued int');
	push @queries,
		[ 'dependencies that are packages', q{SELECT count(*) FROM depends d JOIN package p ON d.depends_on = p.package}, '247958' ],
		[ 'dependencies that are none', q{SELECT count(*) FROM depends d LEFT JOIN package p ON d.depends_on = p.package WHERE p.package IS NULL}, '34746' ],
		[ 'packages that nothing depends on', q{SELECT count(*) FROM package p WHERE NOT EXISTS (SELECT FROM depends d WHERE d.depends_on = p.package)}, '32800' ],
		[ 'packages that something depends on', q{SELECT count(*) FROM package p WHERE EXISTS (SELECT FROM depends d WHERE d.depends_on = p.package)}, '30636' ],
		[ 'dependencies of the same, by a tenth', q{SELECT count(*) FROM depends a JOIN depends b USING (depends_on) WHERE a.package LIKE 'python3-n%'}, undef ],
		[ 'routes and airports', q{SELECT count(*), count(r.source), count(p.iata) FROM route r FULL JOIN port p ON r.source = p.iata}, '72109|67663|70077' ],
		[ 'routes with both airports and the airline', q{SELECT count(*) FROM route r JOIN port a ON a.id = r.source_id JOIN port b ON b.id = r.destination_id
			JOIN line l ON l.id = r.airline_id}, '66316' ],
		[ 'orders of customers', q{SELECT count(*), min(company_name), count(DISTINCT c.customer_id) FROM orders o JOIN customer c USING (customer_id)}, undef ],
		[ 'orders of customers, of another type', q{SELECT count(*) FROM orders o JOIN customer c ON o.customer_id = c.customer_id::char(5)}, '830' ],
		[ 'order lines', q{SELECT count(*), round(sum(d.unit_price * d.quantity * (1 - d.discount))::numeric, 2) FROM orders o JOIN order_detail d USING (order_id)
			JOIN product p USING (product_id) WHERE p.category_id IN (1, 8)}, undef ];
}
else
{
	note('more data is in ../shared, which is not here');
}

my $forced = "SET gpustr.enable_join = on; SET gpustr.device_startup_cost = 0; SET gpustr.device_row_cost = 0; SET gpustr.table_row_cost = 0;
	SET gpustr.probe_row_cost = 0; SET gpustr.recheck_cost = 0; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_nestloop = off;";
my $joined = 0;

wait_for_device($node);
foreach my $item (@queries)
{
	my ($name, $query, $answer) = @$item;
	my $plain = $node->safe_psql('postgres', "SET gpustr.enabled = off; $query");

	is($plain, $answer, "$name, PostgreSQL") if defined $answer;
	foreach my $engine ('local', 'device')
	{
		my $set = "SET gpustr.engine = $engine; $forced";
		my $plan = $node->safe_psql('postgres', "$set EXPLAIN $query");

		is($node->safe_psql('postgres', "$set $query"), $plain, "$name, engine $engine");
		$joined++ if $engine eq 'device' && $plan =~ /GpuJoin/;
	}
}
note("$joined of " . @queries . ' queries had a GpuJoin');
is($joined, scalar @queries, 'all queries have a GpuJoin');

idle_ok($node, 'after all joins');
log_ok($node, 'server log');
$node->stop;
done_testing();
