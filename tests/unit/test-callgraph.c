/* SPDX-License-Identifier: BSD-3-Clause */
/* The call-graph engine: weights, labels as frames, sandwiches, paths, names of frames. */
#include <perun/lib/callgraph.h>

#include "check.h"
#include "core/callgraph/stacks.h"

static struct perun_ctx *ctx;

/* A profile from lines "leaf;caller;root"; DOUBLE values when `real`. */
static struct perun_profile *make(const char *const *stacks, const double *values, size_t count,
				  enum perun_type type)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {.name = "stack", .type = PERUN_TYPE_STACK};
	struct perun_column_builder *stack = perun_table_add_column(table, &info), *value, *labels;
	struct perun_profile *profile = NULL;

	info = (struct perun_column_info){.name = "labels", .type = PERUN_TYPE_LABELS};
	labels = perun_table_add_column(table, &info);
	info = (struct perun_column_info){.name = "v", .type = type};
	value = perun_table_add_column(table, &info);
	for (size_t i = 0; i < count; i++) {
		char *text = perun_strdup(stacks[i]), *save = NULL;
		const char *names[16];
		size_t frames = 0;
		struct perun_label label[2] = {{.key = perun_builder_text(builder, "bytes"),
						.text = PERUN_NO_ID,
						.number = 16,
						.unit = perun_builder_text(builder, "kb")},
					       {.key = perun_builder_text(builder, "who"),
						.text = perun_builder_text(builder, "me")}};

		for (char *p = strtok_r(text, ";", &save); p; p = strtok_r(NULL, ";", &save))
			names[frames++] = p;
		perun_column_set_id(stack, PERUN_TYPE_STACK,
				    perun_builder_stack_of_names(builder, names, frames));
		if (i % 2)
			perun_column_set_id(labels, PERUN_TYPE_LABELS,
					    perun_builder_labels(builder, label, 2));
		if (type == PERUN_TYPE_DOUBLE)
			perun_column_set_double(value, values[i]);
		else
			perun_column_set_int64(value, (int64_t)values[i]);
		perun_table_end_row(table);
		perun_free(text);
	}
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), 0);
	return profile;
}

static struct perun_stacks *weigh(struct perun_profile *profile, const uint64_t *rows)
{
	struct perun_weight weight = {perun_table_column(perun_resources(profile), "v"), rows};
	struct perun_stacks *stacks = NULL;

	CHECK_INT(perun_stacks_new(ctx, profile, &stacks), 0);
	CHECK_INT(perun_stacks_weigh(ctx, stacks, &weight, 1, 0), 0);
	return stacks;
}

static const char *const four[] = {"c;b;a", "b;a", "a;b;a", "x;a"};

TEST(test_fractions)
{
	static const double values[] = {0.5, 0.25, 1.125, 3}, whole[] = {1, 2, 3, 4};
	struct perun_profile *profile = make(four, values, 4, PERUN_TYPE_DOUBLE);
	struct perun_stacks *stacks = weigh(profile, NULL);
	uint64_t rows = 5;

	CHECK_DOUBLE((double)perun_stacks_sum(stacks, 0) * perun_stacks_scale(stacks, 0), 4.875,
		     1e-12);
	perun_stacks_free(stacks);
	stacks = weigh(profile, &rows);
	CHECK_DOUBLE((double)perun_stacks_sum(stacks, 0) * perun_stacks_scale(stacks, 0), 1.625,
		     1e-12);
	perun_stacks_free(stacks);
	perun_profile_unref(profile);
	profile = make(four, whole, 4, PERUN_TYPE_DOUBLE);
	stacks = weigh(profile, NULL);
	CHECK_INT(perun_stacks_sum(stacks, 0), 10);
	CHECK_DOUBLE(perun_stacks_scale(stacks, 0), 1, 0);
	perun_stacks_free(stacks);
	perun_profile_unref(profile);
}

