/* SPDX-License-Identifier: BSD-3-Clause */
/* Plugins that have only what their kind requires: what the host does in place of each optional operation. */
#include <config.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/check.h>
#include <perun/collect.h>
#include <perun/command.h>
#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/interleave.h>
#include <perun/lib/path.h>
#include <perun/lib/registry.h>
#include <perun/postprocess.h>
#include <perun/vcs.h>
#include <perun/view.h>

#include "tests/unit/check.h"

/* ---- a vcs that can only do what is required --------------------------------------------------- */

/* Names of versions are checksums. */
#define ZEROS "000000000000000000000000000000000000000"
#define ONE   ZEROS "1"
#define TWO   ZEROS "2"
#define THREE ZEROS "3"
#define FOUR  ZEROS "4"

/* 4 and 3 are children of 2, which is one of 1. */
static const struct {
	const char *name, *parent;
} versions[] = {{FOUR, TWO}, {THREE, TWO}, {TWO, ONE}, {ONE, NULL}};

static char restored[64];

static int attach(void *instance, struct perun_ctx *ctx, const char *url)
{
	(void)instance;
	return *url ? PERUN_OK : perun_fail(ctx, PERUN_USAGE, "no URL");
}

static int make(void *instance, struct perun_ctx *ctx, const char *path,
		const struct perun_vcs_parameter *parameters, size_t count)
{
	(void)instance;
	(void)ctx;
	(void)path;
	(void)parameters;
	(void)count;
	return PERUN_OK;
}

static int walk(void *instance, struct perun_ctx *ctx, const char *head,
		perun_minor_version_visit *visit, void *data)
{
	const char *wanted = head;
	int status = PERUN_OK;

	(void)instance;
	(void)ctx;
	for (size_t i = 0; status == PERUN_OK && i < sizeof versions / sizeof *versions; i++) {
		const struct perun_minor_version version = {.struct_size = sizeof version,
							    .checksum = versions[i].name,
							    .author = "",
							    .email = "",
							    .description = "",
							    .parents = &versions[i].parent,
							    .parent_count =
								    versions[i].parent != NULL};

		if (!wanted || strcmp(versions[i].name, wanted) != 0)
			continue;
		wanted = versions[i].parent;
		status = visit(data, &version);
	}
	return status == PERUN_STOP ? PERUN_OK : status;
}

static int walk_branches(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
			 void *data)
{
	const struct perun_major_version branch = {sizeof branch, "trunk", FOUR};

	(void)instance;
	(void)ctx;
	return visit(data, &branch);
}

static int head(void *instance, struct perun_ctx *ctx, char **checksum)
{
	(void)instance;
	(void)ctx;
	*checksum = perun_strdup(FOUR);
	return PERUN_OK;
}

static int valid(void *instance, struct perun_ctx *ctx, const char *checksum)
{
	(void)instance;
	(void)ctx;
	(void)checksum;
	return PERUN_OK;
}

static int resolve(void *instance, struct perun_ctx *ctx, const char *text, const char *type,
		   char **checksum)
{
	(void)instance;
	(void)ctx;
	(void)type;
	*checksum = perun_strdup(text);
	return PERUN_OK;
}

static int is_dirty(void *instance, struct perun_ctx *ctx, bool *dirty)
{
	(void)instance;
	(void)ctx;
	*dirty = false;
	return PERUN_OK;
}

static int save_state(void *instance, struct perun_ctx *ctx, bool *saved, char **state)
{
	(void)instance;
	(void)ctx;
	*saved = true;
	*state = perun_strdup("at 3");
	return PERUN_OK;
}

static int restore_state(void *instance, struct perun_ctx *ctx, bool saved, const char *state)
{
	(void)instance;
	(void)ctx;
	(void)perun_snprintf(restored, sizeof restored, "%s%s", saved ? "saved " : "", state);
	return PERUN_OK;
}

static const struct perun_vcs_ops least_vcs = {
	.attach = attach,
	.init = make,
	.walk_minor_versions = walk,
	.walk_major_versions = walk_branches,
	.get_minor_head = head,
	.get_head_major_version = head,
	.get_minor_version_info = walk,
	.check_minor_version_validity = valid,
	.massage_parameter = resolve,
	.is_dirty = is_dirty,
	.save_state = save_state,
	.restore_state = restore_state,
	.checkout = valid,
};
PERUN_PLUGIN(vcs, least) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VCS, "least", "can only walk"),
	PERUN_PLUGIN_OPS(least_vcs),
};

