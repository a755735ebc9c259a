/* SPDX-License-Identifier: BSD-3-Clause */
/* Many stacks that do not begin alike are packed: what is asked of them is what was added. */
#include "tests/unit/check.h"

#include "core/profile/model.h"
#include "core/profile/packed-stacks.h"
#include "perun/profile.h"

/* More than are kept as arrays; locations of one, two and three bytes. */
enum { STACKS = 60000, LOCATIONS = 20000, DEEPEST = 90 };

static uint64_t state = 88172645463325252u;

/* xorshift64: G. Marsaglia, "Xorshift RNGs" (2003). */
static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* The stack with a number, which has `add` added to its locations. */
static size_t make_stack(size_t number, perun_id add, perun_id stack[DEEPEST])
{
	size_t count;

	state = number * 2654435761u + 1;
	next_random();
	count = 30 + next_random() % (DEEPEST - 30);
	for (size_t i = 0; i < count; i++)
		stack[i] = (perun_id)(next_random() % LOCATIONS >> next_random() % 12) + add;
	return count;
}

static void add_locations(struct perun_builder *builder)
{
	for (perun_id i = 0; i < LOCATIONS + 1; i++) {
		struct perun_location location = {.mapping = PERUN_NO_ID, .address = i + 1};

		perun_builder_location(builder, &location);
	}
}

static void add_stacks(struct perun_builder *builder, size_t first, size_t end)
{
	perun_id stack[DEEPEST];

	for (size_t i = first; i < end; i++)
		CHECK_INT(perun_builder_stack(builder, stack, make_stack(i, 0, stack)), i);
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

static struct perun_builder *begin(size_t stacks)
{
	struct perun_builder *builder = perun_builder_new();

	add_locations(builder);
	add_stacks(builder, 0, stacks);
	return builder;
}

static bool is_packed(const struct perun_profile *profile)
{
	return !profile->pools.tree &&
	       perun_stacks_are_packed(profile->pools.pool[PERUN_POOL_STACKS]);
}

/* Stacks [first, end) of a profile are those with the numbers from 0 on. */
static void check_stacks(const struct perun_profile *profile, size_t first, size_t end,
			 perun_id add)
{
	perun_id wanted[DEEPEST];

	for (size_t i = first; i < end; i++) {
		size_t count, expected = make_stack(i - first, add, wanted);
		const perun_id *stack = perun_profile_stack(profile, (perun_id)i, &count);

		if (count != expected || memcmp(stack, wanted, count * sizeof *stack) != 0) {
			CHECK_FAIL("stack %zu is another one", i);
			return;
		}
	}
}

TEST(test_added)
{
	struct perun_profile *profile = finish(begin(STACKS));
	size_t count;

	CHECK(is_packed(profile));
	check_stacks(profile, 0, STACKS, 0);
	CHECK(perun_profile_stack(profile, STACKS, &count) == NULL);
	perun_profile_unref(profile);
}

/* Stacks that are there are found, whether they were added as arrays or not. */
TEST(test_found)
{
	struct perun_builder *builder = begin(STACKS);

	add_stacks(builder, 0, STACKS);
	CHECK_INT(perun_builder_stack(builder, NULL, 0), STACKS);
	CHECK_INT(perun_builder_stack(builder, NULL, 0), STACKS);
	perun_builder_free(builder);
}

TEST(test_changed_profile)
{
	struct perun_profile *profile = finish(begin(STACKS / 2)), *more;
	struct perun_builder *builder = perun_builder_from(profile);

	check_stacks(profile, 0, STACKS / 2, 0);
	add_stacks(builder, 0, STACKS);
	more = finish(builder);
	check_stacks(more, 0, STACKS, 0);
	perun_profile_unref(profile);
	perun_profile_unref(more);
}

static perun_id next_location(void *data, perun_id location)
{
	(void)data;
	return location + 1;
}

TEST(test_renumbered)
{
	struct perun_builder *builder = begin(STACKS);
	struct perun_profile *profile;

	perun_builder_renumber_stacks(builder, next_location, NULL);
	profile = finish(builder);
	CHECK(is_packed(profile));
	check_stacks(profile, 0, STACKS, 1);
	perun_profile_unref(profile);
}

static void check_appended(size_t first, size_t second)
{
	struct perun_profile *others = finish(begin(second)), *profile;
	struct perun_builder *builder = begin(first);
	perun_id *same = perun_alloc((LOCATIONS + 1) * sizeof *same);

	for (perun_id i = 0; i < LOCATIONS + 1; i++)
		same[i] = i;
	CHECK(perun_pools_append_stacks(&builder->pools, &others->pools, same));
	profile = finish(builder);
	CHECK(is_packed(profile));
	check_stacks(profile, 0, first, 0);
	check_stacks(profile, first, first + second, 0);
	perun_free(same);
	perun_profile_unref(others);
	perun_profile_unref(profile);
}

TEST(test_appended)
{
	check_appended(STACKS, STACKS);
	check_appended(STACKS, 100);
	check_appended(100, STACKS);
}

/* A path makes all stacks a tree. */
TEST(test_becomes_tree)
{
	struct perun_builder *builder = begin(STACKS);
	struct perun_profile *profile;

	perun_builder_path(builder, PERUN_NO_ID, 1);
	profile = finish(builder);
	CHECK(profile->pools.tree != NULL);
	check_stacks(profile, 0, STACKS, 0);
	perun_profile_unref(profile);
}

TEST(test_no_location)
{
	struct perun_builder *builder = begin(STACKS);
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	const struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_profile *profile;
	perun_id wrong[2] = {1, LOCATIONS + 1}, id;

	id = perun_builder_stack(builder, wrong, 2);
	perun_column_append_ids(perun_table_add_column(table, &info), PERUN_TYPE_STACK, &id, 1);
	perun_table_end_rows(table, 1);
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), PERUN_INPUT);
	perun_ctx_free(ctx);
}

CHECK_MAIN(, )
