# Plugins built against other versions of the interface, and broken ones.
if !STATIC_PLUGINS
abi_modules = \
	tests/abi/perun-format-one.la \
	tests/abi/perun-format-three.la \
	tests/abi/perun-format-two.la \
	tests/abi/perun-view-good.la \
	tests/abi/perun-view-lazy.la \
	tests/abi/perun-view-long.la \
	tests/abi/perun-view-major.la \
	tests/abi/perun-view-minor.la \
	tests/abi/perun-view-short.la
check_LTLIBRARIES += $(abi_modules)
check_PROGRAMS += tests/abi/load
cli_tests += tests/abi/abi.sh
endif
EXTRA_DIST += tests/abi/abi.sh

# -rpath makes libtool build a module that is not installed.
abi_ldflags = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
tests_abi_perun_format_one_la_SOURCES = tests/abi/formats.c
tests_abi_perun_format_one_la_CPPFLAGS = $(AM_CPPFLAGS) -DFORMAT=one -DLETTER="'x'" -DSURE=60
tests_abi_perun_format_one_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_format_two_la_SOURCES = tests/abi/formats.c
tests_abi_perun_format_two_la_CPPFLAGS = $(AM_CPPFLAGS) -DFORMAT=two -DLETTER="'x'" -DSURE=60
tests_abi_perun_format_two_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_format_three_la_SOURCES = tests/abi/formats.c
tests_abi_perun_format_three_la_CPPFLAGS = $(AM_CPPFLAGS) -DFORMAT=three -DLETTER="'x'" -DSURE=100
tests_abi_perun_format_three_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_good_la_SOURCES = tests/abi/good.c
tests_abi_perun_view_good_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_good_la_LIBADD = core/libperun.la
tests_abi_perun_view_lazy_la_SOURCES = tests/abi/lazy.c
tests_abi_perun_view_lazy_la_LDFLAGS = $(abi_ldflags) -Wl,-z,lazy
tests_abi_perun_view_long_la_SOURCES = tests/abi/long.c
tests_abi_perun_view_long_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_major_la_SOURCES = tests/abi/major.c
tests_abi_perun_view_major_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_minor_la_SOURCES = tests/abi/minor.c
tests_abi_perun_view_minor_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_short_la_SOURCES = tests/abi/short.c
tests_abi_perun_view_short_la_LDFLAGS = $(abi_ldflags)

tests_abi_load_SOURCES = tests/abi/load.c