/* ---- the other kinds ------------------------------------------------------------------------- */

static bool no_instance;

static int collect(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
		   struct perun_builder *builder)
{
	(void)ctx;
	(void)job;
	(void)builder;
	no_instance = !instance;
	return PERUN_OK;
}

static const struct perun_collect_ops least_collect = {.collect = collect};
PERUN_PLUGIN(collect, least) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "least", "measures nothing"),
	PERUN_PLUGIN_OPS(least_collect),
};

static int run(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
	       struct perun_builder *builder)
{
	(void)ctx;
	(void)profile;
	(void)builder;
	no_instance = !instance;
	return PERUN_OK;
}

static const struct perun_option size_option[] = {
	{.name = "size", .help = "how large", .type = PERUN_OPTION_INTEGER, .default_value = "3"},
	{0},
};
static const struct perun_postprocess_ops least_postprocess = {.run = run};
PERUN_PLUGIN(postprocess, least) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "least", "changes nothing"),
	PERUN_PLUGIN_OPTIONS(size_option),
	PERUN_PLUGIN_OPS(least_postprocess),
};

static int show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	(void)ctx;
	(void)profiles;
	(void)names;
	no_instance = !instance;
	return perun_output_printf(canvas->output, "%zu", count);
}

static const struct perun_view_ops least_view = {.forms = PERUN_FORM_TERMINAL, .show = show};
PERUN_PLUGIN(view, least) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "least", "draws a number"),
	PERUN_PLUGIN_OPS(least_view),
};

static int probe(const struct perun_probe *given)
{
	return given->size && *(const char *)given->data == '!' ? 90 : 0;
}

static int read_nothing(void *instance, struct perun_ctx *ctx, struct perun_input *input,
			struct perun_builder *builder)
{
	(void)ctx;
	(void)input;
	(void)builder;
	no_instance = !instance;
	return PERUN_OK;
}

static int write_nothing(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
			 struct perun_output *output)
{
	(void)ctx;
	(void)profile;
	no_instance = !instance;
	return perun_output_text(output, "!");
}

static const struct perun_format_ops least_reader = {.probe = probe, .read = read_nothing};
PERUN_PLUGIN(format, reader) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "reader", "can only read"),
	PERUN_PLUGIN_OPS(least_reader),
};
static const struct perun_format_ops least_writer = {.write = write_nothing};
PERUN_PLUGIN(format, writer) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "writer", "can only write"),
	PERUN_PLUGIN_OPS(least_writer),
};

static int compare(void *instance, struct perun_ctx *ctx, const struct perun_comparison *comparison,
		   struct perun_report *report)
{
	const struct perun_change change = {.struct_size = sizeof change,
					    .result = PERUN_RESULT_NO_CHANGE};

	(void)ctx;
	(void)comparison;
	no_instance = !instance;
	perun_report_add(report, &change);
	return PERUN_OK;
}

static const struct perun_check_ops least_check = {.compare = compare};
PERUN_PLUGIN(check, pairs) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "pairs", "two versions only"),
	PERUN_PLUGIN_OPS(least_check),
};

static int series(void *instance, struct perun_ctx *ctx, struct perun_profile *history,
		  struct perun_report *report)
{
	(void)history;
	return compare(instance, ctx, NULL, report);
}

static const struct perun_check_ops least_series = {.series = series};
PERUN_PLUGIN(check, histories) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "histories", "whole histories only"),
	PERUN_PLUGIN_OPS(least_series),
};

/* The collector of alternating runs, as another one would be. */
PERUN_PLUGIN(collect, time) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "time", "runs the program as often as it likes"),
	PERUN_PLUGIN_OPS(least_collect),
};

/* A view that asks for what it does not declare. */
static int forget(struct perun_ctx *ctx, const struct perun_options *options,
		  const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = NULL;
	(void)perun_option_flag(options, "undeclared");
	return PERUN_OK;
}

static const struct perun_view_ops forgetful_view = {
	.open = forget, .forms = PERUN_FORM_TERMINAL, .show = show};
PERUN_PLUGIN(view, forgetful) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "forgetful", "lacks an option"),
	PERUN_PLUGIN_OPS(forgetful_view),
};

