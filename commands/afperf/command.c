/* SPDX-License-Identifier: BSD-3-Clause */
/* The command `perun afperf`: options, actions, and reading with violations as errors. */
#include "command.h"

#include <inttypes.h>

#include "commands/common/change-line.h"

const struct perun_option afperf_options[] = {
	{.name = "action",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "check info reduce filter split merge append",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "what to do"},
	{.name = "file",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED | PERUN_OPTION_REPEATABLE,
	 .help = "an AFPerf file; - is standard input"},
	{.name = "json", .type = PERUN_OPTION_FLAG, .help = "print JSON (info, reduce)"},
	{.name = "csv", .type = PERUN_OPTION_FLAG, .help = "print comma-separated values (reduce)"},
	{.name = "deduct-pauses",
	 .type = PERUN_OPTION_FLAG,
	 .help = "leave pauses out of durations (reduce)"},
	{.name = "lenient",
	 .type = PERUN_OPTION_FLAG,
	 .help = "leave out records that violate the specification, and list them"},
	{.name = "run",
	 .flags = PERUN_OPTION_REPEATABLE,
	 .type = PERUN_OPTION_STRING,
	 .metavar = "ID",
	 .help = "only this run (reduce, filter, split)"},
	{.name = "label",
	 .flags = PERUN_OPTION_REPEATABLE,
	 .type = PERUN_OPTION_STRING,
	 .metavar = "PATTERN",
	 .help = "only regions and sections whose label matches"},
	{.name = "tag",
	 .flags = PERUN_OPTION_REPEATABLE,
	 .type = PERUN_OPTION_STRING,
	 .metavar = "NAME[=VALUE]",
	 .help = "only regions and sections with this tag"},
	{.name = "from",
	 .type = PERUN_OPTION_NUMBER,
	 .metavar = "SECONDS",
	 .help = "only what reaches beyond this time since the start of the run"},
	{.name = "until",
	 .type = PERUN_OPTION_NUMBER,
	 .metavar = "SECONDS",
	 .help = "only what begins by this time since the start of the run"},
	{.name = "to",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "FORMAT",
	 .help = "the format to write (filter, reduce) [default: afperf]"},
	{.name = "output",
	 .aliases = "-o",
	 .type = PERUN_OPTION_PATH,
	 .metavar = "FILE",
	 .help = "write there, not to standard output; split makes a directory of it"},
	{.name = "limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = AFPERF_DEFAULT_LIMIT,
	 .help = "the largest record to read"},
	{.name = NULL},
};

/* ---- reading ---------------------------------------------------------------------------------------- */

/* A listener of the caller, and problems for the call. */
struct relay {
	struct afperf_call *call;
	struct afperf_listener listener;
	uint64_t violations;
};

static void relay_restart(void *data)
{
	struct relay *relay = data;

	if (relay->listener.restart)
		relay->listener.restart(relay->listener.data);
}

static void relay_record(void *data, struct afperf_file *file, const struct afperf_data *record)
{
	struct relay *relay = data;

	relay->listener.record(relay->listener.data, file, record);
}

static void relay_closed(void *data, struct afperf_file *file, enum afperf_level level,
			 uint32_t index)
{
	struct relay *relay = data;

	relay->listener.closed(relay->listener.data, file, level, index);
}

static void relay_violation(void *data, const struct afperf_problem *problem)
{
	struct relay *relay = data;
	struct afperf_call *call = relay->call;

	relay->violations++;
	call->violations++;
	if (call->left_out_count < AFPERF_LISTED) {
		PERUN_GROW(call->left_out, call->left_out_count, call->left_out_capacity);
		call->left_out[call->left_out_count] = *problem;
	}
	call->left_out_count += call->left_out_count < AFPERF_LISTED;
}

int afperf_call_read(struct afperf_call *call, const char *path, struct afperf_file *file,
		     const struct afperf_listener *listener)
{
	struct relay relay = {.call = call};
	struct afperf_listener own = {
		.data = &relay, .restart = relay_restart, .violation = relay_violation};
	struct perun_input *input;
	struct perun_buffer text = {0};
	int status = perun_input_open(call->ctx, path, &input);

	if (status)
		return status;
	if (listener) {
		relay.listener = *listener;
		own.record = listener->record ? relay_record : NULL;
		own.closed = listener->closed ? relay_closed : NULL;
	}
	call->name = path;
	file->stop_at_first = !call->lenient;
	status = afperf_file_read(call->ctx, file, input, call->limit, &own);
	if (status) {
		status = perun_fail(call->ctx, status, "cannot read %s", path);
	} else if (relay.violations && !call->lenient) {
		afperf_problem_text(&call->left_out[0], &text);
		status = perun_fail(call->ctx, PERUN_INPUT, "%s: %s", path, text.data);
	}
	perun_buffer_free(&text);
	perun_input_close(input);
	return status;
}

