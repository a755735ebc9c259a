/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `summary`: what a profile measured, in a few lines. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "measured.h"
#include "views/common/bars.h"
#include "views/common/plugin.h"
#include "views/common/rows.h"
#include "views/common/text.h"

enum { MAX_BINS = 40, MIN_FOR_BINS = 5, MAX_WITH_BINS = 6, FUNCTIONS = 3 };

static const struct perun_option summary_options[] = {
	VIEWS_DATA_OPTIONS,
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6,
	 .default_value = "20",
	 .help = "at most N measurements, 0 for all"},
	{.name = "brief", .help = "without a heading and without histograms"},
	{0}};

struct summary {
	struct perun_ctx *ctx;
	const struct perun_options *options;
	struct perun_profile *profile;
	const char *name;
	struct measured *items;
	size_t count, shown;
	struct views_data data; /* of a profile with stacks */
	struct views_rows rows;
	bool stacks, brief;
};

static int summary_open(struct perun_ctx *ctx, const struct perun_options *options,
			const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

/* ---- what is shown ---------------------------------------------------------------------------- */

/* Samples of stacks, as they are or as the traces of Perun's own collectors. */
static bool has_stacks(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *stack = perun_table_column(table, "stack");

	return (stack && perun_column_info(stack)->type == PERUN_TYPE_STACK) ||
	       perun_table_column(table, "trace");
}

static bool are_single(const struct summary *summary)
{
	for (size_t i = 0; i < summary->count; i++) {
		if (summary->items[i].count > 1 ||
		    strcmp(summary->items[i].unit, summary->items[0].unit) != 0)
			return false;
	}
	return true;
}

/* The largest first. */
static int by_median(const void *one, const void *other)
{
	const struct measured *a = one, *b = other;

	return (a->median < b->median) - (a->median > b->median);
}

static int begin(struct summary *summary)
{
	const char *metric = perun_option_string(summary->options, "metric");
	size_t limit = (size_t)perun_option_integer(summary->options, "limit");
	int status;

	summary->stacks = has_stacks(summary->profile);
	if (summary->stacks) {
		status = views_open(summary->ctx, summary->options, summary->profile, summary->name,
				    NULL, &summary->data);
		if (!status)
			status = views_rows_of(&summary->data, &summary->rows);
		if (!status)
			views_rows_sort(&summary->rows, VIEWS_BY_SELF);
		return status;
	}
	status = measured_of(summary->ctx, summary->profile, metric, &summary->items,
			     &summary->count);
	if (!status && summary->count == 0 && metric && !perun_metric(summary->profile, metric))
		status =
			views_fail_no_metric(summary->ctx, summary->profile, summary->name, metric);
	else if (!status && summary->count == 0)
		status = perun_fail(summary->ctx, PERUN_INPUT,
				    metric ? "%s: nothing was measured of %s"
					   : "%s: it has no measurements",
				    summary->name, metric);
	/* After a run, of hundreds of single numbers the largest say enough. */
	if (summary->brief && !perun_option_given(summary->options, "limit") &&
	    summary->count > FUNCTIONS && are_single(summary)) {
		qsort(summary->items, summary->count, sizeof *summary->items, by_median);
		limit = FUNCTIONS;
	}
	summary->shown = limit && limit < summary->count ? limit : summary->count;
	return status;
}

static void end(struct summary *summary)
{
	measured_free(summary->items, summary->count);
	views_rows_free(&summary->rows);
	if (summary->stacks)
		views_close(&summary->data);
}

/* ---- text ------------------------------------------------------------------------------------- */

static void add_amount(struct perun_buffer *out, const struct perun_canvas *canvas, double amount,
		       const char *unit)
{
	const struct perun_unit kind = perun_unit_of(unit);

	views_add_amount(out, amount, &kind, false, canvas->ascii);
}

/* "130 ms ± 3.90 ms  (median of 20, 128 ms … 141 ms)  1 outlier" */
static void add_numbers(struct perun_buffer *out, const struct perun_canvas *canvas,
			const struct measured *item)
{
	const struct perun_unit unit = perun_unit_of(item->unit);

	views_add_color(out, canvas, VIEWS_BOLD);
	add_amount(out, canvas, item->median, item->unit);
	views_add_unit(out, " ", &unit, item->name, canvas);
	views_add_color(out, canvas, VIEWS_PLAIN);
	if (item->count == 1)
		return;
	if (item->least == item->greatest) {
		perun_buffer_printf(out, "  (all %zu)", item->count);
		return;
	}
	if (item->deviation > 0) {
		perun_buffer_add_text(out, canvas->ascii ? " +- " : " \u00b1 ");
		add_amount(out, canvas, item->deviation, item->unit);
	}
	perun_buffer_printf(out, "  (median of %zu, ", item->count);
	add_amount(out, canvas, item->least, item->unit);
	perun_buffer_add_text(out, canvas->ascii ? " ... " : " \u2026 ");
	add_amount(out, canvas, item->greatest, item->unit);
	perun_buffer_add_char(out, ')');
	if (item->outliers) {
		views_add_color(out, canvas, VIEWS_YELLOW);
		perun_buffer_printf(out, "  %zu outlier%s", item->outliers,
				    item->outliers == 1 ? "" : "s");
		views_add_color(out, canvas, VIEWS_PLAIN);
	}
}

/* One character for each part of the range, as high as there are values in it. */
static void add_bins(struct perun_buffer *out, const struct perun_canvas *canvas,
		     const struct measured *item, size_t width)
{
	size_t counts[MAX_BINS], most = 0;

	measured_bins(item, counts, width);
	for (size_t i = 0; i < width; i++)
		most = counts[i] > most ? counts[i] : most;
	for (size_t i = 0; i < width; i++)
		perun_buffer_add_text(
			out, views_height((counts[i] * 8 + most - 1) / most, canvas->ascii));
}

/* What all names begin and end with, up to and from a separator: the package of a project's benchmarks, the metric. */
struct shared {
	size_t begin, end;
};

/* How much of their beginnings, or of their ends, two names share. */
static size_t share(const char *one, const char *other, size_t limit, bool ends)
{
	const size_t lengths[] = {strlen(one), strlen(other)};
	size_t length = 0;

	while (length < limit && length < lengths[0] && length < lengths[1] &&
	       (ends ? one[lengths[0] - 1 - length] == other[lengths[1] - 1 - length]
		     : one[length] == other[length]))
		length++;
	return length;
}

static struct shared shared_of(const struct summary *summary)
{
	const char *first = summary->items[0].name;
	const size_t length = strlen(first);
	size_t shortest = length;
	struct shared shared = {length, length};

	for (size_t i = 1; i < summary->shown; i++) {
		const char *name = summary->items[i].name;

		shared.begin = share(first, name, shared.begin, false);
		shared.end = share(first, name, shared.end, true);
		shortest = strlen(name) < shortest ? strlen(name) : shortest;
	}
	while (shared.begin > 0 && !strchr("/.: ", first[shared.begin - 1]))
		shared.begin--;
	while (shared.end > 0 && first[length - shared.end] != ' ')
		shared.end--;
	/* Something is left of each. */
	return shared.begin + shared.end < shortest ? shared : (struct shared){0, 0};
}

/* The name of a measurement without what all share; the caller's. */
static char *own_name(const struct measured *item, struct shared shared)
{
	return perun_strndup(item->name + shared.begin,
			     strlen(item->name) - shared.begin - shared.end);
}

static size_t name_width(const struct summary *summary, struct shared shared)
{
	size_t widest = 0;

	for (size_t i = 0; i < summary->shown; i++) {
		char *name = own_name(&summary->items[i], shared);
		size_t width = views_width(name);

		widest = width > widest ? width : widest;
		perun_free(name);
	}
	return widest;
}

/* "time(real) of example.org/package": what the names below do not repeat. */
static void add_shared(struct perun_buffer *out, const char *first, struct shared shared,
		       const struct perun_canvas *canvas)
{
	const char *metric = shared.end ? first + strlen(first) - shared.end + 1 : "";
	char *heading = perun_format("%s%s%.*s", metric, shared.end && shared.begin ? " of " : "",
				     (int)shared.begin - (shared.begin > 0), first);

	views_add_fitted(out, heading, canvas->width > 60 ? canvas->width - 3 : 57, canvas->ascii);
	perun_buffer_add_char(out, '\n');
	perun_free(heading);
}

static void add_measured(const struct summary *summary, const struct perun_canvas *canvas,
			 struct perun_buffer *out)
{
	const char *indent = summary->brief ? "   " : "";
	const size_t most = canvas->width > 60 ? canvas->width / 2 : 30;
	struct shared shared = {0, 0};
	size_t width = name_width(summary, shared), bins;
	bool draws = !summary->brief && summary->shown <= MAX_WITH_BINS;

	if (width > most && summary->shown > 1) {
		shared = shared_of(summary);
		if (shared.begin + shared.end) {
			perun_buffer_add_text(out, indent);
			add_shared(out, summary->items[0].name, shared, canvas);
		}
		width = name_width(summary, shared);
	}
	width = width < most ? width : most;
	for (size_t i = 0; i < summary->shown; i++) {
		const struct measured *item = &summary->items[i];
		char *name = own_name(item, shared);
		size_t taken;

		perun_buffer_add_text(out, indent);
		taken = views_add_fitted(out, name, width, canvas->ascii);
		perun_free(name);
		views_add_repeated(out, " ", width - taken + 2);
		add_numbers(out, canvas, item);
		perun_buffer_add_char(out, '\n');
		if (!draws || item->count < MIN_FOR_BINS || item->greatest == item->least)
			continue;
		bins = item->count < MAX_BINS ? item->count : MAX_BINS;
		views_add_repeated(out, " ", width + 2);
		add_bins(out, canvas, item, bins);
		perun_buffer_add_char(out, '\n');
	}
	if (summary->shown < summary->count)
		perun_buffer_printf(out, "%s%zu more%s\n", indent, summary->count - summary->shown,
				    summary->brief ? "" : ": --limit 0 shows all");
}

/* "20.1 MiB at the peak, 40.3 MiB in 12,345 calls, 120 of them temporary, 64 B leaked" */
static void add_memory(const struct summary *summary, const struct perun_canvas *canvas,
		       struct perun_buffer *out)
{
	const struct perun_json *memory =
		perun_json_get(perun_profile_document(summary->profile), "memory");
	double peak, bytes, calls, temporary, leaked;

	if (!perun_json_as_double(perun_json_get(memory, "peak"), &peak) ||
	    !perun_json_as_double(perun_json_get(memory, "bytes"), &bytes) ||
	    !perun_json_as_double(perun_json_get(memory, "allocations"), &calls) ||
	    !perun_json_as_double(perun_json_get(memory, "leaked"), &leaked))
		return;
	perun_buffer_add_text(out, summary->brief ? "   memory  " : "memory  ");
	add_amount(out, canvas, peak, "B");
	perun_buffer_add_text(out, " at the peak, ");
	add_amount(out, canvas, bytes, "B");
	perun_buffer_add_text(out, " in ");
	add_amount(out, canvas, calls, "");
	perun_buffer_add_text(out, calls == 1 ? " call" : " calls");
	if (perun_json_as_double(perun_json_get(memory, "temporary"), &temporary)) {
		perun_buffer_add_text(out, " (");
		add_amount(out, canvas, temporary, "");
		perun_buffer_add_text(out, " temporary)");
	}
	perun_buffer_add_text(out, ", ");
	add_amount(out, canvas, leaked, "B");
	perun_buffer_add_text(out, " leaked\n");
}

static void add_functions(const struct summary *summary, const struct perun_canvas *canvas,
			  struct perun_buffer *out)
{
	const struct views_data *data = &summary->data;
	struct perun_buffer share = {0}, amount = {0};

	for (size_t i = 0; i < summary->rows.count && i < FUNCTIONS; i++) {
		const struct views_row *row = &summary->rows.items[i];

		if (row->self[0] == 0)
			break;
		perun_buffer_clear(&share);
		perun_buffer_clear(&amount);
		views_add_share(&share, data->whole != 0 ? row->self[0] / data->whole : 0, false);
		views_add_amount(&amount, row->self[0], &data->unit, false, canvas->ascii);
		perun_buffer_printf(out, "%s%8s  %10s  ", summary->brief ? "   " : "", share.data,
				    amount.data);
		views_add_fitted(out, row->name, canvas->width > 60 ? canvas->width - 30 : 30,
				 canvas->ascii);
		perun_buffer_add_char(out, '\n');
	}
	perun_buffer_free(&share);
	perun_buffer_free(&amount);
}

/* Results of benchmarks have the type "time" whatever they measured, such as instructions or bytes. */
static const char *type_of(const struct summary *summary)
{
	const char *type = perun_profile_text(summary->profile, "/header/type");
	bool times = strcmp(type, "time") != 0 || summary->count == 0;

	for (size_t i = 0; i < summary->count && !times; i++)
		times = strstr(summary->items[i].name, "time") ||
			perun_unit_factor(summary->items[i].unit, "s") != 0;
	return !*type ? "profile" : times ? type : "results";
}

/* "time of ./wordcount in.txt" */
static void add_heading(const struct summary *summary, const struct perun_canvas *canvas,
			struct perun_buffer *out)
{
	const struct perun_profile *profile = summary->profile;
	const char *const parts[] = {"/header/cmd", "/header/args", "/header/workload"};
	bool named = false;

	perun_buffer_printf(out, "%s of", type_of(summary));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const char *text = perun_profile_text(profile, parts[i]);

		if (!*text)
			continue;
		perun_buffer_add_char(out, ' ');
		views_add_word(out, text, canvas);
		named = true;
	}
	if (!named) {
		perun_buffer_add_char(out, ' ');
		views_add_word(out, summary->name, canvas);
	}
	perun_buffer_add_char(out, '\n');
}

