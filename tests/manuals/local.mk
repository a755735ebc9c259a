# The manual is a test: what it shows is run.
cli_tests += tests/manuals/pages.sh
cli_tests += tests/manuals/agreement.sh
EXTRA_DIST += tests/manuals/agreement.py tests/manuals/pages.py tests/manuals/stage.py

# Writes what examples print into README.md, doc/*.md and the manual pages.
.PHONY: manuals-update
manuals-update: plugins-built/stamp cli/perun$(EXEEXT)
	@top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_builddir) python3 $(srcdir)/tests/manuals/pages.py --update
