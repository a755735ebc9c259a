/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of both formats: labels, values, and what places cost themselves where rows have inclusive values alone. */
#include <math.h>
#include <string.h>

#include <perun/lib/units.h>

#include "caliper.h"

enum { MAX_NAMES = 256 }; /* of inclusive values: as many as rows of stacks have metrics */

static bool has_word(const char *name, const char *word)
{
	return strstr(name, word) != NULL;
}

bool caliper_is_label(const char *name)
{
	return has_word(name, "rank") || has_word(name, "thread") || has_word(name, "iteration") ||
	       has_word(name, "loop.") || has_word(name, ".id") || strcmp(name, "id") == 0;
}

static bool is_order(const char *name)
{
	return has_word(name, "aggregate.slot") || strcmp(name, "Node order") == 0;
}

static bool is_inclusive(const char *name)
{
	return has_word(name, "inclusive#") || has_word(name, "(inc)") ||
	       has_word(name, ".inclusive") || has_word(name, "(I)");
}

static const char *unit_of_name(const char *name)
{
	/* A ratio, "mem.bytes.read/mrb.time", or how many values a mean has, "avg.count#time.duration". */
	if (has_word(name, "/") || has_word(name, "count#"))
		return "";
	if (has_word(name, "duration.ns"))
		return "ns";
	if (has_word(name, "time.duration") || has_word(name, "time.inclusive.duration"))
		return NULL;
	if (has_word(name, "time") || has_word(name, "Time"))
		return "s";
	return "";
}

const char *caliper_unit(const char *named, const char *name)
{
	static const char *const units[][2] = {
		{"sec", "s"}, {"msec", "ms"}, {"usec", "us"}, {"nsec", "ns"}};

	if (!named || !*named)
		return unit_of_name(name);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(named, units[i][0]) == 0)
			return units[i][1];
	return named;
}

/* Whether values are times: of their unit (NULL is one of time), else of their name. */
static bool is_time(const char *name, const char *unit)
{
	if (unit && *unit)
		return perun_unit_of(unit).kind == PERUN_UNIT_TIME;
	return !unit || (!has_word(name, "/") && !has_word(name, "count#") &&
			 (has_word(name, "time") || has_word(name, "Time")));
}

/* Which metric leads, the lowest: sums of time, other times, durations, anything else, numbers of visits. */
static int rank_of(const char *name, const char *unit)
{
	bool time = is_time(name, unit);
	bool extreme = strncmp(name, "min#", 4) == 0 || strncmp(name, "max#", 4) == 0;

	if (strcmp(name, "time") == 0 || (time && strncmp(name, "sum#", 4) == 0))
		return 1;
	if (time || has_word(name, "duration"))
		return (time ? 2 : 4) + extreme;
	return has_word(name, "count") ? 8 : 6 + extreme;
}

/* Until a value shows that they are seconds, durations are microseconds. */
static unsigned metric_of(struct caliper_rows *rows, const char *name, const char *unit)
{
	unsigned metric = stacks_measured(rows->stacks, name, unit ? unit : "us");
	size_t room = rows->metric_room;

	if (metric >= room) {
		rows->metric_room = (size_t)metric * 2 + 8;
		rows->metrics = perun_realloc_array(rows->metrics, rows->metric_room,
						    sizeof *rows->metrics);
		memset(rows->metrics + room, 0, (rows->metric_room - room) * sizeof *rows->metrics);
	}
	if (!rows->metrics[metric].name)
		rows->metrics[metric].name = perun_strdup(name);
	rows->metrics[metric].unnamed |= !unit;
	rows->metrics[metric].row = rows->row + 1;
	return metric;
}

static void add_metric(struct caliper_rows *rows, const char *name, const char *unit, double value)
{
	unsigned metric = metric_of(rows, name, unit);
	int rank = rank_of(name, unit);

	if (!rows->lead || rank < rows->lead) {
		stacks_lead(rows->stacks, metric);
		rows->lead = rank;
	}
	stacks_value(rows->stacks, metric, value);
}

