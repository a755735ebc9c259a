if PLUGIN_COLLECT_MEMORY

# The library that is loaded before the program's own. Its functions keep frames where stacks begin with them, in the others they would only cost time.
memory_preload_sources = \
	$(srcdir)/collectors/common/cfi.c \
	$(srcdir)/collectors/memory/preload/calibrate.c \
	$(srcdir)/collectors/memory/preload/modules.c \
	$(srcdir)/collectors/memory/preload/preload.c \
	$(srcdir)/collectors/memory/preload/recorder.c \
	$(srcdir)/collectors/memory/preload/sample.c \
	$(srcdir)/collectors/memory/preload/walk.c
collectors/memory/perun-memory.so: $(memory_preload_sources) \
		$(srcdir)/collectors/memory/preload/preload.h $(srcdir)/collectors/memory/ring.h \
		$(srcdir)/collectors/common/clock.h $(srcdir)/collectors/common/cfi.h \
		$(srcdir)/collectors/common/session.h
	$(AM_V_CCLD)$(MKDIR_P) collectors/memory && $(preload_compile) -fomit-frame-pointer -fno-builtin-malloc \
		$(preload_link) -o $@ $(memory_preload_sources) -lgcc_s -ldl
memorydir = $(plugindir)
memory_DATA = collectors/memory/perun-memory.so
preloads += $(memory_DATA)
CLEANFILES += collectors/memory/perun-memory.so
endif
EXTRA_DIST += collectors/memory/preload/calibrate.c collectors/memory/preload/modules.c collectors/memory/preload/preload.c collectors/memory/preload/preload.h collectors/memory/preload/recorder.c collectors/memory/preload/sample.c collectors/memory/preload/walk.c
