/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of Perun's own profiles as stacks. */
#include <config.h>

#include <string.h>

#include <perun/json.h>
#include <perun/query.h>

#include "views/common/data.h"

struct traces {
	struct perun_builder *builder;
	perun_id *locations;
	size_t count, capacity;
	struct perun_buffer text;
};

static perun_id text_of(struct traces *traces, const struct perun_json *value)
{
	perun_buffer_clear(&traces->text);
	if (value)
		perun_flatten_value(value, &traces->text);
	return perun_builder_string(traces->builder, traces->text.length ? traces->text.data : "",
				    traces->text.length);
}

/* {"function": "f", "source": "f.c", "line": 3}, {"func": "f"}, or anything else by its text. */
static void add_frame(struct traces *traces, const struct perun_json *frame)
{
	const struct perun_json *name = perun_json_get(frame, "function");
	struct perun_function function = {0};
	struct perun_line line = {0};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

	if (!name)
		name = perun_json_get(frame, "func");
	function.name = text_of(traces, name ? name : frame);
	if (name && perun_json_get(frame, "source"))
		function.file = text_of(traces, perun_json_get(frame, "source"));
	if (name && perun_json_get(frame, "line") &&
	    !perun_json_as_int64(perun_json_get(frame, "line"), &line.line))
		line.line = 0;
	function.system_name = 0;
	line.function = perun_builder_function(traces->builder, &function);
	PERUN_GROW(traces->locations, traces->count, traces->capacity);
	traces->locations[traces->count++] = perun_builder_location(traces->builder, &location);
}

/* The stack of a cell's trace: of the frames of an array, of what else it is alone. */
static int stack_of(struct perun_ctx *ctx, struct traces *traces, const char *text, size_t length,
		    perun_id *stack)
{
	struct perun_json *trace = NULL;
	int status = perun_json_parse(ctx, text, length, NULL, &trace);

	if (status)
		return perun_fail(ctx, PERUN_OK, "a trace");
	traces->count = 0;
	if (perun_json_type(trace) == PERUN_JSON_TYPE_ARRAY) {
		for (size_t i = 0; i < perun_json_count(trace); i++)
			add_frame(traces, perun_json_at(trace, i));
	} else {
		add_frame(traces, trace);
	}
	perun_json_free(trace);
	*stack = perun_builder_stack(traces->builder, traces->locations, traces->count);
	return PERUN_OK;
}

static int add_stacks(struct perun_ctx *ctx, struct perun_profile *profile,
		      const struct perun_column *column, struct traces *traces)
{
	const struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	size_t rows = perun_table_rows(perun_resources(profile)), length;
	size_t strings = perun_profile_strings(profile);
	perun_id *made = perun_alloc(strings * sizeof *made);
	struct perun_table_builder *table = perun_builder_table(traces->builder, "resources");
	struct perun_column_builder *stacks = perun_table_add_column(table, &info);
	int status = PERUN_OK;

	memset(made, 0xff, strings * sizeof *made); /* PERUN_NO_ID */
	perun_table_rewind(table, 0);
	for (size_t row = 0; row < rows && !status; row++) {
		perun_id id = perun_column_id(column, row);

		if (id != PERUN_NO_ID && made[id] == PERUN_NO_ID) {
			const char *text = perun_profile_string(profile, id, &length);

			status = stack_of(ctx, traces, text, length, &made[id]);
		}
		if (id != PERUN_NO_ID && !status)
			perun_column_set_id(stacks, PERUN_TYPE_STACK, made[id]);
		perun_table_end_row(table);
	}
	perun_free(made);
	return status;
}

int views_traces_to_stacks(struct perun_ctx *ctx, struct perun_profile *profile,
			   struct perun_profile **result)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *column = perun_table_column(table, "trace");
	struct traces traces = {0};
	int status;

	if (perun_table_column(table, "stack") || !column ||
	    perun_column_info(column)->type != PERUN_TYPE_JSON) {
		*result = perun_profile_ref(profile);
		return PERUN_OK;
	}
	traces.builder = perun_builder_from(profile);
	status = add_stacks(ctx, profile, column, &traces);
	if (status)
		perun_builder_free(traces.builder);
	else
		status = perun_builder_finish(ctx, traces.builder, result);
	perun_free(traces.locations);
	perun_buffer_free(&traces.text);
	return status;
}