void caliper_begin(struct caliper_rows *rows, struct perun_ctx *ctx, struct stacks *stacks)
{
	*rows = (struct caliper_rows){.ctx = ctx, .stacks = stacks};
}

void caliper_label(struct caliper_rows *rows, perun_id key, perun_id text)
{
	size_t room = rows->labelled_room;

	if (key >= room) {
		rows->labelled_room = (size_t)key * 2 + 64;
		rows->labelled = perun_realloc_array(rows->labelled, rows->labelled_room,
						     sizeof *rows->labelled);
		memset(rows->labelled + room, 0,
		       (rows->labelled_room - room) * sizeof *rows->labelled);
	}
	if (rows->labelled[key] == rows->row + 1)
		return;
	rows->labelled[key] = rows->row + 1;
	PERUN_GROW(rows->labels, rows->label_count, rows->label_room);
	rows->labels[rows->label_count++] = (struct perun_label){.key = key, .text = text};
}

/* Whether values are sums and extremes of what was measured: means and ratios of whole numbers have fractions, too. */
static bool is_whole(const char *name)
{
	static const char *const words[] = {"sum", "min", "max", "avg.sum", "inclusive"};
	const char *end;

	for (; (end = strchr(name, '#')); name = end + 1) {
		size_t i = 0, count = sizeof words / sizeof *words;

		while (i < count && (strlen(words[i]) != (size_t)(end - name) ||
				     strncmp(name, words[i], strlen(words[i])) != 0))
			i++;
		if (i == count)
			return false;
	}
	return true;
}

/* "avg#inclusive#sum#time.duration" is avg#sum#time.duration of places themselves. */
static char *own_name(const char *name)
{
	static const char *const words[] = {"inclusive#", " (inc)", ".inclusive", " (I)"};
	char *own = perun_strdup(name);

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char *at = strstr(own, words[i]);

		if (at)
			memmove(at, at + strlen(words[i]), strlen(at + strlen(words[i])) + 1);
	}
	return own;
}

/* The number of a name, of which there may be as many as metrics. */
static unsigned name_of(struct caliper_rows *rows, const char *name, const char *unit)
{
	for (size_t i = 0; i < rows->name_count; i++)
		if (strcmp(rows->names[i].name, name) == 0)
			return (unsigned)i;
	rows->full |= rows->name_count == MAX_NAMES;
	if (rows->full)
		return 0;
	PERUN_GROW(rows->names, rows->name_count, rows->name_room);
	rows->names[rows->name_count] =
		(struct caliper_name){.name = perun_strdup(name),
				      .unit = unit ? perun_strdup(unit) : NULL,
				      .own = own_name(name)};
	return (unsigned)rows->name_count++;
}

void caliper_value(struct caliper_rows *rows, const char *name, const char *unit, double value)
{
	struct caliper_value inclusive;

	if (is_order(name))
		return;
	rows->seconds |= !unit && value != floor(value) && is_whole(name);
	if (!is_inclusive(name)) {
		add_metric(rows, name, unit, value);
		rows->any = true;
		return;
	}
	inclusive = (struct caliper_value){
		.name = name_of(rows, name, unit), .value = value, .own = value};
	/* Of two of a name the last one counts. */
	for (size_t i = rows->row_first; i < rows->value_count; i++) {
		if (rows->values[i].name == inclusive.name) {
			rows->values[i] = inclusive;
			return;
		}
	}
	PERUN_GROW(rows->values, rows->value_count, rows->value_room);
	rows->values[rows->value_count++] = inclusive;
}

/* Whether a metric of the row is what places cost themselves: "time (inc)" follows from "time", "Time (I)" from "Time (E)". */
static bool row_has_own(const struct caliper_rows *rows, const char *own)
{
	size_t length = strlen(own);

	for (size_t i = 0; i < rows->metric_room; i++) {
		const struct caliper_metric *metric = &rows->metrics[i];

		if (metric->name && metric->row == rows->row + 1 &&
		    strncmp(metric->name, own, length) == 0 &&
		    (!metric->name[length] || strcmp(metric->name + length, " (E)") == 0))
			return true;
	}
	return false;
}

