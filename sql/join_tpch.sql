--
-- GpuJoin: tables and queries in the shape of TPC-H, made here, small
--
\set ECHO none
\getenv srcdir PG_ABS_SRCDIR
\set same :srcdir '/test/same.sql'
\i :same
\set same_join :srcdir '/test/same_join.sql'
\i :same_join
\set ECHO all

SET jit = off;
-- a number below n that looks random
CREATE FUNCTION draw(seed text, i bigint, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(seed || i), 1, 7))::bit(28)::int % n) $$;
CREATE FUNCTION pick(seed text, i bigint, choices text[]) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT choices[1 + draw(seed, i, cardinality(choices))] $$;

CREATE TABLE region AS SELECT i - 1 AS regionkey, name::char(25) AS name
  FROM unnest('{AFRICA,AMERICA,ASIA,EUROPE,MIDDLE EAST}'::text[]) WITH ORDINALITY r (name, i);
CREATE TABLE nation AS SELECT i::int AS nationkey, ('NATION ' || i)::char(25) AS name, (i % 5)::bigint AS regionkey FROM generate_series(0, 24) i;
CREATE TABLE supplier AS SELECT i AS suppkey, 'Supplier#' || lpad(i::text, 9, '0') AS name, draw('sn', i, 25) AS nationkey,
  (draw('sb', i, 1100000) - 100000) / 100.0 AS acctbal, CASE WHEN i % 10 = 0 THEN 'slow Customer and Complaints of it' ELSE 'fine' END AS comment
  FROM generate_series(1, 100) i;
CREATE TABLE customer AS SELECT i AS custkey, 'Customer#' || lpad(i::text, 9, '0') AS name, draw('cn', i, 25) AS nationkey,
  10 + draw('ph', i, 25) || '-555-' || i AS phone, (draw('cb', i, 1100000) - 100000) / 100.0 AS acctbal,
  pick('ms', i, '{AUTOMOBILE,BUILDING,FURNITURE,MACHINERY,HOUSEHOLD}')::char(10) AS mktsegment FROM generate_series(1, 150) i;
CREATE TABLE part AS SELECT i AS partkey, pick('p1', i, '{almond,forest,green,lemon,navy}') || ' ' || pick('p2', i, '{blush,cornsilk,green,ivory}') AS name,
  ('Brand#' || 11 + draw('br', i, 5) * 10 + draw('bq', i, 5))::char(10) AS brand,
  pick('t1', i, '{STANDARD,PROMO,ECONOMY}') || ' ' || pick('t2', i, '{ANODIZED,BURNISHED,POLISHED}') || ' ' || pick('t3', i, '{TIN,BRASS,STEEL}') AS type,
  1 + draw('sz', i, 50) AS size, pick('co', i, '{SM CASE,MED BOX,LG PACK,JUMBO JAR}')::char(10) AS container FROM generate_series(1, 200) i;
CREATE TABLE partsupp AS SELECT p AS partkey, 1 + (p * 7 + s * 23) % 100 AS suppkey, draw('aq', p * 4 + s, 10000) AS availqty,
  draw('sc', p * 4 + s, 100000) / 100.0 AS supplycost FROM generate_series(1, 200) p, generate_series(0, 3) s;
CREATE TABLE orders AS SELECT i::bigint AS orderkey, 1 + draw('oc', i, 100) AS custkey, pick('os', i, '{F,O,P}')::char(1) AS orderstatus,
  date '1992-01-01' + draw('od', i, 2400) AS orderdate, pick('op', i, '{1-URGENT,2-HIGH,3-MEDIUM,5-LOW}')::char(15) AS orderpriority,
  CASE WHEN i % 9 = 0 THEN 'with special and odd requests' ELSE 'plain' END AS comment FROM generate_series(1, 1500) i;
CREATE TABLE lineitem AS SELECT o.orderkey, 1 + draw('lp', o.orderkey * 8 + n, 200) AS partkey, n AS linenumber,
  (1 + draw('lq', o.orderkey * 8 + n, 50))::numeric AS quantity, draw('le', o.orderkey * 8 + n, 9000000) / 100.0 AS extendedprice,
  draw('ld', o.orderkey * 8 + n, 11) / 100.0 AS discount, pick('lr', o.orderkey * 8 + n, '{R,A,N}')::char(1) AS returnflag,
  o.orderdate + 1 + draw('ls', o.orderkey * 8 + n, 120) AS shipdate, o.orderdate + 30 + draw('lc', o.orderkey * 8 + n, 60) AS commitdate,
  o.orderdate + 2 + draw('ls', o.orderkey * 8 + n, 120) + draw('lx', o.orderkey * 8 + n, 30) AS receiptdate,
  pick('lm', o.orderkey * 8 + n, '{AIR,AIR REG,MAIL,SHIP,TRUCK}')::char(10) AS shipmode,
  pick('li', o.orderkey * 8 + n, '{DELIVER IN PERSON,COLLECT COD,NONE}')::char(25) AS shipinstruct
  FROM orders o, generate_series(1, 1 + draw('ln', o.orderkey, 6)) n;
