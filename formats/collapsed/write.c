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

struct folded {
	perun_id stack;
	char *text; /* its frames, the root first */
	struct collapsed_number sums[2];
	bool used;
};

struct writing {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	struct perun_output *output;
	const struct perun_metric *metrics[2];
	struct collapsed_allocations allocations; /* what one of them may point to */
	size_t metric_count;
	struct folded *stacks;
	perun_id *order; /* stacks as they are first met */
	size_t count;
	uint64_t changed; /* names with a byte that the format cannot hold */
};

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

static void add_up(struct writing *writing, const struct perun_column *stacks)
{
	size_t rows = perun_table_rows(perun_resources(writing->profile));

	for (size_t row = 0; row < rows; row++) {
		perun_id stack = perun_column_id(stacks, row);
		struct folded *folded;

		if (stack == PERUN_NO_ID)
			continue;
		folded = &writing->stacks[stack];
		for (size_t i = 0; i < writing->metric_count; i++) {
			struct collapsed_number value;

			if (!value_at(writing, i, row, &value))
				continue;
			if (!folded->used)
				folded->sums[0].whole = folded->sums[1].whole = true;
			add(&folded->sums[i], &value);
			if (!folded->used) {
				folded->used = true;
				folded->stack = stack;
				writing->order[writing->count++] = stack;
			}
		}
	}
}

/* ---- text ------------------------------------------------------------------------------------ */

/* What separates frames, lines and numbers becomes something that does not. */
static void add_name(struct writing *writing, const char *name, struct perun_buffer *text)
{
	bool changed = false;

	for (; *name; name++) {
		bool bad = *name == ';' || *name == '\n' || *name == '\r';

		changed |= bad;
		perun_buffer_add_char(text, !bad ? *name : *name == ';' ? ':' : ' ');
	}
	writing->changed += changed;
}

static void add_line(struct writing *writing, const struct perun_location *location, uint32_t line,
		     struct perun_buffer *text)
{
	const struct perun_profile *profile = writing->profile;
	perun_id id = location->line_count ? location->lines[line].function : PERUN_NO_ID;

	if (id != PERUN_NO_ID) {
		const struct perun_function *function = perun_profile_function(profile, id);
		perun_id name = function->name ? function->name : function->file;

		add_name(writing, perun_profile_string(profile, name, NULL), text);
	} else if (location->address) {
		perun_buffer_printf(text, "0x%" PRIx64, location->address);
	} else {
		perun_buffer_add_text(text, "[unknown]");
	}
}

static char *fold(struct writing *writing, perun_id stack)
{
	struct perun_buffer text = {0};
	bool first = true;
	size_t count;
	const perun_id *locations = perun_profile_stack(writing->profile, stack, &count);

	for (size_t i = count; i-- > 0;) {
		const struct perun_location *location =
			perun_profile_location(writing->profile, locations[i]);
		uint32_t lines = location->line_count ? location->line_count : 1;

		while (lines-- > 0) {
			if (!first)
				perun_buffer_add_char(&text, ';');
			first = false;
			add_line(writing, location, lines, &text);
		}
	}
	return perun_buffer_take(&text);
}

static int compare_folded(const void *a, const void *b)
{
	const struct folded *x = *(struct folded *const *)a, *y = *(struct folded *const *)b;
	int order = strcmp(x->text, y->text);

	return order ? order : x->stack < y->stack ? -1 : 1;
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

static void write_line(const struct writing *writing, const struct folded *folded)
{
	bool blank =
		!folded->text[strspn(folded->text, " \t")]; /* what readers take for no stack */

	perun_output_text(writing->output, blank ? "[unknown]" : folded->text);
	for (size_t i = 0; i < writing->metric_count; i++)
		write_number(writing->output, &folded->sums[i]);
	perun_output_text(writing->output, "\n");
}

/* Stacks whose frames have the same names are one line. */
static void write_lines(struct writing *writing, bool sorted)
{
	struct folded **lines = perun_alloc_zero(writing->count, sizeof *lines);
	size_t kept = 0;

	for (size_t i = 0; i < writing->count; i++) {
		lines[i] = &writing->stacks[writing->order[i]];
		lines[i]->text = fold(writing, lines[i]->stack);
	}
	qsort(lines, writing->count, sizeof *lines, compare_folded);
	for (size_t i = 0; i < writing->count; i++) {
		if (kept && strcmp(lines[kept - 1]->text, lines[i]->text) == 0) {
			add(&lines[kept - 1]->sums[0], &lines[i]->sums[0]);
			add(&lines[kept - 1]->sums[1], &lines[i]->sums[1]);
			lines[i]->used = false;
		} else {
			lines[kept++] = lines[i];
		}
	}
	for (size_t i = 0; i < kept && sorted; i++)
		write_line(writing, lines[i]);
	for (size_t i = 0; i < writing->count && !sorted; i++)
		if (writing->stacks[writing->order[i]].used)
			write_line(writing, &writing->stacks[writing->order[i]]);
	for (size_t i = 0; i < writing->count; i++)
		perun_free(writing->stacks[writing->order[i]].text);
	perun_free(lines);
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
	writing.stacks = perun_alloc_zero(perun_profile_stacks(profile), sizeof *writing.stacks);
	writing.order = perun_alloc_zero(perun_profile_stacks(profile), sizeof *writing.order);
	add_up(&writing, stacks);
	write_lines(&writing, !options->recorded);
	report_losses(&writing);
	perun_free(writing.stacks);
	perun_free(writing.order);
	return PERUN_OK;
}