TEST(test_overflow)
{
	static const double large[] = {6e18, -6e18, 1, 1}, endless[] = {1, INFINITY, 0, 0};
	struct perun_profile *profile = make(four, large, 4, PERUN_TYPE_INT64);
	struct perun_weight weight = {perun_table_column(perun_resources(profile), "v"), NULL};
	struct perun_stacks *stacks = NULL;

	CHECK_INT(perun_stacks_new(ctx, profile, &stacks), 0);
	CHECK_INT(perun_stacks_weigh(ctx, stacks, &weight, 1, 0), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "more than 2^63");
	perun_ctx_clear(ctx);
	CHECK_INT(perun_stacks_weigh(ctx, stacks, &weight, 1, PERUN_WEIGH_WRAP), 0);
	CHECK_INT(perun_stacks_sum(stacks, 0), 2);
	perun_stacks_free(stacks);
	perun_profile_unref(profile);
	profile = make(four, endless, 4, PERUN_TYPE_DOUBLE);
	weight.values = perun_table_column(perun_resources(profile), "v");
	CHECK_INT(perun_stacks_new(ctx, profile, &stacks), 0);
	CHECK_INT(perun_stacks_weigh(ctx, stacks, &weight, 1, 0), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "infinite");
	perun_ctx_clear(ctx);
	weight.values = perun_table_column(perun_resources(profile), "stack");
	CHECK_INT(perun_stacks_weigh(ctx, stacks, &weight, 1, 0), PERUN_USAGE);
	perun_ctx_clear(ctx);
	perun_stacks_free(stacks);
	perun_profile_unref(profile);
}

static void check_sandwich(struct perun_stacks *stacks, bool inverted, const char *expected)
{
	struct perun_tree_options options = {
		.struct_size = sizeof options, .inverted = inverted, .function = "b"};
	struct perun_calltree *tree = NULL;
	struct perun_buffer text = {0};
	const struct perun_tree_node *nodes;
	const struct perun_frame *frames;
	size_t count;

	CHECK_INT(perun_calltree_new(ctx, stacks, &options, &tree), 0);
	nodes = perun_calltree_nodes(tree, &count);
	frames = perun_calltree_frames(tree, NULL);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			perun_frame_name(perun_stacks_profile(stacks), &frames[nodes[i].frame],
					 &text);
		perun_buffer_printf(&text, "%d<%u ", (int)perun_calltree_total(tree, 0)[i],
				    nodes[i].parent);
	}
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
	perun_calltree_free(tree);
}

TEST(test_sandwich)
{
	static const double values[] = {1, 2, 4, 8};
	struct perun_profile *profile = make(four, values, 4, PERUN_TYPE_INT64);
	struct perun_stacks *stacks = weigh(profile, NULL);

	check_sandwich(stacks, false, "7<0 b7<0 c1<1 a4<1 ");
	check_sandwich(stacks, true, "7<0 b7<0 a7<1 ");
	perun_stacks_free(stacks);
	perun_profile_unref(profile);
}

