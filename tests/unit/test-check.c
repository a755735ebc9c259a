/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of checks, and the check average-amount-threshold on profiles made here. */
#include <config.h>

#include <perun/check.h>
#include <perun/json.h>

#include "tests/unit/check.h"

static const char *words_of(enum perun_result result, const char *before, const char *after)
{
	const struct perun_change change = {.struct_size = sizeof change,
					    .result = result,
					    .type = "mixed",
					    .from_baseline = before,
					    .to_target = after};

	return perun_change_words(&change);
}

/* Bytes are not slower. */
TEST(test_words)
{
	CHECK_STR(words_of(PERUN_RESULT_DEGRADATION, "115.69ms", "0.2s"), "slower");
	CHECK_STR(words_of(PERUN_RESULT_DEGRADATION, "5.1 MB/s", "4.1 MB/s"), "slower");
	CHECK_STR(words_of(PERUN_RESULT_OPTIMIZATION, "70 us/op", "60 us/op"), "faster");
	CHECK_STR(words_of(PERUN_RESULT_DEGRADATION, "1KB", "2MB"), "more");
	CHECK_STR(words_of(PERUN_RESULT_OPTIMIZATION, "2MB", "1KB"), "less");
	CHECK_STR(words_of(PERUN_RESULT_MAYBE_DEGRADATION, "1 B/op", "2 B/op"), "maybe more");
	CHECK_STR(words_of(PERUN_RESULT_DEGRADATION, "90hits", "80hits"), "fewer");
	CHECK_STR(words_of(PERUN_RESULT_OPTIMIZATION, "7", "3"), "lower");
	CHECK_STR(words_of(PERUN_RESULT_DEGRADATION, "7%", "9%"), "higher");
	CHECK_STR(words_of(PERUN_RESULT_DEGRADATION, "linear", "quadratic"), "slower");
	CHECK_STR(words_of(PERUN_RESULT_NO_CHANGE, "1B", "1B"), "no change");
	CHECK_STR(words_of(PERUN_RESULT_UNKNOWN, "1B", PERUN_CHANGE_FAILED), PERUN_CHANGE_FAILED);
}

TEST(test_results)
{
	static const enum perun_result failing[] = {PERUN_RESULT_DEGRADATION,
						    PERUN_RESULT_SEVERE_DEGRADATION,
						    PERUN_RESULT_TOTAL_DEGRADATION};
	size_t fails = 0;

	for (unsigned i = 0; i < PERUN_RESULTS; i++) {
		enum perun_result result = (enum perun_result)i;

		CHECK_INT(perun_result_from_name(perun_result_name(result)), result);
		CHECK(!(perun_result_is_degradation(result) &&
			perun_result_is_optimization(result)));
		fails += perun_result_fails(result);
	}
	for (size_t i = 0; i < 3; i++)
		CHECK(perun_result_fails(failing[i]));
	CHECK_INT(fails, 3);
	CHECK_INT(perun_result_from_name("Nonsense"), PERUN_RESULTS);
	CHECK_STR(perun_result_words(PERUN_RESULT_MAYBE_DEGRADATION), "maybe slower");
}

TEST(test_report)
{
	struct perun_report *report = perun_report_new();
	char location[] = "main";
	struct perun_interval_change interval = {PERUN_RESULT_DEGRADATION, 0.5, 1, 2};
	struct perun_change change = {.struct_size = sizeof change,
				      .result = PERUN_RESULT_DEGRADATION,
				      .location = location,
				      .rate = 2,
				      .intervals = &interval,
				      .interval_count = 1,
				      .interval_size = sizeof interval};

	perun_report_add(report, &change);
	location[0] = 'x';
	interval.relative = 0;
	CHECK_INT(perun_report_count(report), 1);
	CHECK_STR(perun_report_at(report, 0)->location, "main");
	CHECK_STR(perun_report_at(report, 0)->confidence_type, "no");
	CHECK_STR(perun_report_at(report, 0)->from_baseline, "");
	CHECK_DOUBLE(perun_report_at(report, 0)->intervals[0].relative, 0.5, 0);
	perun_report_revise(report, 0, PERUN_RESULT_INCONCLUSIVE, "too few runs");
	CHECK_INT(perun_report_at(report, 0)->result, PERUN_RESULT_INCONCLUSIVE);
	CHECK_STR(perun_report_at(report, 0)->explanation, "too few runs");
	CHECK(perun_report_at(report, 1) == NULL);
	perun_report_free(report);
}

