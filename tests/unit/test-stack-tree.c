/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of many stacks: it gives the same stacks and graphs as arrays. */
#include "tests/unit/check.h"

#include <pthread.h>

#include "core/callgraph/stacks.h"
#include "core/profile/model.h"
#include "core/profile/stack-tree.h"
#include "perun/profile.h"

/* More than are kept as arrays, and some that begin otherwise. */
enum { STACKS = 270000, MORE = 20000, LOCATIONS = 5000, DEEPEST = 40, NEAR = 4000 };

/* The stacks as they were made: each is another one and a location more, or a part of one; the leaf first. */
struct made {
	perun_id *locations;
	size_t starts[STACKS + MORE + 1], count;
	perun_id ids[STACKS + MORE];
};
static struct made *made;
static struct perun_profile *profile; /* with the first of them */

static uint64_t state = 88172645463325252u;

/* xorshift64: G. Marsaglia, "Xorshift RNGs" (2003). */
static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t length_of(size_t i)
{
	return made->starts[i + 1] - made->starts[i];
}

static void make_stack(void)
{
	size_t i = made->count++, start = made->starts[i],
	       from = i ? i - 1 - next_random() % (i < NEAR ? i : NEAR) : 0;
	size_t length = i ? length_of(from) : 0, skip = 0;
	perun_id *to = made->locations + start;

	if (length > 1 && (length == DEEPEST || next_random() % 32 == 0))
		skip = 1 + next_random() % (length - 1);
	*to++ = (perun_id)(next_random() % LOCATIONS);
	memcpy(to, made->locations + made->starts[from] + skip,
	       (length - skip) * sizeof *made->locations);
	made->starts[i + 1] = start + 1 + length - skip;
}

static void add_locations(struct perun_builder *builder)
{
	for (perun_id i = 0; i < LOCATIONS; i++) {
		struct perun_location location = {.mapping = PERUN_NO_ID, .address = i + 1};

		CHECK_INT(perun_builder_location(builder, &location), i);
	}
}

static void add_stacks(struct perun_builder *builder, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		made->ids[i] = perun_builder_stack(builder, made->locations + made->starts[i],
						   length_of(i));
}

static struct perun_profile *finish(struct perun_builder *builder)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *finished = NULL;

	if (perun_builder_finish(ctx, builder, &finished) != PERUN_OK)
		CHECK_FAIL("finish: %s", perun_ctx_error(ctx));
	perun_ctx_free(ctx);
	return finished;
}

/* How many of the first `count` stacks are not what they were made. */
static size_t differences(const struct perun_profile *of, size_t count)
{
	size_t differ = 0;

	for (size_t i = 0; i < count; i++) {
		size_t length = length_of(i), got;
		const perun_id *stack = perun_profile_stack(of, made->ids[i], &got);

		differ += got != length ||
			  memcmp(stack, made->locations + made->starts[i],
				 length * sizeof *stack) != 0 ||
			  perun_profile_stack_length(of, made->ids[i]) != length ||
			  perun_profile_stack_leaf(of, made->ids[i]) != stack[0];
	}
	return differ;
}

static void *read_all(void *data)
{
	*(size_t *)data = differences(profile, STACKS);
	return NULL;
}

/* Arrays are made when somebody asks first: several threads at once. */
TEST(test_threads)
{
	size_t differ[4];
	pthread_t threads[4];

	CHECK(perun_profile_stack_tree(profile));
	for (size_t i = 0; i < 4; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, read_all, &differ[i]), 0);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		CHECK_INT(differ[i], 0);
	}
}

TEST(test_distinct)
{
	perun_id *seen = calloc(perun_profile_stacks(profile), sizeof *seen);
	size_t wrong = 0;

	for (size_t i = 0; i < STACKS; i++) {
		perun_id *first = &seen[made->ids[i]];

		if (!*first) {
			*first = (perun_id)i + 1;
			continue;
		}
		wrong += length_of(*first - 1) != length_of(i) ||
			 memcmp(made->locations + made->starts[*first - 1],
				made->locations + made->starts[i],
				length_of(i) * sizeof *made->locations) != 0;
	}
	CHECK_INT(wrong, 0);
	free(seen);
}

TEST(test_none)
{
	const perun_id none[] = {(perun_id)perun_profile_stacks(profile), PERUN_NO_ID};

	for (size_t i = 0; i < 2; i++) {
		size_t count = 7;

		CHECK(perun_profile_stack(profile, none[i], &count) == NULL);
		CHECK_INT(count, 0);
		CHECK_INT(perun_profile_stack_length(profile, none[i]), 0);
		CHECK_INT(perun_profile_stack_leaf(profile, none[i]), PERUN_NO_ID);
	}
}

/* Who goes on from a profile finds its stacks, and leaves it as it is. */
TEST(test_more)
{
	size_t count = perun_profile_stacks(profile), length;
	struct perun_builder *builder = perun_builder_from(profile);
	perun_id again[1000], empty;
	struct perun_profile *more;

	for (size_t i = 0; i < 1000; i++)
		again[i] = perun_builder_stack(builder, made->locations + made->starts[i * 260],
					       length_of(i * 260));
	add_stacks(builder, STACKS, STACKS + MORE);
	empty = perun_builder_stack(builder, NULL, 0);
	CHECK_INT(perun_builder_stack(builder, NULL, 0), empty);
	more = finish(builder);
	for (size_t i = 0; i < 1000; i++)
		CHECK_INT(again[i], made->ids[i * 260]);
	CHECK_INT(differences(more, STACKS + MORE), 0);
	CHECK(perun_profile_stack(more, empty, &length) != NULL);
	CHECK_INT(length, 0);
	CHECK_INT(perun_profile_stack_leaf(more, empty), PERUN_NO_ID);
	CHECK_INT(perun_profile_stacks(profile), count);
	CHECK_INT(differences(profile, STACKS), 0);
	perun_profile_unref(more);
}

