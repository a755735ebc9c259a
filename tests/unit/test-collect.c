/* SPDX-License-Identifier: BSD-3-Clause */
/* Collecting with the plugin `time`: what a profile holds, and what happens when a program fails. */
#include <config.h>

#include <sys/resource.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/json.h>
#include <perun/lib/program.h>

#include "tests/unit/check.h"

/* Run `command` under the collector; the status, and the profile or the error text. */
static int collect(const char *command, const char *workload, const char *const *arguments,
		   struct perun_profile **profile, char **error)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_collect_job job = {.struct_size = sizeof job,
					.command = command,
					.arguments = "",
					.workload = workload};
	int status = perun_collect(ctx, "time", arguments, &job, profile);

	*error = perun_strdup(perun_ctx_error(ctx));
	perun_ctx_free(ctx);
	return status;
}

TEST(test_profile)
{
	static const char *const arguments[] = {"--warmup", "1", "--repeat", "4", NULL};
	struct perun_profile *profile;
	const struct perun_table *resources;
	const struct perun_column *amount, *order;
	struct perun_buffer text = {0};
	char *error;
	int64_t number = 0;

	CHECK_INT(collect("sleep", "0.01", arguments, &profile, &error), PERUN_OK);
	REQUIRE(profile);
	CHECK_STR(perun_profile_text(profile, "/header/type"), "time");
	CHECK_STR(perun_profile_text(profile, "/header/cmd"), "sleep");
	CHECK_STR(perun_profile_text(profile, "/header/workload"), "0.01");
	CHECK_STR(perun_profile_text(profile, "/header/units/time"), "s");
	CHECK_STR(perun_profile_text(profile, "/collector_info/name"), "time");
	CHECK(perun_json_as_int64(
		perun_json_path(perun_profile_document(profile), "/collector_info/params/repeat"),
		&number));
	CHECK_INT(number, 4);
	CHECK_INT(perun_json_count(perun_json_get(perun_profile_document(profile), "runs")), 4);
	CHECK(perun_json_as_int64(
		perun_json_path(perun_profile_document(profile), "/runs/0/max_rss"), &number));
	CHECK(number > 100000);

	resources = perun_resources(profile);
	CHECK_INT(perun_table_rows(resources), 12);
	amount = perun_table_column(resources, "amount");
	order = perun_table_column(resources, "order");
	CHECK(perun_column_double(amount, 0) >= 0.01 && perun_column_double(amount, 0) < 5);
	CHECK(perun_column_double(amount, 1) < 0.5);
	CHECK_INT(perun_column_int64(order, 11), 4);
	perun_column_print(perun_table_column(resources, "subtype"), 1, &text);
	CHECK_STR(text.data, "user");
	perun_buffer_free(&text);
	perun_free(error);
	perun_profile_unref(profile);
}

/* A failure: no profile, its status, and parts of its text. */
static void expect_failure(const char *command, const char *const *arguments, int status,
			   const char *part, const char *other_part)
{
	struct perun_profile *profile;
	char *error;

	CHECK_INT(collect(command, "", arguments, &profile, &error), status);
	CHECK(profile == NULL);
	CHECK_CONTAINS(error, part);
	CHECK_CONTAINS(error, other_part);
	perun_free(error);
}

TEST(test_missing_program)
{
	expect_failure("/no/such/program", NULL, PERUN_MISSING, "/no/such/program",
		       "No such file or directory");
}

TEST(test_no_command)
{
	expect_failure("", NULL, PERUN_USAGE, "needs a command", "collector time");
}

TEST(test_open_quote)
{
	expect_failure("echo 'a", NULL, PERUN_USAGE, "quote", "echo 'a");
}

TEST(test_failing_program)
{
	static const char *const second[] = {"--warmup", "0", "--repeat", "3", NULL};

	expect_failure("sh -c 'echo went wrong >&2; exit 3'", second, PERUN_INPUT, "run 1 of 3",
		       "exited with 3; its standard error ends with: went wrong");
	expect_failure("sh -c 'kill -SEGV $$'", second, PERUN_INPUT, "signal 11", "sh");
}

TEST(test_ignored_failure)
{
	static const char *const arguments[] = {"--warmup",        "0", "--repeat", "2",
						"--ignore-status", NULL};
	struct perun_profile *profile;
	char *error;
	int64_t number = 0;

	CHECK_INT(collect("false", "", arguments, &profile, &error), PERUN_OK);
	REQUIRE(profile);
	CHECK(perun_json_as_int64(
		perun_json_path(perun_profile_document(profile), "/runs/1/exit_status"), &number));
	CHECK_INT(number, 1);
	perun_free(error);
	perun_profile_unref(profile);
}

TEST(test_timeout)
{
	static const char *const arguments[] = {"--warmup",  "0",     "--repeat", "1",
						"--timeout", "100ms", NULL};

	expect_failure("sleep 20", arguments, PERUN_INPUT, "timed out", "0.1 s");
}

TEST(test_shell)
{
	static const char *const arguments[] = {"--warmup", "0", "--repeat", "1", "--shell", NULL};
	struct perun_profile *profile;
	char *error;

	CHECK_INT(collect("test $((1 + 1)) = 2 && true", "", arguments, &profile, &error),
		  PERUN_OK);
	CHECK(profile != NULL);
	perun_free(error);
	perun_profile_unref(profile);
}

TEST(test_bad_options)
{
	static const char *const unknown[] = {"--repat", "3", NULL};
	static const char *const range[] = {"--repeat", "0", NULL};

	expect_failure("true", unknown, PERUN_USAGE, "repat", "--repeat");
	expect_failure("true", range, PERUN_USAGE, "repeat", "1");
}

TEST(test_unknown_collector)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_collect_job job = {
		.struct_size = sizeof job, .command = "true", .arguments = "", .workload = ""};
	struct perun_profile *profile;

	CHECK_INT(perun_collect(ctx, "tme", NULL, &job, &profile), PERUN_MISSING);
	CHECK_CONTAINS(perun_ctx_error(ctx), "time");
	CHECK(profile == NULL);
	perun_ctx_free(ctx);
}

static bool stop_now(void *data)
{
	return ++*(int *)data > 2;
}

TEST(test_cancelled)
{
	int asked = 0;
	struct perun_handlers handlers = {
		.struct_size = sizeof handlers, .data = &asked, .cancelled = stop_now};
	struct perun_ctx *ctx = perun_ctx_new(&handlers);
	struct perun_collect_job job = {
		.struct_size = sizeof job, .command = "sleep", .arguments = "", .workload = "20"};
	struct perun_profile *profile;

	CHECK_INT(perun_collect(ctx, "time", NULL, &job, &profile), PERUN_CANCELLED);
	CHECK(profile == NULL);
	perun_ctx_free(ctx);
}

/* Without a descriptor for its input no shell can be started, which is not a success. */
TEST(test_no_shell)
{
	const struct perun_shell shell = {.command = "true", .directory = "/", .log = -1};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct rlimit limit, none;
	int code = 0;

	REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	none = limit;
	none.rlim_cur = 0;
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	CHECK_INT(perun_shell_run(ctx, &shell, &code), PERUN_INPUT);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_INT(code, -1);
	CHECK(strstr(perun_ctx_error(ctx), "cannot start a shell"));
	perun_ctx_clear(ctx);
	CHECK_INT(perun_shell_run(ctx, &shell, &code), PERUN_OK);
	CHECK_INT(code, 0);
	perun_ctx_free(ctx);
}

CHECK_MAIN(, )
