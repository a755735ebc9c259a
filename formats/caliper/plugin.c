/* SPDX-License-Identifier: BSD-3-Clause */
/* caliper: json-split, json and .cali of Caliper (https://software.llnl.gov/Caliper/OutputFormats.html). */
#include <math.h>
#include <string.h>

#include "formats/common/benchmark.h"

#include "caliper.h"

/* What a column is: places in the tree, a metric, or a label, which may be the text of a node. */
enum meaning { PLACE, METRIC, LABEL, NODE_LABEL };

struct column {
	const char *name;
	perun_id label; /* the name as a key */
	const char *unit;
	enum meaning meaning;
};

struct reading {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	struct column *columns;
	size_t column_count;
	struct caliper_rows rows;
	perun_id *locations; /* of each node */
	perun_id *labels;    /* the same as texts */
	int64_t *parents;    /* -1 = none */
	size_t node_count;
	perun_id *stack;
	size_t stack_room;
};

/* The column whose nodes are the stacks: call paths before annotations, as Hatchet takes them. */
static size_t find_path(const struct reading *reading)
{
	static const char *const names[] = {"source.function#callpath.address", "path"};
	size_t first = SIZE_MAX;

	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		for (size_t i = 0; i < reading->column_count; i++)
			if (strcmp(reading->columns[i].name, names[k]) == 0)
				return i;
	for (size_t i = reading->column_count; i-- > 0;)
		if (reading->columns[i].meaning == PLACE)
			first = i;
	return first;
}

static int read_columns(struct reading *reading, const struct perun_json *document)
{
	const struct perun_json *names, *about = perun_json_get(document, "column_metadata");
	size_t path;
	int status = benchmark_member(reading->ctx, document, "", "columns", PERUN_JSON_TYPE_ARRAY,
				      &names);

	if (status)
		return status;
	reading->column_count = perun_json_count(names);
	reading->columns = perun_alloc_zero(reading->column_count + 1, sizeof *reading->columns);
	for (size_t i = 0; i < reading->column_count; i++) {
		struct column *column = &reading->columns[i];
		bool value = false;

		column->name = perun_json_as_string(perun_json_at(names, i), NULL);
		if (!column->name)
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "expected columns[%zu] to be a string", i);
		perun_json_as_bool(perun_json_get(perun_json_at(about, i), "is_value"), &value);
		column->meaning = !value ? PLACE : caliper_is_label(column->name) ? LABEL : METRIC;
		column->label = perun_builder_text(stacks_builder(reading->stacks), column->name);
		column->unit = caliper_unit(
			perun_json_as_string(
				perun_json_get(perun_json_at(about, i), "attribute.unit"), NULL),
			column->name);
	}
	path = find_path(reading);
	for (size_t i = 0; i < reading->column_count; i++)
		if (reading->columns[i].meaning == PLACE && i != path)
			reading->columns[i].meaning = NODE_LABEL;
	return PERUN_OK;
}

/* {"label": "main", "column": "path", "parent": 0} */
static int read_nodes(struct reading *reading, const struct perun_json *document)
{
	const struct perun_json *nodes;
	int status = benchmark_member(reading->ctx, document, "", "nodes", PERUN_JSON_TYPE_ARRAY,
				      &nodes);

	if (status)
		return status;
	reading->node_count = perun_json_count(nodes);
	reading->locations = perun_alloc_zero(reading->node_count + 1, sizeof(perun_id));
	reading->labels = perun_alloc_zero(reading->node_count + 1, sizeof(perun_id));
	reading->parents = perun_alloc_zero(reading->node_count + 1, sizeof(int64_t));
	for (size_t i = 0; i < reading->node_count; i++) {
		const struct perun_json *node = perun_json_pass(nodes, i, NULL);
		const char *label = perun_json_as_string(perun_json_get(node, "label"), NULL);

		if (!label)
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "expected nodes[%zu].label to be a string", i);
		reading->locations[i] = stacks_name(reading->stacks, label, strlen(label));
		reading->labels[i] = perun_builder_text(stacks_builder(reading->stacks), label);
		reading->parents[i] = -1;
		perun_json_as_int64(perun_json_get(node, "parent"), &reading->parents[i]);
		/* Parents come first, so that there are no circles. */
		if (reading->parents[i] < -1 || reading->parents[i] >= (int64_t)i)
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "expected nodes[%zu].parent to be a node before it", i);
	}
	return PERUN_OK;
}