/* The order of locations turned around. */
static perun_id turn(void *data, perun_id location)
{
	(void)data;
	return LOCATIONS - 1 - location;
}

TEST(test_renumbered)
{
	struct perun_builder *builder = perun_builder_from(profile);
	struct perun_profile *turned;
	size_t wrong = 0;

	perun_builder_renumber_stacks(builder, turn, NULL);
	turned = finish(builder);
	for (size_t i = 0; i < STACKS; i += 7) {
		size_t count;
		const perun_id *stack = perun_profile_stack(turned, made->ids[i], &count);

		wrong += count != length_of(i);
		for (size_t k = 0; k < count; k++)
			wrong += stack[k] != turn(NULL, made->locations[made->starts[i] + k]);
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(differences(profile, STACKS), 0);
	perun_profile_unref(turned);
}

/* An unknown location is reported with the first stack that has it. */
TEST(test_refused)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_builder *builder = perun_builder_from(profile);
	struct perun_profile *none;
	perun_id stack[DEEPEST + 1], id;
	char expected[100];

	memcpy(stack + 1, made->locations + made->starts[5], length_of(5) * sizeof *stack);
	stack[0] = LOCATIONS;
	id = perun_builder_stack(builder, stack, length_of(5) + 1);
	snprintf(expected, sizeof expected,
		 "stack %u names something that the profile does not hold", id);
	CHECK_INT(perun_builder_finish(ctx, builder, &none), PERUN_INPUT);
	CHECK_STR(perun_ctx_error(ctx), expected);
	perun_ctx_free(ctx);
}

/* The stacks of a table of another profile, one by one. */
TEST(test_appended)
{
	const struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	struct perun_builder *builder = perun_builder_from(profile), *other = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_profile *from, *to;
	const struct perun_column *column;
	size_t wrong = 0;

	perun_column_append_ids(perun_table_add_column(table, &info), PERUN_TYPE_STACK, made->ids,
				STACKS);
	perun_table_end_rows(table, STACKS);
	from = finish(builder);
	perun_builder_append_table(other, from, "resources");
	to = finish(other);
	column = perun_table_column(perun_resources(to), "stack");
	for (size_t i = 0; i < STACKS; i++) {
		size_t count;
		const perun_id *stack = perun_profile_stack(to, perun_column_id(column, i), &count);

		wrong += count != length_of(i);
		for (size_t k = 0; k < count; k++)
			wrong += perun_profile_location(to, stack[k])->address !=
				 made->locations[made->starts[i] + k] + 1;
	}
	CHECK_INT(wrong, 0);
	perun_profile_unref(to);
	perun_profile_unref(from);
}

/* The stacks [first, end), as inverted paths. */
static void add_inverted(struct perun_builder *builder, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		perun_id path = PERUN_NO_ID;

		for (size_t k = 0; k < length_of(i); k++)
			path = perun_builder_inverted_path(builder, path,
							   made->locations[made->starts[i] + k]);
		CHECK_INT(perun_builder_path_length(builder, path), length_of(i));
		made->ids[i] = perun_builder_path_stack(builder, path);
	}
}

static struct perun_profile *with_rows(struct perun_builder *builder, size_t count)
{
	const struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	struct perun_table_builder *table = perun_builder_table(builder, "resources");

	perun_column_append_ids(perun_table_add_column(table, &info), PERUN_TYPE_STACK, made->ids,
				count);
	perun_table_end_rows(table, count);
	return finish(builder);
}

/* Rows of what was appended, with the same locations as in `from`. */
static void check_appended(const struct perun_profile *to, const struct perun_profile *from,
			   size_t first, size_t count)
{
	const struct perun_column *stacks = perun_table_column(perun_resources(to), "stack");
	const struct perun_column *were = perun_table_column(perun_resources(from), "stack");
	size_t wrong = 0, length, expected;

	for (size_t i = 0; i < count; i++) {
		const perun_id *stack =
			perun_profile_stack(to, perun_column_id(stacks, first + i), &length);
		const perun_id *was =
			perun_profile_stack(from, perun_column_id(were, i), &expected);

		wrong += length != expected;
		for (size_t k = 0; k < length && length == expected; k++)
			wrong += perun_profile_location(to, stack[k])->address !=
				 perun_profile_location(from, was[k])->address;
	}
	CHECK_INT(wrong, 0);
}

/* Appended to each other and to themselves: stacks that are there twice keep their numbers, whichever way the tree is turned. */
static void append_both(struct perun_profile *one, struct perun_profile *other, size_t count)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *all;

	perun_builder_append_table(builder, one, "resources");
	perun_builder_append_table(builder, other, "resources");
	perun_builder_append_table(builder, one, "resources");
	all = finish(builder);
	for (size_t i = 0; i < 3; i++)
		check_appended(all, i == 1 ? other : one, i * count, count);
	builder = perun_builder_from(all);
	perun_builder_path(builder, PERUN_NO_ID, 0);
	perun_builder_inverted_path(builder, PERUN_NO_ID, 0);
	perun_profile_unref(all);
	all = finish(builder);
	for (size_t i = 0; i < 3; i++)
		check_appended(all, i == 1 ? other : one, i * count, count);
	perun_profile_unref(all);
}