/* What a check declares, not what it is called. */
TEST(test_sessions)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	CHECK(perun_check_wants_sessions(ctx, "shift"));
	CHECK(!perun_check_wants_sessions(ctx, "average-amount-threshold"));
	CHECK(!perun_check_wants_sessions(ctx, "none-of-this-name"));
	CHECK(perun_check_has_quotients(ctx, "shift"));
	CHECK(perun_check_has_quotients(ctx, "changepoint"));
	CHECK(!perun_check_has_quotients(ctx, "average-amount-threshold"));
	CHECK_INT(perun_ctx_status(ctx), PERUN_OK);
	perun_ctx_free(ctx);
}

struct sample {
	const char *uid;
	double amount;
};

static struct perun_profile *make_profile(const struct sample *samples, size_t count)
{
	static const char document[] = "{\"type\": \"time\", \"units\": {\"time\": \"s\"}}";
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *amount = perun_table_add_column(
		table, &(struct perun_column_info){.name = "amount",
						   .type = PERUN_TYPE_DOUBLE,
						   .role = PERUN_ROLE_METRIC});
	struct perun_column_builder *uid = perun_table_add_column(
		table, &(struct perun_column_info){
			       .name = "uid", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY});
	struct perun_profile *profile = NULL;
	struct perun_json *header = NULL;

	perun_json_parse(NULL, document, strlen(document), NULL, &header);
	perun_json_set(perun_builder_document(builder), "header", header);
	for (size_t i = 0; i < count; i++) {
		perun_column_set_double(amount, samples[i].amount);
		if (samples[i].uid)
			perun_column_set_id(uid, PERUN_TYPE_STRING,
					    perun_builder_text(builder, samples[i].uid));
		perun_table_end_row(table);
	}
	perun_builder_finish(NULL, builder, &profile);
	return profile;
}

/* Compare with what the user does meanwhile; the caller frees the report. */
static int compare_while(const struct perun_handlers *handlers, const char *method,
			 const char *const *arguments, const struct sample *base, size_t base_count,
			 const struct sample *target, size_t target_count,
			 struct perun_report *report, char **error)
{
	struct perun_ctx *ctx = perun_ctx_new(handlers);
	struct perun_profile *baseline = make_profile(base, base_count);
	struct perun_profile *other = make_profile(target, target_count);
	struct perun_comparison comparison = {.struct_size = sizeof comparison,
					      .baselines = &baseline,
					      .baseline_count = 1,
					      .targets = &other,
					      .target_count = 1};
	int status = perun_check(ctx, method, arguments, &comparison, report);

	if (error)
		*error = perun_strdup(perun_ctx_error(ctx));
	perun_profile_unref(baseline);
	perun_profile_unref(other);
	perun_ctx_free(ctx);
	return status;
}

static int compare(const char *method, const char *const *arguments, const struct sample *base,
		   size_t base_count, const struct sample *target, size_t target_count,
		   struct perun_report *report, char **error)
{
	return compare_while(NULL, method, arguments, base, base_count, target, target_count,
			     report, error);
}

/* The finding about a location; NULL when there is none. */
static const struct perun_change *change_at(const struct perun_report *report, const char *location)
{
	for (size_t i = 0; i < perun_report_count(report); i++)
		if (strcmp(perun_report_at(report, i)->location, location) == 0)
			return perun_report_at(report, i);
	return NULL;
}

