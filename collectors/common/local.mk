# What all collectors share: a library that is a part of each.
noinst_LTLIBRARIES += collectors/common/libcollectors-run.la
collectors_common_libcollectors_run_la_SOURCES = \
	collectors/common/busy.c \
	collectors/common/busy.h \
	collectors/common/clock.c \
	collectors/common/clock.h \
	collectors/common/end-with.h \
	collectors/common/library.c \
	collectors/common/library.h \
	collectors/common/overhead.c \
	collectors/common/overhead.h \
	collectors/common/program.c \
	collectors/common/program.h \
	collectors/common/session.h \
	collectors/common/setup.c \
	collectors/common/setup.h \
	collectors/common/starter.c \
	collectors/common/starter.h
collectors_common_libcollectors_run_la_CPPFLAGS = $(AM_CPPFLAGS) -DCOLLECTORS_PLUGIN_FOLDER='"$(plugindir)"'
collectors_common_libcollectors_run_la_CFLAGS = $(plugin_cflags)
collector_run_libs = collectors/common/libcollectors-run.la $(plugin_libs) -ldl

# What starts a program that is measured: small, so neither libtool nor sanitizers.
start_sources = $(srcdir)/collectors/common/start/start.c
collectors/common/perun-start: $(start_sources) $(srcdir)/collectors/common/start/start.h $(srcdir)/collectors/common/clock.h \
		$(srcdir)/collectors/common/end-with.h
	$(AM_V_CCLD)$(MKDIR_P) collectors/common && $(preload_compile) -fPIE $(start_link) -o $@ $(start_sources)
startdir = $(plugindir)
start_SCRIPTS = collectors/common/perun-start
preloads += $(start_SCRIPTS)
CLEANFILES += $(start_SCRIPTS)
EXTRA_DIST += collectors/common/start/start.c collectors/common/start/start.h

# What those share that look up names: they need libdw anyway.
if COLLECTORS_COMMON
noinst_LTLIBRARIES += collectors/common/libcollectors.la
endif
collectors_common_libcollectors_la_SOURCES = \
	collectors/common/binaries.c \
	collectors/common/binaries.h \
	collectors/common/cfi.c \
	collectors/common/cfi.h \
	collectors/common/demangle.c \
	collectors/common/demangle.h \
	collectors/common/generated.c \
	collectors/common/generated.h \
	collectors/common/jitdump.c \
	collectors/common/jitdump.h \
	collectors/common/images.c \
	collectors/common/images.h \
	collectors/common/places.c \
	collectors/common/places.h \
	collectors/common/closing.c collectors/common/closing.h \
	collectors/common/rings.c \
	collectors/common/rings.h \
	collectors/common/scopes.c \
	collectors/common/scopes.h \
	collectors/common/symbol.h \
	collectors/common/symbol-cache.c \
	collectors/common/symbol-cache.h \
	collectors/common/symbol-lines.c \
	collectors/common/symbol-lines.h \
	collectors/common/symbol-table.c \
	collectors/common/symbol-table.h \
	collectors/common/symbols.c \
	collectors/common/symbols.h \
	collectors/common/traces.c \
	collectors/common/traces.h \
	collectors/common/unwind.c \
	collectors/common/unwind.h \
	collectors/common/vdso.c \
	collectors/common/vdso.h
collectors_common_libcollectors_la_CFLAGS = $(plugin_cflags) $(COLLECT_MEMORY_CFLAGS) $(COLLECT_TRACE_CFLAGS) $(COLLECT_CPU_CFLAGS) $(COLLECT_INSTRUCTIONS_CFLAGS) $(POSTPROCESS_SYMBOLIZE_CFLAGS) $(COMMAND_FUZZ_CFLAGS) $(FORMAT_PERF_DATA_CFLAGS)
collector_libs = collectors/common/libcollectors.la $(RUST_DEMANGLE_LIBS) collectors/common/libcollectors-run.la $(plugin_libs) $(COLLECT_MEMORY_LIBS) $(COLLECT_TRACE_LIBS) $(COLLECT_CPU_LIBS) $(COLLECT_INSTRUCTIONS_LIBS) -ldl