/* The only plugins that there are. */
extern const struct perun_plugin *const perun_linked_plugins[];
const struct perun_plugin *const perun_linked_plugins[] = {&perun_plugin_vcs_least,
							   &perun_plugin_collect_least,
							   &perun_plugin_postprocess_least,
							   &perun_plugin_view_least,
							   &perun_plugin_format_reader,
							   &perun_plugin_format_writer,
							   &perun_plugin_check_pairs,
							   &perun_plugin_check_histories,
							   &perun_plugin_collect_time,
							   &perun_plugin_view_forgetful,
							   NULL};

/* ---- what is tested -------------------------------------------------------------------------- */

TEST(test_valid)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	for (size_t i = 0; perun_linked_plugins[i]; i++) {
		CHECK_INT(perun_plugin_validate(ctx, perun_linked_plugins[i]), PERUN_OK);
		CHECK_STR(perun_ctx_error(ctx), NULL);
	}
	perun_ctx_free(ctx);
}

static int add_name(void *data, const struct perun_minor_version *version)
{
	strcat(data, version->checksum);
	return PERUN_OK;
}

static int add_branch(void *data, const struct perun_major_version *version)
{
	strcat(data, version->name);
	return PERUN_OK;
}

/* Nothing is shared, exported or taken apart by a vcs that cannot. */
static void check_missing(struct perun_ctx *ctx, struct perun_vcs *vcs)
{
	struct perun_buffer out = {0};
	bool found = true;

	CHECK_INT(perun_vcs_export_version(ctx, vcs, "1", "/nowhere"), PERUN_MISSING);
	CHECK_INT(perun_vcs_remove_export(ctx, vcs, "/nowhere"), PERUN_MISSING);
	CHECK_INT(perun_vcs_share_add(ctx, vcs, "me", NULL, NULL), PERUN_MISSING);
	CHECK_INT(perun_vcs_share_writers(ctx, vcs, NULL, NULL), PERUN_MISSING);
	CHECK_INT(perun_vcs_share_files(ctx, vcs, NULL, "1", NULL, NULL), PERUN_MISSING);
	CHECK_INT(perun_vcs_share_push(ctx, vcs, "origin", "me"), PERUN_MISSING);
	CHECK_INT(perun_vcs_share_fetch(ctx, vcs, "origin"), PERUN_MISSING);
	CHECK_INT(perun_vcs_diff(ctx, vcs, "1", "2", &out), PERUN_MISSING);
	CHECK_INT(perun_vcs_read_file(ctx, vcs, "1", "a.c", &out, &found), PERUN_MISSING);
	CHECK(!found);
	CHECK_INT(out.length, 0);
	perun_buffer_free(&out);
	perun_ctx_clear(ctx);
}

TEST(test_vcs)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char place[] = "/tmp/perun-fallbacks-XXXXXX", seen[64] = "", names[64] = "", *text, *real;
	struct perun_vcs *vcs;
	bool is = true;

	REQUIRE(mkdtemp(place));
	CHECK_INT(perun_vcs_load(ctx, "least", &vcs), PERUN_OK);
	CHECK_INT(perun_vcs_discover(ctx, vcs, place, &text), PERUN_OK);
	CHECK_STR(text, NULL);
	perun_vcs_close(vcs);
	CHECK_INT(perun_vcs_open(ctx, "least", place, &vcs), PERUN_OK);
	REQUIRE(vcs);
	CHECK_INT(perun_vcs_discover(ctx, vcs, "/", &text), PERUN_OK);
	CHECK_STR(text, NULL);
	CHECK_INT(perun_vcs_discover(ctx, vcs, place, &text), PERUN_OK);
	real = realpath(place, NULL);
	CHECK_STR(text, real);
	free(real);
	perun_free(text);
	CHECK_INT(perun_vcs_walk_range(ctx, vcs, THREE, FOUR, add_name, seen), PERUN_OK);
	CHECK_STR(seen, FOUR);
	CHECK_INT(perun_vcs_merge_base(ctx, vcs, THREE, FOUR, &text), PERUN_OK);
	CHECK_STR(text, TWO);
	perun_free(text);
	CHECK_INT(perun_vcs_common_directory(ctx, vcs, &text), PERUN_OK);
	CHECK_STR(text, NULL);
	CHECK_INT(perun_vcs_is_boundary(ctx, vcs, ONE, &is), PERUN_OK);
	CHECK(!is);
	is = true;
	CHECK_INT(perun_vcs_is_tracked(ctx, vcs, place, &is), PERUN_OK);
	CHECK(!is);
	CHECK_INT(perun_vcs_ignore(ctx, vcs, ".perun/"), PERUN_OK);
	CHECK_INT(perun_vcs_recover(ctx, vcs, false, &text), PERUN_OK);
	CHECK_STR(text, NULL);
	CHECK_INT(perun_vcs_walk_remotes(ctx, vcs, NULL, NULL), PERUN_OK);
	CHECK_INT(perun_vcs_walk_names(ctx, vcs, add_branch, names), PERUN_OK);
	CHECK_STR(names, "trunk");
	check_missing(ctx, vcs);
	perun_vcs_close(vcs);
	rmdir(place);
	perun_ctx_free(ctx);
}