/* A tree from the leaf on: arrays are the same, there are no paths from the root on, and it takes further stacks. */
TEST(test_inverted)
{
	enum { SOME = 3000 };
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *inverted, *arrays, *turned;
	size_t count;

	add_locations(builder);
	add_stacks(builder, 0, SOME / 3);
	add_inverted(builder, 0, SOME * 2 / 3);
	add_stacks(builder, 0, SOME);
	inverted = with_rows(builder, SOME);
	CHECK(!perun_profile_stack_tree(inverted));
	CHECK(!perun_profile_paths(inverted, &count));
	CHECK_INT(count, 0);
	CHECK_INT(perun_profile_stack_path(inverted, 0), PERUN_NO_ID);
	CHECK_INT(differences(inverted, SOME), 0);
	builder = perun_builder_from(inverted);
	perun_builder_path(builder, PERUN_NO_ID, 0);
	add_stacks(builder, 0, SOME);
	turned = finish(builder);
	CHECK(perun_profile_paths(turned, &count) && count);
	CHECK_INT(differences(turned, SOME), 0);
	builder = perun_builder_new();
	add_locations(builder);
	add_stacks(builder, 0, SOME);
	arrays = with_rows(builder, SOME);
	append_both(inverted, arrays, SOME);
	append_both(turned, inverted, SOME);
	append_both(arrays, inverted, SOME);
	perun_profile_unref(turned);
	perun_profile_unref(arrays);
	perun_profile_unref(inverted);
}

/* A pool that was appended to another may hold a stack twice: both keep their numbers when all become a tree, from either end. */
TEST(test_doubles)
{
	enum { SOME = 3000 };
	perun_id *same = malloc(LOCATIONS * sizeof *same);

	for (perun_id i = 0; i < LOCATIONS; i++)
		same[i] = i;
	for (int from_leaf = 0; from_leaf < 2; from_leaf++) {
		struct perun_builder *builder = perun_builder_new();
		struct perun_profile *arrays, *all;
		size_t wrong = 0;

		add_locations(builder);
		add_stacks(builder, 0, SOME);
		arrays = with_rows(builder, SOME);
		builder = perun_builder_from(arrays);
		CHECK(perun_pools_append_stacks(&builder->pools, &arrays->pools, same));
		if (from_leaf)
			perun_builder_inverted_path(builder, PERUN_NO_ID, 0);
		else
			perun_builder_path(builder, PERUN_NO_ID, 0);
		all = finish(builder);
		CHECK_INT(perun_profile_stacks(all), 2 * perun_profile_stacks(arrays));
		for (perun_id i = 0; i < perun_profile_stacks(all); i++) {
			size_t count, expected;
			const perun_id *stack = perun_profile_stack(all, i, &count);
			const perun_id *was = perun_profile_stack(
				arrays, i % (perun_id)perun_profile_stacks(arrays), &expected);

			wrong += count != expected ||
				 (count && memcmp(stack, was, count * sizeof *was) != 0);
		}
		CHECK_INT(wrong, 0);
		perun_profile_unref(arrays);
		perun_profile_unref(all);
	}
	free(same);
}

/* Paths of one kind are none of the other. */
TEST(test_inverted_refused)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *none;
	perun_id path;

	add_locations(builder);
	path = perun_builder_inverted_path(builder, PERUN_NO_ID, 1);
	CHECK_INT(perun_builder_path(builder, path, 2), PERUN_NO_ID);
	CHECK_INT(perun_builder_finish(ctx, builder, &none), PERUN_INPUT);
	CHECK_STR(perun_ctx_error(ctx), "there is no path 0");
	perun_ctx_free(ctx);
}

static perun_id mirrored(void *data, perun_id location)
{
	(void)data;
	return LOCATIONS - 1 - location;
}

/* Some as arrays, with the locations that they get when they are moved. */
static void add_mirrored(struct perun_stack_tree **tree, perun_id *numbers)
{
	for (perun_id i = 0; i < 1000; i++) {
		struct perun_pool_entry entry = {
			.size = (uint32_t)(length_of(i * 7) * sizeof(perun_id))};
		perun_id *stack = malloc(entry.size + 1);

		for (size_t k = 0; k < length_of(i * 7); k++)
			stack[k] = mirrored(NULL, made->locations[made->starts[i * 7] + k]);
		entry.data = stack;
		perun_stack_tree_add(tree, &entry, 1);
		numbers[i] = entry.id;
		free(stack);
	}
}

/* From one tree to another, in another order, some twice, and beside arrays. */
TEST(test_moved)
{
	struct perun_stack_tree *tree = perun_stack_tree_new(NULL, 0, 0, false);
	struct perun_stack_move *move = perun_stack_move_new(perun_profile_stack_tree(profile));
	size_t all = perun_profile_stacks(profile), wrong = 0, count, length;
	perun_id *moved = malloc((all + PERUN_STACKS_AT_ONCE) * sizeof *moved);
	perun_id before[1000], after[1000];

	add_mirrored(&tree, before);
	for (size_t i = 0; i < all; i += count) {
		perun_id stacks[PERUN_STACKS_AT_ONCE];

		count = all - i < PERUN_STACKS_AT_ONCE ? all - i : PERUN_STACKS_AT_ONCE;
		for (size_t k = 0; k < count; k++)
			stacks[k] = (perun_id)(all - 1 - i - k);
		perun_stack_tree_move(&tree, move, stacks, count, mirrored, NULL, moved);
		perun_stack_tree_move(&tree, move, stacks, count, mirrored, NULL, stacks);
		wrong += memcmp(stacks, moved, count * sizeof *stacks) != 0;
	}
	CHECK_INT(wrong, 0);
	add_mirrored(&tree, after);
	CHECK(memcmp(before, after, sizeof before) == 0);
	CHECK_INT(tree->count, all);
	for (size_t i = 0; i < all; i++) {
		perun_id stack = (perun_id)i;

		perun_stack_tree_move(&tree, move, &stack, 1, mirrored, NULL, &moved[i]);
	}
	perun_stack_tree_finish(tree);
	for (size_t i = 0; i < all; i++) {
		const perun_id *from = perun_profile_stack(profile, (perun_id)i, &count);
		const perun_id *to = perun_stack_tree_at(tree, moved[i], &length);

		wrong += count != length;
		for (size_t k = 0; k < count && count == length; k++)
			wrong += to[k] != mirrored(NULL, from[k]);
	}
	CHECK_INT(wrong, 0);
	free(moved);
	perun_stack_move_free(move);
	perun_stack_move_free(NULL);
	perun_stack_tree_unref(tree);
}

