# Plugin view raw: see the pattern in Makefile.am.
