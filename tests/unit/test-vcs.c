/* SPDX-License-Identifier: BSD-3-Clause */
/* What replaces the optional operations of a version control system. */
#include "core/vcs/fallback.h"
#include "tests/unit/check.h"

/*
 * A history of one letter per version: d and e are heads; d -> c -> b -> a, e -> b; x is alone.
 */
static const char *parent_of(char version)
{
	switch (version) {
	case 'b':
		return "a";
	case 'c':
	case 'e':
		return "b";
	case 'd':
		return "c";
	default:
		return NULL;
	}
}

static int walk(void *instance, struct perun_ctx *ctx, const char *head,
		perun_minor_version_visit *visit, void *data)
{
	int *failing = instance;

	for (const char *at = head; at; at = parent_of(*at)) {
		const struct perun_minor_version version = {.struct_size = sizeof(version),
							    .checksum = at};
		int status = visit(data, &version);

		if (failing && *failing && *at == 'b')
			return perun_fail(ctx, PERUN_INPUT, "broken at b");
		if (status != PERUN_OK)
			return status == PERUN_STOP ? PERUN_OK : status;
	}
	return PERUN_OK;
}

static const struct perun_vcs_ops ops = {.walk_minor_versions = walk};

static int add(void *data, const struct perun_minor_version *version)
{
	strcat(data, version->checksum);
	return *version->checksum == 'e' ? 42 : PERUN_OK;
}

TEST(test_range)
{
	char seen[16] = "";

	CHECK_INT(perun_vcs_range_by_walks(&ops, NULL, NULL, "b", "d", add, seen), PERUN_OK);
	CHECK_STR(seen, "dc");
	CHECK_INT(perun_vcs_range_by_walks(&ops, NULL, NULL, "d", "b", add, seen), PERUN_OK);
	CHECK_STR(seen, "dc");
	CHECK_INT(perun_vcs_range_by_walks(&ops, NULL, NULL, "x", "b", add, seen), PERUN_OK);
	CHECK_STR(seen, "dcba");
	seen[0] = '\0';
	CHECK_INT(perun_vcs_range_by_walks(&ops, NULL, NULL, "d", "e", add, seen), 42);
	CHECK_STR(seen, "e");
}

static void check_base(const char *one, const char *other, const char *expected)
{
	char *base = NULL;

	CHECK_INT(perun_vcs_merge_base_by_walks(&ops, NULL, NULL, one, other, &base), PERUN_OK);
	CHECK_STR(base, expected);
	perun_free(base);
}

TEST(test_merge_base)
{
	check_base("d", "e", "b");
	check_base("d", "b", "b");
	check_base("b", "d", "b");
	check_base("d", "d", "d");
	check_base("d", "x", NULL);
}

TEST(test_failure)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char seen[16] = "", *base = NULL;
	int failing = 1;

	CHECK_INT(perun_vcs_merge_base_by_walks(&ops, &failing, ctx, "d", "e", &base), PERUN_INPUT);
	CHECK_STR(base, NULL);
	CHECK_INT(perun_vcs_range_by_walks(&ops, &failing, ctx, "d", "e", add, seen), PERUN_INPUT);
	CHECK_STR(seen, "");
	CHECK_CONTAINS(perun_ctx_error(ctx), "broken at b");
	perun_ctx_free(ctx);
}

CHECK_MAIN(, )