static void note_what_follows(struct caliper_rows *rows)
{
	for (size_t i = rows->row_first; i < rows->value_count; i++) {
		struct caliper_name *name = &rows->names[rows->values[i].name];

		name->follows = name->follows || row_has_own(rows, name->own);
	}
}

/* Whether the row has values of the kind that those of the places within are part of. */
static bool has_inclusive(const struct caliper_rows *rows)
{
	return rows->value_count > rows->row_first;
}

int caliper_make_place(struct caliper_rows *rows, const perun_id *locations, size_t count,
		       struct caliper_place *place)
{
	perun_id path = PERUN_NO_ID, above = PERUN_NO_ID;
	int status;

	*place =
		(struct caliper_place){.labels = PERUN_NO_ID, .above = PERUN_NO_ID, .count = count};
	for (size_t i = count; i-- > 0;) {
		above = path;
		path = perun_builder_path(stacks_builder(rows->stacks), path, locations[i]);
	}
	status = stacks_of_path(rows->stacks, path, &place->stack);
	if (rows->label_count)
		place->labels = perun_builder_labels(stacks_builder(rows->stacks), rows->labels,
						     rows->label_count);
	if (!status && has_inclusive(rows) && count > 1)
		status = stacks_of_path(rows->stacks, above, &place->above);
	return status;
}

bool caliper_place_is_enough(const struct caliper_rows *rows, const struct caliper_place *place)
{
	return !has_inclusive(rows) || place->count <= 1 || place->above != PERUN_NO_ID;
}

int caliper_count_place(struct caliper_rows *rows, const struct caliper_place *place)
{
	int status = stacks_walk(rows->stacks, place->count);

	if (!status && has_inclusive(rows) && place->count > 1)
		status = stacks_walk(rows->stacks, place->count - 1);
	return status;
}

int caliper_end_row(struct caliper_rows *rows, const struct caliper_place *place)
{
	struct caliper_row row = {.stack = place->stack,
				  .above = has_inclusive(rows) ? place->above : PERUN_NO_ID,
				  .labels = place->labels,
				  .first = rows->row_first,
				  .count = rows->value_count - rows->row_first};

	if (rows->any) {
		if (row.labels != PERUN_NO_ID)
			stacks_label_set(rows->stacks, row.labels);
		stacks_add(rows->stacks, row.stack);
	}
	note_what_follows(rows);
	if (row.count && place->count) {
		PERUN_GROW(rows->rows, rows->row_count, rows->row_room);
		rows->rows[rows->row_count++] = row;
	}
	rows->row_first = rows->value_count;
	rows->label_count = 0;
	rows->any = false;
	rows->row++;
	return rows->full ? perun_fail(rows->ctx, PERUN_INPUT, "it has more than %d metrics",
				       MAX_NAMES)
			  : PERUN_OK;
}

/* ---- inclusive values alone ------------------------------------------------------------------ */

static uint64_t key_of(perun_id stack, perun_id labels)
{
	return (uint64_t)stack << 32 | labels;
}

static struct caliper_value *value_of(struct caliper_rows *rows, const struct caliper_row *row,
				      unsigned name)
{
	for (size_t i = row->first; i < row->first + row->count; i++)
		if (rows->values[i].name == name)
			return &rows->values[i];
	return NULL;
}

/* Of several rows of one place the first has the sums. */
static void move_values(struct caliper_rows *rows, const struct caliper_row *to,
			const struct caliper_row *from)
{
	for (size_t k = from->first; k < from->first + from->count; k++) {
		struct caliper_value *value = value_of(rows, to, rows->values[k].name);

		if (!value)
			continue;
		value->value += rows->values[k].value;
		value->own += rows->values[k].own;
		rows->values[k].value = rows->values[k].own = 0;
	}
}