static size_t count_wrong(const struct perun_profile *from, struct perun_stack_rows *rows,
			  const struct perun_column *column, size_t row)
{
	size_t count, length;
	const perun_id *stack = perun_profile_stack(from, perun_column_id(column, row), &length);
	const perun_id *got = perun_stack_rows_at(rows, row, &count);

	return count != length || (count && memcmp(got, stack, count * sizeof *got) != 0);
}

/* Rows in their order and in any other, some without a stack; of a tree, and of a few arrays. */
TEST(test_rows)
{
	const struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};

	for (int arrays = 0; arrays < 2; arrays++) {
		struct perun_builder *builder =
			arrays ? perun_builder_new() : perun_builder_from(profile);
		struct perun_table_builder *table = perun_builder_table(builder, "resources");
		struct perun_column_builder *stacks = perun_table_add_column(table, &info);
		const struct perun_column *column;
		struct perun_stack_rows *rows;
		struct perun_profile *from;
		size_t wrong = 0, count;

		if (arrays)
			add_locations(builder);
		for (size_t i = 0; i < (arrays ? 1000 : STACKS); i++) {
			perun_id id = arrays ? perun_builder_stack(
						       builder, made->locations + made->starts[i],
						       length_of(i))
					     : made->ids[i];

			if (i % 97 != 5)
				perun_column_set_id(stacks, PERUN_TYPE_STACK, id);
			perun_table_end_row(table);
		}
		from = finish(builder);
		column = perun_table_column(perun_resources(from), "stack");
		rows = perun_stack_rows_new(from, column);
		for (size_t i = 0; i < perun_table_rows(perun_resources(from)); i++)
			wrong += count_wrong(from, rows, column, i);
		for (size_t i = 0; i < 10000; i++)
			wrong += count_wrong(from, rows, column,
					     next_random() % (arrays ? 1000 : STACKS));
		CHECK_INT(wrong, 0);
		perun_stack_rows_at(rows, STACKS, &count);
		CHECK_INT(count, 0);
		perun_stack_rows_free(rows);
		perun_stack_rows_free(NULL);
		perun_profile_unref(from);
	}
}

/* Each stack once in its turn, with a value of which some are 0: these stacks count for nothing. */
static struct perun_profile *with_values(void)
{
	const struct perun_column_info stack = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	const struct perun_column_info amount = {
		.name = "amount", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};
	struct perun_builder *builder = perun_builder_from(profile);
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *values;
	int64_t *numbers = malloc(STACKS * sizeof *numbers);

	for (size_t i = 0; i < STACKS; i++)
		numbers[i] = (int64_t)(i * 7 % 5);
	perun_column_append_ids(perun_table_add_column(table, &stack), PERUN_TYPE_STACK, made->ids,
				STACKS);
	values = perun_table_add_column(table, &amount);
	perun_column_append_int64(values, numbers, STACKS);
	perun_table_end_rows(table, STACKS);
	free(numbers);
	return finish(builder);
}

static struct perun_callgraph *graph_of(struct perun_ctx *ctx, struct perun_stacks *stacks,
					struct perun_profile *of, bool by_path)
{
	struct perun_weight weight = {.values = perun_table_column(perun_resources(of), "amount")};
	struct perun_graph_options options = {
		.struct_size = sizeof options, .granularity = PERUN_BY_ADDRESS, .by_path = by_path};
	struct perun_callgraph *graph = NULL;

	CHECK_INT(perun_stacks_weigh(ctx, stacks, &weight, 1, 0), PERUN_OK);
	CHECK_INT(perun_callgraph_new(ctx, stacks, &options, &graph), PERUN_OK);
	return graph;
}

/* Stacks that filters may have cut are taken as arrays: the graph is the same, in the same order. */
TEST(test_graph)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *of = with_values();
	struct perun_stacks *kept, *arrays;
	struct perun_callgraph *graphs[2];
	size_t nodes[2], edges[2];

	CHECK_INT(perun_stacks_new(ctx, of, &kept), PERUN_OK);
	CHECK_INT(perun_stacks_new(ctx, of, &arrays), PERUN_OK);
	perun_stacks_own_cuts(arrays);
	graphs[0] = graph_of(ctx, kept, of, false);
	graphs[1] = graph_of(ctx, arrays, of, false);
	for (size_t i = 0; i < 2; i++) {
		perun_callgraph_nodes(graphs[i], &nodes[i]);
		perun_callgraph_edges(graphs[i], &edges[i]);
	}
	CHECK_INT(nodes[0], LOCATIONS);
	CHECK_INT(nodes[0], nodes[1]);
	CHECK_INT(edges[0], edges[1]);
	CHECK(memcmp(perun_callgraph_cumulative(graphs[0], 0),
		     perun_callgraph_cumulative(graphs[1], 0), nodes[0] * sizeof(int64_t)) == 0);
	CHECK(memcmp(perun_callgraph_flat(graphs[0], 0), perun_callgraph_flat(graphs[1], 0),
		     nodes[0] * sizeof(int64_t)) == 0);
	CHECK(memcmp(perun_callgraph_edge_values(graphs[0], 0),
		     perun_callgraph_edge_values(graphs[1], 0), edges[0] * sizeof(int64_t)) == 0);
	for (size_t i = 0; i < nodes[0]; i++)
		CHECK_INT(perun_callgraph_nodes(graphs[0], NULL)[i].address,
			  perun_callgraph_nodes(graphs[1], NULL)[i].address);
	for (size_t i = 0; i < 2; i++)
		perun_callgraph_free(graphs[i]);
	perun_stacks_free(kept);
	perun_stacks_free(arrays);
	perun_profile_unref(of);
	perun_ctx_free(ctx);
}

