# Plugin collect trace: see the pattern in Makefile.am.
if PLUGIN_COLLECT_TRACE
plugins += collectors/trace/perun-collect-trace.la
collectors_trace_perun_collect_trace_la_SOURCES = \
	collectors/trace/build.c \
	collectors/trace/build.h \
	collectors/trace/calls.c \
	collectors/trace/calls.h \
	collectors/trace/compiled.c \
	collectors/trace/cost.c \
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
collectors_trace_perun_collect_trace_la_CFLAGS = $(plugin_cflags) $(COLLECT_TRACE_CFLAGS)
collectors_trace_perun_collect_trace_la_LDFLAGS = $(plugin_ldflags)
collectors_trace_perun_collect_trace_la_LIBADD = $(collector_libs)
generated_mans += collectors/trace/perun-collect-trace.1

# What traced programs call.
trace_runtime_sources = \
	collectors/trace/decode.c \
	collectors/trace/runtime/opened.c \
	collectors/trace/runtime/patch.c \
	collectors/trace/runtime/runtime.c \
	collectors/trace/runtime/unwind.c
trace_runtime_others = \
	collectors/trace/runtime/hooks.c \
	collectors/trace/runtime/hooks.h \
	collectors/trace/runtime/thread.h
# It puts its own places over return addresses, which a shadow stack forbids: its mark would be untrue.
trace_runtime_compile = $(preload_compile) -I. $(NO_CET_CFLAGS)
collectors/trace/perun-trace.so: $(trace_runtime_sources) $(trace_runtime_others) \
		collectors/trace/decode.h collectors/trace/file.h collectors/common/clock.h
	$(AM_V_CCLD)$(MKDIR_P) collectors/trace && \
	case `$(CC) -dumpmachine` in x86_64*) general=-mgeneral-regs-only ;; *) general= ;; esac && \
	$(trace_runtime_compile) $$general -c -o collectors/trace/hooks-part.o \
		$(srcdir)/collectors/trace/runtime/hooks.c && \
	$(trace_runtime_compile) $(preload_link) -o $@ collectors/trace/hooks-part.o \
		`for file in $(trace_runtime_sources); do echo $(srcdir)/$$file; done` -ldl && \
	rm -f collectors/trace/hooks-part.o
tracedir = $(plugindir)
trace_DATA = collectors/trace/perun-trace.so
preloads += $(trace_DATA)
CLEANFILES += collectors/trace/perun-trace.so
endif
EXTRA_DIST += collectors/trace/perun-collect-trace.mdoc $(trace_runtime_sources) $(trace_runtime_others)