void afperf_call_report_left_out(struct afperf_call *call)
{
	struct perun_buffer text = {0};

	if (call->left_out_count == 0)
		return;
	afperf_problem_text(&call->left_out[0], &text);
	if (call->violations == 1)
		perun_warn(call->ctx, "%s: left out: %s", call->name, text.data);
	else
		perun_warn(call->ctx,
			   "%s: %zu problems, whose records are left out; perun afperf check lists "
			   "them; the first is %s",
			   call->name, call->violations, text.data);
	perun_buffer_free(&text);
}

static void write_member(struct perun_json_writer *writer, const char *key, const char *text)
{
	perun_json_write_key_text(writer, key);
	if (text)
		perun_json_write_text(writer, text);
	else
		perun_json_write_null(writer);
}

static void write_left_out(const struct afperf_call *call, struct perun_json_writer *writer)
{
	if (!call->lenient)
		return;
	perun_json_write_key_text(writer, "left_out");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < call->left_out_count; i++) {
		const struct afperf_problem *problem = &call->left_out[i];

		perun_json_write_object_start(writer);
		perun_json_write_key_text(writer, "line");
		perun_json_write_uint64(writer, problem->line);
		write_member(writer, "record", problem->record);
		write_member(writer, "field", problem->field);
		write_member(writer, "problem", problem->message);
		write_member(writer, "paragraph", problem->paragraph);
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
}

int afperf_call_end_json(struct afperf_call *call, struct perun_json_writer *writer,
			 struct perun_buffer *text)
{
	int status;

	write_left_out(call, writer);
	perun_json_write_object_end(writer);
	status = perun_json_writer_finish(writer);
	perun_buffer_add_char(text, '\n');
	if (!status)
		status = perun_output_write(call->output, text->data, text->length);
	perun_buffer_free(text);
	return status;
}

void afperf_print_run_id(const struct afperf_run *run, struct perun_buffer *text)
{
	if (run->blank)
		perun_buffer_add_text(text, "without id");
	else
		perun_buffer_printf(text, "%" PRIu64, run->key.first);
}

void afperf_write_run_id(const struct afperf_run *run, struct perun_json_writer *writer)
{
	if (run->blank)
		perun_json_write_null(writer);
	else
		perun_json_write_uint64(writer, run->key.first);
}

/* ---- actions ---------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int (*run)(struct afperf_call *call, const char *path);
	int (*run_many)(struct afperf_call *call);
	bool json;
} actions[] = {
	{"check", afperf_run_check, NULL, false},   {"info", afperf_run_info, NULL, true},
	{"reduce", afperf_run_reduce, NULL, true},  {"filter", afperf_run_filter, NULL, false},
	{"split", afperf_run_split, NULL, false},   {"merge", NULL, afperf_run_merge, false},
	{"append", NULL, afperf_run_append, false},
};

static int run_action(struct afperf_call *call)
{
	const char *name = perun_option_string(call->options, "action");
	size_t files = perun_option_count(call->options, "file"), i = 0;

	while (strcmp(actions[i].name, name) != 0)
		i++;
	if (call->json && !actions[i].json)
		return perun_fail(call->ctx, PERUN_USAGE,
				  "--json is for info and reduce, not for %s", name);
	if (actions[i].run_many)
		return actions[i].run_many(call);
	if (files != 1)
		return perun_fail(call->ctx, PERUN_USAGE,
				  "perun afperf %s takes one file; %zu were given", name, files);
	return actions[i].run(call, perun_option_string_at(call->options, "file", 0));
}

int afperf_run_command(struct perun_ctx *ctx, const struct perun_command_call *given)
{
	struct afperf_call call = {
		.ctx = ctx,
		.output = given->output,
		.options = given->options,
		.canvas = {.struct_size = sizeof call.canvas,
			   .form = PERUN_FORM_TERMINAL,
			   .width = given->width,
			   .output = given->output,
			   .color = given->color,
			   .ascii = !given->unicode,
			   .screen = commands_line_width(given->terminal, given->width) > 0},
		.json = perun_option_flag(given->options, "json"),
		.lenient = perun_option_flag(given->options, "lenient"),
		.limit = perun_option_size(given->options, "limit")};
	int status = run_action(&call);

	perun_free(call.left_out);
	return status;
}
