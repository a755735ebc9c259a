/* SPDX-License-Identifier: BSD-3-Clause */
/* What names versions, ranges and profiles: perun/lib/lookup.h on a store over git. */
#include "tests/unit/git-help.h"

#define PROFILE(workload)                                                                        \
	"{\"origin\": \"\", \"header\": {\"type\": \"time\", \"cmd\": \"app\", \"args\": \"\", " \
	"\"workload\": \"" workload                                                              \
	"\"}, \"collector_info\": {\"name\": \"time\", \"params\": {}}, "                        \
	"\"postprocessors\": [], \"resources\": [{\"uid\": \"f\", \"amount\": 1, \"type\": "     \
	"\"time\"}]}"

static struct perun_lookup *start(const char *revision)
{
	const struct perun_lookup_options options = {
		.struct_size = sizeof options, .revision = revision, .store = git_store};

	return perun_lookup_new(&options);
}

/* What a word names, as "name name"; the error after a failure. */
static const char *found(const char *revision, const char *word, unsigned kinds)
{
	static char text[1024];
	struct perun_lookup *lookup = start(revision);

	text[0] = '\0';
	if (perun_lookup_add(help_ctx, lookup, word, kinds))
		snprintf(text, sizeof text, "%s", help_error());
	for (size_t i = 0; i < perun_lookup_count(lookup); i++) {
		const struct perun_place *place = perun_lookup_at(lookup, i);

		CHECK_INT(place->struct_size, sizeof *place);
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
			 place->name);
	}
	perun_lookup_free(lookup);
	return text;
}

static void make_project(void)
{
	git_commit("first", 0);
	git_run("git -c user.name=A -c user.email=a@b tag -m t v1.0");
	git_commit("second\n\nwith a body", 1);
	git_commit("third", 2);
	git_add("HEAD~1", "one.perf", PROFILE("1"));
	git_add("HEAD", "two.perf", PROFILE("2"));
	git_add("HEAD", "three.perf", PROFILE("3"));
	help_text(".perun/jobs/waiting.perf", PROFILE("4"));
	help_text("plain.perf", PROFILE("5"));
}

TEST(test_versions)
{
	char *checksum = NULL;
	struct perun_range range;

	CHECK_STR(git_version(NULL), git_version("HEAD"));
	CHECK_STR(git_version(""), git_version("main"));
	CHECK_STR(git_version("v1.0"), git_version("HEAD~2"));
	CHECK_INT(perun_lookup_version(help_ctx, git_store, "nothing", &checksum), PERUN_USAGE);
	CHECK_STR(checksum, NULL);
	CHECK_CONTAINS(help_error(), "nothing");

	CHECK_INT(perun_lookup_range(help_ctx, git_store, "v1.0..HEAD~1", &range), PERUN_OK);
	CHECK_STR(range.exclude, git_version("v1.0"));
	CHECK_STR(range.head, git_version("HEAD~1"));
	perun_range_free(&range);
	CHECK_INT(perun_lookup_range(help_ctx, git_store, "v1.0..", &range), PERUN_OK);
	CHECK_STR(range.head, git_version("HEAD"));
	perun_range_free(&range);
	CHECK_INT(perun_lookup_range(help_ctx, git_store, "..HEAD~1", &range), PERUN_OK);
	CHECK_STR(range.exclude, git_version("HEAD"));
	CHECK_STR(range.head, git_version("HEAD~1"));
	perun_range_free(&range);
	CHECK_INT(perun_lookup_range(help_ctx, git_store, NULL, &range), PERUN_OK);
	CHECK_STR(range.exclude, NULL);
	CHECK_STR(range.head, git_version(NULL));
	perun_range_free(&range);
	CHECK_INT(perun_lookup_range(help_ctx, git_store, "no..HEAD", &range), PERUN_USAGE);
	perun_range_free(&range);
	CHECK_CONTAINS(help_error(), "no");
}

