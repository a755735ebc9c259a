# Tests speak TAP, so that `make check` counts single cases.
# A unit test is a file tests/unit/test-X.c; a command scenario is a file tests/cli/X.sh. tests/README.md says more.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(BASH_SHELL)
TEST_EXTENSIONS = .sh

# The program itself, not the script that runs it from the build tree: what this says, the environment says once for all.
# Tests start it ten thousand times. Plugins that are linked in have more to be told.
if STATIC_PLUGINS
tested_program = perun
else
tested_program = $(PERUN_PROGRAM)
endif

# intercept_tls_get_addr: LLVM up to 14 takes what precedes a library's thread-local variables for a header of glibc 2.19
# when they are 16 bytes into a page, and its search for leaks then reads anywhere ("Tracer caught signal 11").
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	PATH='$(PYTHON_PATH)'"$$PATH"; export PATH; \
	PERUN='$(abs_top_builddir)/$(tested_program)'; export PERUN; \
	PERUN_MANUALS='$(abs_top_builddir)/manuals'; export PERUN_MANUALS; \
	PERUN_PLUGIN_PATH='$(abs_top_builddir)/plugins-built'; export PERUN_PLUGIN_PATH; \
	PERUN_CONFORMANCE=$${PERUN_CONFORMANCE-'$(abs_top_srcdir)/../shared/conformance'}; \
	export PERUN_CONFORMANCE; \
	CC='$(CC)'; export CC; SANITIZE='$(PERUN_LDFLAGS)'; export SANITIZE; \
	manual_pages='$(man_MANS)'; export manual_pages; \
	UBSAN_OPTIONS=$${UBSAN_OPTIONS-print_stacktrace=1}; export UBSAN_OPTIONS; \
	ASAN_OPTIONS=$${ASAN_OPTIONS-intercept_tls_get_addr=0}; export ASAN_OPTIONS; \
	LSAN_OPTIONS=$${LSAN_OPTIONS-'suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0'}; \
	export LSAN_OPTIONS; \
	TZ=UTC; export TZ; LC_ALL=C.UTF-8; export LC_ALL;

include tests/unit/local.mk
include tests/abi/local.mk
include tests/faults/local.mk
include tests/fuzz/local.mk
include tests/tools/local.mk
include tests/json/local.mk
include tests/format/local.mk
include tests/manuals/local.mk

check_PROGRAMS += $(unit_tests)

# Their own code does little: the time that it takes to compile them well is more than it would save.
tests/unit/%.o: CFLAGS += -O0 -U_FORTIFY_SOURCE

# What a third party builds against, installed before the tests begin: libtool links again for this, and for
# that moment takes away what tests use. Only where one of the tests that are run needs it.
if !STATIC_PLUGINS
tests_of_installed = tests/cli/installed.sh tests/cli/plugin-create.sh tests/cli/third-party.sh tests/cli/vcs-hg.sh
check_DATA = $(if $(filter $(tests_of_installed),$(TESTS)),tests/installed/stamp)
tests/installed/stamp: plugins-built/stamp $(check_PROGRAMS) $(check_LTLIBRARIES)
	@rm -rf tests/installed && $(MKDIR_P) tests/installed
	@$(MAKE) install DESTDIR='$(abs_builddir)/tests/installed' \
		>tests/installed/install.log 2>&1 || { cat tests/installed/install.log; exit 1; }
	@touch $@
endif
TESTS += $(unit_tests) $(script_tests)
EXTRA_DIST += tests/data/bitmaps.txt tests/data/golden/80.txt tests/data/golden/80-color.txt tests/data/golden/120.txt

# Writes what commands print on a terminal into tests/data/golden.
.PHONY: golden-update
golden-update: plugins-built/stamp cli/perun$(EXEEXT)
	@top_srcdir=$(abs_top_srcdir) PERUN=$(abs_builddir)/perun PERUN_PLUGIN_PATH=$(abs_builddir)/plugins-built \
		python3 $(srcdir)/tests/cli/golden.py --update

# Ten clones that sync two hundred times at once, and are killed now and then.
.PHONY: soak-share
soak-share: plugins-built/stamp cli/perun$(EXEEXT)
	@top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_builddir) PERUN=$(abs_builddir)/perun \
		SHARE_CLONES='a b c d e f g h i j' SHARE_ROUNDS=20 bash $(srcdir)/tests/cli/share.sh

# What `make check` tries a part of, whole: every command line in every hostile place, a kill at every call, every signal, page
# and form. These tests ask for PERUN_LONG. No stage of .ci/run has it: it takes twenty minutes of processor time.
long_tests = tests/cli/completion.sh tests/cli/store-directories.sh tests/cli/vcs-git-export.sh tests/cli/vcs-git-kill.sh \
	tests/hostile/attachments.sh tests/hostile/commands.sh tests/hostile/cost.sh tests/hostile/escapes.sh tests/hostile/growth.sh \
	tests/hostile/links.sh tests/manuals/pages.sh tests/unit/test-kill
.PHONY: check-long
check-long:
	@PERUN_LONG=1 $(MAKE) check TESTS='$(long_tests)'

# Runs in cells on a cluster of its own, where Slurm is installed. SLURM_ACCOUNTING=yes: with slurmdbd and mariadb-server as well, ten
# minutes.
.PHONY: check-slurm
check-slurm: plugins-built/stamp cli/perun$(EXEEXT)
	@top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_builddir) PERUN=$(abs_builddir)/perun bash $(srcdir)/tests/slurm/run.sh

EXTRA_DIST += tests/slurm/run.sh $(script_tests) $(test_files) tests/store/python-store.py tests/README.md tests/lsan.supp
