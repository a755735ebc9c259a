# Benchmarks: EXTRA_PROGRAMS += bench/NAME and its variables; `make bench` builds and runs them.
bench_programs =

bench_programs += bench/callgraph
bench_callgraph_SOURCES = bench/callgraph.c
bench_programs += bench/changepoint
bench_changepoint_SOURCES = bench/changepoint.c bench/noise.h
bench_programs += bench/verdict
bench_verdict_SOURCES = bench/verdict.c bench/noise.h
.PHONY: bench-changepoint bench-verdict
# A table of kinds of series by lengths; on other series with ROUNDS=300 SEED=11.
bench-changepoint: bench/changepoint
	$< $${METHOD-segments} $${ROUNDS-200} $${SEED-1}
bench-verdict: bench/verdict
	$<
bench_programs += bench/profile
bench_profile_SOURCES = bench/profile.c
bench_programs += bench/stacks
bench_stacks_SOURCES = bench/stacks.c
.PHONY: bench-callgraph bench-profile bench-stacks
bench-callgraph: bench/callgraph
	$<
bench-profile: bench/profile
	$<
bench-stacks: bench/stacks
	$<


bench_programs += bench/pprof-make
bench_pprof_make_SOURCES = bench/pprof-make.c
bench_pprof_make_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS)
bench_pprof_make_LDADD = $(ZLIB_LIBS)

bench_programs += bench/afperf bench/afperf-make
bench_afperf_SOURCES = bench/afperf.c
bench_afperf_make_SOURCES = bench/afperf-make.c
# RECORDS=10000000 makes a file of more than 1 GB.
.PHONY: bench-afperf
bench-afperf: all bench/afperf bench/afperf-make
	bench/afperf-make $${RECORDS-1000000} >bench/afperf.tmp
	PERUN=./perun PERUN_PLUGIN_PATH='$(abs_top_builddir)/plugins-built' bench/afperf bench/afperf.tmp; \
	status=$$?; rm -f bench/afperf.tmp; exit $$status

EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)

EXTRA_DIST += bench/vcs-git.sh
.PHONY: bench-vcs-git
bench-vcs-git: all tests/tools/vcs-drive
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/vcs-git.sh

EXTRA_DIST += bench/check-all.sh
.PHONY: bench-check-all
bench-check-all: all
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/check-all.sh

EXTRA_DIST += bench/cli.sh
.PHONY: bench-cli
bench-cli: all
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/cli.sh

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

bench_programs += bench/write-durably
bench_write_durably_SOURCES = bench/write-durably.c
EXTRA_DIST += bench/add-many.sh
.PHONY: bench-add-many
bench-add-many: all bench/write-durably
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/add-many.sh

EXTRA_DIST += bench/pprof.sh
.PHONY: bench-pprof
bench-pprof: all bench/pprof-make
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/pprof.sh

bench_programs += bench/model-coverage
bench_model_coverage_SOURCES = bench/model-coverage.c bench/noise.h
bench-model-coverage: bench/model-coverage
	$<
EXTRA_DIST += bench/model.sh
.PHONY: bench-model
bench-model: all
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/model.sh

EXTRA_DIST += bench/regression.sh
.PHONY: bench-regression
bench-regression: all
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/regression.sh

EXTRA_DIST += bench/site.sh bench/site-store.py
.PHONY: bench-site
bench-site: all
	top_builddir='$(abs_top_builddir)' top_srcdir='$(abs_top_srcdir)' \
		$(BASH_SHELL) $(srcdir)/bench/site.sh

EXTRA_DIST += bench/collectors.sh
.PHONY: bench-collectors
bench-collectors: all
	top_builddir='$(abs_top_builddir)' $(srcdir)/bench/collectors.sh

EXTRA_DIST += bench/fair.sh
.PHONY: bench-fair
bench-fair: all
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/fair.sh

bench_programs += bench/cputime
bench_cputime_SOURCES = bench/cputime.c
bench_cputime_LDADD =
EXTRA_DIST += bench/start.sh
.PHONY: bench-start
bench-start: all bench/cputime
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/start.sh

# How processor time grows: every command on n, 4n and 16n of each hostile input. SHAPES="trace_equal perun_types": these.
.PHONY: growth
growth: all
	@rm -rf growth-files && mkdir growth-files && cd growth-files && \
	PERUN_PLUGIN_PATH='$(abs_top_builddir)/plugins-built' python3 '$(abs_top_srcdir)/bench/growth.py' \
		'$(abs_top_builddir)/perun' $(SHAPES); status=$$?; rm -rf ../growth-files; exit $$status
EXTRA_DIST += bench/growth.py

EXTRA_DIST += bench/store-kept.sh
.PHONY: bench-store-kept
bench-store-kept: all bench/pprof-make
	top_builddir='$(abs_top_builddir)' $(BASH_SHELL) $(srcdir)/bench/store-kept.sh
