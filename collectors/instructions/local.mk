# Plugin collect instructions: see the pattern in Makefile.am.
if PLUGIN_COLLECT_INSTRUCTIONS
plugins += collectors/instructions/perun-collect-instructions.la
collectors_instructions_perun_collect_instructions_la_SOURCES = \
	collectors/instructions/instructions.c
collectors_instructions_perun_collect_instructions_la_CFLAGS = $(plugin_cflags) $(COLLECT_INSTRUCTIONS_CFLAGS)
collectors_instructions_perun_collect_instructions_la_LDFLAGS = $(plugin_ldflags)
collectors_instructions_perun_collect_instructions_la_LIBADD = $(collector_libs)
generated_mans += collectors/instructions/perun-collect-instructions.1
endif
EXTRA_DIST += collectors/instructions/perun-collect-instructions.mdoc
