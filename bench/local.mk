# Benchmarks: EXTRA_PROGRAMS += bench/NAME and its variables; `make bench` builds and runs them.
bench_programs = bench/afperf bench/afperf-make bench/callgraph bench/changepoint bench/cputime bench/model-coverage bench/model-next \
	bench/pprof-make bench/profile bench/stacks bench/verdict bench/write-durably
bench_callgraph_SOURCES = bench/callgraph.c bench/clock.h
bench_profile_SOURCES = bench/profile.c bench/clock.h
bench_stacks_SOURCES = bench/stacks.c bench/clock.h
bench_changepoint_SOURCES = bench/changepoint.c bench/noise.h
bench_verdict_SOURCES = bench/verdict.c bench/noise.h
bench_model_coverage_SOURCES = bench/model-coverage.c bench/noise.h
bench_model_next_SOURCES = bench/model-next.c bench/noise.h
bench_pprof_make_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS)
bench_pprof_make_LDADD = $(ZLIB_LIBS)
bench_cputime_LDADD =
# Programs that need nothing.
.PHONY: bench-callgraph bench-changepoint bench-model-coverage bench-model-next bench-profile bench-stacks bench-verdict
bench-callgraph bench-model-coverage bench-model-next bench-profile bench-stacks bench-verdict: bench-%: bench/%
	$<
# A table of kinds of series by lengths; on other series with ROUNDS=300 SEED=11.
bench-changepoint: bench/changepoint
	$< $${METHOD-segments} $${ROUNDS-200} $${SEED-1}

# RECORDS=10000000 makes a file of more than 1 GB.
.PHONY: bench-afperf
bench-afperf: all bench/afperf bench/afperf-make
	bench/afperf-make $${RECORDS-1000000} >bench/afperf.tmp
	PERUN=./perun PERUN_PLUGIN_PATH='$(abs_top_builddir)/plugins-built' bench/afperf bench/afperf.tmp; \
	status=$$?; rm -f bench/afperf.tmp; exit $$status

if HAVE_YAJL
bench_programs += bench/read-perun
bench_read_perun_SOURCES = bench/perun-files.c bench/perun-files.h bench/read-perun.c
bench_read_perun_CFLAGS = $(AM_CFLAGS) $(YAJL_CFLAGS)
bench_read_perun_LDADD = $(LDADD) $(YAJL_LIBS)
bench-read-perun: bench/read-perun all
	PERUN_PLUGIN_PATH='$(abs_builddir)/plugins-built' $<
if HAVE_CRYPTO
bench_programs += bench/add-large
bench_add_large_SOURCES = bench/perun-files.c bench/perun-files.h bench/add-large.c
bench_add_large_CFLAGS = $(AM_CFLAGS) $(YAJL_CFLAGS) $(CRYPTO_CFLAGS) $(ZLIB_CFLAGS)
bench_add_large_LDADD = $(LDADD) $(YAJL_LIBS) $(CRYPTO_LIBS) $(ZLIB_LIBS)
bench-add-large: bench/add-large all
	PERUN_PLUGIN_PATH='$(abs_builddir)/plugins-built' $<
endif
endif
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)

# Scripts: `make bench-X` runs bench/X.sh.
bench_scripts = add-many check-all cli collectors fair model pprof regression site start store-kept vcs-git
EXTRA_DIST += $(bench_scripts:%=bench/%.sh) bench/lib.sh bench/site-store.py
.PHONY: $(bench_scripts:%=bench-%)
$(bench_scripts:%=bench-%): bench-%: all
	top_builddir='$(abs_top_builddir)' top_srcdir='$(abs_top_srcdir)' $(BASH_SHELL) $(srcdir)/bench/$*.sh
bench-add-many: bench/write-durably
bench-pprof bench-store-kept: bench/pprof-make
bench-start: bench/cputime
bench-vcs-git: tests/tools/vcs-drive

# How processor time grows: every command on n, 4n and 16n of each hostile input. SHAPES="trace_equal perun_types": these.
.PHONY: bench-readers
bench-readers: all tests/tools/format-pairs
	PERUN_PLUGIN_PATH='$(abs_top_builddir)/plugins-built' python3 '$(abs_top_srcdir)/bench/readers.py' \
		tests/tools/format-pairs $(FORMATS)

# The tables of doc/scale.md: SCALE="--cells 10 --profiles 1000,100000"; bench/scale-draw.py draws the first.
.PHONY: bench-scale
bench-scale: all
	PERUN='$(abs_top_builddir)/perun' PERUN_PLUGIN_PATH='$(abs_top_builddir)/plugins-built' \
		python3 '$(abs_top_srcdir)/bench/scale.py' $(SCALE)

.PHONY: growth
growth: all
	@PERUN_PLUGIN_PATH='$(abs_top_builddir)/plugins-built' python3 '$(abs_top_srcdir)/bench/growth.py' \
		'$(abs_top_builddir)/perun' $(SHAPES)
# Builds and time of perun bisect --lines for commits of 1, 10 and 100 changes, or CHANGES.
.PHONY: bench-lines
bench-lines: all
	python3 '$(abs_top_srcdir)/bench/lines.py' '$(abs_top_builddir)/perun' $(CHANGES)
EXTRA_DIST += bench/fuzz bench/fuzz.sh bench/growth.py bench/lines.py bench/readers.py bench/scale-draw.py bench/scale.py bench/typical.py
