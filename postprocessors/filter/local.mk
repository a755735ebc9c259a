# Plugin postprocess filter: see the pattern in Makefile.am.