/* What runs leave for later ones. */
static char state_home[] = "/tmp/perun-fallbacks-XXXXXX";

/* A run in place that is killed: it put the state aside, and nothing more. */
static void be_killed(const char *place)
{
	pid_t child = fork();

	if (child == 0) {
		struct perun_ctx *ctx = perun_ctx_new(NULL);
		struct perun_vcs *vcs;
		char *state;
		bool saved;

		if (perun_vcs_open(ctx, "least", place, &vcs) == PERUN_OK &&
		    perun_vcs_save_state(ctx, vcs, &saved, &state) == PERUN_OK)
			_exit(0);
		_exit(1);
	}
	int status = -1;
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

TEST(test_recover)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *what = NULL;
	struct perun_vcs *vcs;

	be_killed(state_home);
	CHECK_INT(perun_vcs_open(ctx, "least", state_home, &vcs), PERUN_OK);
	REQUIRE(vcs);
	CHECK_INT(perun_vcs_recover(ctx, vcs, true, &what), PERUN_OK);
	CHECK(what && strstr(what, "an interrupted run left"));
	CHECK_STR(restored, "");
	perun_free(what);
	CHECK_INT(perun_vcs_recover(ctx, vcs, false, &what), PERUN_OK);
	CHECK(what && strstr(what, "is back"));
	CHECK_STR(restored, "saved at 3");
	perun_free(what);
	CHECK_INT(perun_vcs_recover(ctx, vcs, false, &what), PERUN_OK);
	CHECK_STR(what, NULL);
	perun_vcs_close(vcs);
	perun_ctx_free(ctx);
}

TEST(test_collect)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_collect_job job = {
		.struct_size = sizeof job, .command = "true", .arguments = "", .workload = ""};
	struct perun_profile *profile;

	no_instance = false;
	CHECK_INT(perun_collect(ctx, "least", NULL, &job, &profile), PERUN_OK);
	REQUIRE(profile);
	CHECK(no_instance);
	CHECK_STR(perun_profile_text(profile, "/header/cmd"), "true");
	CHECK_STR(perun_profile_text(profile, "/collector_info/name"), "least");
	perun_profile_unref(profile);
	/* Without `no_command` there has to be one. */
	job.command = "";
	CHECK_INT(perun_collect(ctx, "least", NULL, &job, &profile), PERUN_USAGE);
	CHECK(strstr(perun_ctx_error(ctx), "needs a command"));
	perun_ctx_free(ctx);
}

TEST(test_alternating_runs)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	const struct perun_interleave_options options = {.struct_size = sizeof options,
							 .collector = "time"};
	char *argv[] = {"true", NULL};
	struct perun_interleave *runs;

	CHECK_INT(perun_interleave_new(ctx, argv, NULL, &runs), PERUN_USAGE);
	CHECK(!runs);
	CHECK_INT(perun_interleave_new(ctx, argv, &options, &runs), PERUN_MISSING);
	CHECK(!runs);
	CHECK(strstr(perun_ctx_error(ctx), "the collector time cannot measure single runs"));
	perun_ctx_free(ctx);
}

static struct perun_profile *empty_profile(struct perun_ctx *ctx)
{
	struct perun_profile *profile = NULL;

	CHECK_INT(perun_builder_finish(ctx, perun_builder_new(), &profile), PERUN_OK);
	return profile;
}

TEST(test_postprocess)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = empty_profile(ctx), *result;
	struct perun_buffer text = {0};

	no_instance = false;
	CHECK_INT(perun_postprocess(ctx, profile, "least", NULL, NULL, &result), PERUN_OK);
	REQUIRE(result);
	CHECK(no_instance);
	/* Without describe() the options are recorded as they are. */
	perun_json_print(perun_json_get(perun_profile_document(result), "postprocessors"), &text,
			 PERUN_JSON_COMPACT, 0);
	CHECK_STR(text.data, "[{\"name\":\"least\",\"params\":{\"size\":3}}]");
	perun_buffer_free(&text);
	perun_profile_unref(result);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}

