# Plugin view tableof: see the pattern in Makefile.am.
