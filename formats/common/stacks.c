/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of stacks, and what their readers need besides. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include <perun/lib/hash.h>
#include <perun/lib/units.h>

#include "each-line.h"
#include "stacks.h"

/* Stacks of trees may have these frames more for each row. */
#define FRAMES_PER_ROW 128
#define MAX_METRICS    256
#define POLL           65536

/* A text that was met, at the place of its hash, and the location that it is. */
enum { KNOWN_TEXTS = 1 << 14 };

struct known_text {
	char *text; /* NULL: free */
	uint32_t length;
	perun_id location;
};

struct stacks {
	struct perun_ctx *ctx;
	struct known_text *known, *recalled; /* recalled: the last one that was asked for */
	struct perun_builder *builder;
	const char *tool;
	struct perun_table_builder *table;
	struct perun_column_builder *stack, *labels, *start, *end;
	struct perun_column_builder *metrics[MAX_METRICS];
	unsigned metric_count;
	struct perun_label *label;
	size_t label_count, label_room;
	perun_id *turned; /* a stack in the other order */
	size_t turned_room;
	uint64_t frames_left;
	size_t rows, walked;
	unsigned last_metric; /* that was asked for */
	bool full;            /* there were more metrics than there is room for */
	struct perun_json *header, *facts;
};

const struct perun_option stacks_option_table[] = {STACKS_FRAME_LIMIT, {.name = NULL}};

int stacks_open(struct perun_ctx *ctx, const struct perun_options *given, const char *subcommand,
		void **instance)
{
	struct stacks_options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)ctx;
	(void)subcommand;
	chosen->frame_limit = (uint64_t)perun_option_integer(given, "frame-limit");
	*instance = chosen;
	return PERUN_OK;
}

void stacks_close(void *instance)
{
	perun_free(instance);
}

/* Rows are many where samples keep their times, whose numbers are close to each other. */
static struct perun_column_builder *add_column(struct stacks *stacks,
					       const struct perun_column_info *info)
{
	struct perun_column_builder *column = perun_table_add_column(stacks->table, info);

	perun_column_save_memory(column);
	return column;
}

struct stacks *stacks_begin(struct perun_ctx *ctx, struct perun_builder *builder, const char *tool,
			    const struct stacks_options *options)
{
	struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	struct stacks *stacks = perun_alloc_zero(1, sizeof *stacks);

	stacks->ctx = ctx;
	stacks->builder = builder;
	stacks->tool = tool;
	stacks->table = perun_builder_table(builder, "resources");
	stacks->stack = add_column(stacks, &info);
	stacks->frames_left = options ? options->frame_limit : UINT64_MAX / 2;
	stacks->header = perun_json_object();
	stacks->facts = perun_json_object();
	return stacks;
}

static void write_document(struct stacks *stacks)
{
	struct perun_json *document = perun_builder_document(stacks->builder);
	struct perun_json *collector = perun_json_object();

	perun_json_set(document, "header", stacks->header);
	stacks->header = NULL;
	perun_json_set(collector, "name", perun_json_text(stacks->tool));
	perun_json_set(collector, "params", perun_json_object());
	perun_json_set(document, "collector_info", collector);
	if (perun_json_count(stacks->facts)) {
		struct perun_json *extra = perun_json_object();

		perun_json_set(extra, stacks->tool, stacks->facts);
		perun_json_set(document, "extra", extra);
		stacks->facts = NULL;
	}
}

static void free_known(struct stacks *stacks)
{
	for (size_t i = 0; stacks->known && i < KNOWN_TEXTS; i++)
		perun_free(stacks->known[i].text);
	perun_free(stacks->known);
}

int stacks_end(struct stacks *stacks, int status)
{
	if (!status && stacks->rows == 0)
		status = perun_fail(stacks->ctx, PERUN_INPUT, "there are no costs in it");
	if (!status && stacks->full)
		status = perun_fail(stacks->ctx, PERUN_INPUT, "it has more than %d metrics",
				    MAX_METRICS);
	if (!status)
		write_document(stacks);
	perun_json_free(stacks->header);
	perun_json_free(stacks->facts);
	perun_free(stacks->label);
	perun_free(stacks->turned);
	free_known(stacks);
	perun_free(stacks);
	return status;
}

/* ---- metrics, facts -------------------------------------------------------------------------- */

static struct perun_column_builder *add_number(struct stacks *stacks, const char *name,
					       const char *unit, enum perun_role role)
{
	struct perun_column_info info = {.name = name,
					 .unit = unit,
					 .type = PERUN_TYPE_INT64,
					 .role = role,
					 .growing = true};

	return add_column(stacks, &info);
}

