if PLUGIN_FORMAT_PMCSTAT
plugins += formats/pmcstat/perun-format-pmcstat.la
formats_pmcstat_perun_format_pmcstat_la_SOURCES = formats/pmcstat/plugin.c
formats_pmcstat_perun_format_pmcstat_la_CFLAGS = $(plugin_cflags)
formats_pmcstat_perun_format_pmcstat_la_LDFLAGS = $(plugin_ldflags)
formats_pmcstat_perun_format_pmcstat_la_LIBADD = $(stacks_libs)
man_MANS += formats/pmcstat/perun-format-pmcstat.7
endif
EXTRA_DIST += formats/pmcstat/perun-format-pmcstat.7
