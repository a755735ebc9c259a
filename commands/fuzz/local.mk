commands_fuzz_libs = $(collector_libs) views/common/libcharts.la views/common/libviews.la $(command_libs) $(LIBM)
commands_fuzz_cflags = $(COMMAND_FUZZ_CFLAGS)
# What programs link that are to be fuzzed: built as what collectors load into others, without sanitizers.
fuzz_runtime_sources = commands/fuzz/runtime/counters.c commands/fuzz/runtime/harness.c
commands/fuzz/perun-fuzz.o: $(fuzz_runtime_sources) commands/fuzz/runtime/runtime.h plugins/include/perun/lib/fuzz-runtime.h
	$(AM_V_CC)$(MKDIR_P) commands/fuzz && for name in counters harness; do \
		$(preload_compile) -I$(srcdir)/plugins/include -c -o commands/fuzz/runtime-$$name.o \
			$(srcdir)/commands/fuzz/runtime/$$name.c || exit 1; \
	done && $(CC) -r -nostdlib -o $@ commands/fuzz/runtime-counters.o commands/fuzz/runtime-harness.o && \
	rm -f commands/fuzz/runtime-counters.o commands/fuzz/runtime-harness.o
if PLUGIN_COMMAND_FUZZ
fuzzdir = $(plugindir)
fuzz_DATA = commands/fuzz/perun-fuzz.o
preloads += $(fuzz_DATA)
endif
CLEANFILES += commands/fuzz/perun-fuzz.o
EXTRA_DIST += $(fuzz_runtime_sources) commands/fuzz/runtime/runtime.h
