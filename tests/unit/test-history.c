/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of all versions: perun/lib/history.h on a store over git. */
#include <math.h>

#include <perun/lib/history.h>
#include <perun/json.h>

#include "tests/unit/git-help.h"

#define VERSIONS 16
#define CHANGE   9 /* the first slower version */

/* A profile of `time` with three repeats of f and g and a row of a level metric. */
static void add_profile(unsigned version, const char *name, double f)
{
	static const char head[] =
		"{\"origin\": \"\", \"header\": {\"type\": \"time\", \"cmd\": \"app\", \"args\": "
		"\"-v\", \"workload\": \"in\", \"units\": {\"time\": \"s\"}}, "
		"\"collector_info\": {\"name\": \"time\", \"params\": {}}, \"postprocessors\": [], "
		"\"resources\": [";
	struct perun_buffer text = {0};
	char revision[40];

	perun_buffer_add_text(&text, head);
	for (unsigned i = 0; i < 3; i++)
		perun_buffer_printf(
			&text,
			"{\"uid\": \"f\", \"order\": %u, \"amount\": %.4f, \"type\": \"time\", "
			"\"subtype\": \"real\"}, {\"uid\": \"g\", \"order\": %u, \"amount\": 2, "
			"\"type\": \"time\", \"subtype\": \"real\"}, ",
			i + 1, f + i / 1000.0, i + 1);
	perun_buffer_add_text(&text, "{\"uid\": \"f\", \"order\": 1, \"amount\": 7, \"type\": "
				     "\"memory\", \"subtype\": \"peak\"}]}");
	snprintf(revision, sizeof revision, "HEAD~%u", VERSIONS - 1 - version);
	git_add(revision, name, text.data);
	perun_buffer_free(&text);
}

static void make_project(void)
{
	char name[40];

	for (unsigned i = 0; i < VERSIONS; i++) {
		snprintf(name, sizeof name, "version %u", i);
		git_commit(name, i);
	}
	for (unsigned i = 0; i < VERSIONS; i++) {
		if (i == 3) /* not measured */
			continue;
		snprintf(name, sizeof name, "p%u.perf", i);
		add_profile(i, name, (i < CHANGE ? 1 : 1.5) + i % 3 / 100.0);
	}
	/* Another session of the newest version. */
	add_profile(VERSIONS - 1, "again.perf", 1.52);
}

static struct perun_history *load(const char *metric, const char *location)
{
	const struct perun_history_options options = {
		.struct_size = sizeof options, .metric = metric, .location = location};
	struct perun_history *history;

	if (perun_history_load(help_ctx, git_store, &options, &history))
		CHECK_FAIL("history: %s", help_error());
	return history;
}

TEST(test_line)
{
	struct perun_version_line *line;

	REQUIRE(perun_version_line_load(help_ctx, git_store, "HEAD~5..HEAD~1", &line) == PERUN_OK);
	REQUIRE(perun_version_line_count(line) == 4);
	CHECK_STR(perun_version_line_checksums(line)[0], git_version("HEAD~4"));
	CHECK_STR(perun_version_line_version(line, 3)->checksum, git_version("HEAD~1"));
	CHECK(perun_version_line_version(line, 4) == NULL);
	perun_version_line_free(line);
	/* As with git: what HEAD has, HEAD~1 has not to offer. */
	REQUIRE(perun_version_line_load(help_ctx, git_store, "HEAD..HEAD~1", &line) == PERUN_OK);
	CHECK_INT(perun_version_line_count(line), 0);
	perun_version_line_free(line);
}

static void check_strand(const struct perun_strand *strand)
{
	CHECK_INT(strand->struct_size, sizeof *strand);
	CHECK_STR(strand->location, "f");
	CHECK_STR(strand->metric, "time(real)");
	CHECK_STR(strand->unit, "s");
	CHECK_STR(strand->command, "app -v in");
	CHECK_INT(strand->kind, PERUN_VALUE_REPEATS);
	CHECK(!strand->higher);
	REQUIRE(strand->count == VERSIONS);
	CHECK_DOUBLE(strand->values[0], 1.001, 1e-9);
	CHECK(isnan(strand->values[3]));
	CHECK_INT(strand->starts[1] - strand->starts[0], 3);
	CHECK_DOUBLE(strand->repeats[1], 1.001, 1e-9);
	/* Two sessions of the newest version, in one value. */
	CHECK_INT(strand->starts[VERSIONS] - strand->starts[VERSIONS - 1], 6);
	CHECK_INT(strand->session_count, VERSIONS);
	CHECK_INT(strand->sessions[VERSIONS - 1], strand->starts[VERSIONS] - 3);
}

