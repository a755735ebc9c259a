# Plugin collect cpu: see the pattern in Makefile.am.
if PLUGIN_COLLECT_CPU
plugins += collectors/cpu/perun-collect-cpu.la
collectors_cpu_perun_collect_cpu_la_SOURCES = \
	collectors/cpu/cost.c \
	collectors/cpu/cost.h \
	collectors/cpu/cpu.c \
	collectors/cpu/cpu.h \
	collectors/cpu/perf.c \
	collectors/cpu/perf.h \
	collectors/cpu/record.c \
	collectors/cpu/samples.c \
	collectors/cpu/samples.h
collectors_cpu_perun_collect_cpu_la_CFLAGS = $(plugin_cflags) $(COLLECT_CPU_CFLAGS)
collectors_cpu_perun_collect_cpu_la_LDFLAGS = $(plugin_ldflags)
collectors_cpu_perun_collect_cpu_la_LIBADD = $(collector_libs)
generated_mans += collectors/cpu/perun-collect-cpu.1 collectors/cpu/perun-record.1
endif
EXTRA_DIST += collectors/cpu/perun-collect-cpu.mdoc collectors/cpu/perun-record.mdoc
