# One line for each test, sorted (git merges lines that are added here at once; keep to this form).
# The library is linked by default; a test of hidden functions sets
# tests_unit_test_X_LDADD = $(core_internal).
EXTRA_DIST += tests/unit/check.h tests/unit/git-help.h tests/unit/pprof-bytes.h tests/unit/store-help.h tests/unit/trace-help.h
EXTRA_DIST += tests/data/json-cases.jsonl tests/json/cases.py

# Those that take longest first: the last one should not run alone.
unit_tests += tests/unit/test-kill
unit_tests += tests/unit/test-profile-random
unit_tests += tests/unit/test-verdict

unit_tests += tests/unit/test-add
unit_tests += tests/unit/test-beneath
unit_tests += tests/unit/test-callgraph
unit_tests += tests/unit/test-callgraph-random
unit_tests += tests/unit/test-changepoint
unit_tests += tests/unit/test-charts
unit_tests += tests/unit/test-check
unit_tests += tests/unit/test-checks-common
unit_tests += tests/unit/test-collect
unit_tests += tests/unit/test-config
unit_tests += tests/unit/test-context
unit_tests += tests/unit/test-flip
unit_tests += tests/unit/test-format-perun
unit_tests += tests/unit/test-hash
unit_tests += tests/unit/test-json
unit_tests += tests/unit/test-json-number
unit_tests += tests/unit/test-json-text
unit_tests += tests/unit/test-layout
unit_tests += tests/unit/test-history
tests_unit_test_history_LDADD = $(core_internal)
unit_tests += tests/unit/test-kernel-sums
tests_unit_test_kernel_sums_SOURCES = tests/unit/test-kernel-sums.c postprocessors/kernel-regression/gauss.c
unit_tests += tests/unit/test-lookup
tests_unit_test_lookup_LDADD = $(core_internal)
unit_tests += tests/unit/test-model
unit_tests += tests/unit/test-model-predict
unit_tests += tests/unit/test-merge
unit_tests += tests/unit/test-options
unit_tests += tests/unit/test-perf-script
unit_tests += tests/unit/test-plugins
unit_tests += tests/unit/test-pprof
unit_tests += tests/unit/test-pprof-legacy
unit_tests += tests/unit/test-pprof-random
unit_tests += tests/unit/test-postprocess
unit_tests += tests/unit/test-pprof-shorten
tests_unit_test_pprof_shorten_SOURCES = tests/unit/test-pprof-shorten.c commands/pprof/shorten.c
unit_tests += tests/unit/test-profile
unit_tests += tests/unit/test-profile-narrow
unit_tests += tests/unit/test-query
unit_tests += tests/unit/test-query-format
unit_tests += tests/unit/test-regex
unit_tests += tests/unit/test-regression
unit_tests += tests/unit/test-registry
unit_tests += tests/unit/test-sha
unit_tests += tests/unit/test-save-memory
unit_tests += tests/unit/test-statistics
unit_tests += tests/unit/test-store
unit_tests += tests/unit/test-resources
unit_tests += tests/unit/test-streams
unit_tests += tests/unit/test-together
unit_tests += tests/unit/test-vcs
unit_tests += tests/unit/test-views
unit_tests += tests/unit/test-trace
tests_unit_test_trace_SOURCES = tests/unit/test-trace.c \
	collectors/trace/calls.c collectors/trace/decode.c collectors/trace/pairing.c
unit_tests += tests/unit/test-views-common
unit_tests += tests/unit/test-words

tests_unit_test_checks_common_LDADD = checks/common/libchecks.la $(LDADD)
tests_unit_test_add_LDADD = $(core_internal)
tests_unit_test_config_LDADD = $(core_internal)
tests_unit_test_streams_LDADD = $(LDADD) $(ZLIB_LIBS)
tests_unit_test_hash_LDADD = $(core_internal)
tests_unit_test_sha_LDADD = $(core_internal)
tests_unit_test_flip_LDADD = $(core_internal)
tests_unit_test_kill_LDADD = $(core_internal)
tests_unit_test_registry_LDADD = $(core_internal)
tests_unit_test_store_LDADD = $(core_internal)
tests_unit_test_together_LDADD = $(core_internal)
tests_unit_test_vcs_LDADD = $(core_internal)
tests_unit_test_charts_LDADD = views/common/libcharts.la views/common/libviews.la $(LDADD)
tests_unit_test_views_common_LDADD = views/common/libviews.la $(LDADD)
tests_unit_test_words_LDADD = $(core_internal)

tests_unit_test_json_text_SOURCES = \
	tests/unit/test-json-text.c \
	views/raw/json-text.c
tests_unit_test_layout_SOURCES = \
	tests/unit/test-layout.c \
	views/tableof/layout.c \
	views/tableof/markup.c \
	views/tableof/page.c \
	views/tableof/table.c
tests_unit_test_layout_LDADD = views/common/libviews.la $(LDADD)

# Who may include whom, and what libperun.so exports.
cli_tests += tests/unit/dependencies.sh
