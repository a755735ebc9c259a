/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collector `kperf` of the Python program: samples of the collector cpu in the form in which it kept those of
 * perf, so that its configurations run and its profiles can be compared with new ones.
 */
#include <config.h>

#include <perun/collect.h>
#include <perun/json.h>
#include <perun/plugin.h>

struct kperf {
	int64_t warmup, repeat;
	bool sudo;
};

static const struct perun_option kperf_options[] = {
	{.name = "warmup",
	 .aliases = "-w",
	 .metavar = "N",
	 .help = "runs before those that are sampled",
	 .default_value = "3",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6},
	{.name = "repeat",
	 .aliases = "-r",
	 .metavar = "N",
	 .help = "runs that are sampled",
	 .default_value = "5",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e6},
	{.name = "with-sudo",
	 .aliases = "-s",
	 .help = "accepted, and without effect: no other user's rights are needed"},
	{0}};

static int kperf_open(struct perun_ctx *ctx, const struct perun_options *options,
		      const char *subcommand, void **instance)
{
	struct kperf *kperf = perun_alloc_zero(1, sizeof *kperf);

	(void)ctx;
	(void)subcommand;
	kperf->warmup = perun_option_integer(options, "warmup");
	kperf->repeat = perun_option_integer(options, "repeat");
	kperf->sudo = perun_option_flag(options, "with-sudo");
	*instance = kperf;
	return PERUN_OK;
}

static void kperf_close(void *instance)
{
	perun_free(instance);
}

static int kperf_before(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job)
{
	const struct kperf *kperf = instance;

	(void)job;
	if (kperf->sudo)
		perun_warn(ctx, "with-sudo has no effect: samples are taken without sudo");
	return PERUN_OK;
}

/* ---- the profile -------------------------------------------------------------------------------- */

struct columns {
	struct perun_table_builder *table;
	struct perun_column_builder *amount, *uid, *command, *trace;
};

static struct perun_column_builder *add_column(struct perun_table_builder *table, const char *name,
					       enum perun_type type, enum perun_role role)
{
	struct perun_column_info info = {.name = name, .type = type, .role = role};

	return perun_table_add_column(table, &info);
}

static struct columns make_columns(struct perun_builder *builder)
{
	struct perun_table_builder *table = perun_builder_table(builder, "resources");

	return (struct columns){table,
				add_column(table, "amount", PERUN_TYPE_INT64, PERUN_ROLE_METRIC),
				add_column(table, "uid", PERUN_TYPE_STRING, PERUN_ROLE_KEY),
				add_column(table, "command", PERUN_TYPE_STRING, PERUN_ROLE_KEY),
				add_column(table, "trace", PERUN_TYPE_JSON, PERUN_ROLE_PLAIN)};
}

static const char *name_at(const struct perun_json *frames, size_t i)
{
	const struct perun_json *frame = perun_json_at(frames, i);
	const char *name = perun_json_as_string(perun_json_get(frame, "function"), NULL);

	return name ? name : "?";
}

/* The names of a stack as kperf wrote them: the innermost is the uid, the others are a list, the outermost first. */
static void set_stack(const struct perun_json *frames, struct perun_builder *builder,
		      const struct columns *columns)
{
	struct perun_json *trace = perun_json_array();
	struct perun_buffer text = {0};

	for (size_t i = perun_json_count(frames); i-- > 1;)
		perun_json_append(trace, perun_json_text(name_at(frames, i)));
	perun_json_print(trace, &text, PERUN_JSON_PYTHON, 0);
	perun_column_set_id(columns->uid, PERUN_TYPE_STRING,
			    perun_builder_text(builder, name_at(frames, 0)));
	perun_column_set_id(columns->trace, PERUN_TYPE_JSON,
			    perun_builder_string(builder, text.data, text.length));
	perun_buffer_free(&text);
	perun_json_free(trace);
}

static int add_run(struct perun_ctx *ctx, struct perun_profile *profile,
		   struct perun_builder *builder, const struct columns *columns)
{
	const struct perun_table *resources = perun_resources(profile);
	const struct perun_column *samples = perun_table_column(resources, "samples");
	const struct perun_column *command = perun_table_column(resources, "command");
	const struct perun_column *trace = perun_table_column(resources, "trace");

	for (size_t row = 0; row < perun_table_rows(resources); row++) {
		const char *name =
			perun_profile_string(profile, perun_column_id(command, row), NULL);
		size_t length;
		const char *text =
			perun_profile_string(profile, perun_column_id(trace, row), &length);
		struct perun_json *frames;
		int status = perun_json_parse(ctx, text, length, NULL, &frames);

		if (status)
			return status;
		perun_column_set_int64(columns->amount, perun_column_int64(samples, row));
		perun_column_set_id(columns->command, PERUN_TYPE_STRING,
				    perun_builder_text(builder, name));
		set_stack(frames, builder, columns);
		perun_table_end_row(columns->table);
		perun_json_free(frames);
	}
	return PERUN_OK;
}

static int kperf_collect(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
			 struct perun_builder *builder)
{
	const struct kperf *kperf = instance;
	struct perun_json *header = perun_json_object(), *units = perun_json_object();
	struct columns columns = make_columns(builder);
	int status = PERUN_OK;

	perun_json_set(header, "type", perun_json_text("time"));
	perun_json_set(header, "cmd", perun_json_text(job->command));
	perun_json_set(header, "workload", perun_json_text(job->workload));
	perun_json_set(units, "time", perun_json_text("sample"));
	perun_json_set(header, "units", units);
	perun_json_set(perun_builder_document(builder), "header", header);
	for (int64_t i = 0; !status && i < kperf->warmup + kperf->repeat; i++) {
		struct perun_profile *profile;

		status = perun_collect(ctx, "cpu", NULL, job, &profile);
		if (!status && i >= kperf->warmup)
			status = add_run(ctx, profile, builder, &columns);
		perun_profile_unref(profile);
	}
	return status;
}

static const struct perun_collect_ops kperf_ops = {
	.open = kperf_open,
	.close = kperf_close,
	.before = kperf_before,
	.collect = kperf_collect,
};

PERUN_PLUGIN(collect, kperf) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "kperf",
			  "samples in the form of the Python program's kperf"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(kperf_options),
	PERUN_PLUGIN_OPS(kperf_ops),
};