static const char *unit_of(const struct perun_column_builder *column)
{
	const char *unit = perun_column_builder_info(column)->unit;

	return unit ? unit : "";
}

/* Names that columns of other meanings have. */
static bool is_taken(const char *name)
{
	static const char *const taken[] = {"",     "stack",   "labels", "amount", "metric",
					    "type", "subtype", "start",  "end"};

	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (strcmp(name, taken[i]) == 0)
			return true;
	return false;
}

static bool is_metric(const struct stacks *stacks, unsigned which, const char *name,
		      const char *unit)
{
	return which < stacks->metric_count &&
	       strcmp(perun_column_builder_info(stacks->metrics[which])->name, name) == 0 &&
	       strcmp(unit_of(stacks->metrics[which]), unit) == 0;
}

/* That of the row before, or the one after it where rows have theirs by turns; else UINT_MAX. */
static unsigned expected_metric(struct stacks *stacks, const char *name, const char *unit)
{
	unsigned next =
		stacks->last_metric + 1 < stacks->metric_count ? stacks->last_metric + 1 : 0;

	if (is_metric(stacks, stacks->last_metric, name, unit))
		return stacks->last_metric;
	if (!is_metric(stacks, next, name, unit))
		return UINT_MAX;
	stacks->last_metric = next;
	return next;
}

static unsigned find_metric(struct stacks *stacks, const char *name, const char *unit)
{
	char *chosen = is_taken(name) ? perun_format("%s#1", name) : perun_strdup(name);

	for (unsigned i = 0, next = 2; i < stacks->metric_count; i++) {
		const struct perun_column_info *info =
			perun_column_builder_info(stacks->metrics[i]);

		if (strcmp(info->name, chosen) != 0)
			continue;
		if (strcmp(unit_of(stacks->metrics[i]), unit) == 0 ||
		    stacks->metric_count == MAX_METRICS) {
			perun_free(chosen);
			return i;
		}
		perun_free(chosen);
		chosen = perun_format("%s#%u", name, next++);
		i = UINT32_MAX; /* from the first one on */
	}
	if (stacks->metric_count == 0)
		perun_json_set(stacks->header, "default_metric", perun_json_text(chosen));
	stacks->full |= stacks->metric_count == MAX_METRICS;
	if (stacks->metric_count < MAX_METRICS)
		stacks->metrics[stacks->metric_count++] =
			add_number(stacks, chosen, unit, PERUN_ROLE_METRIC);
	perun_free(chosen);
	return stacks->metric_count - 1;
}

unsigned stacks_metric(struct stacks *stacks, const char *name, const char *unit)
{
	unsigned metric = expected_metric(stacks, name, unit);

	if (metric == UINT_MAX)
		metric = stacks->last_metric = find_metric(stacks, name, unit);
	return metric;
}

/* What the document says of a metric. */
static struct perun_json *about(struct stacks *stacks, unsigned metric)
{
	const char *name = perun_column_builder_info(stacks->metrics[metric])->name;
	struct perun_json *document = perun_builder_document(stacks->builder), *metrics;

	metrics = perun_json_get(document, "metrics");
	if (!metrics) {
		metrics = perun_json_object();
		perun_json_set(document, "metrics", metrics);
	}
	if (!perun_json_get(metrics, name))
		perun_json_set(metrics, name, perun_json_object());
	return perun_json_get(metrics, name);
}

unsigned stacks_measured(struct stacks *stacks, const char *name, const char *unit)
{
	unsigned metric = stacks_metric(stacks, name, unit);

	if (perun_unit_of(unit).kind == PERUN_UNIT_TIME)
		perun_json_set(about(stacks, metric), "noise", perun_json_text("timed"));
	return metric;
}

unsigned stacks_unsampled(struct stacks *stacks, const char *name, const char *unit)
{
	unsigned metric = stacks_metric(stacks, name, unit);

	perun_json_set(about(stacks, metric), "noise", perun_json_text("timed"));
	return metric;
}

unsigned stacks_exact(struct stacks *stacks, const char *name, const char *unit)
{
	unsigned metric = stacks_metric(stacks, name, unit);

	perun_json_set(about(stacks, metric), "noise", perun_json_text("exact"));
	return metric;
}

void stacks_sample(struct stacks *stacks, unsigned metric, double amount)
{
	if (metric < stacks->metric_count && amount > 0 && isfinite(amount))
		perun_json_set(about(stacks, metric), "sample", perun_json_double(amount));
}

