# Documentation that belongs to no single plugin: man_MANS += doc/X.1, EXTRA_DIST += doc/X.1 doc/Y.md
