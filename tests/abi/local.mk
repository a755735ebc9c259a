# Plugins built against other versions of the interface, and broken ones.
if !STATIC_PLUGINS
abi_modules = \
	tests/abi/perun-check-decides.la \
	tests/abi/perun-check-status.la \
	tests/abi/perun-format-uneven.la \
	tests/abi/perun-view-crash.la \
	tests/abi/perun-view-old.la \
	tests/abi/perun-view-seen.la \
	tests/abi/perun-view-status.la \
	tests/abi/perun-view-tables.la \
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
TESTS += tests/abi/abi.sh tests/abi/hostile.sh
endif
EXTRA_DIST += tests/abi/stable.abi.xz tests/abi/abi.sh tests/abi/format.h tests/abi/hostile.sh tests/abi/view.h

# Each is made of the file of its name. -rpath makes libtool build a module that is not installed.
abi_ldflags = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
tests_abi_perun_check_decides_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_check_status_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_format_uneven_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_crash_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_old_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_seen_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_status_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_tables_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_format_one_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_format_three_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_format_two_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_good_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_lazy_la_LDFLAGS = $(abi_ldflags) -Wl,-z,lazy
tests_abi_perun_view_long_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_major_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_minor_la_LDFLAGS = $(abi_ldflags)
tests_abi_perun_view_short_la_LDFLAGS = $(abi_ldflags)

tests_abi_load_SOURCES = tests/abi/load.c tests/abi/layout.c