void stacks_unit(struct stacks *stacks, unsigned metric, const char *unit)
{
	if (metric < stacks->metric_count)
		perun_column_set_unit(stacks->metrics[metric], unit);
}

void stacks_lead(struct stacks *stacks, unsigned metric)
{
	const struct perun_column_info *info;

	if (metric >= stacks->metric_count)
		return;
	info = perun_column_builder_info(stacks->metrics[metric]);
	perun_json_set(stacks->header, "default_metric", perun_json_text(info->name));
}

void stacks_command(struct stacks *stacks, const char *command)
{
	perun_json_set(stacks->header, "cmd", perun_json_text(command));
}

void stacks_fact(struct stacks *stacks, const char *key, struct perun_json *value)
{
	perun_json_set(stacks->facts, key, value);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static perun_id add_text(struct stacks *stacks, const char *text, size_t length)
{
	if (!text)
		return 0;
	return perun_builder_string(stacks->builder, text, length ? length : strlen(text));
}

perun_id stacks_frame(struct stacks *stacks, const struct stacks_frame *frame)
{
	struct perun_function function = {.start_line = frame->start_line};
	struct perun_line line = {.line = frame->line, .column = frame->column};
	struct perun_location location = {
		.address = frame->address, .mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

	function.name =
		frame->name_id ? frame->name_id : add_text(stacks, frame->name, frame->length);
	function.system_name = function.name;
	function.file =
		frame->file_id ? frame->file_id : add_text(stacks, frame->file, frame->file_length);
	if (frame->module || frame->module_id) {
		struct perun_mapping mapping = {.has_functions = true};

		mapping.file = frame->module_id
				       ? frame->module_id
				       : add_text(stacks, frame->module, frame->module_length);
		location.mapping = perun_builder_mapping(stacks->builder, &mapping);
	}
	line.function = perun_builder_function(stacks->builder, &function);
	return perun_builder_location(stacks->builder, &location);
}

perun_id stacks_name(struct stacks *stacks, const char *name, size_t length)
{
	struct stacks_frame frame = {.name = length ? name : "", .length = length};

	return stacks_frame(stacks, &frame);
}

perun_id stacks_recall(struct stacks *stacks, const char *text, size_t length)
{
	struct known_text *known;

	if (!stacks->known)
		stacks->known = perun_alloc_zero(KNOWN_TEXTS, sizeof *stacks->known);
	known = &stacks->known[perun_hash_text(text, length) % KNOWN_TEXTS];
	stacks->recalled = known;
	if (known->text && known->length == length && memcmp(known->text, text, length) == 0)
		return known->location;
	perun_free(known->text);
	*known = (struct known_text){perun_memdup(text, length), (uint32_t)length, PERUN_NO_ID};
	return PERUN_NO_ID;
}

perun_id stacks_keep(struct stacks *stacks, perun_id location)
{
	stacks->recalled->location = location;
	return location;
}

int stacks_walk(struct stacks *stacks, size_t steps)
{
	if (steps > stacks->frames_left)
		return perun_fail(stacks->ctx, PERUN_INPUT,
				  "its stacks have more frames in all than the option frame-limit "
				  "allows");
	stacks->frames_left -= steps;
	stacks->walked += steps + 1;
	if (stacks->walked < POLL)
		return PERUN_OK;
	stacks->walked = 0;
	return perun_cancelled(stacks->ctx) ? PERUN_CANCELLED : PERUN_OK;
}

int stacks_make(struct stacks *stacks, const perun_id *locations, size_t count, bool leaf_first,
		perun_id *stack)
{
	int status = stacks_walk(stacks, count);

	if (status)
		return status;
	if (!leaf_first) {
		if (count > stacks->turned_room) {
			stacks->turned_room = count * 2;
			stacks->turned = perun_realloc_array(stacks->turned, stacks->turned_room,
							     sizeof *stacks->turned);
		}
		for (size_t i = 0; i < count; i++)
			stacks->turned[i] = locations[count - 1 - i];
		locations = stacks->turned;
	}
	*stack = perun_builder_stack(stacks->builder, locations, count);
	return PERUN_OK;
}

int stacks_of_path(struct stacks *stacks, perun_id path, perun_id *stack)
{
	int status = stacks_walk(stacks, perun_builder_path_length(stacks->builder, path));

	if (!status)
		*stack = perun_builder_path_stack(stacks->builder, path);
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_whole(double number)
{
	/* Not floor(), which is a call on a processor of which nothing is known. */
	return fabs(number) < 0x1p62 && number == (double)(int64_t)number;
}

static void set_number(struct perun_column_builder *column, double number)
{
	if (is_whole(number))
		perun_column_set_int64(column, (int64_t)number);
	else
		perun_column_set_double(column, number);
}

void stacks_value(struct stacks *stacks, unsigned metric, double value)
{
	if (isfinite(value))
		set_number(stacks->metrics[metric], value);
}

static struct perun_column_builder *label_column(struct stacks *stacks)
{
	struct perun_column_info info = {
		.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY};

	if (!stacks->labels)
		stacks->labels = add_column(stacks, &info);
	return stacks->labels;
}

void stacks_label(struct stacks *stacks, const char *key, const char *text, size_t length)
{
	stacks_label_ids(stacks, perun_builder_text(stacks->builder, key),
			 perun_builder_string(stacks->builder, text, length));
}

void stacks_label_ids(struct stacks *stacks, perun_id key, perun_id text)
{
	label_column(stacks);
	PERUN_GROW(stacks->label, stacks->label_count, stacks->label_room);
	stacks->label[stacks->label_count++] = (struct perun_label){.key = key, .text = text};
}

void stacks_label_set(struct stacks *stacks, perun_id labels)
{
	perun_column_set_id(label_column(stacks), PERUN_TYPE_LABELS, labels);
}

void stacks_times(struct stacks *stacks, double start, double end, const char *unit)
{
	if (!stacks->start) {
		stacks->start = add_number(stacks, "start", unit, PERUN_ROLE_TIME);
		stacks->end = add_number(stacks, "end", unit, PERUN_ROLE_TIME);
	}
	set_number(stacks->start, start);
	set_number(stacks->end, end);
}

void stacks_add(struct stacks *stacks, perun_id stack)
{
	perun_column_set_id(stacks->stack, PERUN_TYPE_STACK, stack);
	if (stacks->label_count)
		stacks_label_set(stacks, perun_builder_labels(stacks->builder, stacks->label,
							      stacks->label_count));
	stacks->label_count = 0;
	perun_table_end_row(stacks->table);
	stacks->rows++;
	stacks->frames_left += FRAMES_PER_ROW;
}

static void add_one(struct stacks *stacks, unsigned metric, const char *unit, perun_id labels,
		    const struct stacks_interval *interval)
{
	stacks_value(stacks, metric, interval->end - interval->start);
	stacks_times(stacks, interval->start, interval->end, unit);
	if (labels != PERUN_NO_ID)
		stacks_label_set(stacks, labels);
	stacks_add(stacks, interval->stack);
}

enum { INTERVALS_AT_ONCE = 256 };

/* Up to INTERVALS_AT_ONCE of them, all of whole numbers. */
static void add_whole(struct stacks *stacks, unsigned metric, perun_id labels,
		      const struct stacks_interval *intervals, size_t count)
{
	int64_t values[INTERVALS_AT_ONCE], starts[INTERVALS_AT_ONCE], ends[INTERVALS_AT_ONCE];
	perun_id ids[INTERVALS_AT_ONCE];

	for (size_t i = 0; i < count; i++) {
		starts[i] = (int64_t)intervals[i].start;
		ends[i] = (int64_t)intervals[i].end;
		values[i] = ends[i] - starts[i];
		ids[i] = intervals[i].stack;
	}
	perun_column_append_int64(stacks->metrics[metric], values, count);
	perun_column_append_int64(stacks->start, starts, count);
	perun_column_append_int64(stacks->end, ends, count);
	perun_column_append_ids(stacks->stack, PERUN_TYPE_STACK, ids, count);
	if (labels != PERUN_NO_ID)
		perun_column_append_same_id(stacks->labels, PERUN_TYPE_LABELS, labels, count);
	perun_table_end_rows(stacks->table, count);
	stacks->rows += count;
	stacks->frames_left += FRAMES_PER_ROW * count;
}

void stacks_intervals(struct stacks *stacks, unsigned metric, const char *unit, perun_id labels,
		      const struct stacks_interval *intervals, size_t count)
{
	size_t done = 0, i;

	/* The first one makes the columns that are missing. */
	if (count && (!stacks->start || (labels != PERUN_NO_ID && !stacks->labels)))
		add_one(stacks, metric, unit, labels, &intervals[done++]);
	while (done < count) {
		for (i = done; i < count && i - done < INTERVALS_AT_ONCE; i++)
			if (!is_whole(intervals[i].start) || !is_whole(intervals[i].end))
				break;
		if (i == done)
			add_one(stacks, metric, unit, labels, &intervals[i++]);
		else
			add_whole(stacks, metric, labels, intervals + done, i - done);
		done = i;
	}
}

size_t stacks_rows(const struct stacks *stacks)
{
	return stacks->rows;
}

struct perun_builder *stacks_builder(struct stacks *stacks)
{
	return stacks->builder;
}

/* ---- paths ----------------------------------------------------------------------------------- */

void stacks_path_set(struct stacks_path *path, size_t depth, perun_id frame)
{
	if (depth >= path->room) {
		path->room = (depth + 8) * 2;
		path->frames = perun_realloc_array(path->frames, path->room, sizeof *path->frames);
		path->paths = perun_realloc_array(path->paths, path->room, sizeof *path->paths);
	}
	if (path->known > depth)
		path->known = depth;
	path->frames[depth] = frame;
	path->count = depth + 1;
}

/* `make`: perun_builder_path() or its like. */
static int stack_of_frames(struct stacks *stacks, struct stacks_path *path, size_t count,
			   perun_id (*make)(struct perun_builder *, perun_id, perun_id),
			   perun_id *stack)
{
	perun_id last = PERUN_NO_ID;

	if (path->known && count)
		last = path->paths[(path->known < count ? path->known : count) - 1];
	for (; path->known < count; path->known++)
		last = path->paths[path->known] =
			make(stacks->builder, last, path->frames[path->known]);
	return stacks_of_path(stacks, last, stack);
}

int stacks_path_stack(struct stacks *stacks, struct stacks_path *path, size_t count,
		      perun_id *stack)
{
	return stack_of_frames(stacks, path, count, perun_builder_path, stack);
}

void stacks_path_free(struct stacks_path *path)
{
	perun_free(path->frames);
	perun_free(path->paths);
}

static int stack_of_tree(struct stacks_tree *tree, perun_id *stack)
{
	return stack_of_frames(tree->stacks, &tree->path, tree->path.count,
			       tree->inverted ? perun_builder_inverted_path : perun_builder_path,
			       stack);
}

int stacks_tree_close(struct stacks_tree *tree, size_t depth)
{
	int status = PERUN_OK;
	perun_id stack;

	while (!status && tree->path.count > depth) {
		double own = tree->left[tree->path.count - 1];

		/* Rounded numbers may leave less than nothing. */
		if (own > 0) {
			status = stack_of_tree(tree, &stack);
			if (status)
				return status;
			stacks_value(tree->stacks, tree->metric, own);
			if (tree->also)
				stacks_value(tree->stacks, *tree->also, own);
			if (tree->label)
				stacks_label_ids(tree->stacks, tree->key, tree->label);
			stacks_add(tree->stacks, stack);
		}
		tree->path.count--;
	}
	return status;
}

int stacks_tree_open(struct stacks_tree *tree, size_t depth, perun_id frame, double cost)
{
	int status = stacks_tree_close(tree, depth);

	if (status)
		return status;
	if (depth) {
		tree->left[depth - 1] -= cost;
		/* What is left of decimal numbers that add up */
		if (fabs(tree->left[depth - 1]) < 1e-9 * cost)
			tree->left[depth - 1] = 0;
	}
	stacks_path_set(&tree->path, depth, frame);
	PERUN_GROW(tree->left, depth, tree->room);
	tree->left[depth] = cost;
	return PERUN_OK;
}

void stacks_tree_free(struct stacks_tree *tree)
{
	stacks_path_free(&tree->path);
	perun_free(tree->left);
}

/* ---- probes, messages ------------------------------------------------------------------------ */

bool stacks_begins(const struct perun_probe *probe, const char *text)
{
	const char *data = probe->data;
	size_t at = 0, length = strlen(text);

	while (at < probe->size && strchr(" \t\r\n", data[at]) && data[at])
		at++;
	return probe->size - at >= length && memcmp(data + at, text, length) == 0;
}

int stacks_wrong_at(struct perun_ctx *ctx, uint64_t number, const char *expected, const char *line)
{
	char *shown = perun_strndup(line, 60), *printable = perun_printable(shown);
	int status = perun_fail(ctx, PERUN_INPUT, "line %" PRIu64 ": expected %s, found '%s'",
				number, expected, printable);

	perun_free(shown);
	perun_free(printable);
	return status;
}

int stacks_wrong_line(struct perun_ctx *ctx, const struct perun_lines *lines, const char *expected,
		      const char *line)
{
	return stacks_wrong_at(ctx, perun_lines_number(lines), expected, line);
}

void stacks_warn_open(struct perun_ctx *ctx, const struct perun_lines *lines)
{
	if (perun_lines_is_open(lines))
		warn_cut_line(ctx, lines);
}
