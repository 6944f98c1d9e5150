# Insert and find by load and shape of a window: the part "loads" of hash_bench as a plot.
#
#	test/bench/hash/hash_bench --part loads >loads.log
#	gnuplot -e "log = 'loads.log'" test/bench/hash/loads.gnuplot >test/bench/hash/loads.svg
#
set terminal svg size 900,420 font 'sans,11' background 'white'
set multiplot layout 1,2
set xlabel 'slots taken (load)'
set ylabel 'GB/s, 8 bytes a row'
set xrange [0:1]
set yrange [0:*]
set grid
set key bottom left

# lines: group G x bucket B [ordered] load L: insert T ms X GB/s  find T ms Y GB/s
shapes = "1x4 2x2 4x1 4x2 8x1 2x2ordered"
title_of(s) = s[1:1] . ' threads x ' . s[3:3] . ' slots' . (strlen(s) > 3 ? ', ordered' : '')
pick(s, n) = sprintf("<sed -n 's/^ *group %s x bucket %s *\\(ordered\\)\\{0,1\\} *load \\([0-9.]*\\): insert *[0-9.]* ms *\\([0-9]*\\) GB.s *find *[0-9.]* ms *\\([0-9]*\\) GB.s.*/\\1 \\2 \\3 \\4/p' %s | awk '(NF == 4) == %d {print $(NF - 2), $(NF - %d)}'", \
	s[1:1], s[3:3], log, strlen(s) > 3 ? 1 : 0, n)

set title 'insert'
plot for [s in shapes] pick(s, 1) using 1:2 with linespoints title title_of(s)
set title 'find'
plot for [s in shapes] pick(s, 0) using 1:2 with linespoints title title_of(s)
unset multiplot
