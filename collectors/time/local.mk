# Plugin collect time: see the pattern in Makefile.am.
