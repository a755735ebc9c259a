# libperun: the sources of all folders.
core_libraries = $(LTDL_LIBS) $(ZLIB_LIBS) $(ISAL_LIBS) $(ZSTD_LIBS) $(YAML_LIBS) $(PCRE2_LIBS) -lm

# For a program that has all of the library itself, and loads plugins: these name it and have no path to it.
if !STATIC_PLUGINS
core_of_plugins = core/libperun.la
endif

# Everything, also what libperun hides: for tests of internal functions
# (tests_unit_test_x_LDADD = $(core_internal)).
noinst_LTLIBRARIES += core/libperun-internal.la
core_internal = $(linked_plugins) core/libperun-internal.la $(core_libraries) $(core_of_plugins)
core_libperun_internal_la_SOURCES = $(core_sources)
core_libperun_internal_la_CPPFLAGS = $(AM_CPPFLAGS) -DPERUN_PLUGIN_DIR='"$(plugindir)"'
core_libperun_internal_la_CFLAGS = $(AM_CFLAGS) \
	$(ZLIB_CFLAGS) $(ISAL_CFLAGS) $(ZSTD_CFLAGS) $(YAML_CFLAGS) $(PCRE2_CFLAGS)

lib_LTLIBRARIES += core/libperun.la
core_libperun_la_SOURCES =
core_libperun_la_LIBADD = core/libperun-internal.la $(core_libraries)
core_libperun_la_LDFLAGS = $(AM_LDFLAGS) -version-info $(PERUN_VERSION_INFO) -no-undefined $(NO_UNDEFINED_FLAG) \
	-Wl,--version-script=core/libperun.map -Wl,-Bsymbolic-functions
EXTRA_core_libperun_la_DEPENDENCIES = core/libperun.map

# What the public headers declare is exported, nothing else is.
core/libperun.map: core/libperun.awk $(public_headers) $(perunlibinclude_HEADERS)
	$(AM_V_GEN)$(MKDIR_P) core && for header in $(public_headers) $(perunlibinclude_HEADERS); do \
		echo "$(srcdir)/$$header"; done | LC_ALL=C sort | \
		xargs $(AWK) -f $(srcdir)/core/libperun.awk -v major=$(PERUN_ABI_MAJOR) -v lib=$(PERUN_LIB_VERSION) >$@.tmp && \
		mv -f $@.tmp $@
CLEANFILES += core/libperun.map core/libperun.map.tmp
EXTRA_DIST += core/libperun.awk