static void add_text(const struct summary *summary, const struct perun_canvas *canvas,
		     struct perun_buffer *out)
{
	if (summary->stacks && !summary->brief)
		views_add_heading(&summary->data, canvas, out);
	else if (!summary->brief)
		add_heading(summary, canvas, out);
	add_memory(summary, canvas, out);
	if (summary->stacks)
		add_functions(summary, canvas, out);
	else
		add_measured(summary, canvas, out);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void write_member(struct perun_json_writer *writer, const char *key, double value)
{
	perun_json_write_key_text(writer, key);
	perun_json_write_double(writer, value);
}

static void write_measured(struct perun_json_writer *writer, const struct measured *item)
{
	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "metric");
	perun_json_write_text(writer, item->name);
	perun_json_write_key_text(writer, "unit");
	perun_json_write_text(writer, item->unit);
	perun_json_write_key_text(writer, "repeats");
	perun_json_write_uint64(writer, item->count);
	write_member(writer, "median", item->median);
	write_member(writer, "deviation", item->deviation);
	write_member(writer, "minimum", item->least);
	write_member(writer, "maximum", item->greatest);
	perun_json_write_key_text(writer, "outliers");
	perun_json_write_uint64(writer, item->outliers);
	perun_json_write_object_end(writer);
}

static void write_function(const struct summary *summary, struct perun_json_writer *writer,
			   const struct views_row *row)
{
	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer,
				  summary->data.stacks ? views_title(&summary->data) : "uid");
	perun_json_write_text(writer, row->name);
	write_member(writer, "self", (double)row->self[0]);
	write_member(writer, "share",
		     summary->data.whole != 0 ? (double)(row->self[0] / summary->data.whole) : 0);
	perun_json_write_object_end(writer);
}