/* The nodes of a row, each once, by its path as it is; their sum by squares, as their order is not certain. */
static size_t survey_path(const struct perun_callgraph *graph, size_t row, const uint64_t *wanted,
			  uint32_t *leaf, uint64_t *sum)
{
	uint32_t nodes[DEEPEST + 1];
	size_t all = perun_callgraph_path(graph, row, nodes, DEEPEST + 1), count = 0;

	*leaf = all ? nodes[0] : UINT32_MAX;
	*sum = 0;
	for (size_t i = 0; i < all; i++) {
		bool again = !perun_bit(wanted, nodes[i]);

		for (size_t k = 0; k < i && !again; k++)
			again = nodes[k] == nodes[i];
		*sum += again ? 0 : (uint64_t)nodes[i] * nodes[i];
		count += !again;
	}
	return count;
}

static void check_row_nodes(const struct perun_callgraph *graph)
{
	size_t nodes, wrong = 0, found = 0;
	struct perun_row_nodes *rows;
	uint64_t *wanted;

	perun_callgraph_nodes(graph, &nodes);
	wanted = calloc(nodes / 64 + 1, sizeof *wanted);
	for (size_t i = 0; i < nodes; i++)
		wanted[i / 64] |= (uint64_t)(next_random() % 3 == 0) << i % 64;
	rows = perun_row_nodes_new(graph, wanted);
	for (size_t row = 0; row < STACKS; row += 3) {
		uint32_t leaf, same_leaf;
		uint64_t sum = 0, same_sum;
		size_t count, same = survey_path(graph, row, wanted, &same_leaf, &same_sum);
		const uint32_t *list = perun_row_nodes_at(rows, row, &leaf, &count);

		for (size_t i = 0; i < count; i++)
			sum += (uint64_t)list[i] * list[i];
		wrong += leaf != same_leaf || sum != same_sum || count != same;
		found += count;
	}
	CHECK_INT(wrong, 0);
	CHECK(found > STACKS / 3);
	perun_row_nodes_free(rows);
	free(wanted);
}

/* Of all nodes and of a part of them, by location and by path, of stacks as a tree and as arrays. */
TEST(test_row_nodes)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *of = with_values();
	uint64_t *keep = malloc((size_t)STACKS * DEEPEST / 8);

	memset(keep, 0x5e, (size_t)STACKS * DEEPEST / 8);
	for (int kind = 0; kind < 4; kind++) {
		struct perun_callgraph *graph, *part = NULL;
		struct perun_stacks *stacks;

		CHECK_INT(perun_stacks_new(ctx, of, &stacks), PERUN_OK);
		if (kind & 1)
			perun_stacks_own_cuts(stacks);
		graph = graph_of(ctx, stacks, of, kind & 2);
		check_row_nodes(graph);
		CHECK_INT(perun_callgraph_keep(ctx, graph, keep, kind & 1, &part), PERUN_OK);
		check_row_nodes(part);
		perun_callgraph_free(part);
		perun_callgraph_free(graph);
		perun_stacks_free(stacks);
	}
	free(keep);
	perun_profile_unref(of);
	perun_ctx_free(ctx);
}

static struct perun_calltree *callers_of(struct perun_ctx *ctx, const struct perun_stacks *stacks,
					 const char *function, double share, size_t most)
{
	struct perun_tree_options options = {.struct_size = sizeof options,
					     .granularity = PERUN_BY_ADDRESS,
					     .inverted = true,
					     .function = function,
					     .minimum_share = share,
					     .most = most};
	struct perun_calltree *tree = NULL;

	CHECK_INT(perun_calltree_new(ctx, stacks, &options, &tree), PERUN_OK);
	return tree;
}

/* From the leaves on a tree is walked as it is: the same nodes as of arrays, in the same order. */
static void check_callers(struct perun_ctx *ctx, struct perun_stacks *const stacks[2],
			  const char *function, double share)
{
	struct perun_calltree *trees[2];
	const struct perun_tree_node *nodes[2];
	const struct perun_frame *frames[2];
	size_t counts[2], wrong = 0;

	for (size_t i = 0; i < 2; i++) {
		trees[i] = callers_of(ctx, stacks[i], function, share, 0);
		nodes[i] = perun_calltree_nodes(trees[i], &counts[i]);
		frames[i] = perun_calltree_frames(trees[i], NULL);
	}
	CHECK_INT(counts[0], counts[1]);
	CHECK(counts[0] > 100);
	for (size_t k = 0; k < counts[0] && k < counts[1]; k++)
		wrong += nodes[0][k].parent != nodes[1][k].parent ||
			 nodes[0][k].merged != nodes[1][k].merged ||
			 nodes[0][k].frame != nodes[1][k].frame ||
			 frames[0][nodes[0][k].frame].address !=
				 frames[1][nodes[1][k].frame].address ||
			 perun_calltree_total(trees[0], 0)[k] !=
				 perun_calltree_total(trees[1], 0)[k];
	CHECK_INT(wrong, 0);
	for (size_t i = 0; i < 2; i++)
		perun_calltree_free(trees[i]);
}

