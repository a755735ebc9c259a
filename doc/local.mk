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

# The pages of the command and its sub-commands; `perun help --mdoc` gives their options.
command_mans = \
	doc/man/perun.1 \
	doc/man/perun-add.1 \
	doc/man/perun-changes.1 \
	doc/man/perun-check.1 \
	doc/man/perun-ci.1 \
	doc/man/perun-collect.1 \
	doc/man/perun-completion.1 \
	doc/man/perun-config.1 \
	doc/man/perun-help.1 \
	doc/man/perun-log.1 \
	doc/man/perun-plugin.1 \
	doc/man/perun-postprocessby.1 \
	doc/man/perun-rm.1 \
	doc/man/perun-run.1 \
	doc/man/perun-show.1 \
	doc/man/perun-showdiff.1 \
	doc/man/perun-status.1 \
	doc/man/perun-trust.1 \
	doc/man/perun-version.1
generated_mans += $(command_mans)
EXTRA_DIST += $(command_mans:.1=.mdoc)

written_mans = \
	doc/man/perun-choosing.7 \
	doc/man/perun-config.5 \
	doc/man/perun-json.7 \
	doc/man/perun-plugin.3 \
	doc/man/perun-revisions.7 \
	doc/man/perun-store.5
man_MANS += $(written_mans)
EXTRA_DIST += $(written_mans)
EXTRA_DIST += doc/afperf.md
EXTRA_DIST += doc/architecture.md
EXTRA_DIST += doc/performance.md
EXTRA_DIST += doc/ci.md doc/jobs.md
EXTRA_DIST += doc/differences.md
EXTRA_DIST += doc/formats.md
EXTRA_DIST += doc/security.md
EXTRA_DIST += doc/pictures/charts.sh doc/pictures/scaling.svg doc/pictures/timeline.svg
EXTRA_DIST += doc/pictures/site.sh doc/pictures/site.png
EXTRA_DIST += doc/pictures/terminal.py doc/pictures/manuals.py
EXTRA_DIST += doc/pictures/terminal.svg
EXTRA_DIST += README.md
EXTRA_DIST += NEWS
EXTRA_DIST += CONTRIBUTING.md
