if PLUGIN_FORMAT_GHC_PROF
plugins += formats/ghc-prof/perun-format-ghc-prof.la
formats_ghc_prof_perun_format_ghc_prof_la_SOURCES = \
	formats/ghc-prof/ghc-prof.h \
	formats/ghc-prof/json.c \
	formats/ghc-prof/plugin.c \
	formats/ghc-prof/text.c
formats_ghc_prof_perun_format_ghc_prof_la_CFLAGS = $(plugin_cflags)
formats_ghc_prof_perun_format_ghc_prof_la_LDFLAGS = $(plugin_ldflags)
formats_ghc_prof_perun_format_ghc_prof_la_LIBADD = $(stacks_libs)
generated_mans += formats/ghc-prof/perun-format-ghc-prof.1
endif
EXTRA_DIST += formats/ghc-prof/perun-format-ghc-prof.mdoc
