if PLUGIN_COLLECT_TRACE

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
		collectors/trace/decode.h collectors/trace/file.h collectors/common/clock.h \
		collectors/common/session.h
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
EXTRA_DIST += $(trace_runtime_sources) $(trace_runtime_others)
