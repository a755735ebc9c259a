if PLUGIN_FORMAT_EXTRAP_JSON
plugins += formats/extrap-json/perun-format-extrap-json.la
formats_extrap_json_perun_format_extrap_json_la_SOURCES = \
	formats/extrap-json/extrap-json.h \
	formats/extrap-json/plugin.c \
	formats/extrap-json/read-old.c \
	formats/extrap-json/read.c \
	formats/extrap-json/write.c
formats_extrap_json_perun_format_extrap_json_la_CFLAGS = $(plugin_cflags)
formats_extrap_json_perun_format_extrap_json_la_LDFLAGS = $(plugin_ldflags)
formats_extrap_json_perun_format_extrap_json_la_LIBADD = $(plugin_libs)
man_MANS += formats/extrap-json/perun-format-extrap-json.7
endif
EXTRA_DIST += formats/extrap-json/perun-format-extrap-json.7