TEST(test_view)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = empty_profile(ctx), *three[] = {profile, profile, profile};
	static const char *const names[] = {"a", "b", "c"};
	struct perun_buffer text = {0};
	struct perun_canvas canvas = {.struct_size = sizeof canvas,
				      .form = PERUN_FORM_TERMINAL,
				      .width = 80,
				      .output = perun_output_to_buffer(&text)};

	/* Without a minimum and a maximum it takes any number. */
	no_instance = false;
	CHECK_INT(perun_show_profiles(ctx, "least", NULL, three, names, 3, &canvas), PERUN_OK);
	CHECK_INT(perun_show_profiles(ctx, "least", NULL, three, names, 0, &canvas), PERUN_OK);
	CHECK(no_instance);
	CHECK_INT(perun_output_commit(ctx, canvas.output), PERUN_OK);
	perun_output_close(canvas.output);
	CHECK_STR(text.data, "30");
	canvas.form = PERUN_FORM_SVG;
	CHECK_INT(perun_show_profiles(ctx, "least", NULL, three, names, 1, &canvas), PERUN_USAGE);
	perun_ctx_clear(ctx);
	canvas.form = PERUN_FORM_TERMINAL;
	CHECK_INT(perun_show_profiles(ctx, "forgetful", NULL, three, names, 1, &canvas),
		  PERUN_INPUT);
	CHECK(strstr(perun_ctx_error(ctx), "undeclared"));
	perun_buffer_free(&text);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}

TEST(test_format)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_input *input = perun_input_from_memory("any.name", "!x", 2);
	struct perun_buffer text = {0};
	struct perun_output *output = perun_output_to_buffer(&text);
	struct perun_profile *profile = NULL;
	const char *used = NULL;

	/* Without patterns and magic bytes it is asked for any content. */
	no_instance = false;
	CHECK_INT(perun_read_profile(ctx, input, NULL, NULL, &profile, &used), PERUN_OK);
	REQUIRE(profile);
	CHECK_STR(used, "reader");
	CHECK(no_instance);
	CHECK_INT(perun_write_profile(ctx, profile, "writer", NULL, output), PERUN_OK);
	CHECK_INT(perun_output_commit(ctx, output), PERUN_OK);
	CHECK_STR(text.data, "!");
	CHECK_INT(perun_write_profile(ctx, profile, "reader", NULL, output), PERUN_USAGE);
	CHECK(strstr(perun_ctx_error(ctx), "reader"));
	perun_ctx_clear(ctx);
	perun_output_close(output);
	perun_profile_unref(profile);
	CHECK_INT(perun_read_profile(ctx, input, "writer", NULL, &profile, &used), PERUN_USAGE);
	CHECK(strstr(perun_ctx_error(ctx), "writer"));
	perun_input_close(input);
	perun_buffer_free(&text);
	perun_ctx_free(ctx);
}

TEST(test_check)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = empty_profile(ctx);
	struct perun_comparison comparison = {.struct_size = sizeof comparison,
					      .baselines = &profile,
					      .baseline_count = 1,
					      .targets = &profile,
					      .target_count = 1};
	struct perun_report *report = perun_report_new();

	no_instance = false;
	CHECK_INT(perun_check(ctx, "pairs", NULL, &comparison, report), PERUN_OK);
	CHECK(no_instance);
	CHECK_INT(perun_check_series(ctx, "histories", NULL, profile, report), PERUN_OK);
	/* Without finish() findings stay as they are. */
	CHECK_INT(perun_report_count(report), 2);
	CHECK_INT(perun_report_at(report, 1)->result, PERUN_RESULT_NO_CHANGE);
	CHECK(!perun_check_wants_sessions(ctx, "pairs"));
	CHECK(!perun_check_has_quotients(ctx, "pairs"));
	CHECK_INT(perun_check(ctx, "histories", NULL, &comparison, report), PERUN_USAGE);
	CHECK(strstr(perun_ctx_error(ctx), "looks at whole histories"));
	perun_ctx_clear(ctx);
	CHECK_INT(perun_check_series(ctx, "pairs", NULL, profile, report), PERUN_USAGE);
	CHECK(strstr(perun_ctx_error(ctx), "looks at two versions"));
	perun_report_free(report);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}

static void start(void)
{
	if (mkdtemp(state_home))
		setenv("XDG_STATE_HOME", state_home, 1);
}

CHECK_MAIN(start(), perun_path_remove_tree(state_home))