TEST(test_average_amount)
{
	static const struct sample base[] = {{"f", 1},    {"g", 10},   {"f", 3},      {"gone", 1},
					     {"same", 5}, {"zero", 0}, {"double", 2}, {"half", 4}};
	static const struct sample target[] = {{"f", 8},    {"g", 2},      {"new", 1}, {"same", 6},
					       {"zero", 1}, {"double", 4}, {"half", 2}};
	struct perun_report *report = perun_report_new();
	const struct perun_change *change;

	CHECK_INT(compare("average_amount_threshold", NULL, base, 8, target, 7, report, NULL),
		  PERUN_OK);
	CHECK_INT(perun_report_count(report), 6);
	change = change_at(report, "f");
	REQUIRE(change);
	CHECK_INT(change->result, PERUN_RESULT_DEGRADATION);
	CHECK_DOUBLE(change->rate, 4, 0);
	CHECK_STR(change->from_baseline, "2.0s");
	CHECK_STR(change->to_target, "8.0s");
	CHECK_STR(change->type, "time");
	CHECK_STR(change->method, "average-amount-threshold");
	change = change_at(report, "g");
	REQUIRE(change);
	CHECK_INT(change->result, PERUN_RESULT_OPTIMIZATION);
	change = change_at(report, "same");
	REQUIRE(change);
	CHECK_INT(change->result, PERUN_RESULT_NO_CHANGE);
	change = change_at(report, "double");
	REQUIRE(change);
	CHECK_INT(change->result, PERUN_RESULT_DEGRADATION);
	change = change_at(report, "half");
	REQUIRE(change);
	CHECK_INT(change->result, PERUN_RESULT_OPTIMIZATION);
	/* Division by zero is by 1e-6 instead, as the Python program divides. */
	change = change_at(report, "zero");
	REQUIRE(change);
	CHECK_DOUBLE(change->rate, 1e6, 1);
	CHECK(change_at(report, "gone") == NULL && change_at(report, "new") == NULL);
	perun_report_free(report);
}

TEST(test_thresholds)
{
	static const char *const arguments[] = {"--degradation", "1.1", "--optimization", "0.95",
						NULL};
	static const struct sample base[] = {{"f", 10}, {"g", 10}},
				   target[] = {{"f", 11.5}, {"g", 9}};
	struct perun_report *report = perun_report_new();

	CHECK_INT(compare("aat", arguments, base, 2, target, 2, report, NULL), PERUN_OK);
	REQUIRE(perun_report_count(report) == 2);
	CHECK_INT(change_at(report, "f")->result, PERUN_RESULT_DEGRADATION);
	CHECK_INT(change_at(report, "g")->result, PERUN_RESULT_OPTIMIZATION);
	perun_report_free(report);
}

TEST(test_nothing_to_compare)
{
	struct perun_report *report = perun_report_new();

	CHECK_INT(compare("aat", NULL, NULL, 0, NULL, 0, report, NULL), PERUN_OK);
	CHECK_INT(perun_report_count(report), 0);
	perun_report_free(report);
}

static bool stop(void *data)
{
	(void)data;
	return true;
}

/* Hundreds of thousands of functions take seconds. */
TEST(test_cancelled)
{
	static const struct sample some[] = {{"f", 1}, {"g", 2}};
	const struct perun_handlers handlers = {.struct_size = sizeof handlers, .cancelled = stop};
	struct perun_report *report = perun_report_new();

	CHECK_INT(compare_while(&handlers, "shift", NULL, some, 2, some, 2, report, NULL),
		  PERUN_CANCELLED);
	CHECK_INT(perun_report_count(report), 0);
	perun_report_free(report);
}

TEST(test_unknown_method)
{
	struct perun_report *report = perun_report_new();
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *error;

	CHECK_INT(compare("avrage-amount-threshold", NULL, NULL, 0, NULL, 0, report, &error),
		  PERUN_MISSING);
	CHECK_CONTAINS(error, "average-amount-threshold");
	perun_free(error);
	CHECK_STR(perun_check_method(ctx, "aat"), "average-amount-threshold");
	CHECK_STR(perun_check_method(ctx, "average_amount_threshold"), "average-amount-threshold");
	CHECK(perun_check_method(ctx, "xyz") == NULL);
	perun_ctx_free(ctx);
	perun_report_free(report);
}