/* What a row costs is not part of what the row above it costs itself. */
static void subtract(struct caliper_rows *rows)
{
	struct stacks_numbers index = {0};

	for (size_t i = 0; i < rows->row_count; i++) {
		const struct caliper_row *row = &rows->rows[i];
		uint64_t key = key_of(row->stack, row->labels);
		uint32_t first = stacks_numbers_find(&index, key);

		if (first == UINT32_MAX)
			stacks_numbers_add(&index, key, (uint32_t)i);
		else
			move_values(rows, &rows->rows[first], row);
	}
	for (size_t i = 0; i < rows->row_count; i++) {
		const struct caliper_row *row = &rows->rows[i], *above;
		uint32_t place =
			row->above == PERUN_NO_ID
				? UINT32_MAX
				: stacks_numbers_find(&index, key_of(row->above, row->labels));

		if (place == UINT32_MAX)
			continue;
		above = &rows->rows[place];
		for (size_t k = row->first; k < row->first + row->count; k++) {
			struct caliper_value *value = value_of(rows, above, rows->values[k].name);

			if (value)
				value->own -= rows->values[k].value;
		}
	}
	stacks_numbers_free(&index);
}

/* A minimum over ranks is that of a rank for each place, and so are counts: differences of them say nothing. */
static bool is_extreme(const char *name)
{
	return strncmp(name, "min#", 4) == 0 || strncmp(name, "max#", 4) == 0 ||
	       has_word(name, "count#") || has_word(name, "Min ") || has_word(name, "Max ");
}

/* What became of inclusive values: extremes and counts, and values below the sum of those within. */
struct inclusive {
	size_t left, below;
};

/* The cells of a row; false: it has none. */
static bool add_own(struct caliper_rows *rows, const struct caliper_row *row,
		    struct inclusive *inclusive)
{
	bool any = false;

	for (size_t k = row->first; k < row->first + row->count; k++) {
		const struct caliper_value *value = &rows->values[k];
		const struct caliper_name *name = &rows->names[value->name];

		if (name->follows)
			continue;
		if (is_extreme(name->name)) {
			inclusive->left++;
			continue;
		}
		/* Values are rounded, too. */
		inclusive->below += value->own < -1e-3 * value->value;
		add_metric(rows, name->own, name->unit, value->own > 0 ? value->own : 0);
		any = true;
	}
	return any;
}

static void add_inclusive(struct caliper_rows *rows)
{
	struct inclusive inclusive = {0};

	subtract(rows);
	for (size_t i = 0; i < rows->row_count; i++) {
		const struct caliper_row *row = &rows->rows[i];

		if (!add_own(rows, row, &inclusive))
			continue;
		if (row->labels != PERUN_NO_ID)
			stacks_label_set(rows->stacks, row->labels);
		stacks_add(rows->stacks, row->stack);
	}
	if (inclusive.left)
		perun_note(rows->ctx, "left out %zu inclusive minima, maxima and counts",
			   inclusive.left);
	if (inclusive.below)
		perun_warn(rows->ctx,
			   inclusive.below == 1
				   ? "%zu value is below the sum of those of the places within; "
				     "what this place costs itself is taken as 0"
				   : "%zu values are below the sum of those of the places within; "
				     "what these places cost themselves is taken as 0",
			   inclusive.below);
}

int caliper_finish(struct caliper_rows *rows, int status)
{
	if (!status && rows->row_count)
		add_inclusive(rows);
	for (size_t i = 0; rows->seconds && i < rows->metric_room; i++)
		if (rows->metrics[i].unnamed)
			stacks_unit(rows->stacks, (unsigned)i, "s");
	for (size_t i = 0; i < rows->name_count; i++) {
		perun_free(rows->names[i].name);
		perun_free(rows->names[i].unit);
		perun_free(rows->names[i].own);
	}
	for (size_t i = 0; i < rows->metric_room; i++)
		perun_free(rows->metrics[i].name);
	perun_free(rows->metrics);
	perun_free(rows->labels);
	perun_free(rows->labelled);
	perun_free(rows->rows);
	perun_free(rows->values);
	perun_free(rows->names);
	return status;
}
