# Plugin format perun: see the pattern in Makefile.am.