/* Paths: each recursion is a node of its own; a node that is left out loses what it had itself. */
TEST(test_paths)
{
	static const double values[] = {1, 2, 4, 8};
	struct perun_profile *profile = make(four, values, 4, PERUN_TYPE_INT64);
	struct perun_stacks *stacks = weigh(profile, NULL);
	struct perun_graph_options options = {.struct_size = sizeof options, .by_path = true};
	struct perun_callgraph *graph = NULL, *kept = NULL;
	const struct perun_edge *edges;
	uint64_t keep = 0x15; /* of a, b, c, a, x */
	uint32_t path[4];
	size_t count;

	CHECK_INT(perun_callgraph_new(ctx, stacks, &options, &graph), 0);
	perun_callgraph_nodes(graph, &count);
	CHECK_INT(count, 5);
	CHECK_INT(perun_callgraph_cumulative(graph, 0)[0], 15);
	CHECK_INT(perun_callgraph_flat(graph, 0)[3], 4);
	CHECK_INT(perun_callgraph_path(graph, 2, path, 4), 3);
	CHECK_INT(path[0], 3);
	CHECK_INT(path[2], 0);
	path[2] = 9;
	CHECK_INT(perun_callgraph_path(graph, 2, path, 2), 3);
	CHECK_INT(path[0], 3);
	CHECK(path[1] != 0);
	CHECK_INT(path[2], 9);
	CHECK_INT(perun_callgraph_path(graph, 2, NULL, 0), 3);
	CHECK_INT(perun_callgraph_keep(ctx, graph, &keep, true, &kept), 0);
	edges = perun_callgraph_edges(kept, &count);
	CHECK_INT(count, 2);
	CHECK(edges[0].residual && !edges[1].residual);
	CHECK_INT(perun_callgraph_flat(kept, 0)[0], 0);
	CHECK_INT(perun_callgraph_path(kept, 2, path, 4), 1);
	perun_callgraph_free(kept);
	CHECK_INT(perun_callgraph_keep(ctx, graph, &keep, false, &kept), 0);
	CHECK_INT(perun_callgraph_flat(kept, 0)[0], 6);
	perun_callgraph_free(kept);
	perun_callgraph_free(graph);
	perun_stacks_free(stacks);
	perun_profile_unref(profile);
}

TEST(test_label_frames)
{
	static const double values[] = {1, 2, 4, 8};
	static const char *const keys[] = {"who", "bytes"};
	struct perun_profile *profile = make(four, values, 4, PERUN_TYPE_INT64), *with = NULL;
	struct perun_buffer text = {0};
	const struct perun_column *stacks;

	CHECK_INT(perun_label_frames(ctx, profile, keys, 2, false, &with), 0);
	stacks = perun_table_column(perun_resources(with), "stack");
	perun_column_print(stacks, 1, &text);
	CHECK_STR(text.data, "me;16 kb;a;b");
	CHECK_INT(perun_table_rows(perun_resources(with)), 4);
	perun_profile_unref(with);
	perun_buffer_clear(&text);
	CHECK_INT(perun_label_frames(ctx, profile, keys, 1, true, &with), 0);
	stacks = perun_table_column(perun_resources(with), "stack");
	perun_column_print(stacks, 1, &text);
	CHECK_STR(text.data, "a;b;me");
	perun_profile_unref(with);
	perun_buffer_free(&text);
	perun_profile_unref(profile);
}

/* A profile of calls: main calls f, f and g call each other. */
static struct perun_profile *make_calls(void)
{
	static const char *const names[] = {"main", "f", "g"};
	static const int own[] = {5, 10, 85};
	static const int calls[][3] = {{0, 1, 95}, {1, 2, 85}, {2, 1, 40}, {1, 1, 3}};
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {.name = "stack", .type = PERUN_TYPE_STACK};
	struct perun_column_builder *columns[3];
	struct perun_profile *profile = NULL;
	perun_id stacks[3];

	columns[0] = perun_table_add_column(table, &info);
	info = (struct perun_column_info){.name = "v", .type = PERUN_TYPE_INT64};
	columns[2] = perun_table_add_column(table, &info);
	for (int i = 0; i < 3; i++) {
		stacks[i] = perun_builder_stack_of_names(builder, &names[i], 1);
		perun_column_set_id(columns[0], PERUN_TYPE_STACK, stacks[i]);
		perun_column_set_int64(columns[2], own[i]);
		perun_table_end_row(table);
	}
	table = perun_builder_table(builder, "calls");
	columns[2] = perun_table_add_column(table, &info);
	info = (struct perun_column_info){.name = "caller", .type = PERUN_TYPE_STACK};
	columns[0] = perun_table_add_column(table, &info);
	info.name = "callee";
	columns[1] = perun_table_add_column(table, &info);
	for (int i = 0; i < 4; i++) {
		perun_column_set_id(columns[0], PERUN_TYPE_STACK, stacks[calls[i][0]]);
		perun_column_set_id(columns[1], PERUN_TYPE_STACK, stacks[calls[i][1]]);
		perun_column_set_int64(columns[2], calls[i][2]);
		perun_table_end_row(table);
	}
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), 0);
	return profile;
}