TEST(test_version_info)
{
	struct perun_minor_version *version = NULL, *copy;
	struct perun_minor_version old;
	struct perun_vcs *vcs;

	REQUIRE(perun_store_vcs(help_ctx, git_store, &vcs) == PERUN_OK);
	REQUIRE(perun_lookup_version_info(help_ctx, vcs, git_version("HEAD~1"), &version) ==
		PERUN_OK);
	CHECK_STR(version->checksum, git_version("HEAD~1"));
	CHECK_CONTAINS(version->description, "with a body");
	CHECK_INT(version->parent_count, 1);
	CHECK_STR(version->parents[0], git_version("v1.0"));
	CHECK_INT(version->authored, 1700000000 + 86400);

	/* A plugin that does not know the last member. */
	old = *version;
	old.struct_size = offsetof(struct perun_minor_version, authored);
	copy = perun_minor_version_copy(&old);
	CHECK_INT(copy->authored, 0);
	CHECK_INT(copy->struct_size, sizeof *copy);
	CHECK_STR(copy->email, "a@b");
	perun_minor_version_free(copy);
	perun_minor_version_free(version);
	perun_minor_version_free(NULL);
}

TEST(test_tags)
{
	const char *both;

	CHECK_STR(found("HEAD~1", "0@i", PERUN_PLACE_ANY), "one.perf");
	CHECK_STR(found(NULL, "HEAD~1^0@i", PERUN_PLACE_ANY), "one.perf");
	CHECK_STR(found(NULL, "0@p", PERUN_PLACE_ANY), "waiting.perf");
	both = found(NULL, "0@i-1@i", PERUN_PLACE_ANY);
	CHECK_CONTAINS(both, "two.perf");
	CHECK_CONTAINS(both, "three.perf");
	CHECK_CONTAINS(found(NULL, "2@i", PERUN_PLACE_ANY), "numbered 0@i to 1@i");
	CHECK_CONTAINS(found(NULL, "HEAD~2^0@i", PERUN_PLACE_ANY), "no registered profiles");
	CHECK_CONTAINS(found(NULL, "1@i-0@i", PERUN_PLACE_ANY), "larger than the last");
	CHECK_CONTAINS(found(NULL, "0@x", PERUN_PLACE_ANY), "wrong tag");
	CHECK_CONTAINS(found(NULL, "0@i", PERUN_PLACE_PENDING), "registered already");
	help_warnings[0] = '\0';
	CHECK_STR(found(NULL, "0@p-3@p", PERUN_PLACE_ANY), "waiting.perf");
	CHECK_CONTAINS(help_warnings, "1@p to 3@p");
	CHECK(perun_lookup_is_tag("0@i"));
	CHECK(perun_lookup_is_tag("HEAD~1^0@p-3@p"));
	CHECK(!perun_lookup_is_tag("HEAD~1"));
	CHECK(!perun_lookup_is_tag("0@i-3@p"));
}

TEST(test_names)
{
	struct perun_entries entries = {0};

	CHECK_STR(found(NULL, "two.perf", PERUN_PLACE_ANY), "two.perf");
	CHECK_STR(found(NULL, "waiting", PERUN_PLACE_ANY), "waiting.perf");
	CHECK_STR(found(NULL, ".perun/jobs/waiting.perf", PERUN_PLACE_ANY), "waiting.perf");
	CHECK_STR(found(NULL, "plain.perf", PERUN_PLACE_ANY), "plain.perf");
	CHECK_STR(found(NULL, "-", PERUN_PLACE_ANY), "-");
	CHECK_CONTAINS(found(NULL, "plain.perf", PERUN_PLACE_REGISTERED), "in this version or in");
	/* An object of another version, by its checksum. */
	REQUIRE(perun_store_entries(help_ctx, git_store, git_version("HEAD~1"), &entries) ==
		PERUN_OK);
	REQUIRE(entries.count == 1);
	CHECK_STR(found(NULL, entries.items[0].checksum, PERUN_PLACE_ANY),
		  entries.items[0].checksum);
	perun_entries_free(&entries);
}