TEST(test_values)
{
	struct perun_history *history = load("time(real)", NULL);

	REQUIRE(history);
	CHECK_INT(perun_history_measured(history), VERSIONS - 1);
	REQUIRE(perun_history_count(history) == 2);
	check_strand(perun_history_strand(history, 0));
	CHECK_STR(perun_history_strand(history, 1)->location, "g");
	CHECK(perun_history_strand(history, 2) == NULL);
	perun_history_free(history);
	/* From the cache. */
	history = load("time(real)", "f");
	REQUIRE(history);
	REQUIRE(perun_history_count(history) == 1);
	check_strand(perun_history_strand(history, 0));
	perun_history_free(history);
}

TEST(test_failures)
{
	struct perun_history_options options = {.struct_size = sizeof options,
						.metric = "time(nothing)"};
	struct perun_history *history;

	CHECK_INT(perun_history_load(help_ctx, git_store, &options, &history), PERUN_USAGE);
	CHECK(history == NULL);
	CHECK_CONTAINS(help_error(), "there are time(real), memory(peak)");
	options = (struct perun_history_options){.struct_size = sizeof options, .location = "h"};
	CHECK_INT(perun_history_load(help_ctx, git_store, &options, &history), PERUN_USAGE);
	CHECK_CONTAINS(help_error(), "values of 'h'");
}

/* The line of measured versions alone: the same values and changes, one place less. */
TEST(test_measured)
{
	const struct perun_history_options options = {
		.struct_size = sizeof options, .metric = "time(real)", .measured = true};
	struct perun_history *history;
	const struct perun_strand *f;

	REQUIRE(perun_history_load(help_ctx, git_store, &options, &history) == PERUN_OK);
	REQUIRE(perun_history_find_changes(help_ctx, history, NULL, 0.05) == PERUN_OK);
	f = perun_history_strand(history, 0);
	CHECK_INT(perun_version_line_count(perun_history_line(history)), VERSIONS - 1);
	REQUIRE(f->count == VERSIONS - 1);
	CHECK_INT(perun_strand_measured(f), VERSIONS - 1);
	CHECK_STR(f->labels[2], git_version("HEAD~13"));
	CHECK_STR(f->labels[3], git_version("HEAD~11"));
	REQUIRE(f->changes->count == 1);
	CHECK_INT(f->changes->points[0].index, CHANGE - 1);
	perun_history_free(history);
}

TEST(test_changes)
{
	struct perun_history *history = load("time(real)", NULL);
	const struct perun_strand *f;
	struct perun_acknowledgements *acknowledgements;
	struct perun_candidates *candidates;
	struct perun_earlier earlier;
	struct perun_json *found;

	REQUIRE(history);
	REQUIRE(perun_history_find_changes(help_ctx, history, NULL, 0.05) == PERUN_OK);
	f = perun_history_strand(history, 0);
	REQUIRE(f->changes->count == 1);
	CHECK_INT(f->changes->points[0].index, CHANGE);
	CHECK_INT(perun_history_strand(history, 1)->changes->count, 0);
	CHECK_INT(perun_last_measured_before(f, 4), 2);

	REQUIRE(perun_acknowledgements_load(help_ctx, git_store, &acknowledgements) == PERUN_OK);
	CHECK(perun_acknowledged_change(acknowledgements, perun_history_line(history), f,
					&f->changes->points[0]) == NULL);
	perun_acknowledgements_free(acknowledgements);

	REQUIRE(perun_candidates_find(help_ctx, git_store, history, f, &f->changes->points[0], 5,
				      &candidates) == PERUN_OK);
	REQUIRE(perun_candidates_count(candidates) == 1);
	CHECK_STR(perun_candidates_at(candidates, 0)->location, "f");
	CHECK_DOUBLE(
		perun_candidate_share(perun_candidates_at(candidates, 0), &f->changes->points[0]),
		1, 0.05);
	perun_candidates_free(candidates);

	REQUIRE(perun_store_document(help_ctx, git_store, PERUN_FOUND, &found) == PERUN_OK);
	perun_earlier_find(found, f, &earlier);
	CHECK(!earlier.known[0]);
	perun_earlier_free(&earlier);
	CHECK_INT(perun_earlier_keep(help_ctx, git_store, found, history), PERUN_OK);
	perun_json_free(found);
	REQUIRE(perun_store_document(help_ctx, git_store, PERUN_FOUND, &found) == PERUN_OK);
	perun_earlier_find(found, f, &earlier);
	CHECK(earlier.known[0]);
	CHECK_INT(earlier.vanished_count, 0);
	perun_earlier_free(&earlier);
	perun_json_free(found);
	perun_history_free(history);
}

