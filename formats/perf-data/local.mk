# Names of addresses are looked up as the collectors do it.
formats_perf_data_cflags = $(ZSTD_CFLAGS)
formats_perf_data_libs = formats/common/libperf-script.la formats/common/libstacks.la formats/common/libnumbers.la $(collector_libs) $(FORMAT_PERF_DATA_LIBS) $(ZSTD_LIBS)