TEST(test_calls)
{
	struct perun_profile *profile = make_calls();
	struct perun_stacks *stacks = weigh(profile, NULL);
	struct perun_graph_options options = {.struct_size = sizeof options};
	struct perun_callgraph *graph = NULL, *kept = NULL;
	uint64_t keep = 3;
	size_t count;

	CHECK_INT(perun_callgraph_new(ctx, stacks, &options, &graph), 0);
	perun_callgraph_nodes(graph, &count);
	CHECK_INT(count, 3);
	perun_callgraph_edges(graph, &count);
	CHECK_INT(count, 3);
	CHECK_INT(perun_callgraph_cumulative(graph, 0)[0], 100);
	CHECK_INT(perun_callgraph_cumulative(graph, 0)[1], 95);
	CHECK_INT(perun_callgraph_cumulative(graph, 0)[2], 95); /* not 85 + 40 */
	CHECK_INT(perun_callgraph_flat(graph, 0)[2], 85);
	CHECK_INT(perun_callgraph_keep(ctx, graph, &keep, true, &kept), 0);
	perun_callgraph_edges(kept, &count);
	CHECK_INT(count, 1);
	CHECK_INT(perun_callgraph_cumulative(kept, 0)[1], 95);
	perun_callgraph_free(kept);
	perun_callgraph_free(graph);
	perun_stacks_free(stacks);
	perun_profile_unref(profile);
}

/* Many distinct stacks of few functions, with recursion and inlined lines. */
static struct perun_profile *make_many(size_t rows)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {.name = "stack", .type = PERUN_TYPE_STACK};
	struct perun_column_builder *stack = perun_table_add_column(table, &info), *value;
	struct perun_profile *profile = NULL;
	perun_id locations[200], path[8];
	uint64_t state = 3;

	info = (struct perun_column_info){.name = "v", .type = PERUN_TYPE_INT64};
	value = perun_table_add_column(table, &info);
	for (int i = 0; i < 200; i++) {
		struct perun_line lines[3] = {{0}, {0}, {0}};
		struct perun_location location = {.mapping = PERUN_NO_ID,
						  .source_id = (uint64_t)i + 1,
						  .line_count = 1 + i % 2 + (i % 10 == 9),
						  .lines = lines};

		for (int k = 0; k < 3; k++) {
			/* Names of lines that are always, sometimes and never inlined. */
			bool inner = k == 0 && (i % 2 ? i % 3 != 0 : i % 8 == 0);
			char *name = perun_format("%c%d", inner ? 'g' : 'f',
						  inner ? i % 41 : (i * 7 + k * 13) % 90);
			struct perun_function function = {
				.name = perun_builder_text(builder, name)};

			lines[k].function = perun_builder_function(builder, &function);
			perun_free(name);
		}
		locations[i] = perun_builder_location(builder, &location);
	}
	for (size_t row = 0; row < rows; row++) {
		for (int k = 0; k < 8; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			path[k] = locations[(state >> 33) % 200];
		}
		perun_column_set_id(stack, PERUN_TYPE_STACK, perun_builder_stack(builder, path, 8));
		perun_column_set_int64(value, (int64_t)(row % 11) - 3);
		perun_table_end_row(table);
	}
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), 0);
	return profile;
}