/* 40 versions with three repeats each of two functions; "f" becomes slower at version 25. */
static struct perun_profile *make_history(void)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *versions = perun_builder_table(builder, "versions");
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *amount = perun_table_add_column(
		table, &(struct perun_column_info){.name = "amount",
						   .type = PERUN_TYPE_DOUBLE,
						   .role = PERUN_ROLE_METRIC});
	struct perun_column_builder *uid = perun_table_add_column(
		table, &(struct perun_column_info){
			       .name = "uid", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY});
	struct perun_column_builder *version =
		perun_table_add_column(table, &(struct perun_column_info){.name = "version",
									  .type = PERUN_TYPE_INT64,
									  .role = PERUN_ROLE_KEY});
	struct perun_profile *profile = NULL;

	perun_table_add_column(versions, &(struct perun_column_info){.name = "checksum",
								     .type = PERUN_TYPE_STRING,
								     .role = PERUN_ROLE_KEY});
	for (size_t i = 0; i < 40; i++)
		perun_table_end_row(versions);
	for (size_t i = 0; i < 240; i++) {
		size_t of = i / 6;
		bool slow = i % 2 == 0 && of >= 25;

		perun_column_set_double(amount, 100 + (double)(i * 7919 % 13) / 10 + 20 * slow);
		perun_column_set_id(uid, PERUN_TYPE_STRING,
				    perun_builder_text(builder, i % 2 ? "g" : "f"));
		perun_column_set_int64(version, (int64_t)of);
		perun_table_end_row(table);
	}
	perun_builder_finish(NULL, builder, &profile);
	return profile;
}

TEST(test_series)
{
	static const char *const higher[] = {"--better", "higher", NULL};
	static const char *const threshold[] = {"--threshold", "50", NULL};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *history = make_history();
	struct perun_report *report = perun_report_new();
	const struct perun_change *change;

	CHECK_INT(perun_check_series(ctx, "changepoint", NULL, history, report), PERUN_OK);
	CHECK_INT(perun_report_count(report), 1);
	change = perun_report_at(report, 0);
	CHECK_STR(change->location, "f");
	CHECK_STR(change->method, "changepoint");
	CHECK_INT(change->result, PERUN_RESULT_DEGRADATION);
	CHECK(change->rate > 1.15 && change->rate < 1.25);
	CHECK_CONTAINS(change->explanation, "at version 25, between versions 0 and 40");
	perun_report_free(report);
	report = perun_report_new();
	CHECK_INT(perun_check_series(ctx, "changepoint", higher, history, report), PERUN_OK);
	CHECK_INT(perun_report_at(report, 0)->result, PERUN_RESULT_OPTIMIZATION);
	perun_report_free(report);
	report = perun_report_new();
	CHECK_INT(perun_check_series(ctx, "changepoint", threshold, history, report), PERUN_OK);
	CHECK_INT(perun_report_count(report), 0);
	CHECK_INT(perun_check_series(ctx, "shift", NULL, history, report), PERUN_USAGE);
	CHECK_CONTAINS(perun_ctx_error(ctx), "not at whole histories");
	perun_report_free(report);
	perun_profile_unref(history);
	perun_ctx_free(ctx);
}

/* What is no history, and a method that does not compare two versions. */
TEST(test_no_history)
{
	static const struct sample some[] = {{"f", 1}};
	struct perun_report *report = perun_report_new();
	struct perun_profile *profile = make_profile(some, 1);
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *error = NULL;

	CHECK_INT(perun_check_series(ctx, "changepoint", NULL, profile, report), PERUN_USAGE);
	CHECK_CONTAINS(perun_ctx_error(ctx), "table 'versions'");
	CHECK_INT(compare("changepoint", NULL, some, 1, some, 1, report, &error), PERUN_USAGE);
	CHECK_CONTAINS(error, "not at two versions");
	perun_free(error);
	perun_profile_unref(profile);
	perun_report_free(report);
	perun_ctx_free(ctx);
}

CHECK_MAIN(, )
