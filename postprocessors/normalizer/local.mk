# Plugin postprocess normalizer: see the pattern in Makefile.am.
