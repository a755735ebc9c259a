bin_PROGRAMS += cli/perun
cli_perun_SOURCES = \
	cli/main.c
# -no-fast-install: the program in cli/.libs finds the build tree's library by itself.
cli_perun_LDFLAGS = $(AM_LDFLAGS) -no-fast-install
cli_perun_LDADD = $(program_libs) $(JANSSON_LIBS)
