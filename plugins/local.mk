# The public headers, and what third parties build their plugins with.
perunincludedir = $(includedir)/perun
peruninclude_HEADERS = $(public_headers)

# The growing part.
perunlibincludedir = $(includedir)/perun/lib

pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = plugins/perun.pc
aclocaldir = $(datadir)/aclocal
dist_aclocal_DATA = plugins/perun.m4

# Complete plugins and programs that third parties can start from; a test builds them.
example_commanddir = $(docdir)/examples/command
dist_example_command_DATA = plugins/example-command/Makefile plugins/example-command/tally.c
example_formatdir = $(docdir)/examples/format
dist_example_format_DATA = plugins/example-format/Makefile plugins/example-format/csv.c
example_programdir = $(docdir)/examples/program
dist_example_program_DATA = plugins/example-program/Makefile plugins/example-program/check.c plugins/example-program/history.c \
	plugins/example-program/interleaved.c plugins/example-program/largest.c plugins/example-program/plan.c
example_vcsdir = $(docdir)/examples/vcs
dist_example_vcs_DATA = plugins/example-vcs/Makefile plugins/example-vcs/copy.c plugins/example-vcs/copy.h \
	plugins/example-vcs/perun-vcs-tagit.1 plugins/example-vcs/tagit.c plugins/example-vcs/versions.c \
	plugins/example-vcs/versions.h
EXTRA_DIST += plugins/example-vcs/local.mk
example_hgdir = $(docdir)/examples/vcs-hg
dist_example_hg_DATA = plugins/example-vcs-hg/Makefile plugins/example-vcs-hg/directory.c plugins/example-vcs-hg/hg.h \
	plugins/example-vcs-hg/perun-vcs-hg.1 plugins/example-vcs-hg/plugin.c plugins/example-vcs-hg/program.c \
	plugins/example-vcs-hg/versions.c

# The module for Python, which loads the shared library.
dist_perunpython_DATA = plugins/python/perun.py

# What perun plugin create writes, a part of the program.
plugin_templates = plugins/create/templates/Makefile plugins/create/templates/gitignore plugins/create/templates/manual.in \
	plugins/create/templates/check.c plugins/create/templates/collect.c plugins/create/templates/command.c plugins/create/templates/executor.c \
	plugins/create/templates/format.c plugins/create/templates/postprocess.c plugins/create/templates/vcs.c \
	plugins/create/templates/view.c plugins/create/templates/test.sh plugins/create/templates/test-check.sh \
	plugins/create/templates/test-collect.sh plugins/create/templates/test-command.sh plugins/create/templates/test-executor.sh \
	plugins/create/templates/test-format.sh plugins/create/templates/test-postprocess.sh \
	plugins/create/templates/test-vcs.sh plugins/create/templates/test-view.sh COPYING
noinst_LTLIBRARIES += plugins/create/libcreate.la
plugins_create_libcreate_la_SOURCES = plugins/create/create.c plugins/create/create.h
nodist_plugins_create_libcreate_la_SOURCES = plugins/create/assets.c
CLEANFILES += plugins/create/assets.c
EXTRA_DIST += plugins/create/embed.sh
skeletonsdir = $(docdir)/examples/skeletons
dist_skeletons_DATA = $(plugin_templates)
plugins/create/assets.c: $(plugin_templates) plugins/create/embed.sh views/common/embed.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SHELL) $(srcdir)/plugins/create/embed.sh $(srcdir)/views/common/embed.sh $(srcdir) \
		$(plugin_templates) >$@.new && mv $@.new $@
