/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that is fuzzed. A reader of a format needs a line here and inputs in tests/fuzz/corpus/NAME; with words
 * of its own also tests/fuzz/dictionaries/NAME.dict. What differs more gets a function in a file of its own.
 */
#include <perun/lib/registry.h>

#include "tests/fuzz/fuzz.h"

const struct fuzz_target fuzz_targets[] = {
	/* formats */
	{"afperf", .format = true, .run = fuzz_afperf},
	{"art-trace", .read = fuzz_read_alone},
	{"asv", .read = fuzz_benchmark},
	{"bencher", .read = fuzz_benchmark},
	{"benchmarkdotnet", .read = fuzz_benchmark},
	{"benchmarkjs", .read = fuzz_benchmark},
	{"bpftrace", .read = fuzz_read},
	{"caliper", .read = fuzz_read},
	{"callgrind", .read = fuzz_round_trip, .argument = "there are no costs"},
	{"cargo-bench", .read = fuzz_benchmark},
	{"catch2", .read = fuzz_benchmark, .dictionary = "xml"},
	{"collapsed", .format = true, .run = fuzz_collapsed, .dictionary = "stacks"},
	{"console", .read = fuzz_benchmark},
	{"criterion", .read = fuzz_benchmark},
	{"cube", .read = fuzz_two_points, .argument = "x.cubex"},
	{"custom-benchmark", .read = fuzz_benchmark},
	{"dhat", .read = fuzz_read},
	{"dtrace", .read = fuzz_read},
	{"extrap-experiment", .format = true, .run = fuzz_extrap_experiment},
	{"extrap-json", .read = fuzz_experiment, .dictionary = "extrap-experiment"},
	{"extrap-jsonl", .read = fuzz_experiment, .dictionary = "extrap-experiment"},
	{"extrap-text", .read = fuzz_experiment},
	{"extrap3", .read = fuzz_experiment, .argument = "extrap-json"},
	{"firefox", .read = fuzz_read},
	{"ghc-prof", .read = fuzz_read},
	{"go-bench", .read = fuzz_benchmark},
	{"google-benchmark", .read = fuzz_benchmark},
	{"gprof", .read = fuzz_read},
	{"gungraun", .read = fuzz_benchmark},
	{"heaptrack", .read = fuzz_read},
	{"hpctoolkit", .read = fuzz_hpctoolkit},
	{"hyperfine", .read = fuzz_benchmark},
	{"instruments", .read = fuzz_read},
	{"jemalloc", .read = fuzz_read},
	{"jmh", .read = fuzz_benchmark},
	{"julia", .read = fuzz_benchmark},
	{"junit", .read = fuzz_benchmark, .dictionary = "xml"},
	{"lines", .read = fuzz_lines},
	{"massif", .read = fuzz_read},
	{"nanobench", .read = fuzz_benchmark},
	{"nsight", .read = fuzz_two_points, .argument = "x.sqlite"},
	{"papyrus", .read = fuzz_read},
	{"perf-data", .read = fuzz_read_alone},
	{"perf-script", .read = fuzz_read},
	{"perf-stat", .read = fuzz_benchmark},
	{"perfetto", .read = fuzz_read},
	{"perun", .format = true, .run = fuzz_perun},
	{"pmcstat", .read = fuzz_read},
	{"pprof", .format = true, .run = fuzz_pprof},
	{"pprof-legacy", .read = fuzz_read, .argument = "numbered"},
	{"pyinstrument", .read = fuzz_read},
	{"pyperf", .read = fuzz_benchmark},
	{"pytest-benchmark", .read = fuzz_benchmark},
	{"safari", .read = fuzz_read},
	{"sample", .read = fuzz_read},
	{"speedscope", .read = fuzz_round_trip},
	{"stackprof", .read = fuzz_read},
	{"table", .read = fuzz_benchmark},
	{"talpas", .read = fuzz_experiment},
	{"tau", .read = fuzz_read},
	{"timemory", .read = fuzz_read},
	{"trace-event", .read = fuzz_read},
	{"v8", .read = fuzz_read},
	{"vitest", .read = fuzz_benchmark},
	{"vsprof", .read = fuzz_read},
	{"vtune", .read = fuzz_read},
	/* parts of the library */
	{"detect", .run = fuzz_detect},
	{"diff", .run = fuzz_diff},
	{"fuzz-rules", .run = fuzz_fuzz_rules},
	{"gzip", .run = fuzz_gzip},
	{"http", .run = fuzz_http},
	{"json", .run = fuzz_json},
	{"options", .run = fuzz_options},
	{"page-policy", .run = fuzz_page_policy},
	{"plugin-text", .run = fuzz_plugin_text},
	{"point-name", .run = fuzz_point_name},
	{"where", .run = fuzz_where},
	{"yaml", .run = fuzz_yaml},
	/* files of a store */
	{"archive", .run = fuzz_archive},
	{"changes", .run = fuzz_changes},
	{"index", .run = fuzz_index},
	{"object", .run = fuzz_object, .dictionary = "perun"},
	{"sums", .run = fuzz_sums},
	/* files of a store and words of command lines, read by commands */
	{"acknowledged", .read = fuzz_command,
	 .argument = ".perun/acknowledged.json: changes list; history time",
	 .dictionary = "documents"},
	{"directions", .read = fuzz_command, .argument = ".perun/directions.json: history time",
	 .dictionary = "documents"},
	{"found", .read = fuzz_command, .argument = ".perun/found.json: history time; check head",
	 .dictionary = "documents"},
	{"git-commit", .read = fuzz_commit, .argument = "log --number 3; status; history time"},
	{"git-exports", .read = fuzz_command,
	 .argument = ".git/perun-exports/0123456789abcdef: recover"},
	{"git-state", .read = fuzz_command, .argument = ".git/perun-state: recover; status"},
	{"history-bencher", .read = fuzz_command, .argument = "b.json: import --history b.json",
	 .dictionary = "documents"},
	{"history-data-js", .read = fuzz_command, .argument = "data.js: import --history data.js",
	 .dictionary = "documents"},
	{"history-table", .read = fuzz_command, .argument = "t.csv: import --history t.csv"},
	{"history-cache", .read = fuzz_command, .argument = ".perun/cache/history-*: history time",
	 .dictionary = "cache"},
	{"local-yml", .read = fuzz_command, .argument = ".perun/local.yml: status; log --short",
	 .dictionary = "yaml"},
	{"model-words", .read = fuzz_command,
	 .argument =
		 ": model points.txt -o %; model points.txt --at %; model points.txt --print %"},
	{"pending-index", .read = fuzz_command, .argument = ".perun/jobs/.index: status",
	 .dictionary = "index"},
	{"revision", .read = fuzz_command, .argument = ": show % raw; log --number 2 %"},
	{"run-outcome", .read = fuzz_command,
	 .argument = ".perun/runs/2*/cells/1/done.json: run list; run --resume " FUZZ_RUN,
	 .dictionary = "run"},
	{"run-plan", .read = fuzz_command,
	 .argument = ".perun/runs/2*/plan.json: run list; run --resume " FUZZ_RUN,
	 .dictionary = "run"},
	{"series", .read = fuzz_command, .argument = "series.txt: check series series.txt"},
	{"site-files", .read = fuzz_command, .argument = "out/.perun-site/files: site out",
	 .dictionary = "cache"},
	{"site-values", .read = fuzz_command, .argument = "out/.perun-site/values-*: site out",
	 .dictionary = "cache"},
/* what measured programs write */
#ifdef FUZZ_COLLECT_CPU
	{"cpu-samples", .run = fuzz_cpu_samples},
	{"generated", .run = fuzz_generated},
#endif
#ifdef FUZZ_COLLECT_MEMORY
	{"memory-ring", .run = fuzz_memory_ring},
#endif
#ifdef FUZZ_COLLECT_TRACE
	{"trace-calls", .run = fuzz_trace_calls},
#endif
	{0},
};

