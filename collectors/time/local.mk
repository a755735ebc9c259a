# Plugin collect time: see the pattern in Makefile.am.
if PLUGIN_COLLECT_TIME
plugins += collectors/time/perun-collect-time.la
collectors_time_perun_collect_time_la_SOURCES = \
	collectors/time/counters.c \
	collectors/time/counters.h \
	collectors/time/profile.c \
	collectors/time/repeats.c \
	collectors/time/run.c \
	collectors/time/run.h \
	collectors/time/time.c \
	collectors/time/time.h
collectors_time_perun_collect_time_la_CFLAGS = $(plugin_cflags)
collectors_time_perun_collect_time_la_LDFLAGS = $(plugin_ldflags)
collectors_time_perun_collect_time_la_LIBADD = $(collector_run_libs)
generated_mans += collectors/time/perun-collect-time.1
endif
EXTRA_DIST += collectors/time/perun-collect-time.mdoc
