# Documentation that belongs to no single plugin: EXTRA_DIST += doc/Y.md; manual pages as below.
#
# A manual page X.1 whose list of options is made from the program's tables is written as X.mdoc with a
# line that doc/insert-options.sh explains, and listed so (of plugins m4/list-sources.sh lists it):
#   generated_mans += views/raw/perun-view-raw.1
#   EXTRA_DIST += views/raw/perun-view-raw.mdoc      (outside of any condition)
# Others are man_MANS += X.1 and EXTRA_DIST += X.1.
#
# One rule for sections, which tests/cli/manuals.sh holds:
#   1  what is called by its name on a command line: commands, and plugins of all kinds but one
#   3  what authors of plugins and programs include: perun-plugin(3) and a page for each kind
#   5  files: configuration, store
#   7  what a file looks like or a word means: all pages perun-format-X, which commands recognize without a name;
#      perun-choosing, perun-json, perun-revisions
man_MANS += $(generated_mans)
CLEANFILES += $(generated_mans)
EXTRA_DIST += doc/insert-options.sh

SUFFIXES = .mdoc .1 .7
insert_options = $(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(SHELL) $(srcdir)/doc/insert-options.sh $< $(NATIVE_BUILD) >$@.tmp && mv $@.tmp $@
.mdoc.1:
	$(insert_options)
.mdoc.7:
	$(insert_options)
$(generated_mans): $(srcdir)/doc/insert-options.sh plugins-built/stamp cli/perun$(EXEEXT)

# The pages of the command and its sub-commands; `perun help --mdoc` gives their options.
generated_mans += $(command_mans)
EXTRA_DIST += $(command_mans:.1=.mdoc)

man_MANS += $(written_mans)
EXTRA_DIST += $(written_mans)
EXTRA_DIST += doc/architecture.md \
	doc/pictures/charts.sh doc/pictures/site.sh doc/pictures/terminal.py doc/pictures/manuals.py \
	CONTRIBUTING.md
# For users, in the folders that they have here, so that the links between them hold.
nobase_dist_doc_DATA = README.md NEWS \
	doc/afperf.md doc/ci.md doc/commands.md doc/differences.md doc/formats.md doc/jobs.md doc/lines.md doc/migration.md \
	doc/performance.md doc/releases.md doc/runs.md doc/scale.md doc/security.md doc/tutorial.md \
	doc/examples/README.md doc/examples/grafana.json doc/examples/history.ipynb \
	doc/pictures/scale.svg doc/pictures/scaling.svg doc/pictures/site.png doc/pictures/terminal.svg doc/pictures/timeline.svg

# What commands print with --json, for programs that read it.
schemadir = $(pkgdatadir)/json
dist_schema_DATA = $(json_schemas)
