# The library is linked by default; a test of hidden functions has $(core_internal).
tests_unit_test_add_LDADD = $(core_internal)
tests_unit_test_alignment_LDADD = $(core_internal)
tests_unit_test_archive_LDADD = $(core_internal)
tests_unit_test_callgraph_LDADD = $(core_internal)
tests_unit_test_charts_LDADD = views/common/libcharts.la views/common/libviews.la $(LDADD)
tests_unit_test_checks_common_LDADD = checks/common/libchecks.la $(LDADD)
tests_unit_test_context_LDADD = $(core_internal)
tests_unit_test_config_LDADD = $(core_internal)
tests_unit_test_dissect_LDADD = $(core_internal)
tests_unit_test_fallbacks_LDADD = $(core_internal)
tests_unit_test_flip_LDADD = $(core_internal)
tests_unit_test_hash_LDADD = $(core_internal)
tests_unit_test_history_LDADD = $(core_internal)
tests_unit_test_json_text_SOURCES = tests/unit/test-json-text.c views/raw/json-text.c
tests_unit_test_kernel_sums_SOURCES = tests/unit/test-kernel-sums.c postprocessors/kernel-regression/clusters.c \
	postprocessors/kernel-regression/gauss.c postprocessors/kernel-regression/smoothing.c
tests_unit_test_kill_LDADD = $(core_internal)
tests_unit_test_last_step_LDADD = $(core_internal)
tests_unit_test_layout_LDADD = views/common/libviews.la $(LDADD)
tests_unit_test_layout_SOURCES = tests/unit/test-layout.c views/tableof/layout.c views/tableof/markup.c \
	views/tableof/page.c views/tableof/table.c
tests_unit_test_lookup_LDADD = $(core_internal)
tests_unit_test_numbers_SOURCES = \
	tests/unit/test-numbers.c \
	formats/common/benchmark-orders.c \
	formats/common/numbers.c \
	formats/common/stacks-numbers.c
tests_unit_test_packed_stacks_LDADD = $(core_internal)
tests_unit_test_pprof_shorten_SOURCES = tests/unit/test-pprof-shorten.c commands/pprof/shorten.c
tests_unit_test_registry_LDADD = $(core_internal)
tests_unit_test_rounded_LDADD = $(core_internal)
tests_unit_test_sha_LDADD = $(core_internal)
tests_unit_test_stack_tree_LDADD = $(core_internal)
tests_unit_test_store_LDADD = $(core_internal)
tests_unit_test_streams_LDADD = $(LDADD) $(ZLIB_LIBS)
tests_unit_test_together_LDADD = $(core_internal)
tests_unit_test_trace_SOURCES = tests/unit/test-trace.c collectors/trace/calls.c collectors/trace/decode.c \
	collectors/trace/pairing.c
tests_unit_test_vcs_LDADD = $(core_internal)
tests_unit_test_views_common_LDADD = views/common/libviews.la $(LDADD)
tests_unit_test_words_LDADD = $(core_internal)