static void compare_graphs(const struct perun_callgraph *a, const struct perun_callgraph *b)
{
	size_t count, other;
	const struct perun_frame *nodes = perun_callgraph_nodes(a, &count);
	const struct perun_edge *edges;

	CHECK(memcmp(nodes, perun_callgraph_nodes(b, &other), count * sizeof *nodes) == 0);
	REQUIRE(count == other);
	CHECK(memcmp(perun_callgraph_flat(a, 0), perun_callgraph_flat(b, 0), count * 8) == 0);
	CHECK(memcmp(perun_callgraph_cumulative(a, 0), perun_callgraph_cumulative(b, 0),
		     count * 8) == 0);
	edges = perun_callgraph_edges(a, &count);
	perun_callgraph_edges(b, &other);
	REQUIRE(count == other);
	for (size_t i = 0; i < count; i++) {
		const struct perun_edge *edge = &perun_callgraph_edges(b, NULL)[i];

		CHECK(edges[i].caller == edge->caller && edges[i].callee == edge->callee);
		CHECK(edges[i].residual == edge->residual && edges[i].inlined == edge->inlined);
	}
	CHECK(memcmp(perun_callgraph_edge_values(a, 0), perun_callgraph_edge_values(b, 0),
		     count * 8) == 0);
}

/*
 * However many threads there are, and whether paths are shared or counted stack by stack, the graph is the same, down to the order
 * of its edges; without these all else is. A part of a graph takes the paths of the whole.
 */
TEST(test_threads)
{
	struct perun_profile *profile = make_many(100000);
	struct perun_stacks *stacks = weigh(profile, NULL);
	struct perun_graph_options options = {.struct_size = sizeof options};
	struct perun_callgraph *graphs[4] = {NULL}, *kept[4] = {NULL};
	uint64_t keep[2] = {0xfffff0ffff7fffff, 0x3ffffff};
	size_t edges, nodes;

	for (int i = 0; i < 4; i++) {
		setenv("PERUN_THREADS", i % 3 ? "3" : "1", 1);
		options.no_edges = i == 2;
		perun_stacks_forget_paths(stacks);
		stacks->common = i > 0 ? PERUN_COMMON_MUCH : PERUN_COMMON_UNKNOWN;
		CHECK_INT(perun_callgraph_new(ctx, stacks, &options, &graphs[i]), 0);
		CHECK_INT(perun_callgraph_keep(ctx, graphs[i], keep, false, &kept[i]), 0);
		CHECK(i > 0 || stacks->common == PERUN_COMMON_LITTLE);
	}
	unsetenv("PERUN_THREADS");
	CHECK(stacks->common == PERUN_COMMON_MUCH && stacks->paths != NULL);
	perun_callgraph_edges(graphs[0], &edges);
	CHECK(edges > 1000);
	compare_graphs(graphs[0], graphs[1]);
	compare_graphs(graphs[0], graphs[3]);
	perun_callgraph_edges(graphs[2], &edges);
	CHECK(edges == 0);
	perun_callgraph_nodes(graphs[0], &nodes);
	CHECK(memcmp(perun_callgraph_flat(graphs[0], 0), perun_callgraph_flat(graphs[2], 0),
		     nodes * 8) == 0);
	CHECK(memcmp(perun_callgraph_cumulative(graphs[0], 0),
		     perun_callgraph_cumulative(graphs[2], 0), nodes * 8) == 0);
	compare_graphs(kept[0], kept[1]);
	compare_graphs(kept[0], kept[2]);
	compare_graphs(kept[0], kept[3]);
	for (int i = 0; i < 4; i++) {
		perun_callgraph_free(kept[i]);
		perun_callgraph_free(graphs[i]);
	}
	perun_stacks_free(stacks);
	perun_profile_unref(profile);
}

