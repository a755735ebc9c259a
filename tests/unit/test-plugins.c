/* SPDX-License-Identifier: BSD-3-Clause */
/* Every plugin of this build loads, is valid, and is found in each way; also when linked in. */
#include <perun/lib/registry.h>

#include "tests/unit/check.h"

static struct perun_ctx *ctx;
static const struct perun_plugin_info *infos;
static size_t count;

TEST(test_all_load)
{
	for (size_t i = 0; i < count; i++) {
		const struct perun_plugin *plugin = NULL;

		CHECK_STR(infos[i].problem, NULL);
		perun_registry_load(ctx, infos[i].kind, infos[i].name, &plugin);
		CHECK_STR(perun_ctx_error(ctx), NULL);
		REQUIRE(plugin);
		CHECK_STR(plugin->name, infos[i].name);
		CHECK_STR(plugin->summary, infos[i].summary);
		CHECK_INT(perun_plugin_validate(ctx, plugin), PERUN_OK);
		CHECK_STR(perun_ctx_error(ctx), NULL);
	}
}

TEST(test_sorted)
{
	for (size_t i = 1; i < count; i++)
		CHECK(infos[i - 1].kind < infos[i].kind ||
		      (infos[i - 1].kind == infos[i].kind &&
		       strcmp(infos[i - 1].name, infos[i].name) < 0));
}

TEST(test_find)
{
	for (size_t i = 0; i < count; i++) {
		char *name = perun_strdup(infos[i].name);

		for (char *c = name; *c; c++)
			*c = *c == '-' ? '_' : *c;
		CHECK(perun_registry_find(ctx, infos[i].kind, name) == &infos[i]);
		for (const char *const *alias = infos[i].aliases; alias && *alias; alias++)
			CHECK(perun_registry_find(ctx, infos[i].kind, *alias) == &infos[i]);
		for (const char *const *pair = infos[i].commands; pair && *pair; pair += 2)
			CHECK(perun_registry_find_command(ctx, *pair) == &infos[i]);
		perun_free(name);
	}
	CHECK(perun_registry_find(ctx, PERUN_KIND_VIEW, "no-such-view") == NULL);
	CHECK(perun_registry_find_command(ctx, "no-such-command") == NULL);
}

TEST(test_supported_modules)
{
	size_t sum = 0;

	for (unsigned kind = 0; kind < PERUN_KINDS; kind++) {
		size_t some;
		char **names = perun_supported_modules(ctx, (enum perun_kind)kind, &some);

		sum += some;
		for (size_t i = 0; i < some; i++)
			CHECK(perun_registry_find(ctx, (enum perun_kind)kind, names[i]) != NULL);
		CHECK(names[some] == NULL);
		perun_free(names);
	}
	CHECK_INT(sum, count);
}

int main(void)
{
	/* Only those of the build: make check sets PERUN_PLUGIN_PATH. */
	setenv("XDG_DATA_HOME", "/nonexistent", 1);
	ctx = perun_ctx_new(NULL);
	infos = perun_registry_list(ctx, &count);
	check_all();
	perun_ctx_free(ctx);
	return check_done();
}