static int acknowledge(void *data, struct perun_ctx *ctx, struct perun_json *list)
{
	struct perun_json *item = perun_json_object();

	(void)ctx;
	perun_acknowledgement_name(item, data);
	perun_json_set(item, "metric", perun_json_text("time"));
	perun_json_set(item, "reason", perun_json_text("meant"));
	perun_json_append(list, item);
	return PERUN_OK;
}

/* An acknowledgement holds for the change nearby, and only of that metric. */
TEST(test_acknowledgements)
{
	struct perun_history *history = load("time(real)", "f");
	struct perun_acknowledgements *acknowledgements;
	const struct perun_version_line *line = perun_history_line(history);
	const struct perun_strand *f = perun_history_strand(history, 0);
	char *reason;

	REQUIRE(perun_history_find_changes(help_ctx, history, NULL, 0.05) == PERUN_OK);
	REQUIRE(perun_store_edit_document(help_ctx, git_store, PERUN_ACKNOWLEDGED, acknowledge,
					  (void *)perun_version_line_version(line, CHANGE - 1)) ==
		PERUN_OK);
	REQUIRE(perun_acknowledgements_load(help_ctx, git_store, &acknowledgements) == PERUN_OK);
	reason = perun_acknowledged_change(acknowledgements, line, f, &f->changes->points[0]);
	CHECK_STR(reason, "meant");
	perun_free(reason);
	perun_acknowledgements_free(acknowledgements);
	perun_history_free(history);
}

/* All values of a version, as "location:metric:count" in their order. */
static const char *values_of(struct perun_reader *reader, const char *revision)
{
	static char text[2048];
	const struct perun_measured_profile *profile;
	const struct perun_value *value;

	text[0] = '\0';
	if (perun_reader_version(help_ctx, reader, git_version(revision)))
		return help_error();
	for (;;) {
		int status = perun_reader_profile(help_ctx, reader, &profile);

		if (status) {
			snprintf(text + strlen(text), sizeof text - strlen(text), "%s fails ",
				 profile->name);
			perun_ctx_clear(help_ctx);
			continue;
		}
		if (!profile)
			return text;
		while ((value = perun_reader_value(reader)))
			snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%s:%zu ",
				 value->location, value->total ? "total" : "", value->metric,
				 value->count);
	}
}

TEST(test_reader)
{
	static const char first[] = "f:time(real):3 g:time(real):3 total:time(real):3 "
				    "f:memory(peak):1 ";
	const struct perun_reader_options options = {.struct_size = sizeof options, .totals = true};
	struct perun_reader *reader, *other;
	const char *versions[VERSIONS];
	char damaged[PERUN_CHECKSUM_SIZE];
	struct perun_entries entries;

	perun_history_forget(git_store);
	REQUIRE(perun_reader_open(help_ctx, git_store, &options, &reader) == PERUN_OK);
	CHECK_STR(values_of(reader, "HEAD~15"), first);
	CHECK_STR(values_of(reader, "HEAD~12"), "");
	perun_reader_close(reader);
	/* The same from what is kept, and after several at once; two readers do not meet. */
	REQUIRE(perun_reader_open(help_ctx, git_store, &options, &reader) == PERUN_OK);
	REQUIRE(perun_reader_open(help_ctx, git_store, &options, &other) == PERUN_OK);
	for (unsigned i = 0; i < VERSIONS; i++) {
		char revision[20];

		snprintf(revision, sizeof revision, "HEAD~%u", i);
		versions[i] = strdup(git_version(revision));
	}
	CHECK_INT(perun_reader_prefetch(help_ctx, reader, versions, VERSIONS), PERUN_OK);
	CHECK_INT(perun_reader_prefetch(help_ctx, other, versions, VERSIONS), PERUN_OK);
	CHECK_STR(values_of(reader, "HEAD~15"), first);
	CHECK_STR(values_of(other, "HEAD~1"), first);
	CHECK_STR(values_of(other, "HEAD~15"), first);
	perun_reader_close(other);
	perun_reader_close(reader);
	for (unsigned i = 0; i < VERSIONS; i++)
		free((char *)versions[i]);

	/* A profile that cannot be read is named, and the others come all the same. */
	perun_history_forget(git_store);
	REQUIRE(perun_store_entries(help_ctx, git_store, git_version("HEAD"), &entries) ==
		PERUN_OK);
	REQUIRE(entries.count == 2);
	strcpy(damaged, entries.items[0].checksum);
	perun_entries_free(&entries);
	git_run("mv %s kept", help_object_path(git_store, damaged, ""));
	REQUIRE(perun_reader_open(help_ctx, git_store, &options, &reader) == PERUN_OK);
	CHECK_CONTAINS(values_of(reader, "HEAD"), " fails ");
	CHECK_CONTAINS(values_of(reader, "HEAD"), first);
	perun_reader_close(reader);
	git_run("mv kept %s", help_object_path(git_store, damaged, ""));
}