/* What all edges say is inlined, of the nodes in `keep`. */
static void inlining_by_edges(const struct perun_callgraph *graph, const uint64_t *keep,
			      int64_t least, uint8_t *how)
{
	struct perun_callgraph *kept = NULL;
	const struct perun_edge *edges;
	uint32_t node = 0;
	size_t count, edge_count;

	CHECK_INT(perun_callgraph_keep(ctx, graph, keep, true, &kept), 0);
	edges = perun_callgraph_edges(kept, NULL);
	perun_callgraph_nodes(graph, &count);
	for (size_t i = 0; i < count; i++) {
		const uint32_t *callers;
		bool inlined = false, called = false;

		how[i] = PERUN_NOT_INLINED;
		if (!perun_bit(keep, i))
			continue;
		callers = perun_callgraph_callers(kept, node++, &edge_count);
		for (size_t k = 0; k < edge_count; k++) {
			if (llabs(perun_callgraph_edge_values(kept, 0)[callers[k]]) < least)
				continue;
			inlined |= edges[callers[k]].inlined;
			called |= !edges[callers[k]].inlined;
		}
		if (inlined)
			how[i] = called ? PERUN_PARTLY_INLINED : PERUN_INLINED;
	}
	perun_callgraph_free(kept);
}

/* The same as all edges say, wherever edges begin to count. */
TEST(test_inlining)
{
	struct perun_graph_options options = {.struct_size = sizeof options, .no_edges = true};
	static const int64_t least[] = {0, 1, 20, 300, 1000, 3000, 100000};
	size_t seen[3] = {0};
	uint64_t keep[4];

	for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
		struct perun_profile *profile = make_many(3000);
		struct perun_stacks *stacks = weigh(profile, NULL);
		struct perun_callgraph *graph = NULL;
		uint8_t expected[256], how[256];
		size_t count;

		memset(keep, i < 1 ? 0xff : 0xdf - (int)i, sizeof keep);
		CHECK_INT(perun_callgraph_new(ctx, stacks, &options, &graph), 0);
		perun_callgraph_nodes(graph, &count);
		REQUIRE(count < sizeof how);
		inlining_by_edges(graph, keep, least[i], expected);
		CHECK_INT(perun_callgraph_inlining(ctx, graph, keep, least[i], how), 0);
		for (size_t k = 0; k < count; k++) {
			CHECK_INT(how[k], expected[k]);
			seen[how[k]]++;
		}
		perun_callgraph_free(graph);
		perun_stacks_free(stacks);
		perun_profile_unref(profile);
	}
	CHECK(seen[0] > 20 && seen[1] > 20 && seen[2] > 20);
}

static void check_name(const struct perun_profile *profile, struct perun_frame frame,
		       const char *expected)
{
	struct perun_buffer text = {0};

	perun_frame_name(profile, &frame, &text);
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
}

TEST(test_names)
{
	static const double values[] = {1};
	static const char *const one[] = {"main;/src/a.c"};
	struct perun_profile *profile = make(one, values, 1, PERUN_TYPE_INT64);
	perun_id name = perun_profile_find_string(profile, "main", 4);
	perun_id file = perun_profile_find_string(profile, "/src/a.c", 8);

	check_name(profile, (struct perun_frame){.name = name}, "main");
	check_name(profile, (struct perun_frame){.name = name, .file = file, .line = 3},
		   "main /src/a.c:3");
	check_name(profile, (struct perun_frame){.file = file}, "/src/a.c");
	check_name(profile, (struct perun_frame){.file = file, .folder = true}, "/src");
	check_name(profile, (struct perun_frame){.object = file}, "[a.c]");
	check_name(profile, (struct perun_frame){.address = 255}, "0xff");
	check_name(profile, (struct perun_frame){.address = 255, .object = file}, "0xff [a.c]");
	check_name(profile, (struct perun_frame){0}, "<unknown>");
	perun_profile_unref(profile);
}

TEST(test_no_stacks)
{
	struct perun_profile *profile = NULL;
	struct perun_stacks *stacks = NULL;

	CHECK_INT(perun_builder_finish(ctx, perun_builder_new(), &profile), 0);
	CHECK_INT(perun_stacks_new(ctx, profile, &stacks), PERUN_INPUT);
	CHECK(stacks == NULL);
	perun_ctx_clear(ctx);
	perun_stacks_free(stacks);
	perun_profile_unref(profile);
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