TEST(test_callers)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *of = with_values();
	struct perun_weight weight = {.values = perun_table_column(perun_resources(of), "amount")};
	struct perun_stacks *stacks[2];
	struct perun_calltree *part;
	size_t count;

	for (size_t i = 0; i < 2; i++) {
		CHECK_INT(perun_stacks_new(ctx, of, &stacks[i]), PERUN_OK);
		CHECK_INT(perun_stacks_weigh(ctx, stacks[i], &weight, 1, 0), PERUN_OK);
	}
	perun_stacks_own_cuts(stacks[1]);
	check_callers(ctx, stacks, NULL, 0.0001);
	check_callers(ctx, stacks, "0x11", 0);
	part = callers_of(ctx, stacks[0], NULL, 0, 100000);
	perun_calltree_nodes(part, &count);
	CHECK(count > 100000 && count < 200000);
	perun_calltree_free(part);
	perun_stacks_free(stacks[0]);
	perun_stacks_free(stacks[1]);
	perun_profile_unref(of);
	perun_ctx_free(ctx);
}

/* How many nodes below two of them differ, a child being opened when it is come to. */
static size_t differ_below(const struct perun_calltree *whole, uint32_t node,
			   struct perun_calltree *opened, uint32_t same, size_t *seen)
{
	const struct perun_tree_node *nodes = perun_calltree_nodes(whole, NULL);
	uint32_t child = nodes[node].first_child, twin;
	size_t wrong;

	perun_calltree_open(opened, same);
	perun_calltree_open(opened, same);
	++*seen;
	wrong = perun_calltree_self(whole, 0)[node] != perun_calltree_self(opened, 0)[same] ||
		perun_calltree_total(whole, 0)[node] != perun_calltree_total(opened, 0)[same];
	twin = perun_calltree_nodes(opened, NULL)[same].first_child;
	while (child && twin) {
		const struct perun_tree_node *other = &perun_calltree_nodes(opened, NULL)[twin];

		wrong += other->parent != same || other->rest != nodes[child].rest;
		if (!other->rest)
			wrong += perun_calltree_frames(whole, NULL)[nodes[child].frame].address !=
				 perun_calltree_frames(opened, NULL)[other->frame].address;
		wrong += differ_below(whole, child, opened, twin, seen);
		child = nodes[child].next_sibling;
		twin = perun_calltree_nodes(opened, NULL)[twin].next_sibling;
	}
	return wrong + (child || twin);
}

/* Node by node, of a tree and of arrays: what the whole tree has. */
TEST(test_callers_on_demand)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *of = with_values();
	struct perun_weight weights[2] = {
		{.values = perun_table_column(perun_resources(of), "amount")}};
	struct perun_tree_options options = {.struct_size = sizeof options,
					     .granularity = PERUN_BY_ADDRESS,
					     .inverted = true,
					     .minimum_share = 0.0001,
					     .on_demand = true};
	struct perun_stacks *stacks;
	struct perun_calltree *whole, *opened = NULL;

	weights[1] = weights[0];
	for (int cuts = 0; cuts < 2; cuts++) {
		size_t count, seen = 0;

		CHECK_INT(perun_stacks_new(ctx, of, &stacks), PERUN_OK);
		CHECK_INT(perun_stacks_weigh(ctx, stacks, weights, 1, 0), PERUN_OK);
		if (cuts)
			perun_stacks_own_cuts(stacks);
		whole = callers_of(ctx, stacks, NULL, 0.0001, 0);
		CHECK_INT(perun_calltree_new(ctx, stacks, &options, &opened), PERUN_OK);
		perun_calltree_nodes(opened, &count);
		CHECK_INT(count, 1);
		CHECK_INT(differ_below(whole, 0, opened, 0, &seen), 0);
		perun_calltree_nodes(whole, &count);
		CHECK_INT(seen, count);
		perun_calltree_free(whole);
		perun_calltree_free(opened);
		CHECK_INT(perun_stacks_weigh(ctx, stacks, weights, 2, 0), PERUN_OK);
		CHECK_INT(perun_calltree_new(ctx, stacks, &options, &opened), PERUN_USAGE);
		perun_stacks_free(stacks);
	}
	perun_profile_unref(of);
	perun_ctx_free(ctx);
}

/* ---- stacks by their callers --------------------------------------------------------------------- */

enum { BY_PATH = 20000 };

static perun_id path_of(struct perun_builder *builder, size_t i)
{
	const perun_id *locations = made->locations + made->starts[i];
	perun_id path = PERUN_NO_ID;

	for (size_t k = length_of(i); k-- > 0;)
		path = perun_builder_path(builder, path, locations[k]);
	return path;
}

/* Every third stack comes as an array, and behind every fifth a path that no stack ends with. */
static struct perun_profile *by_paths(perun_id *stacks)
{
	struct perun_builder *builder = perun_builder_new();

	add_locations(builder);
	for (size_t i = 0; i < BY_PATH; i++) {
		perun_id path;

		if (i % 3 == 2) {
			stacks[i] = perun_builder_stack(builder, made->locations + made->starts[i],
							length_of(i));
			continue;
		}
		path = path_of(builder, i);
		CHECK_INT(perun_builder_path_length(builder, path), length_of(i));
		if (i % 5 == 0)
			perun_builder_path(builder, path, (perun_id)(i % LOCATIONS));
		stacks[i] = perun_builder_path_stack(builder, path);
	}
	return finish(builder);
}

