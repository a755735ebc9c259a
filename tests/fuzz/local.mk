# Damaged input for whatever reads files. The targets are lines of the table in fuzz.c, each with inputs in
# corpus/NAME and, for its own words, dictionaries/NAME.dict. driver.c runs them: briefly and always the same in
# `make check`; `make fuzz` runs each for FUZZ_SECONDS, with other changes every time.
check_PROGRAMS += tests/fuzz/fuzz
tests_fuzz_fuzz_SOURCES = \
	tests/fuzz/afperf.c \
	tests/fuzz/archive.c \
	tests/fuzz/budget.c \
	tests/fuzz/changes.c \
	tests/fuzz/collapsed.c \
	tests/fuzz/commands.c \
	tests/fuzz/detect.c \
	tests/fuzz/diff.c \
	tests/fuzz/extrap-experiment.c \
	tests/fuzz/formats.c \
	tests/fuzz/fuzz.c \
	tests/fuzz/fuzz.h \
	tests/fuzz/gzip.c \
	tests/fuzz/http.c \
	tests/fuzz/index.c \
	tests/fuzz/json.c \
	tests/fuzz/object.c \
	tests/fuzz/options.c \
	tests/fuzz/perun.c \
	tests/fuzz/place.c \
	tests/fuzz/place.h \
	tests/fuzz/plugin-text.c \
	tests/fuzz/point-name.c \
	tests/fuzz/pprof.c \
	tests/fuzz/rules.c \
	tests/fuzz/sums.c \
	tests/fuzz/where.c \
	tests/fuzz/yaml.c \
	commands/common/server/guard.c
tests_fuzz_fuzz_CPPFLAGS = $(AM_CPPFLAGS)
tests_fuzz_fuzz_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS) $(COLLECT_CPU_CFLAGS) $(COLLECT_MEMORY_CFLAGS) $(COLLECT_TRACE_CFLAGS)
# All of the command line but its main(), which has another name here.
fuzz_cli = $(filter-out cli/base/perun-main.$(OBJEXT),$(cli_perun_OBJECTS))
tests_fuzz_fuzz_LDADD = tests/fuzz/perun-main.$(OBJEXT) $(fuzz_cli) plugins/create/libcreate.la commands/common/libcommands.la views/common/libviews.la $(collector_libs) $(core_internal) \
	$(ZLIB_LIBS) $(NO_INSTALL)
tests/fuzz/perun-main.$(OBJEXT): $(srcdir)/cli/base/main.c
	$(AM_V_CC)$(CC) -Dmain=perun_main $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(cli_perun_CFLAGS) $(CFLAGS) -c -o $@ $<
CLEANFILES += tests/fuzz/perun-main.$(OBJEXT) fuzz-*.crash fuzz-*.log
if LIBFUZZER
tests_fuzz_fuzz_LDFLAGS = $(AM_LDFLAGS) $(LIBFUZZER_FLAG)
fuzz_kind = libfuzzer
else
tests_fuzz_fuzz_SOURCES += tests/fuzz/driver.c
fuzz_kind = driver
TESTS += tests/fuzz/fuzz
endif
if PLUGIN_COLLECT_CPU
tests_fuzz_fuzz_SOURCES += tests/fuzz/cpu-samples.c tests/fuzz/generated.c collectors/cpu/samples.c
tests_fuzz_fuzz_CPPFLAGS += -DFUZZ_COLLECT_CPU
endif
if PLUGIN_COLLECT_MEMORY
tests_fuzz_fuzz_SOURCES += tests/fuzz/memory-ring.c collectors/memory/drain.c collectors/memory/heap.c
tests_fuzz_fuzz_CPPFLAGS += -DFUZZ_COLLECT_MEMORY
endif
if PLUGIN_COLLECT_TRACE
tests_fuzz_fuzz_SOURCES += tests/fuzz/trace-calls.c collectors/trace/calls.c
tests_fuzz_fuzz_CPPFLAGS += -DFUZZ_COLLECT_TRACE
endif
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/dictionaries tests/fuzz/run.sh

FUZZ_SECONDS = 60
FUZZ_TARGETS =
.PHONY: fuzz fuzz-here
# One after the other: `all` is a make of its own, which would compile the same files at the same time.
fuzz-here: all
	@$(MAKE) $(AM_MAKEFLAGS) tests/fuzz/fuzz$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) FUZZ_SECONDS=$(FUZZ_SECONDS) \
	$(BASH_SHELL) $(srcdir)/tests/fuzz/run.sh tests/fuzz/fuzz$(EXEEXT) $(fuzz_kind) $(FUZZ_TARGETS)

# With libFuzzer where there is clang: in a build of its own below this one, if the sources have none in their folder.
if LIBFUZZER
fuzz: fuzz-here
else
fuzz:
	@if test ! -f $(srcdir)/config.status && echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | \
			clang -fsanitize=fuzzer,address,undefined -x c - -o /dev/null 2>/dev/null; then \
		$(MKDIR_P) fuzz-build && cd fuzz-build && { test -f Makefile || $(abs_srcdir)/configure -q --disable-shared \
			--enable-sanitizers=fuzzer,address,undefined CC=clang CFLAGS='-gline-tables-only -O1'; } && \
		$(MAKE) $(AM_MAKEFLAGS) fuzz-here FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_TARGETS='$(FUZZ_TARGETS)'; \
	else $(MAKE) $(AM_MAKEFLAGS) fuzz-here; fi
endif
clean-local: clean-fuzz
clean-fuzz:
	rm -rf fuzz-build fuzz-corpus
