/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format pprof. What is read can be written and read again, and merged with itself. */
#include <inttypes.h>

#include "perun/lib/callgraph.h"
#include "perun/format.h"
#include "perun/lib/merge.h"
#include "tests/fuzz/fuzz.h"

static struct perun_profile *read_bytes(struct perun_ctx *ctx, const void *data, size_t size)
{
	static const char *const options[] = {"limit=32M", "paths=yes", NULL};

	return fuzz_read_with(ctx, "pprof", options, data, size);
}

static void write_bytes(struct perun_ctx *ctx, const struct perun_profile *profile, bool paths,
			struct perun_buffer *out)
{
	const char *const options[] = {"plain=yes", paths ? "paths=yes" : NULL, NULL};

	fuzz_write_with(ctx, "pprof", options, profile, out);
}

/*
 * The canonical form of the canonical form is itself, also by paths; the first may hold labels without a value (an
 * empty string that was not string 0), which the next reader does not see.
 */
static void check_written(struct perun_ctx *ctx, const struct perun_profile *profile)
{
	struct perun_buffer bytes[3] = {{0}}, paths = {0};
	struct perun_profile *again = NULL;

	write_bytes(ctx, profile, false, &bytes[0]);
	for (int i = 1; i < 3; i++) {
		perun_profile_unref(again);
		again = read_bytes(ctx, bytes[i - 1].data, bytes[i - 1].length);
		MUST(again != NULL);
		MUST(perun_table_rows(perun_resources(again)) ==
		     perun_table_rows(perun_resources(profile)));
		write_bytes(ctx, again, false, &bytes[i]);
	}
	write_bytes(ctx, profile, true, &paths);
	perun_profile_unref(again);
	again = read_bytes(ctx, paths.data, paths.length);
	MUST(again != NULL);
	perun_buffer_clear(&bytes[2]);
	write_bytes(ctx, again, false, &bytes[2]);
	MUST(bytes[1].length == bytes[2].length &&
	     memcmp(bytes[1].data, bytes[2].data, bytes[1].length) == 0);
	MUST(bytes[1].length == bytes[2].length &&
	     memcmp(bytes[1].data, bytes[2].data, bytes[1].length) == 0);
	perun_profile_unref(again);
	perun_buffer_free(&paths);
	for (int i = 0; i < 3; i++)
		perun_buffer_free(&bytes[i]);
}

static void check_merged(struct perun_ctx *ctx, const struct perun_profile *profile, unsigned flags)
{
	struct perun_merge_input inputs[2] = {{.struct_size = sizeof *inputs, .profile = profile},
					      {.struct_size = sizeof *inputs, .profile = profile}};
	struct perun_profile *merged;
	int status = perun_merge(ctx, inputs, 2, flags, &merged);

	MUST(status == PERUN_OK || status == PERUN_INPUT);
	MUST((status == PERUN_OK) == (merged != NULL));
	if (merged)
		check_written(ctx, merged);
	perun_profile_unref(merged);
	perun_ctx_clear(ctx);
}

/* The functions of a difference with their sums, as text; empty when there is none. */
static void describe_difference(struct perun_ctx *ctx, const struct perun_merge_input *inputs,
				unsigned flags, struct perun_buffer *text)
{
	struct perun_graph_options options = {.struct_size = sizeof options, .no_edges = true};
	struct perun_weight weight = {0};
	struct perun_profile *merged = NULL;
	struct perun_stacks *stacks = NULL;
	struct perun_callgraph *graph = NULL;
	size_t count = 0, metrics;

	if (perun_merge(ctx, inputs, 2, flags, &merged) == PERUN_OK &&
	    perun_stacks_new(ctx, merged, &stacks) == PERUN_OK) {
		weight.values = perun_metrics(merged, &metrics)[0]->values;
		MUST(perun_stacks_weigh(ctx, stacks, &weight, 1, PERUN_WEIGH_WRAP) == PERUN_OK);
		MUST(perun_callgraph_new(ctx, stacks, &options, &graph) == PERUN_OK);
		perun_buffer_printf(text, "%" PRId64 "\n", perun_stacks_absolute_sum(stacks, 0));
		perun_callgraph_nodes(graph, &count);
	}
	for (size_t i = 0; i < count; i++) {
		perun_frame_name(merged, &perun_callgraph_nodes(graph, NULL)[i], text);
		perun_buffer_printf(text, " %" PRId64 " %" PRId64 "\n",
				    perun_callgraph_flat(graph, 0)[i],
				    perun_callgraph_cumulative(graph, 0)[i]);
	}
	perun_callgraph_free(graph);
	perun_stacks_free(stacks);
	perun_profile_unref(merged);
	perun_ctx_clear(ctx);
}

/* Whether a difference of samples that are kept apart shows the same. */
static void check_difference(struct perun_ctx *ctx, const struct perun_profile *profile)
{
	struct perun_merge_input inputs[2] = {{.struct_size = sizeof *inputs, .profile = profile},
					      {.struct_size = sizeof *inputs, .profile = profile}};
	size_t count = perun_merge_totals(profile, NULL, 0);
	double *minus = perun_alloc((count + 1) * sizeof *minus);
	struct perun_buffer texts[2] = {{0}};

	for (size_t i = 0; i < count; i++)
		minus[i] = -1;
	inputs[1].factors = minus;
	inputs[1].label_key = "base";
	inputs[1].label_text = "yes";
	for (unsigned i = 0; i < 2; i++) {
		describe_difference(ctx, inputs,
				    PERUN_MERGE_AS_PPROF | (i ? PERUN_MERGE_NO_DEDUP : 0),
				    &texts[i]);
		perun_buffer_add(&texts[i], "", 1);
	}
	MUST(strcmp(texts[0].data, texts[1].data) == 0);
	perun_buffer_free(&texts[0]);
	perun_buffer_free(&texts[1]);
	perun_free(minus);
}

/* Whatever it is taken for. */
static void check_guessed(struct perun_ctx *ctx, const void *data, size_t size)
{
	struct perun_input *input = perun_input_from_memory("fuzz.pb.gz", data, size);
	struct perun_profile *profile;
	int status = perun_read_profile(ctx, input, NULL, NULL, &profile, NULL);

	MUST((status == PERUN_OK) == (profile != NULL));
	perun_input_close(input);
	perun_profile_unref(profile);
	perun_ctx_clear(ctx);
}

void fuzz_pprof(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = read_bytes(ctx, data, size);

	perun_ctx_clear(ctx);
	check_guessed(ctx, data, size);
	if (profile) {
		check_written(ctx, profile);
		check_merged(ctx, profile, 0);
		check_merged(ctx, profile, PERUN_MERGE_AS_PPROF);
		check_difference(ctx, profile);
	}
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}