ALTER TABLE lineitem ADD suppkey int;
UPDATE lineitem SET suppkey = 1 + (partkey * 7 + linenumber % 4 * 23) % 100;
VACUUM ANALYZE region, nation, supplier, customer, part, partsupp, orders, lineitem;

CREATE TABLE queries (n int, query text);
INSERT INTO queries VALUES
(2, $$SELECT s.acctbal, s.name, n.name AS nation, p.partkey FROM part p, supplier s, partsupp ps, nation n, region r
  WHERE p.partkey = ps.partkey AND s.suppkey = ps.suppkey AND p.size < 15 AND p.type LIKE '%BRASS' AND s.nationkey = n.nationkey
  AND n.regionkey = r.regionkey AND r.name = 'EUROPE' AND ps.supplycost = (SELECT min(i.supplycost) FROM partsupp i, supplier t, nation m, region q
    WHERE p.partkey = i.partkey AND t.suppkey = i.suppkey AND t.nationkey = m.nationkey AND m.regionkey = q.regionkey AND q.name = 'EUROPE')$$),
(3, $$SELECT l.orderkey, sum(l.extendedprice * (1 - l.discount)) AS revenue, o.orderdate FROM customer c, orders o, lineitem l
  WHERE c.mktsegment = 'BUILDING' AND c.custkey = o.custkey AND l.orderkey = o.orderkey AND o.orderdate < '1995-03-15' AND l.shipdate > '1995-03-15'
  GROUP BY l.orderkey, o.orderdate$$),
(4, $$SELECT o.orderpriority, count(*) FROM orders o WHERE o.orderdate >= '1993-07-01' AND o.orderdate < '1994-07-01'
  AND EXISTS (SELECT FROM lineitem l WHERE l.orderkey = o.orderkey AND l.commitdate < l.receiptdate) GROUP BY 1$$),
(5, $$SELECT n.name, sum(l.extendedprice * (1 - l.discount)) FROM customer c, orders o, lineitem l, supplier s, nation n, region r
  WHERE c.custkey = o.custkey AND l.orderkey = o.orderkey AND l.suppkey = s.suppkey AND c.nationkey = s.nationkey AND s.nationkey = n.nationkey
  AND n.regionkey = r.regionkey AND r.name = 'ASIA' AND o.orderdate >= '1994-01-01' GROUP BY 1$$),
(7, $$SELECT a.name, b.name AS other, extract(year FROM l.shipdate) AS y, sum(l.extendedprice) FROM supplier s, lineitem l, orders o, customer c, nation a, nation b
  WHERE s.suppkey = l.suppkey AND o.orderkey = l.orderkey AND c.custkey = o.custkey AND s.nationkey = a.nationkey AND c.nationkey = b.nationkey
  AND ((a.name = 'NATION 3' AND b.name = 'NATION 7') OR (a.name = 'NATION 7' AND b.name = 'NATION 3')) GROUP BY 1, 2, 3$$),
(8, $$SELECT extract(year FROM o.orderdate) AS y, sum(CASE WHEN b.name = 'NATION 2' THEN l.extendedprice ELSE 0 END), count(*)
  FROM part p, supplier s, lineitem l, orders o, customer c, nation a, nation b, region r WHERE p.partkey = l.partkey AND s.suppkey = l.suppkey
  AND l.orderkey = o.orderkey AND o.custkey = c.custkey AND c.nationkey = a.nationkey AND a.regionkey = r.regionkey AND r.name = 'AMERICA'
  AND s.nationkey = b.nationkey AND p.type LIKE 'ECONOMY%' GROUP BY 1$$),
(9, $$SELECT n.name, extract(year FROM o.orderdate) AS y, sum(l.extendedprice * (1 - l.discount) - ps.supplycost * l.quantity)
  FROM part p, supplier s, lineitem l, partsupp ps, orders o, nation n WHERE s.suppkey = l.suppkey AND ps.suppkey = l.suppkey AND ps.partkey = l.partkey
  AND p.partkey = l.partkey AND o.orderkey = l.orderkey AND s.nationkey = n.nationkey AND p.name LIKE '%green%' GROUP BY 1, 2$$),
(10, $$SELECT c.custkey, c.name, n.name AS nation, sum(l.extendedprice) FROM customer c, orders o, lineitem l, nation n WHERE c.custkey = o.custkey
  AND l.orderkey = o.orderkey AND o.orderdate >= '1993-10-01' AND l.returnflag = 'R' AND c.nationkey = n.nationkey GROUP BY 1, 2, 3$$),