/* The same with all stacks as arrays, which it keeps. */
static struct perun_profile *by_arrays(perun_id *stacks)
{
	struct perun_builder *builder = perun_builder_new();

	add_locations(builder);
	for (size_t i = 0; i < BY_PATH; i++)
		stacks[i] = perun_builder_stack(builder, made->locations + made->starts[i],
						length_of(i));
	return finish(builder);
}

static bool is_path_of(const struct perun_stack_path *paths, perun_id path, const perun_id *stack,
		       size_t count)
{
	for (size_t i = 0; i < count; i++, path = paths[path].caller) {
		if (path == PERUN_NO_ID || paths[path].location != stack[i])
			return false;
	}
	return path == PERUN_NO_ID;
}

TEST(test_paths)
{
	static perun_id stacks[2][BY_PATH];
	struct perun_profile *of = by_paths(stacks[0]), *arrays = by_arrays(stacks[1]);
	size_t count, wrong = 0, passed = 0;
	const struct perun_stack_path *paths = perun_profile_paths(arrays, &count);
	uint8_t *ends;

	CHECK(!paths && count == 0);
	CHECK_INT(perun_profile_stack_path(arrays, 0), PERUN_NO_ID);
	paths = perun_profile_paths(of, &count);
	CHECK(paths);
	CHECK_INT(perun_profile_stacks(of), perun_profile_stacks(arrays));
	CHECK(memcmp(stacks[0], stacks[1], sizeof stacks[0]) == 0);
	for (size_t i = 0; i < BY_PATH; i++) {
		size_t length, same;
		const perun_id *stack = perun_profile_stack(of, stacks[0][i], &length),
			       *array = perun_profile_stack(arrays, stacks[1][i], &same);

		wrong +=
			length != same || memcmp(stack, array, same * sizeof *stack) != 0 ||
			!is_path_of(paths, perun_profile_stack_path(of, stacks[0][i]), array, same);
	}
	CHECK_INT(wrong, 0);
	/* Callers come first, and each path is part of a stack. */
	ends = calloc(count, 1);
	for (size_t i = 0; i < perun_profile_stacks(of); i++)
		ends[perun_profile_stack_path(of, (perun_id)i)] = 1;
	for (size_t i = count; i-- > 0;) {
		passed += ends[i];
		if (paths[i].caller == PERUN_NO_ID)
			continue;
		wrong += paths[i].caller >= i;
		ends[paths[i].caller] |= ends[i];
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(passed, count);
	free(ends);
	perun_profile_unref(of);
	perun_profile_unref(arrays);
}

/* As stacks meet them, whatever came first: graphs of paths number what they show so. */
TEST(test_path_order)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *of;
	perun_id root, late, early, stacks[2];
	const struct perun_stack_path *paths;
	size_t count;

	add_locations(builder);
	root = perun_builder_path(builder, PERUN_NO_ID, 7);
	late = perun_builder_path(builder, root, 8);
	perun_builder_path(builder, late, 10);
	early = perun_builder_path(builder, PERUN_NO_ID, 9);
	CHECK_INT(perun_builder_path(builder, root, 8), late);
	stacks[0] = perun_builder_path_stack(builder, early);
	stacks[1] = perun_builder_path_stack(builder, late);
	CHECK_INT(perun_builder_path_stack(builder, PERUN_NO_ID),
		  perun_builder_stack(builder, NULL, 0));
	CHECK_INT(perun_builder_path_stack(builder, early), stacks[0]);
	of = finish(builder);
	paths = perun_profile_paths(of, &count);
	CHECK_INT(count, 3);
	CHECK_INT(paths[0].location, 9);
	CHECK_INT(paths[1].location, 7);
	CHECK_INT(paths[2].location, 8);
	CHECK_INT(perun_profile_stack_path(of, stacks[0]), 0);
	CHECK_INT(perun_profile_stack_path(of, stacks[1]), 2);
	perun_profile_unref(of);
}

/* The empty stack before the first path, a stack that is found again, and one as an array after them. */
TEST(test_empty_first)
{
	static const perun_id leaf_first[] = {3, 2, 1};
	struct perun_builder *builder = perun_builder_new();
	perun_id path = PERUN_NO_ID, empty, stack;
	struct perun_profile *of;
	size_t count;

	add_locations(builder);
	empty = perun_builder_stack(builder, NULL, 0);
	for (perun_id location = 1; location < 4; location++)
		path = perun_builder_path(builder, path, location);
	stack = perun_builder_path_stack(builder, path);
	CHECK_INT(perun_builder_stack(builder, leaf_first, 3), stack);
	CHECK_INT(perun_builder_stack(builder, leaf_first + 1, 2), stack + 1);
	CHECK_INT(perun_builder_path_stack(builder, PERUN_NO_ID), empty);
	of = finish(builder);
	perun_profile_paths(of, &count);
	CHECK_INT(count, 3);
	perun_profile_stack(of, empty, &count);
	CHECK_INT(count, 0);
	CHECK(memcmp(perun_profile_stack(of, stack, &count), leaf_first, sizeof leaf_first) == 0);
	CHECK_INT(count, 3);
	CHECK_INT(perun_profile_stack(of, stack + 1, &count)[0], 2);
	CHECK_INT(count, 2);
	perun_profile_unref(of);
}

/* Chains of LONG locations, of which each path is a stack of its number; `way` says what ends that, and where. */
enum { LONG = 66000, IN_ORDER = 0, EMPTY_STACK, SKIPPED_PATH, ARRAY };

