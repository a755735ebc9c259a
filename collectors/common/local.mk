# What collectors share: a library that is a part of each of them that needs libdw anyway.
if COLLECTORS_COMMON
noinst_LTLIBRARIES += collectors/common/libcollectors.la
endif
collectors_common_libcollectors_la_SOURCES = \
	collectors/common/cfi.c \
	collectors/common/cfi.h \
	collectors/common/clock.c \
	collectors/common/clock.h \
	collectors/common/images.c \
	collectors/common/images.h \
	collectors/common/places.c \
	collectors/common/places.h \
	collectors/common/program.c \
	collectors/common/program.h \
	collectors/common/symbols.c \
	collectors/common/symbols.h \
	collectors/common/traces.c \
	collectors/common/traces.h
collectors_common_libcollectors_la_CPPFLAGS = $(AM_CPPFLAGS) -DCOLLECTORS_PLUGIN_FOLDER='"$(plugindir)"'
collectors_common_libcollectors_la_CFLAGS = $(plugin_cflags) $(COLLECT_MEMORY_CFLAGS) $(COLLECT_TRACE_CFLAGS) $(COLLECT_CPU_CFLAGS) $(COLLECT_INSTRUCTIONS_CFLAGS)
collector_libs = collectors/common/libcollectors.la $(plugin_libs) $(COLLECT_MEMORY_LIBS) $(COLLECT_TRACE_LIBS) $(COLLECT_CPU_LIBS) $(COLLECT_INSTRUCTIONS_LIBS) -ldl