TEST(test_candidates)
{
	struct perun_lookup *lookup = start(NULL);
	const char *const *paths;

	git_run("mkdir -p sub && cp plain.perf sub/b.perf && cp plain.perf sub/a.perf");
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "sub/.*perf$", PERUN_PLACE_ANY), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "sub/a.perf, sub/b.perf");
	REQUIRE(perun_lookup_candidates(lookup, &paths) == 2);
	CHECK_STR(paths[0], "sub/a.perf");
	perun_lookup_add_file(lookup, paths[0]);
	CHECK_INT(perun_lookup_count(lookup), 1);
	CHECK_STR(perun_lookup_at(lookup, 0)->name, "a.perf");
	/* Pending profiles by a part of their names, before files. */
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "[a-z]", PERUN_PLACE_ANY), PERUN_INPUT);
	REQUIRE(perun_lookup_candidates(lookup, &paths) > 0);
	CHECK_CONTAINS(paths[0], ".perun/jobs/");
	/* Those of the last word alone. */
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "0@p", PERUN_PLACE_ANY), PERUN_OK);
	CHECK_INT(perun_lookup_candidates(lookup, NULL), 0);
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "nowhere", PERUN_PLACE_ANY), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "neither a tag, nor registered");
	CHECK_INT(perun_lookup_candidates(lookup, NULL), 0);
	perun_lookup_free(lookup);
}

TEST(test_lists)
{
	struct perun_lookup *lookup = start(NULL);
	const struct perun_place *place;
	struct perun_profile *profile = NULL;

	CHECK_INT(perun_lookup_add_version(help_ctx, lookup, "HEAD~1"), PERUN_OK);
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "0@p-0@p", PERUN_PLACE_ANY), PERUN_OK);
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "waiting", PERUN_PLACE_ANY), PERUN_OK);
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "plain.perf", PERUN_PLACE_ANY), PERUN_OK);
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "plain.perf", PERUN_PLACE_ANY), PERUN_OK);
	CHECK_INT(perun_lookup_count(lookup), 5);
	perun_lookup_unique(lookup);
	REQUIRE(perun_lookup_count(lookup) == 3);
	place = perun_lookup_at(lookup, 0);
	CHECK_INT(place->kind, PERUN_PLACE_REGISTERED);
	CHECK_STR(place->version, git_version("HEAD~1"));
	CHECK_INT(perun_lookup_at(lookup, 1)->kind, PERUN_PLACE_PENDING);
	CHECK_INT(perun_lookup_at(lookup, 2)->kind, PERUN_PLACE_FILE);
	CHECK(perun_lookup_at(lookup, 3) == NULL);
	for (size_t i = 0; i < 3; i++) {
		static const char *const workloads[] = {"1", "4", "5"};

		REQUIRE(perun_lookup_load(help_ctx, lookup, perun_lookup_at(lookup, i), &profile) ==
			PERUN_OK);
		CHECK_STR(perun_profile_text(profile, "/header/workload"), workloads[i]);
		perun_profile_unref(profile);
	}
	perun_lookup_remove(lookup, 0);
	CHECK_INT(perun_lookup_count(lookup), 2);
	CHECK_INT(perun_lookup_at(lookup, 0)->kind, PERUN_PLACE_PENDING);
	perun_lookup_free(lookup);
	perun_lookup_free(NULL);
}

static int no_store(void *data, struct perun_ctx *ctx, bool required, struct perun_store **store)
{
	++*(int *)data;
	*store = NULL;
	return required ? perun_fail(ctx, PERUN_USAGE, "no store") : PERUN_OK;
}

/* A path needs no store, and its absence is asked for once. */
TEST(test_without_store)
{
	int asked = 0;
	const struct perun_lookup_options options = {
		.struct_size = sizeof options, .open = no_store, .data = &asked};
	struct perun_lookup *lookup = perun_lookup_new(&options);

	CHECK_INT(perun_lookup_add(help_ctx, lookup, "./plain.perf", PERUN_PLACE_ANY), PERUN_OK);
	CHECK_INT(asked, 0);
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "absent", PERUN_PLACE_ANY), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "no store here");
	CHECK_INT(asked, 1);
	CHECK_INT(perun_lookup_add(help_ctx, lookup, "0@i", PERUN_PLACE_ANY), PERUN_USAGE);
	CHECK_STR(help_error(), "no store");
	perun_lookup_free(lookup);
}

int main(void)
{
	if (!git_begin()) {
		puts("1..0 # SKIP no git");
		return 0;
	}
	make_project();
	check_all();
	git_end();
	return check_done();
}