(12, $$SELECT l.shipmode, sum(CASE WHEN o.orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END), count(*) FROM orders o, lineitem l
  WHERE o.orderkey = l.orderkey AND l.shipmode IN ('MAIL', 'SHIP') AND l.commitdate < l.receiptdate AND l.shipdate < l.commitdate GROUP BY 1$$),
(13, $$SELECT n, count(*) FROM (SELECT c.custkey, count(o.orderkey) AS n FROM customer c LEFT JOIN orders o ON c.custkey = o.custkey
  AND o.comment NOT LIKE '%special%requests%' GROUP BY 1) x GROUP BY 1$$),
(14, $$SELECT sum(CASE WHEN p.type LIKE 'PROMO%' THEN l.extendedprice * (1 - l.discount) ELSE 0 END) AS promo, sum(l.extendedprice) AS all
  FROM lineitem l, part p WHERE l.partkey = p.partkey AND l.shipdate >= '1995-09-01'$$),
(16, $$SELECT p.brand, p.type, p.size, count(DISTINCT ps.suppkey) FROM partsupp ps, part p WHERE p.partkey = ps.partkey AND p.brand <> 'Brand#45'
  AND p.type NOT LIKE 'PROMO POLISHED%' AND p.size IN (49, 14, 23, 45, 19, 3, 36, 9)
  AND NOT EXISTS (SELECT FROM supplier s WHERE s.suppkey = ps.suppkey AND s.comment LIKE '%Customer%Complaints%') GROUP BY 1, 2, 3$$),
(17, $$SELECT sum(l.extendedprice) FROM lineitem l, part p, (SELECT partkey, 0.5 * avg(quantity) AS most FROM lineitem GROUP BY 1) q
  WHERE p.partkey = l.partkey AND p.container = 'MED BOX' AND q.partkey = l.partkey AND l.quantity < q.most$$),
(18, $$SELECT c.name, o.orderkey, sum(l.quantity) FROM customer c, orders o, lineitem l WHERE o.orderkey IN (SELECT orderkey FROM lineitem GROUP BY 1
  HAVING sum(quantity) > 200) AND c.custkey = o.custkey AND o.orderkey = l.orderkey GROUP BY 1, 2$$),
(19, $$SELECT sum(l.extendedprice), count(*) FROM lineitem l, part p WHERE p.partkey = l.partkey AND
  ((p.brand = 'Brand#12' AND p.container = 'SM CASE' AND l.quantity BETWEEN 1 AND 31 AND p.size BETWEEN 1 AND 25 AND l.shipmode IN ('AIR', 'AIR REG'))
  OR (p.brand = 'Brand#23' AND p.container = 'MED BOX' AND l.quantity BETWEEN 10 AND 40 AND l.shipinstruct = 'DELIVER IN PERSON'))$$),
(20, $$SELECT s.name FROM supplier s, nation n WHERE s.suppkey IN (SELECT ps.suppkey FROM partsupp ps WHERE ps.partkey IN (SELECT partkey FROM part
  WHERE name LIKE 'forest%') AND ps.availqty > (SELECT 0.5 * sum(l.quantity) FROM lineitem l WHERE l.partkey = ps.partkey AND l.suppkey = ps.suppkey))
  AND s.nationkey = n.nationkey AND n.name < 'NATION 2'$$),
(21, $$SELECT s.name, count(*) FROM supplier s, lineitem l, orders o, nation n WHERE s.suppkey = l.suppkey AND o.orderkey = l.orderkey AND o.orderstatus = 'F'
  AND l.receiptdate > l.commitdate AND EXISTS (SELECT FROM lineitem m WHERE m.orderkey = l.orderkey AND m.suppkey <> l.suppkey)
  AND NOT EXISTS (SELECT FROM lineitem m WHERE m.orderkey = l.orderkey AND m.suppkey <> l.suppkey AND m.receiptdate > m.commitdate)
  AND s.nationkey = n.nationkey AND n.name LIKE 'NATION 1%' GROUP BY 1$$),
(22, $$SELECT substr(c.phone, 1, 2), count(*), sum(c.acctbal) FROM customer c WHERE substr(c.phone, 1, 2) IN ('13', '31', '23', '29', '30')
  AND c.acctbal > (SELECT avg(acctbal) FROM customer WHERE acctbal > 0) AND NOT EXISTS (SELECT FROM orders o WHERE o.custkey = c.custkey) GROUP BY 1$$);
SET max_parallel_workers_per_gather = 0;
SELECT n, same_join(query) FROM queries ORDER BY n;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT n, same_join(query) FROM queries ORDER BY n;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT n, same_join(query) FROM queries WHERE n IN (3, 5, 9, 13, 18, 21) ORDER BY n;
DROP TABLE region, nation, supplier, customer, part, partsupp, orders, lineitem, queries;
