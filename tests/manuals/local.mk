# Writes what examples print into README.md, doc/*.md and the manual pages.
.PHONY: manuals-update
manuals-update: plugins-built/stamp cli/perun$(EXEEXT)
	@top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_builddir) python3 $(srcdir)/tests/manuals/pages.py --update

# Alters all that pages say and print, one thing at a time, and prints what no test sees.
.PHONY: check-manuals-mutants
check-manuals-mutants: plugins-built/stamp cli/perun$(EXEEXT)
	@top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_builddir) PERUN=$(abs_builddir)/perun \
		python3 $(srcdir)/tests/manuals/mutants.py --run