/* Bytes that are not there or not right are no values. */
TEST(test_damaged_cache)
{
	static const char path[] = ".perun/cache/history-values";
	struct perun_history *good = load("time(real)", "f"), *again;
	size_t size;
	char *bytes;

	perun_history_forget(git_store);
	again = load("time(real)", "f");
	perun_history_free(again);
	bytes = help_read(path, &size);
	REQUIRE(bytes && size > 2000);
	for (size_t at = 0; at < size; at += 97) {
		bytes[at] ^= 0x55;
		help_write(path, bytes, at % 2 ? size : size - at % 50);
		again = load("time(real)", "f");
		REQUIRE(again);
		CHECK(memcmp(perun_history_strand(again, 0)->repeats,
			     perun_history_strand(good, 0)->repeats, 48 * sizeof(double)) == 0);
		perun_history_free(again);
		bytes[at] ^= 0x55;
	}
	free(bytes);
	perun_history_free(good);
}

/* The key of a version changes with its profiles. */
TEST(test_version_key)
{
	const char *version = git_version("HEAD~5");
	uint64_t key = perun_version_key(help_ctx, git_store, version);

	CHECK(key != 0);
	CHECK(perun_version_key(help_ctx, git_store, git_version("HEAD~12")) == 0);
	add_profile(VERSIONS - 1 - 5, "more.perf", 1.51);
	CHECK(perun_version_key(help_ctx, git_store, version) != key);
}

/* What a function with most of the samples costs is not what profiles have in common. */
TEST(test_leading_function)
{
	enum { FUNCTIONS = 6, PROFILES = 4 };
	double counts[FUNCTIONS * PROFILES], factors[PROFILES], sample;

	for (size_t i = 0; i < FUNCTIONS * PROFILES; i++)
		counts[i] = 600;
	CHECK(perun_leading_factors(counts, FUNCTIONS, PROFILES, factors, &sample) == SIZE_MAX);
	for (size_t p = 0; p < PROFILES; p++)
		counts[2 * PROFILES + p] = p < 2 ? 20000 : 30000;
	CHECK(perun_leading_factors(counts, FUNCTIONS, PROFILES, factors, &sample) == 2);
	CHECK(sample == 1);
	for (size_t p = 0; p < PROFILES; p++)
		CHECK(fabs(factors[p] - 1) < 0.05);
	/* A longer profile has more of all. */
	for (size_t f = 0; f < FUNCTIONS; f++)
		counts[f * PROFILES + 3] *= 2;
	CHECK(perun_leading_factors(counts, FUNCTIONS, PROFILES, factors, &sample) == 2);
	CHECK(fabs(factors[3] / factors[0] - 2) < 0.1);
	/* 32,500 samples a profile, divided by what 3,750 others say: each says as little as ten. */
	CHECK(fabs(sample - (1 + 32500. / 3750)) < 1.5);
	/* Ten samples more or less of a hundred are chance. */
	for (size_t i = 0; i < FUNCTIONS * PROFILES; i++)
		counts[i] = i / PROFILES == 2 ? 1000 : i % PROFILES % 2 ? 22 : 18;
	CHECK(perun_leading_factors(counts, FUNCTIONS, PROFILES, factors, &sample) == 2);
	for (size_t p = 0; p < PROFILES; p++)
		CHECK(factors[p] == 1);
	CHECK(sample > 1 && sample < 1 + 1000. / 100);
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
