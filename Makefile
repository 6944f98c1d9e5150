# gpustr: string functions and scans of PostgreSQL on a GPU
#
#	make demo				see it work: builds, installs, loads real data
#	make test				every suite on private clusters
#	make, make install		the extension; gpustr_cuda.so too where nvcc is
#	make check-versions		every suite with PostgreSQL 17 and 18, in chroots
#	make check-upgrade		pg_upgrade from 15 to 17 and from 17 to 18, in chroots
#	make indent				format the sources (check-indent only looks)
#	make deb				Debian packages, into deb/
#	make dist				the archive for PGXN
#	make check-packages		the packages in clean Debians; before a release
#	make release-check		is everything ready for a release?
#
# Variables, all optional:
#	PG_CONFIG=pg_config		which PostgreSQL to build for
#	WITH_CUDA=yes|no		default: yes where $(NVCC) exists
#	CUDA_HOME=, NVCC=		where the CUDA toolkit is
#	CUDA_ARCHS="80 90"		narrow the GPU architectures to compile for
#	WERROR=no				do not make warnings errors (for packagers)

.DEFAULT_GOAL = all

MODULE_big = gpustr
EXTENSION = gpustr
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" gpustr.control)
DATA = $(sort $(wildcard gpustr--*.sql))
PGFILEDESC = "gpustr - string functions and scans on a GPU"

# C only: a .cu object here would need bitcode.  Base names must be unique.
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))

WERROR ?= yes
WARNINGS = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers $(if $(filter yes,$(WERROR)),-Werror)
include src/engine/interface.mk
PG_CPPFLAGS = -Isrc -DGPUSTR_VERSION='"$(EXTVERSION)"' -DGPUSTR_ENGINE_ABI=$(GPUSTR_ENGINE_ABI)
# clang does not know all of gcc's options that PostgreSQL was built with
PG_CFLAGS = $(WARNINGS) \
	$(if $(findstring clang,$(CC)),-Wno-ignored-optimization-argument -Wno-unknown-warning-option -Wno-ignored-attributes)

REGRESS = $(basename $(notdir $(sort $(wildcard sql/*.sql))))
REGRESS_OPTS = --load-extension=gpustr
ISOLATION = $(basename $(notdir $(sort $(wildcard test/specs/*.spec))))
ISOLATION_OPTS = --inputdir=$(srcdir)/test --load-extension=gpustr
TAP_TESTS = 1
PROVE_TESTS = test/t/*.pl

CUDA_HOME ?= /usr/local/cuda
NVCC ?= $(CUDA_HOME)/bin/nvcc
WITH_CUDA ?= $(if $(wildcard $(NVCC)),yes,no)

EXTRA_CLEAN = cuda/*.o gpustr_cuda.so tmp_check/ log/ output_iso/ \
	results/ regression.diffs regression.out

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)

# demo and test install PostgreSQL where it is missing, so they must get by
# without PGXS.
ifneq ($(wildcard $(PGXS)),)
include $(PGXS)
# Calls within the library need no detour through its table of symbols.
ifeq ($(PORTNAME),linux)
SHLIB_LINK += -Wl,-Bsymbolic-functions
endif
# It looks at the line pointers of every page.
src/batch/page_read.o: CFLAGS += $(CFLAGS_VECTORIZE)
else
.PHONY: all install installcheck clean tempcheck check-clang
all install installcheck clean tempcheck check-clang:
	@echo "$@: \"$(PG_CONFIG) --pgxs\" names no PGXS makefile: install postgresql-server-dev-15, or set PG_CONFIG" >&2
	@exit 1
endif

# Debian's servers are built without dependency tracking.
HEADERS_ALL = $(wildcard src/*.h src/*/*.h)
$(OBJS) $(OBJS:.o=.bc): $(HEADERS_ALL) Makefile gpustr.control

# gpustr_cuda.so, a library of its own: only a device process loads it.  The
# fragment sets CUDA_OBJS and has the rules that compile them and link it.
ifeq ($(WITH_CUDA),yes)
ifneq ($(wildcard $(PGXS)),)
include cuda/cuda.mk
$(CUDA_OBJS): $(HEADERS_ALL) $(wildcard cuda/*.cuh cuda/*.h) Makefile cuda/cuda.mk gpustr.control

all: gpustr_cuda.so
.PHONY: install-cuda
install-cuda: gpustr_cuda.so installdirs
	$(INSTALL_SHLIB) gpustr_cuda.so '$(DESTDIR)$(pkglibdir)/gpustr_cuda.so'
install: install-cuda
endif
endif

ifneq ($(wildcard $(PGXS)),)
uninstall: uninstall-cuda
.PHONY: uninstall-cuda
uninstall-cuda:
	rm -f '$(DESTDIR)$(pkglibdir)/gpustr_cuda.so'

clean: clean-unit
.PHONY: clean-unit
clean-unit:
	$(if $(wildcard test/unit/Makefile),$(MAKE) -C test/unit clean)

# The regression tests alone, as an unprivileged user, without installcheck's
# running server.
.PHONY: tempcheck
tempcheck:
	$(top_builddir)/src/test/regress/pg_regress --temp-instance=tmp_check \
	  --temp-config=test/gpustr.conf --bindir='$(bindir)' --inputdir=$(srcdir) \
	  --encoding=UTF8 $(REGRESS_OPTS) $(REGRESS)

# The second compiler: warnings only, no code.
.PHONY: check-clang
check-clang:
	$(CLANG) -fsyntax-only $(WARNINGS) -Wmissing-prototypes \
	  -Wdeclaration-after-statement -Wno-ignored-attributes \
	  $(filter-out -Wall -Werror,$(BITCODE_CFLAGS)) $(CPPFLAGS) $(OBJS:.o=.c)
endif

.PHONY: test demo indent check-indent check-style check-versions check-upgrade
test demo: export PG_CONFIG := $(PG_CONFIG)
test demo: export WITH_CUDA := $(WITH_CUDA)
test:
	@test/run $(SUITES)
demo:
	@test/demo/run
indent:
	@tools/indent
check-indent:
	@tools/indent --check
check-style:
	@tools/check-style
check-versions:
	@tools/check-versions $(VERSIONS) $(if $(SUITES),-- $(SUITES))
check-upgrade:
	@tools/check-upgrade $(UPGRADES)

# Packages and releases.
.PHONY: deb dist check-packages release-check
deb check-packages: export WITH_CUDA := $(WITH_CUDA)
deb:
	@tools/make-deb
check-packages:
	@tools/check-packages $(RELEASES)
release-check:
	@tools/release-check
dist:
	@tools/make-dist
