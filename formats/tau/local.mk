if PLUGIN_FORMAT_TAU
plugins += formats/tau/perun-format-tau.la
formats_tau_perun_format_tau_la_SOURCES = formats/tau/plugin.c
formats_tau_perun_format_tau_la_CFLAGS = $(plugin_cflags)
formats_tau_perun_format_tau_la_LDFLAGS = $(plugin_ldflags)
formats_tau_perun_format_tau_la_LIBADD = $(stacks_libs)
man_MANS += formats/tau/perun-format-tau.7
endif
EXTRA_DIST += formats/tau/perun-format-tau.7
