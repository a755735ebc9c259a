# Plugin collect trace: see the pattern in Makefile.am.
if PLUGIN_COLLECT_TRACE
plugins += collectors/trace/perun-collect-trace.la
collectors_trace_perun_collect_trace_la_SOURCES = \
	collectors/trace/build.c \
	collectors/trace/build.h \
	collectors/trace/calls.c \
	collectors/trace/calls.h \
	collectors/trace/compiled.c \
	collectors/trace/decode.c \
	collectors/trace/decode.h \
	collectors/trace/ebpf.c \
	collectors/trace/ebpf.h \
	collectors/trace/emit.c \
	collectors/trace/emit.h \
	collectors/trace/engine.c \
	collectors/trace/file.h \
	collectors/trace/kernel.c \
	collectors/trace/pairing.c \
	collectors/trace/pairing.h \
	collectors/trace/profile.c \
	collectors/trace/targets.c \
	collectors/trace/targets.h \
	collectors/trace/trace.c \
	collectors/trace/trace.h \
	collectors/trace/uprobes.c \
	collectors/trace/uprobes.h
collectors_trace_perun_collect_trace_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DTRACE_BUILT_FOLDER='"$(abs_builddir)/collectors/trace"'
collectors_trace_perun_collect_trace_la_CFLAGS = $(plugin_cflags) $(COLLECT_TRACE_CFLAGS)
collectors_trace_perun_collect_trace_la_LDFLAGS = $(plugin_ldflags)
collectors_trace_perun_collect_trace_la_LIBADD = $(collector_libs)
generated_mans += collectors/trace/perun-collect-trace.1

# What traced programs call. No plugin: neither libtool nor sanitizers.
collectors/trace/perun-trace.so: $(srcdir)/collectors/trace/runtime/runtime.c \
		$(srcdir)/collectors/trace/file.h $(srcdir)/collectors/common/clock.h
	$(AM_V_CCLD)$(MKDIR_P) collectors/trace && $(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra \
		-fPIC -shared -fvisibility=hidden -pthread -I$(srcdir) -Wl,-z,now -o $@ \
		$(srcdir)/collectors/trace/runtime/runtime.c
tracedir = $(plugindir)
trace_DATA = collectors/trace/perun-trace.so
CLEANFILES += collectors/trace/perun-trace.so
endif
EXTRA_DIST += collectors/trace/perun-collect-trace.mdoc collectors/trace/runtime/runtime.c
