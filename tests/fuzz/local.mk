# Damaged input for the readers. A target is tests/fuzz/X.c with LLVMFuzzerTestOneInput(), inputs in
# tests/fuzz/corpus/X and its lines here. driver.c runs it: briefly and always the same in `make check`, in
# `make fuzz` for FUZZ_SECONDS each with other changes every time.
fuzz_targets =
fuzz_targets += tests/fuzz/fuzz-afperf
fuzz_targets += tests/fuzz/fuzz-callgrind
fuzz_targets += tests/fuzz/fuzz-collapsed
fuzz_targets += tests/fuzz/fuzz-changes
if PLUGIN_FORMAT_CUBE
fuzz_targets += tests/fuzz/fuzz-cube
endif
if PLUGIN_FORMAT_EXTRAP_EXPERIMENT
fuzz_targets += tests/fuzz/fuzz-extrap-experiment
endif
fuzz_targets += tests/fuzz/fuzz-extrap3
fuzz_targets += tests/fuzz/fuzz-extrap-json
fuzz_targets += tests/fuzz/fuzz-extrap-jsonl
fuzz_targets += tests/fuzz/fuzz-extrap-text
fuzz_targets += tests/fuzz/fuzz-talpas
fuzz_targets += tests/fuzz/fuzz-google-benchmark
if PLUGIN_FORMAT_CATCH2
fuzz_targets += tests/fuzz/fuzz-catch2
endif
fuzz_targets += tests/fuzz/fuzz-criterion
if PLUGIN_FORMAT_JUNIT
fuzz_targets += tests/fuzz/fuzz-junit
endif
fuzz_targets += tests/fuzz/fuzz-pytest-benchmark
fuzz_targets += tests/fuzz/fuzz-go-bench
fuzz_targets += tests/fuzz/fuzz-hyperfine
fuzz_targets += tests/fuzz/fuzz-gzip
fuzz_targets += tests/fuzz/fuzz-index
fuzz_targets += tests/fuzz/fuzz-json
if PLUGIN_FORMAT_NSIGHT
fuzz_targets += tests/fuzz/fuzz-nsight
endif
fuzz_targets += tests/fuzz/fuzz-object
fuzz_targets += tests/fuzz/fuzz-options
fuzz_targets += tests/fuzz/fuzz-perf-script
fuzz_targets += tests/fuzz/fuzz-perun
fuzz_targets += tests/fuzz/fuzz-plugin-text
fuzz_targets += tests/fuzz/fuzz-pprof
fuzz_targets += tests/fuzz/fuzz-pprof-legacy
fuzz_targets += tests/fuzz/fuzz-speedscope
fuzz_targets += tests/fuzz/fuzz-sums
if PLUGIN_COLLECT_CPU
fuzz_targets += tests/fuzz/fuzz-cpu-samples tests/fuzz/fuzz-generated
endif
if PLUGIN_COLLECT_MEMORY
fuzz_targets += tests/fuzz/fuzz-memory-ring
endif
if PLUGIN_COLLECT_TRACE
fuzz_targets += tests/fuzz/fuzz-trace-calls
endif
fuzz_targets += tests/fuzz/fuzz-where
fuzz_targets += tests/fuzz/fuzz-yaml
tests_fuzz_fuzz_afperf_SOURCES = tests/fuzz/afperf.c tests/fuzz/driver.c
tests_fuzz_fuzz_generated_SOURCES = tests/fuzz/generated.c tests/fuzz/driver.c
tests_fuzz_fuzz_generated_LDADD = $(collector_libs) $(LDADD)
tests_fuzz_fuzz_cpu_samples_SOURCES = tests/fuzz/cpu-samples.c tests/fuzz/driver.c collectors/cpu/samples.c
tests_fuzz_fuzz_cpu_samples_CFLAGS = $(AM_CFLAGS) $(COLLECT_CPU_CFLAGS)
tests_fuzz_fuzz_cpu_samples_LDADD = $(collector_libs) $(LDADD)
tests_fuzz_fuzz_memory_ring_SOURCES = tests/fuzz/memory-ring.c tests/fuzz/driver.c collectors/memory/drain.c \
	collectors/memory/heap.c