/* Numbers of labels without a fraction have none in their text. */
static perun_id text_of_number(struct reading *reading, double value)
{
	char digits[PERUN_JSON_NUMBER_SIZE];
	size_t length = perun_json_print_double(value, digits) -
			(value == floor(value) && fabs(value) < 1e15 ? 2 : 0);

	return perun_builder_string(stacks_builder(reading->stacks), digits, length);
}

static void add_cell(struct reading *reading, const struct column *column,
		     const struct perun_json *cell)
{
	const char *text = perun_json_as_string(cell, NULL);
	double value;

	if (column->meaning == METRIC) {
		if (perun_json_as_double(cell, &value))
			caliper_value(&reading->rows, column->name, column->unit, value);
	} else if (perun_json_as_double(cell, &value)) {
		caliper_label(&reading->rows, column->label, text_of_number(reading, value));
	} else if (text) {
		caliper_label(&reading->rows, column->label,
			      perun_builder_text(stacks_builder(reading->stacks), text));
	}
}

static int add_row(struct reading *reading, const struct perun_json *row, size_t number)
{
	struct caliper_place place;
	size_t count = 0;
	int status;

	for (size_t i = 0; i < reading->column_count && i < perun_json_count(row); i++) {
		const struct column *column = &reading->columns[i];
		const struct perun_json *cell = perun_json_pass(row, i, NULL);
		bool refers = column->meaning == PLACE || column->meaning == NODE_LABEL;
		int64_t node = -1;

		if (!refers || !perun_json_as_int64(cell, &node)) {
			add_cell(reading, column, cell);
			continue;
		}
		if (node < 0 || node >= (int64_t)reading->node_count)
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "data[%zu] names the node %lld, which is not there",
					  number, (long long)node);
		if (column->meaning == NODE_LABEL)
			caliper_label(&reading->rows, column->label, reading->labels[node]);
		for (; column->meaning == PLACE && node >= 0; node = reading->parents[node]) {
			PERUN_GROW(reading->stack, count, reading->stack_room);
			reading->stack[count++] = reading->locations[node];
		}
	}
	status = caliper_make_place(&reading->rows, reading->stack, count, &place);
	return status ? status : caliper_end_row(&reading->rows, &place);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx};
	const struct perun_json *data;
	struct perun_json *document;
	char first = 0;
	size_t got;
	int status = perun_input_read(ctx, input, &first, 1, &got);

	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	if (!status && first == '_') {
		reading.stacks = stacks_begin(ctx, builder, "caliper", instance);
		return stacks_end(reading.stacks, caliper_read_cali(ctx, input, reading.stacks));
	}
	if (!status)
		status = benchmark_document(ctx, input, &document);
	if (status)
		return status;
	reading.stacks = stacks_begin(ctx, builder, "caliper", instance);
	caliper_begin(&reading.rows, ctx, reading.stacks);
	status = benchmark_member(ctx, document, "", "data", PERUN_JSON_TYPE_ARRAY, &data);
	if (!status)
		status = read_columns(&reading, document);
	if (!status)
		status = read_nodes(&reading, document);
	for (size_t i = 0; !status && i < perun_json_count(data); i++) {
		status = add_row(&reading, perun_json_pass(data, i, NULL), i);
		if (!status && i % 4096 == 0 && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
	}
	status = caliper_finish(&reading.rows, status);
	perun_free(reading.columns);
	perun_free(reading.locations);
	perun_free(reading.labels);
	perun_free(reading.parents);
	perun_free(reading.stack);
	perun_json_free(document);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (!probe->directory && stacks_begins(probe, "__rec="))
		return 95;
	if (probe->directory || !stacks_begins(probe, "{") || !probe_has(probe, "\"data\""))
		return 0;
	/* What decides may be after a long list of data. */
	if (probe_has(probe, "\"column_metadata\""))
		return 95;
	if (probe->whole)
		return 0;
	return probe_has(probe, "\"data\": [\n") || probe_has(probe, "\"data\": [\r\n") ? 30 : 0;
}

static const char *const marks[] = {"__rec=", "\"column_metadata\"", "\"data\": [\n",
				    "\"data\": [\r\n", NULL};

FORMAT_PLUGIN(caliper, "caliper", "profiles of Caliper", stacks_option_table, .open = stacks_open,
	      .close = stacks_close, .patterns = "*.cali", .contains = marks, .probe = probe_format,
	      .read = read_format);
