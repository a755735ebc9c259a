/* SPDX-License-Identifier: BSD-3-Clause */
/* Benchmark: the call-graph engine beside a plain pass over all frames of all distinct stacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/clock.h"
#include "perun/lib/callgraph.h"

/*
 * usage: bench/callgraph [SAMPLES [FUNCTIONS [FRAMES]]]
 *
 * A profile of random walks: each function calls up to 8 others, some often; three places in each
 * function (every eighth with an inlined function); stacks of about FRAMES frames (default 20), nearly
 * all distinct. Each step is run three times; the fastest counts.
 */
enum { PLACES = 3, CALLEES = 8, DEEPEST = 64, REPEATS = 3 };

static double peak_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

/* ---- the profile ------------------------------------------------------------------------------ */

static perun_id *make_locations(struct perun_builder *builder, uint32_t functions)
{
	perun_id *locations = perun_alloc((size_t)functions * PLACES * sizeof *locations);
	perun_id *ids = perun_alloc(functions * sizeof *ids);
	char name[64];

	for (uint32_t i = 0; i < functions; i++) {
		struct perun_function function = {.source_id = i + 1};

		snprintf(name, sizeof name, "package%u.function%u", i % 97, i);
		function.name = perun_builder_text(builder, name);
		snprintf(name, sizeof name, "/src/package%u/file%u.c", i % 97, i % 1009);
		function.file = perun_builder_text(builder, name);
		ids[i] = perun_builder_function(builder, &function);
	}
	for (uint32_t i = 0; i < functions * PLACES; i++) {
		struct perun_line lines[2] = {{ids[i / PLACES], i % 500, 0},
					      {ids[i / PLACES], i % 500, 0}};
		struct perun_location location = {.address = 0x400000 + i * 16,
						  .mapping = PERUN_NO_ID,
						  .source_id = i + 1,
						  .line_count = i % 8 ? 1 : 2,
						  .lines = lines};

		if (i % 8 == 0)
			lines[0].function = ids[random_below(functions)];
		locations[i] = perun_builder_location(builder, &location);
	}
	perun_free(ids);
	return locations;
}

static struct perun_profile *make_profile(struct perun_ctx *ctx, size_t samples, uint32_t functions,
					  uint32_t frames)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	struct perun_column_builder *stack = perun_table_add_column(table, &info), *value;
	perun_id *locations = make_locations(builder, functions), path[DEEPEST];
	uint32_t *callees = perun_alloc((size_t)functions * CALLEES * sizeof *callees);
	struct perun_profile *profile = NULL;

	info = (struct perun_column_info){
		.name = "cpu", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};
	value = perun_table_add_column(table, &info);
	for (size_t i = 0; i < (size_t)functions * CALLEES; i++)
		callees[i] = random_below(functions);
	for (size_t i = 0; i < samples; i++) {
		uint32_t depth = frames / 2 + random_below(frames + 1), function = 0;

		if (depth > DEEPEST)
			depth = DEEPEST;
		for (uint32_t k = depth; k-- > 0;) {
			path[k] = locations[function * PLACES + random_below(PLACES)];
			function = callees[function * CALLEES + random_below(CALLEES)];
		}
		perun_column_set_id(stack, PERUN_TYPE_STACK,
				    perun_builder_stack(builder, path, depth));
		perun_column_set_int64(value, 1 + random_below(1000));
		perun_table_end_row(table);
	}
	perun_free(callees);
	perun_free(locations);
	if (perun_builder_finish(ctx, builder, &profile))
		fprintf(stderr, "%s\n", perun_ctx_error(ctx));
	return profile;
}

/* ---- what is measured ------------------------------------------------------------------------- */

struct bench {
	struct perun_ctx *ctx;
	struct perun_profile *profile;
	struct perun_stacks *stacks;
	uint64_t sink;
	double baseline;
};

static void plain_pass(struct bench *b)
{
	size_t stacks = perun_profile_stacks(b->profile), count;

	for (size_t i = 0; i < stacks; i++) {
		const perun_id *locations = perun_profile_stack(b->profile, (perun_id)i, &count);

		for (size_t k = 0; k < count; k++)
			b->sink += locations[k];
	}
}

static void weigh(struct bench *b)
{
	struct perun_weight weight = {
		.values = perun_table_column(perun_resources(b->profile), "cpu")};

	perun_stacks_free(b->stacks);
	if (perun_stacks_new(b->ctx, b->profile, &b->stacks) ||
	    perun_stacks_weigh(b->ctx, b->stacks, &weight, 1, 0))
		fprintf(stderr, "%s\n", perun_ctx_error(b->ctx));
}