static void add_json(const struct summary *summary, struct perun_buffer *out)
{
	struct perun_json_writer *writer = perun_json_writer_new(out, PERUN_JSON_INDENTED, 1);
	const struct perun_json *memory =
		perun_json_get(perun_profile_document(summary->profile), "memory");

	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "view");
	perun_json_write_text(writer, "summary");
	if (memory) {
		perun_json_write_key_text(writer, "memory");
		perun_json_write_value(writer, memory);
	}
	if (summary->stacks) {
		views_write_data(writer, &summary->data);
		perun_json_write_key_text(writer, "hottest");
		perun_json_write_array_start(writer);
		for (size_t i = 0; i < summary->rows.count && i < FUNCTIONS; i++)
			write_function(summary, writer, &summary->rows.items[i]);
	} else {
		perun_json_write_key_text(writer, "measured");
		perun_json_write_array_start(writer);
		for (size_t i = 0; i < summary->shown; i++)
			write_measured(writer, &summary->items[i]);
	}
	perun_json_write_array_end(writer);
	perun_json_write_object_end(writer);
	perun_json_writer_finish(writer);
	perun_buffer_add_char(out, '\n');
}

/* ---- together --------------------------------------------------------------------------------- */

static int summary_show(void *instance, struct perun_ctx *ctx,
			struct perun_profile *const *profiles, const char *const *names,
			size_t count, const struct perun_canvas *canvas)
{
	const struct perun_options *options = instance;
	struct perun_buffer out = {0};
	int status = PERUN_OK;

	if (canvas->form == PERUN_FORM_JSON && count > 1)
		perun_buffer_add_text(&out, "[\n");
	for (size_t i = 0; !status && i < count; i++) {
		struct summary summary = {.ctx = ctx,
					  .options = options,
					  .profile = profiles[i],
					  .name = names[i],
					  .brief = perun_option_flag(options, "brief")};

		if (i > 0)
			perun_buffer_add_text(&out, canvas->form == PERUN_FORM_JSON ? ",\n" : "\n");
		status = begin(&summary);
		if (!status && canvas->form == PERUN_FORM_JSON)
			add_json(&summary, &out);
		else if (!status)
			add_text(&summary, canvas, &out);
		end(&summary);
	}
	if (canvas->form == PERUN_FORM_JSON && count > 1)
		perun_buffer_add_text(&out, "]\n");
	if (!status)
		status = perun_output_write(canvas->output, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}

VIEW_PLUGIN(summary, "summary", "what was measured, in a few lines", summary_options,
	    .open = summary_open, .forms = PERUN_FORM_TERMINAL | PERUN_FORM_JSON, .minimum = 1,
	    .show = summary_show);
