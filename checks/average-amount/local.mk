# Plugin check average-amount: see the pattern in Makefile.am.
