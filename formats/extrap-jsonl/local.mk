if PLUGIN_FORMAT_EXTRAP_JSONL
plugins += formats/extrap-jsonl/perun-format-extrap-jsonl.la
formats_extrap_jsonl_perun_format_extrap_jsonl_la_SOURCES = \
	formats/extrap-jsonl/plugin.c
formats_extrap_jsonl_perun_format_extrap_jsonl_la_CFLAGS = $(plugin_cflags)
formats_extrap_jsonl_perun_format_extrap_jsonl_la_LDFLAGS = $(plugin_ldflags)
formats_extrap_jsonl_perun_format_extrap_jsonl_la_LIBADD = $(plugin_libs)
man_MANS += formats/extrap-jsonl/perun-format-extrap-jsonl.7
endif
EXTRA_DIST += formats/extrap-jsonl/perun-format-extrap-jsonl.7
