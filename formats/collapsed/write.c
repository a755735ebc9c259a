/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing folded stacks: a line for each distinct stack. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>

#include <perun/lib/units.h>

#include "collapsed.h"
#include "formats/common/losses.h"
#include "paths.h"

enum { METRICS = 2 };

struct writing {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	struct perun_output *output;
	const struct perun_metric *metrics[METRICS];
	struct collapsed_allocations allocations; /* what one of them may point to */
	size_t metric_count;
	struct collapsed_paths paths;
	perun_id *of_location; /* the text of its frame; SEVERAL, UNKNOWN */
	perun_id *of_function; /* its text, UNKNOWN */
	uint64_t *bad;         /* of each text: a bit, whether a byte was changed in it */
	size_t bad_room;
	uint32_t *of_stack;            /* its line + 1; 0 = not known yet */
	struct collapsed_number *sums; /* of each line, as many as metrics */
	uint32_t *ends;                /* of each line: the last node of its path */
	size_t count, sum_room, end_room;
	uint64_t changed; /* names with a byte that the format cannot hold */
};
/* A location of which nothing is known yet, one with several frames. */
#define UNKNOWN PERUN_NO_ID
#define SEVERAL (PERUN_NO_ID - 1)

/* What a recording of several events is about: times, before what was counted beside them. */
static const struct perun_metric *leading(const struct perun_metric *const *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (perun_unit_factor(all[i]->unit, "s") > 0)
			return all[i];
	return all[0];
}