tests_fuzz_fuzz_memory_ring_CFLAGS = $(AM_CFLAGS) $(COLLECT_MEMORY_CFLAGS)
tests_fuzz_fuzz_memory_ring_LDADD = $(collector_libs) $(LDADD)
tests_fuzz_fuzz_trace_calls_SOURCES = tests/fuzz/trace-calls.c tests/fuzz/driver.c collectors/trace/calls.c
tests_fuzz_fuzz_trace_calls_CFLAGS = $(AM_CFLAGS) $(COLLECT_TRACE_CFLAGS)
tests_fuzz_fuzz_trace_calls_LDADD = $(collector_libs) $(LDADD)
tests_fuzz_fuzz_callgrind_SOURCES = tests/fuzz/callgrind.c tests/fuzz/driver.c
tests_fuzz_fuzz_collapsed_SOURCES = tests/fuzz/collapsed.c tests/fuzz/driver.c
tests_fuzz_fuzz_changes_SOURCES = tests/fuzz/changes.c tests/fuzz/driver.c
tests_fuzz_fuzz_cube_SOURCES = tests/fuzz/cube.c tests/fuzz/driver.c
tests_fuzz_fuzz_extrap_experiment_SOURCES = tests/fuzz/extrap-experiment.c tests/fuzz/driver.c
tests_fuzz_fuzz_extrap_experiment_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS)
tests_fuzz_fuzz_extrap_experiment_LDADD = $(LDADD) $(ZLIB_LIBS)
tests_fuzz_fuzz_extrap3_SOURCES = tests/fuzz/extrap3.c tests/fuzz/driver.c
tests_fuzz_fuzz_extrap_json_SOURCES = tests/fuzz/extrap-json.c tests/fuzz/driver.c
tests_fuzz_fuzz_extrap_jsonl_SOURCES = tests/fuzz/extrap-jsonl.c tests/fuzz/driver.c
tests_fuzz_fuzz_extrap_text_SOURCES = tests/fuzz/extrap-text.c tests/fuzz/driver.c
tests_fuzz_fuzz_talpas_SOURCES = tests/fuzz/talpas.c tests/fuzz/driver.c
tests_fuzz_fuzz_google_benchmark_SOURCES = tests/fuzz/google-benchmark.c tests/fuzz/driver.c
tests_fuzz_fuzz_catch2_SOURCES = tests/fuzz/catch2.c tests/fuzz/driver.c
tests_fuzz_fuzz_criterion_SOURCES = tests/fuzz/criterion.c tests/fuzz/driver.c
tests_fuzz_fuzz_junit_SOURCES = tests/fuzz/junit.c tests/fuzz/driver.c
tests_fuzz_fuzz_pytest_benchmark_SOURCES = tests/fuzz/pytest-benchmark.c tests/fuzz/driver.c
tests_fuzz_fuzz_go_bench_SOURCES = tests/fuzz/go-bench.c tests/fuzz/driver.c
tests_fuzz_fuzz_hyperfine_SOURCES = tests/fuzz/hyperfine.c tests/fuzz/driver.c
tests_fuzz_fuzz_gzip_SOURCES = tests/fuzz/gzip.c tests/fuzz/driver.c
tests_fuzz_fuzz_index_SOURCES = tests/fuzz/index.c tests/fuzz/driver.c
tests_fuzz_fuzz_json_SOURCES = tests/fuzz/json.c tests/fuzz/driver.c
tests_fuzz_fuzz_nsight_SOURCES = tests/fuzz/nsight.c tests/fuzz/driver.c
tests_fuzz_fuzz_object_SOURCES = tests/fuzz/object.c tests/fuzz/driver.c
tests_fuzz_fuzz_options_SOURCES = tests/fuzz/options.c tests/fuzz/driver.c
tests_fuzz_fuzz_perf_script_SOURCES = tests/fuzz/perf-script.c tests/fuzz/driver.c
tests_fuzz_fuzz_perun_SOURCES = tests/fuzz/perun.c tests/fuzz/driver.c
tests_fuzz_fuzz_plugin_text_SOURCES = tests/fuzz/plugin-text.c tests/fuzz/driver.c
tests_fuzz_fuzz_pprof_SOURCES = tests/fuzz/pprof.c tests/fuzz/driver.c
tests_fuzz_fuzz_pprof_legacy_SOURCES = tests/fuzz/pprof-legacy.c tests/fuzz/driver.c
tests_fuzz_fuzz_speedscope_SOURCES = tests/fuzz/speedscope.c tests/fuzz/driver.c
tests_fuzz_fuzz_sums_SOURCES = tests/fuzz/sums.c tests/fuzz/driver.c
tests_fuzz_fuzz_where_SOURCES = tests/fuzz/where.c tests/fuzz/driver.c
tests_fuzz_fuzz_yaml_SOURCES = tests/fuzz/yaml.c tests/fuzz/driver.c
tests_fuzz_fuzz_changes_LDADD = $(core_internal)
tests_fuzz_fuzz_index_LDADD = $(core_internal)
tests_fuzz_fuzz_object_LDADD = $(core_internal)
tests_fuzz_fuzz_options_LDADD = $(core_internal)
tests_fuzz_fuzz_plugin_text_LDADD = $(core_internal)
tests_fuzz_fuzz_sums_LDADD = $(core_internal)
tests_fuzz_fuzz_yaml_LDADD = $(core_internal)

check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)
EXTRA_DIST += tests/fuzz/benchmark.h tests/fuzz/corpus tests/fuzz/experiment.h tests/fuzz/must.h tests/fuzz/session.h tests/fuzz/store-place.h tests/fuzz/two-points.h

FUZZ_SECONDS = 60
.PHONY: fuzz
fuzz: all $(fuzz_targets)
	@$(AM_TESTS_ENVIRONMENT) \
	FUZZ_ROUNDS=1000000000 FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$${FUZZ_SEED-$$(date +%s)}; \
	export FUZZ_ROUNDS FUZZ_SECONDS FUZZ_SEED; \
	for target in $(fuzz_targets); do \
		echo "$$target, seed $$FUZZ_SEED"; ./$$target || exit 1; \
	done
CLEANFILES += fuzz-*.crash
