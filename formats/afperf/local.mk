formats_afperf_libs = formats/common/libafperf.la $(plugin_libs)
