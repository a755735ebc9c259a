# Writes what examples print into README.md, doc/*.md and the manual pages.
.PHONY: manuals-update
manuals-update: plugins-built/stamp cli/perun$(EXEEXT)
	@top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_builddir) python3 $(srcdir)/tests/manuals/pages.py --update
