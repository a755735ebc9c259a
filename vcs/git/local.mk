# Plugin vcs git: see the pattern in Makefile.am.
