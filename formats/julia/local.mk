if PLUGIN_FORMAT_JULIA
plugins += formats/julia/perun-format-julia.la
formats_julia_perun_format_julia_la_SOURCES = formats/julia/plugin.c
formats_julia_perun_format_julia_la_CFLAGS = $(plugin_cflags)
formats_julia_perun_format_julia_la_LDFLAGS = $(plugin_ldflags)
formats_julia_perun_format_julia_la_LIBADD = $(benchmark_libs)
man_MANS += formats/julia/perun-format-julia.7
endif
EXTRA_DIST += formats/julia/perun-format-julia.7
