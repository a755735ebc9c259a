# libperun. Each folder lists its own sources in its own local.mk.
core_sources =
include core/callgraph/local.mk
include core/changepoint/local.mk
include core/check/local.mk
include core/config/local.mk
include core/context/local.mk
include core/format/local.mk
include core/history/local.mk
include core/interleave/local.mk
include core/job/local.mk
include core/json/local.mk
include core/model/local.mk
include core/regression/local.mk
include core/lookup/local.mk
include core/merge/local.mk
include core/options/local.mk
include core/page/local.mk
include core/path/local.mk
include core/profile/local.mk
include core/query/local.mk
include core/regex/local.mk
include core/registry/local.mk
include core/statistics/local.mk
include core/store/local.mk
include core/vcs/local.mk

core_libraries = $(LTDL_LIBS) $(ZLIB_LIBS) $(ISAL_LIBS) $(CRYPTO_LIBS) $(YAML_LIBS) $(PCRE2_LIBS) -lm

# Everything, also what libperun hides: for tests of internal functions
# (tests_unit_test_x_LDADD = $(core_internal)).
noinst_LTLIBRARIES += core/libperun-internal.la
core_internal = $(linked_plugins) core/libperun-internal.la $(core_libraries)
core_libperun_internal_la_SOURCES = $(core_sources)
core_libperun_internal_la_CPPFLAGS = $(AM_CPPFLAGS) -DPERUN_PLUGIN_DIR='"$(plugindir)"'
core_libperun_internal_la_CFLAGS = $(AM_CFLAGS) \
	$(ZLIB_CFLAGS) $(ISAL_CFLAGS) $(CRYPTO_CFLAGS) $(YAML_CFLAGS) $(PCRE2_CFLAGS)

lib_LTLIBRARIES += core/libperun.la
core_libperun_la_SOURCES =
core_libperun_la_LIBADD = core/libperun-internal.la $(core_libraries)
core_libperun_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined $(NO_UNDEFINED_FLAG)