static int find_metric(struct writing *writing, const char *name)
{
	size_t count;
	const struct perun_metric *const *all = perun_metrics(writing->profile, &count);
	const struct perun_metric *metric;
	const char *wanted =
		name ? name : perun_profile_text(writing->profile, "/header/default_metric");

	if (count == 0)
		return perun_fail(writing->ctx, PERUN_INPUT, "the profile has no metric to write");
	if (!name && collapsed_find_allocations(writing->profile, &writing->allocations)) {
		writing->metrics[writing->metric_count++] = &writing->allocations.metric;
		return PERUN_OK;
	}
	metric = *wanted ? perun_metric(writing->profile, wanted) : NULL;
	if (!metric && name)
		return perun_fail(writing->ctx, PERUN_USAGE,
				  "the profile has no metric %s; the first of its %zu is %s", name,
				  count, all[0]->name);
	if (!metric)
		metric = leading(all, count);
	if (!name && count > 1 && !writing->metric_count)
		perun_note(writing->ctx,
			   "writing %s of %zu metrics; --format-option metric=NAME takes another",
			   metric->name, count);
	writing->metrics[writing->metric_count++] = metric;
	return PERUN_OK;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Whole numbers add up exactly, as long as they fit. */
static void add(struct collapsed_number *sum, const struct collapsed_number *number)
{
	sum->whole = sum->whole && number->whole &&
		     !__builtin_add_overflow(sum->integer, number->integer, &sum->integer);
	sum->real += number->real;
}

static bool value_at(const struct writing *writing, size_t i, size_t row,
		     struct collapsed_number *value)
{
	const struct perun_metric *metric = writing->metrics[i];
	const struct perun_column *column = metric->values;

	if (!collapsed_has_row(&writing->allocations, metric, row) ||
	    perun_column_absent(column, row))
		return false;
	value->real = perun_column_double(column, row);
	value->whole = perun_column_info(column)->type == PERUN_TYPE_INT64 ||
		       (value->real == floor(value->real) && fabs(value->real) < 0x1p53);
	value->integer = value->whole ? perun_column_int64(column, row) : 0;
	return !isnan(value->real);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* What separates frames, lines and numbers becomes something that does not. Whether something did. */
static bool add_name(const char *name, struct perun_buffer *text)
{
	bool changed = false;

	for (; *name; name++) {
		bool bad = *name == ';' || *name == '\n' || *name == '\r';

		changed |= bad;
		perun_buffer_add_char(text, !bad ? *name : *name == ';' ? ':' : ' ');
	}
	return changed;
}

/* The number of a frame's text; `bad`: it is not what the profile says. */
static perun_id number_text(struct writing *writing, const struct perun_buffer *frame, bool bad)
{
	size_t words = writing->bad_room;
	perun_id text = perun_builder_string(writing->paths.texts, frame->data ? frame->data : "",
					     frame->length);

	if (!bad)
		return text;
	if (text / 64 >= words) {
		writing->bad_room = text / 32 + 1;
		writing->bad =
			perun_realloc_array(writing->bad, writing->bad_room, sizeof *writing->bad);
		memset(writing->bad + words, 0, (writing->bad_room - words) * sizeof *writing->bad);
	}
	writing->bad[text / 64] |= UINT64_C(1) << text % 64;
	return text;
}

static perun_id text_of_function(struct writing *writing, perun_id id, struct perun_buffer *scratch)
{
	const struct perun_profile *profile = writing->profile;
	perun_id *known = &writing->of_function[id];
	const struct perun_function *function;
	bool bad;

	if (*known != UNKNOWN)
		return *known;
	function = perun_profile_function(profile, id);
	perun_buffer_clear(scratch);
	bad = add_name(perun_profile_string(profile,
					    function->name ? function->name : function->file, NULL),
		       scratch);
	return *known = number_text(writing, scratch, bad);
}

static perun_id find_text(struct writing *writing, const struct perun_location *location,
			  uint32_t line, struct perun_buffer *scratch)
{
	perun_id id = location->line_count ? location->lines[line].function : PERUN_NO_ID;

	if (id != PERUN_NO_ID)
		return text_of_function(writing, id, scratch);
	perun_buffer_clear(scratch);
	if (location->address)
		perun_buffer_printf(scratch, "0x%" PRIx64, location->address);
	else
		perun_buffer_add_text(scratch, "[unknown]");
	return number_text(writing, scratch, false);
}

static uint32_t go_on(struct writing *writing, uint32_t path, perun_id text)
{
	if (text / 64 < writing->bad_room)
		writing->changed += writing->bad[text / 64] >> text % 64 & 1;
	return path == PERUN_NO_ID ? path : collapsed_paths_add(&writing->paths, path, text);
}

/* The path with the frames of a location more. */
static uint32_t pass(struct writing *writing, uint32_t path, perun_id id,
		     struct perun_buffer *scratch)
{
	struct perun_location_room room;
	const struct perun_location *location;
	perun_id *known = &writing->of_location[id];

	if (*known < SEVERAL)
		return go_on(writing, path, *known);
	location = perun_profile_location_in(writing->profile, id, &room);
	if (location->line_count <= 1) {
		*known = find_text(writing, location, 0, scratch);
		return go_on(writing, path, *known);
	}
	*known = SEVERAL;
	for (uint32_t line = location->line_count; line-- > 0;)
		path = go_on(writing, path, find_text(writing, location, line, scratch));
	return path;
}

/* The line of a stack; PERUN_NO_ID: there are too many. */
static uint32_t line_of(struct writing *writing, const perun_id *locations, size_t count,
			struct perun_buffer *scratch)
{
	uint32_t path = 0;
	struct collapsed_node *node;

	for (size_t i = count; i-- > 0;)
		path = pass(writing, path, locations[i], scratch);
	if (path == PERUN_NO_ID)
		return path;
	node = &writing->paths.nodes[path];
	if (!node->parent && !node->text) /* a frame without a name alone: no different text */
		node = writing->paths.nodes;
	if (node->line != COLLAPSED_NO_LINE)
		return node->line;
	PERUN_GROW(writing->ends, writing->count, writing->end_room);
	if ((writing->count + 1) * writing->metric_count > writing->sum_room) {
		writing->sum_room = writing->sum_room * 2 + 64;
		writing->sums = perun_realloc_array(writing->sums, writing->sum_room,
						    sizeof *writing->sums);
	}
	for (size_t i = 0; i < writing->metric_count; i++)
		writing->sums[writing->count * writing->metric_count + i] =
			(struct collapsed_number){.whole = true};
	writing->ends[writing->count] = (uint32_t)(node - writing->paths.nodes);
	return node->line = (uint32_t)writing->count++;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int add_row(struct writing *writing, struct perun_stack_rows *stacks, size_t row,
		   perun_id stack, struct perun_buffer *scratch)
{
	uint32_t *line = &writing->of_stack[stack];

	for (size_t i = 0; i < writing->metric_count; i++) {
		struct collapsed_number value;
		size_t count;

		if (!value_at(writing, i, row, &value))
			continue;
		if (!*line) {
			const perun_id *locations = perun_stack_rows_at(stacks, row, &count);

			*line = line_of(writing, locations, count, scratch) + 1;
		}
		if (!*line)
			return perun_fail(writing->ctx, PERUN_INPUT, "the stacks are too many");
		add(&writing->sums[(*line - 1) * writing->metric_count + i], &value);
	}
	return PERUN_OK;
}

/* Stacks whose frames have the same names are one line. */
static int add_up(struct writing *writing, const struct perun_column *column)
{
	struct perun_stack_rows *stacks = perun_stack_rows_new(writing->profile, column);
	size_t rows = perun_table_rows(perun_resources(writing->profile));
	struct perun_buffer scratch = {0};
	int status = PERUN_OK;

	for (size_t row = 0; row < rows && !status; row++) {
		perun_id stack = perun_column_id(column, row);

		if (stack != PERUN_NO_ID)
			status = add_row(writing, stacks, row, stack, &scratch);
		if (row % 4096 == 0 && !status && perun_cancelled(writing->ctx))
			status = PERUN_CANCELLED;
	}
	perun_buffer_free(&scratch);
	perun_stack_rows_free(stacks);
	return status;
}

static void write_number(struct perun_output *output, const struct collapsed_number *number)
{
	char text[PERUN_JSON_NUMBER_SIZE];

	if (number->whole)
		perun_output_printf(output, " %" PRId64, number->integer);
	else
		perun_output_printf(output, " %.*s",
				    (int)perun_json_print_double(number->real, text), text);
}

static int write_line(void *data, uint32_t line, const char *text)
{
	const struct writing *writing = data;
	bool blank = !text[strspn(text, " \t")]; /* what readers take for no stack */

	perun_output_text(writing->output, blank ? "[unknown]" : text);
	for (size_t i = 0; i < writing->metric_count; i++)
		write_number(writing->output, &writing->sums[line * writing->metric_count + i]);
	perun_output_text(writing->output, "\n");
	return perun_cancelled(writing->ctx) ? PERUN_CANCELLED : PERUN_OK;
}

static int write_lines(struct writing *writing, bool sorted)
{
	struct perun_buffer text = {0};
	int status = PERUN_OK;

	if (sorted)
		return collapsed_paths_walk(&writing->paths, write_line, writing);
	for (uint32_t i = 0; i < writing->count && !status; i++) {
		collapsed_paths_print(&writing->paths, writing->ends[i], &text);
		status = write_line(writing, i, text.data);
	}
	perun_buffer_free(&text);
	return status;
}

static void report_losses(struct writing *writing)
{
	const struct perun_metric *metric = writing->metrics[0];
	size_t metrics;

	perun_metrics(writing->profile, &metrics);
	if (metrics > writing->metric_count && metric != &writing->allocations.metric)
		perun_lost(writing->ctx, "other metrics", metrics - writing->metric_count);
	if (writing->metric_count == 1 && (strcmp(metric->name, "samples") != 0 || *metric->unit))
		perun_lost(writing->ctx, "the name and unit of the metric", 1);
	losses_report(writing->ctx, writing->profile, 0);
	if (writing->changed)
		perun_lost(writing->ctx, "semicolons and line breaks in names", writing->changed);
}

/* Whether the metrics are those of a difference as such files have them. */
static bool is_difference(const struct perun_profile *profile)
{
	size_t count;

	perun_metrics(profile, &count);
	return count == 2 && perun_metric(profile, "base") && perun_metric(profile, "new");
}

static int choose_metrics(struct writing *writing, const struct collapsed_options *options)
{
	const char *base = options->base;
	int status = PERUN_OK;

	if (!base && !options->metric && is_difference(writing->profile))
		base = "base";
	if (base)
		status = find_metric(writing, base);
	return status ? status : find_metric(writing, options->metric);
}

static perun_id *unknown_texts(size_t count)
{
	perun_id *texts = perun_alloc((count + 1) * sizeof *texts);

	memset(texts, 0xff, (count + 1) * sizeof *texts);
	return texts;
}

int collapsed_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		    struct perun_output *output)
{
	const struct collapsed_options *options = instance;
	struct writing writing = {.ctx = ctx, .profile = profile, .output = output};
	const struct perun_column *stacks = perun_table_column(perun_resources(profile), "stack");
	int status;

	if (!stacks || perun_column_info(stacks)->type != PERUN_TYPE_STACK)
		return perun_fail(ctx, PERUN_INPUT,
				  "the profile has no stacks, which is what this format holds");
	status = choose_metrics(&writing, options);
	if (status)
		return status;
	collapsed_paths_init(&writing.paths);
	writing.of_stack =
		perun_alloc_zero(perun_profile_stacks(profile) + 1, sizeof *writing.of_stack);
	writing.of_location = unknown_texts(perun_profile_locations(profile));
	writing.of_function = unknown_texts(perun_profile_functions(profile));
	status = add_up(&writing, stacks);
	if (!status)
		status = write_lines(&writing, !options->recorded);
	if (!status)
		report_losses(&writing);
	collapsed_paths_clear(&writing.paths);
	perun_free(writing.of_stack);
	perun_free(writing.of_location);
	perun_free(writing.of_function);
	perun_free(writing.bad);
	perun_free(writing.sums);
	perun_free(writing.ends);
	return status;
}
