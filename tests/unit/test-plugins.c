/* SPDX-License-Identifier: BSD-3-Clause */
/* Every plugin of this build loads, is valid, and is found in each way; also when linked in. */
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

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

static bool claims(const struct perun_plugin_info *info, const struct perun_probe *probe)
{
	const struct perun_plugin *plugin;
	struct perun_format_ops ops;

	if (perun_registry_load(ctx, PERUN_KIND_FORMAT, info->name, &plugin) != PERUN_OK)
		return false;
	perun_plugin_ops(plugin, &ops, sizeof ops);
	return ops.probe && ops.probe(probe) > 0;
}

static bool is_named(const struct perun_plugin_info *info, const char *name)
{
	for (const char *const *pattern = info->patterns; pattern && *pattern; pattern++)
		if (fnmatch(*pattern, name, 0) == 0)
			return true;
	return false;
}

static unsigned claimed;

static void check_probe(const struct perun_probe *probe, const char *path)
{
	for (size_t i = 0; i < count; i++) {
		bool found = false;

		if (infos[i].kind != PERUN_KIND_FORMAT || !infos[i].contains ||
		    is_named(&infos[i], probe->name) || !claims(&infos[i], probe))
			continue;
		for (const char *const *text = infos[i].contains; *text; text++)
			found = found || memmem(probe->data, probe->size, *text, strlen(*text));
		CHECK(found);
		if (!found)
			printf("# %s is claimed by %s\n", path, infos[i].name);
		claimed++;
	}
}

/* All of a file, and what a probe sees of it if the rest is lost. */
static int check_file(const char *path, const struct stat *status, int type, struct FTW *place)
{
	struct perun_probe probe = {.struct_size = sizeof probe, .name = path + place->base};
	struct perun_input *input;
	char *head = perun_alloc(65536);
	size_t size = 0, got = 1;

	(void)status;
	if (type == FTW_F && perun_input_open(ctx, path, &input) == PERUN_OK) {
		while (got && size < 65536 &&
		       perun_input_read(ctx, input, head + size, 65536 - size, &got) == PERUN_OK)
			size += got;
		probe.data = head;
		for (size_t part = 1; part <= 4; part *= 2) {
			probe.size = size / part;
			probe.whole = part == 1 && !got;
			check_probe(&probe, path);
		}
		perun_input_close(input);
	}
	perun_ctx_clear(ctx);
	perun_free(head);
	return 0;
}

/* What a format says that its files contain is in all that its probe() claims: else they would not be found. */
TEST(test_contains)
{
	const char *top = getenv("top_srcdir"), *others = getenv("PERUN_TEST_PROFILES");
	char *corpus = perun_format("%s/tests/fuzz/corpus", top ? top : ".");

	nftw(corpus, check_file, 16, FTW_PHYS);
	CHECK(claimed > 20);
	if (others)
		nftw(others, check_file, 16, FTW_PHYS);
	printf("# %u claims\n", claimed);
	perun_free(corpus);
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
