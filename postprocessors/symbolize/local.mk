# Names of addresses are looked up as the collectors do it.
postprocessors_symbolize_libs = commands/common/libcode.la $(collector_libs) $(POSTPROCESS_SYMBOLIZE_LIBS)