const struct fuzz_target *fuzz_find_target(const char *name)
{
	for (const struct fuzz_target *target = fuzz_targets; target->name; target++)
		if (strcmp(target->name, name) == 0)
			return target;
	return NULL;
}

bool fuzz_runs_commands(const struct fuzz_target *target)
{
	return target->read == fuzz_command || target->read == fuzz_commit;
}

bool fuzz_has(const struct fuzz_target *target)
{
	bool needs = target->format || (target->read && !fuzz_runs_commands(target));

	return !needs || perun_registry_find(NULL, PERUN_KIND_FORMAT, target->name);
}

const char *fuzz_dictionary(const struct fuzz_target *target)
{
	return target->dictionary ? target->dictionary : target->name;
}

int fuzz_list(void)
{
	for (const struct fuzz_target *target = fuzz_targets; target->name; target++)
		if (fuzz_has(target))
			printf("%s %s\n", target->name, fuzz_dictionary(target));
	return 0;
}

/* ---- libFuzzer ------------------------------------------------------------------------------- */

/* The target is what FUZZ_TARGET names; -list lists all. */
static const struct fuzz_target *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");

	if (*argc == 2 && strcmp((*argv)[1], "-list") == 0)
		exit(fuzz_list());
	chosen = fuzz_find_target(name ? name : "");
	if (!chosen) {
		fprintf(stderr, "FUZZ_TARGET does not name a target; -list lists them\n");
		exit(2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_run(chosen, data, size);
	return 0;
}