static size_t add_chain(struct perun_builder *builder, size_t from, int way)
{
	perun_id path = PERUN_NO_ID, location = (perun_id)from % LOCATIONS;
	size_t wrong = 0;

	for (size_t i = 0; i < LONG; i++) {
		path = perun_builder_path(builder, path, (location + (perun_id)i) % LOCATIONS);
		wrong += perun_builder_path_length(builder, path) != i + 1;
		/* Long ones are few: their lengths are counted. */
		if ((way == SKIPPED_PATH && i == 70) || (i > 300 && i < LONG - 5))
			continue;
		if (way == EMPTY_STACK && i == 50)
			perun_builder_path_stack(builder, PERUN_NO_ID);
		wrong += perun_builder_path_stack(builder, path) == PERUN_NO_ID;
	}
	return wrong;
}

static size_t wrong_lengths(const struct perun_profile *of, size_t first, int way)
{
	size_t wrong = 0, stack = first;

	for (size_t i = 0; i < LONG; i++) {
		size_t count;
		const perun_id *locations;

		if ((way == SKIPPED_PATH && i == 70) || (i > 300 && i < LONG - 5))
			continue;
		stack += way == EMPTY_STACK && i == 50;
		locations = perun_profile_stack(of, (perun_id)stack, &count);
		wrong += count != i + 1 || locations[0] != (perun_id)i % LOCATIONS ||
			 perun_profile_stack_length(of, (perun_id)stack) != count;
		stack++;
	}
	return wrong;
}

TEST(test_stacks_in_order)
{
	for (int way = IN_ORDER; way <= ARRAY; way++) {
		struct perun_builder *builder = perun_builder_new();
		struct perun_profile *one, *both;
		const perun_id array[] = {3, 2, 1};
		size_t stacks;

		add_locations(builder);
		CHECK_INT(add_chain(builder, 0, way), 0);
		if (way == ARRAY)
			CHECK(perun_builder_stack(builder, array, 3) != PERUN_NO_ID);
		CHECK_INT(perun_builder_path_stack(builder,
						   perun_builder_path(builder, PERUN_NO_ID, 0)),
			  0);
		one = finish(builder);
		stacks = perun_profile_stacks(one);
		CHECK_INT(wrong_lengths(one, 0, way), 0);
		/* As another one begins, and after others. */
		builder = perun_builder_from(one);
		CHECK_INT(perun_builder_path_stack(builder,
						   perun_builder_path(builder, PERUN_NO_ID, 0)),
			  0);
		CHECK_INT(perun_builder_stack(builder, array, 3),
			  way == ARRAY ? stacks - 1 : stacks);
		both = finish(builder);
		CHECK_INT(wrong_lengths(both, 0, way), 0);
		perun_profile_unref(both);
		perun_profile_unref(one);
	}
}

/* Short paths, each a stack: nothing but their lengths is kept of these. */
TEST(test_all_paths_are_stacks)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *of, *appended;
	perun_id path = PERUN_NO_ID;
	size_t wrong = 0;

	add_locations(builder);
	for (perun_id i = 0; i < 3000; i++) {
		path = perun_builder_path(builder, i % 60 ? path : PERUN_NO_ID, i);
		wrong += perun_builder_path_stack(builder, path) != i;
		wrong += perun_builder_path_stack(builder, path) != i;
	}
	of = finish(builder);
	CHECK(perun_profile_stack_tree(of) && !perun_profile_stack_tree(of)->ends);
	for (perun_id i = 0; i < 3000; i++) {
		size_t count;
		const perun_id *stack = perun_profile_stack(of, i, &count);

		wrong += count != i % 60 + 1 || stack[0] != i || stack[count - 1] != i / 60 * 60;
		wrong += perun_profile_stack_path(of, i) != i;
	}
	builder = perun_builder_from(of);
	path = perun_builder_path(builder, PERUN_NO_ID, 0);
	wrong += perun_builder_path_stack(builder, perun_builder_path(builder, path, 4000)) != 3000;
	wrong += perun_builder_path_stack(builder, PERUN_NO_ID) != 3001;
	wrong += perun_builder_path_stack(builder, path) != 0;
	wrong += perun_builder_path_stack(builder, perun_builder_path(builder, path, 1)) != 1;
	appended = finish(builder);
	wrong += perun_profile_stack_length(appended, 59) != 60;
	wrong += perun_profile_stack_length(appended, 3000) != 2;
	wrong += perun_profile_stack_length(appended, 3001) != 0;
	CHECK_INT(wrong, 0);
	perun_profile_unref(of);
	perun_profile_unref(appended);
}

/* Of a path that is not there, and of a location that is not. */
TEST(test_wrong_paths)
{
	for (int wrong = 0; wrong < 2; wrong++) {
		struct perun_ctx *ctx = perun_ctx_new(NULL);
		struct perun_builder *builder = perun_builder_new();
		struct perun_profile *of = NULL;
		perun_id path;

		add_locations(builder);
		path = perun_builder_path(builder, PERUN_NO_ID, wrong ? LOCATIONS : 0);
		if (!wrong)
			path = perun_builder_path(builder, path + 1, 0);
		perun_builder_path_stack(builder, path);
		CHECK_INT(perun_builder_finish(ctx, builder, &of), PERUN_INPUT);
		CHECK(!of);
		perun_ctx_free(ctx);
	}
}

static void begin(void)
{
	struct perun_builder *builder = perun_builder_new();

	made = calloc(1, sizeof *made);
	made->locations = malloc((size_t)(STACKS + MORE) * (DEEPEST + 1) * sizeof(perun_id));
	while (made->count < STACKS + MORE)
		make_stack();
	add_locations(builder);
	add_stacks(builder, 0, STACKS);
	profile = finish(builder);
}

static void end(void)
{
	perun_profile_unref(profile);
	free(made->locations);
	free(made);
}

CHECK_MAIN(begin(), end())
