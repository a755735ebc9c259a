# Faults of memory and disks at each call of a command, and power cuts: faults.c is preloaded, faults.py drives.
if !STATIC_PLUGINS
if !SANITIZERS
check_LTLIBRARIES += tests/faults/faults.la
TESTS += tests/faults/faults.sh
tests_faults_faults_la_SOURCES = tests/faults/faults.c
# No fortified functions here: these are the functions themselves.
tests_faults_faults_la_CFLAGS = $(AM_CFLAGS) -U_FORTIFY_SOURCE
tests_faults_faults_la_CPPFLAGS = -D_GNU_SOURCE
tests_faults_faults_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
tests_faults_faults_la_LIBADD = -ldl
endif
endif
EXTRA_DIST += tests/faults/faults.py tests/faults/faults.sh

# Each call and each prefix, which takes an hour; `make check` tries some of them. FAULTS_OF="add kill" are the words
# that faults.py takes. Only where plugins are modules, without sanitizers.
FAULTS_OF =
.PHONY: faults
faults: all tests/faults/faults.la
	@$(AM_TESTS_ENVIRONMENT) FAULTS=all $(BASH_SHELL) $(srcdir)/tests/faults/faults.sh $(FAULTS_OF)
