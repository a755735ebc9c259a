# Documentation that belongs to no single plugin: EXTRA_DIST += doc/Y.md; manual pages as below.
#
# A manual page X.1 whose list of options is made from the program's tables is written as X.mdoc with a
# line that doc/insert-options.sh explains, and listed so:
#   generated_mans += views/raw/perun-view-raw.1
#   EXTRA_DIST += views/raw/perun-view-raw.mdoc      (outside of any condition)
# Others are man_MANS += X.1 and EXTRA_DIST += X.1.
man_MANS += $(generated_mans)
CLEANFILES += $(generated_mans)
EXTRA_DIST += doc/insert-options.sh

SUFFIXES = .mdoc .1
.mdoc.1:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(SHELL) $(srcdir)/doc/insert-options.sh $< $(abs_builddir) >$@.tmp && mv $@.tmp $@
$(generated_mans): $(srcdir)/doc/insert-options.sh plugins-built/stamp cli/perun$(EXEEXT)

man_MANS += doc/man/perun-config.5
man_MANS += doc/man/perun-store.5
EXTRA_DIST += doc/man/perun-config.5
EXTRA_DIST += doc/man/perun-store.5
EXTRA_DIST += doc/architecture.md
EXTRA_DIST += README.md
EXTRA_DIST += NEWS
EXTRA_DIST += CONTRIBUTING.md
