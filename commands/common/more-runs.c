/* SPDX-License-Identifier: BSD-3-Clause */
/* How to get more runs from the tool that measured. */
#include <config.h>

#include <stddef.h>

#include <perun/lib/registry.h>

#include "more-runs.h"

/* Where samples of one process count as one run, more of them show nothing new: it takes more processes. */
#define FILES "run it again: all profiles of a version count"

static const struct {
	const char *collector, *words;
} tools[] = {
	{"time", "--repeat 10"},
	{"go-bench", "go test -count 10"},
	{"google-benchmark", "--benchmark_repetitions=10"},
	{"hyperfine", "hyperfine --runs 10"},
	{"pytest-benchmark", FILES "; --benchmark-min-rounds adds rounds to one run only"},
	{"criterion", FILES "; --sample-size adds samples to one run only"},
	{"catch2", "--benchmark-samples 100, or " FILES},
	{"jmh", "-f 10"},
	{"benchmarkdotnet", "--launchCount 10"},
	{"pyperf", "--processes 10"},
	{"asv", "asv run -a processes=10"},
	{"perf-stat", "perf stat -r 10"},
};

const char *commands_more_runs(const char *collector)
{
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
		if (perun_same_name(tools[i].collector, collector))
			return tools[i].words;
	}
	return FILES;
}