static void graph(struct bench *b, bool edges, enum perun_granularity by)
{
	struct perun_graph_options options = {
		.struct_size = sizeof options, .granularity = by, .no_edges = !edges};
	struct perun_callgraph *graph;
	size_t count;

	if (perun_callgraph_new(b->ctx, b->stacks, &options, &graph))
		return;
	perun_callgraph_edges(graph, &count);
	b->sink += count;
	perun_callgraph_free(graph);
}

static void flat(struct bench *b)
{
	graph(b, false, PERUN_BY_FUNCTION);
}

static void edges(struct bench *b)
{
	graph(b, true, PERUN_BY_FUNCTION);
}

/* What "top" needs: values, a cut, and what is inlined. */
static void inlined(struct bench *b)
{
	struct perun_graph_options options = {.struct_size = sizeof options, .no_edges = true};
	struct perun_callgraph *graph;
	uint64_t *keep;
	uint8_t *how;
	size_t count;

	if (perun_callgraph_new(b->ctx, b->stacks, &options, &graph))
		return;
	perun_callgraph_nodes(graph, &count);
	keep = perun_alloc((count / 64 + 1) * sizeof *keep);
	memset(keep, 0x7f, (count / 64 + 1) * sizeof *keep);
	how = perun_alloc(count + 1);
	perun_callgraph_inlining(b->ctx, graph, keep, 0, how);
	perun_free(how);
	perun_callgraph_free(graph);
	perun_free(keep);
}

static void lines(struct bench *b)
{
	graph(b, true, PERUN_BY_LINE);
}

static void tree(struct bench *b, bool inverted, double share)
{
	struct perun_tree_options options = {
		.struct_size = sizeof options, .inverted = inverted, .minimum_share = share};
	struct perun_calltree *tree;
	size_t count;

	if (perun_calltree_new(b->ctx, b->stacks, &options, &tree))
		return;
	perun_calltree_nodes(tree, &count);
	b->sink += count;
	perun_calltree_free(tree);
}

static void small_tree(struct bench *b)
{
	tree(b, false, 1.0 / 20000);
}

static void inverted_tree(struct bench *b)
{
	tree(b, true, 1.0 / 20000);
}

static void focus(struct bench *b)
{
	struct perun_name_filter filter = {0};

	weigh(b);
	if (perun_regex_new(b->ctx, "function1?23$", PERUN_REGEX_RE2, &filter.focus))
		return;
	perun_stacks_filter(b->stacks, &filter, NULL);
	perun_regex_free(filter.focus);
	weigh(b);
}

static void run(struct bench *b, const char *name, void (*step)(struct bench *))
{
	double best = 1e9;

	for (int i = 0; i < REPEATS; i++) {
		double start = now(), time;

		step(b);
		time = now() - start;
		best = time < best ? time : best;
	}
	if (b->baseline == 0)
		b->baseline = best;
	printf("%-44s %8.3f s %7.2f times, peak %6.0f MB\n", name, best, best / b->baseline,
	       peak_mb());
}

int main(int argc, char **argv)
{
	size_t samples = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	uint32_t functions = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 20000;
	uint32_t frames = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 20;
	struct bench b = {.ctx = perun_ctx_new(NULL)};

	b.profile = make_profile(b.ctx, samples, functions, frames);
	if (!b.profile)
		return 1;
	printf("%zu samples, %zu stacks, %zu locations, %zu functions, peak %.0f MB\n", samples,
	       perun_profile_stacks(b.profile), perun_profile_locations(b.profile),
	       perun_profile_functions(b.profile), peak_mb());
	run(&b, "baseline: add up all locations of all stacks", plain_pass);
	run(&b, "stacks and weights", weigh);
	run(&b, "graph by function without edges", flat);
	run(&b, "graph by function with edges", edges);
	run(&b, "graph by function, a part, what is inlined", inlined);
	run(&b, "graph by line with edges", lines);
	run(&b, "tree, nodes of 1/20000", small_tree);
	run(&b, "tree from the leaves, nodes of 1/20000", inverted_tree);
	run(&b, "focus, and weights twice", focus);
	perun_stacks_free(b.stacks);
	perun_profile_unref(b.profile);
	perun_ctx_free(b.ctx);
	return b.sink == 0;
}
