/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing callgrind's format: from tables of calls, or from stacks through the call graph. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>
#include <perun/query.h>

#include "callgrind.h"
#include "formats/common/losses.h"

/* More than anything counts; stacks are weighed by a few at a time. */
enum { EVENTS = 64 };

/* A line of costs: of a place itself, or of what it calls. */
struct item {
	struct callgrind_place place, callee;
	bool is_call;
	int64_t count;
	size_t order;
	int64_t *costs; /* of each event */
};

/* Short forms of names: a number for each string, given out as they are met. */
struct short_names {
	uint32_t *numbers; /* of each string, 0 = none yet */
	uint32_t count;
};

struct writing {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	struct perun_output *output;
	const struct perun_metric *const *metrics;
	size_t events;
	char *names[EVENTS];                      /* of the events in the file */
	const char *units[EVENTS];                /* of their costs */
	double factors[EVENTS], divisors[EVENTS]; /* from the profile to the file */
	struct item *items;
	size_t count, room;
	int64_t **blocks; /* of costs */
	size_t block_count, block_room;
	bool addresses;
	struct short_names objects, files, functions;
	uint64_t fractions, negatives, nameless, unitless;
};

/* ---- collecting ------------------------------------------------------------------------------ */

enum { BLOCK_ITEMS = 4096 };

static int64_t *new_costs(struct writing *writing)
{
	if (writing->count % BLOCK_ITEMS == 0) {
		PERUN_GROW(writing->blocks, writing->block_count, writing->block_room);
		writing->blocks[writing->block_count++] =
			perun_alloc_zero(BLOCK_ITEMS * writing->events, sizeof(int64_t));
	}
	return writing->blocks[writing->block_count - 1] +
	       writing->count % BLOCK_ITEMS * writing->events;
}

static struct item *add_item(struct writing *writing, const struct callgrind_place *place)
{
	struct item *item;

	PERUN_GROW(writing->items, writing->count, writing->room);
	item = &writing->items[writing->count];
	*item = (struct item){
		.place = *place, .order = writing->count, .costs = new_costs(writing)};
	writing->count++;
	writing->addresses |= place->address != 0;
	return item;
}

/*
 * Whether the metric's name says how much a cost is ("Time_(10ns)"), where the reader takes the unit from: values are
 * converted to that.
 */
static bool choose_unit_by_name(struct writing *writing, size_t event)
{
	const struct perun_metric *metric = writing->metrics[event];
	int64_t count;
	char *unit = callgrind_named_unit(metric->name, &count);
	double factor = unit ? (double)perun_unit_factor(metric->unit, unit) : 0;

	if (unit && factor == 0 && perun_unit_of(metric->unit).kind != PERUN_UNIT_OTHER)
		writing->unitless++;
	perun_free(unit);
	writing->factors[event] = factor;
	writing->divisors[event] = (double)count;
	writing->units[event] = "";
	return factor > 0;
}

/* Costs are whole numbers: times that have fractions are written in nanoseconds. */
static void choose_unit(struct writing *writing, size_t event)
{
	/* What is called like a unit has it when it is read. */
	const struct perun_metric *metric = writing->metrics[event];
	enum perun_unit_kind named = perun_unit_of(metric->name).kind;
	bool is_unit = !*metric->unit && (named == PERUN_UNIT_TIME || named == PERUN_UNIT_BYTES);
	double factor = (double)perun_unit_factor(metric->unit, "ns");
	enum perun_unit_kind kind = perun_unit_of(metric->unit).kind;
	bool scaled = factor > 1 && perun_column_info(metric->values)->type == PERUN_TYPE_DOUBLE;

	writing->factors[event] = scaled ? factor : 1;
	writing->divisors[event] = 1;
	writing->units[event] = scaled ? "ns" : metric->unit;
	writing->unitless += is_unit || (kind == PERUN_UNIT_OTHER && *metric->unit);
}

/* A value of an event in what it is written in. */
static double in_unit(const struct writing *writing, size_t event, double value)
{
	return value * writing->factors[event] / writing->divisors[event];
}

static int64_t whole(struct writing *writing, double value)
{
	if (value != floor(value))
		writing->fractions++;
	return fabs(value) < 0x1p62 ? llrint(value) : 0;
}

static int64_t cell(struct writing *writing, size_t event, const struct perun_column *column,
		    size_t row)
{
	if (!column || perun_column_absent(column, row))
		return 0;
	if (perun_column_info(column)->type == PERUN_TYPE_DOUBLE)
		return whole(writing, in_unit(writing, event, perun_column_double(column, row)));
	if (in_unit(writing, event, 1) != 1)
		return whole(writing,
			     in_unit(writing, event, (double)perun_column_int64(column, row)));
	return perun_column_int64(column, row);
}

/* The place of a stack of one location. */
static struct callgrind_place place_of(const struct perun_profile *profile, perun_id stack)
{
	struct callgrind_place place = {0};
	const struct perun_location *location;
	const perun_id *locations;
	size_t count = 0;

	if (stack == PERUN_NO_ID)
		return place;
	locations = perun_profile_stack(profile, stack, &count);
	if (count == 0)
		return place;
	location = perun_profile_location(profile, locations[0]);
	place.address = location->address;
	if (location->mapping != PERUN_NO_ID)
		place.object = perun_profile_mapping(profile, location->mapping)->file;
	if (location->line_count && location->lines[0].function != PERUN_NO_ID) {
		const struct perun_function *function =
			perun_profile_function(profile, location->lines[0].function);

		place.function = function->name;
		place.file = place.home = function->file;
		place.line = location->lines[0].line;
	}
	return place;
}

static void collect_self(struct writing *writing)
{
	const struct perun_table *table = perun_resources(writing->profile);
	const struct perun_column *stack = perun_table_column(table, "stack");
	const struct perun_column *home = perun_table_column(table, "function-file");

	for (size_t row = 0; row < perun_table_rows(table); row++) {
		struct callgrind_place place =
			place_of(writing->profile, perun_column_id(stack, row));
		struct item *item;

		if (home && !perun_column_absent(home, row))
			place.home = perun_column_id(home, row);
		item = add_item(writing, &place);
		for (size_t i = 0; i < writing->events; i++)
			if (perun_metric_has_row(writing->metrics[i], row))
				item->costs[i] = cell(writing, i, writing->metrics[i]->values, row);
	}
}

static void collect_calls(struct writing *writing, const struct perun_table *calls)
{
	const struct perun_column *caller = perun_table_column(calls, "caller");
	const struct perun_column *callee = perun_table_column(calls, "callee");
	const struct perun_column *count = perun_table_column(calls, "count");
	const struct perun_column *home = perun_table_column(calls, "function-file");
	const struct perun_column *line = perun_table_column(calls, "entry-line");
	const struct perun_column *address = perun_table_column(calls, "entry-address");

	for (size_t row = 0; row < perun_table_rows(calls); row++) {
		struct callgrind_place place =
			place_of(writing->profile, perun_column_id(caller, row));
		struct item *item;

		if (home && !perun_column_absent(home, row))
			place.home = perun_column_id(home, row);
		item = add_item(writing, &place);
		item->is_call = true;
		item->callee = place_of(writing->profile, perun_column_id(callee, row));
		if (line && !perun_column_absent(line, row))
			item->callee.line = perun_column_int64(line, row);
		if (address && !perun_column_absent(address, row))
			item->callee.address = perun_column_uint64(address, row);
		item->count = count && !perun_column_absent(count, row)
				      ? perun_column_int64(count, row)
				      : 0;
		for (size_t i = 0; i < writing->events; i++) {
			const struct perun_column *own = writing->metrics[i]->values;

			item->costs[i] =
				cell(writing, i,
				     perun_table_column(calls, perun_column_info(own)->name), row);
		}
	}
}

static struct callgrind_place place_of_frame(const struct perun_frame *frame)
{
	return (struct callgrind_place){.object = frame->object,
					.file = frame->file,
					.home = frame->file,
					.function = frame->name,
					.address = frame->address,
					.line = frame->line};
}

/* Events that stacks are weighed by: `count` from `first` on. */
struct part {
	const struct perun_stacks *stacks;
	const struct perun_callgraph *graph;
	size_t first, count;
};

static void set_costs(struct writing *writing, const struct part *part, size_t node, bool edge,
		      struct item *item)
{
	const struct perun_callgraph *graph = part->graph;

	for (size_t i = 0; i < part->count; i++) {
		const int64_t *values = edge ? perun_callgraph_edge_values(graph, i)
					     : perun_callgraph_flat(graph, i);
		size_t event = part->first + i;
		double scale = perun_stacks_scale(part->stacks, i);

		item->costs[event] =
			scale == 1 && in_unit(writing, event, 1) == 1
				? values[node]
				: whole(writing,
					in_unit(writing, event, (double)values[node] * scale));
	}
}

/* Stacks become the graph of their places: its flat values, and its edges. Lines of several parts add up. */
static void collect_graph(struct writing *writing, const struct part *part)
{
	size_t nodes, edges;
	const struct perun_frame *frames = perun_callgraph_nodes(part->graph, &nodes);
	const struct perun_edge *edge = perun_callgraph_edges(part->graph, &edges);

	for (size_t i = 0; i < nodes; i++) {
		struct callgrind_place place = place_of_frame(&frames[i]);

		set_costs(writing, part, i, false, add_item(writing, &place));
	}
	for (size_t i = 0; i < edges; i++) {
		struct callgrind_place place = place_of_frame(&frames[edge[i].caller]);
		struct item *item = add_item(writing, &place);

		item->is_call = true;
		item->callee = place_of_frame(&frames[edge[i].callee]);
		set_costs(writing, part, i, true, item);
	}
}

static int collect_part(struct writing *writing, struct perun_stacks *stacks, size_t first)
{
	struct perun_graph_options options = {
		.struct_size = sizeof options, .granularity = PERUN_BY_ADDRESS, .objects = true};
	size_t rows = perun_table_rows(perun_resources(writing->profile));
	struct part part = {.stacks = stacks, .first = first};
	struct perun_weight weights[PERUN_WEIGHTS] = {0};
	uint64_t *selections[PERUN_WEIGHTS] = {0};
	struct perun_callgraph *graph = NULL;
	int status;

	for (; part.count < PERUN_WEIGHTS && first + part.count < writing->events; part.count++) {
		const struct perun_metric *metric = writing->metrics[first + part.count];

		/* Several metrics may be in one column, each in rows of its own. */
		if (metric->selector[0] || metric->selector[1])
			selections[part.count] = perun_selection_of_metric(metric, rows);
		weights[part.count].values = metric->values;
		weights[part.count].rows = selections[part.count];
	}
	status = perun_stacks_weigh(writing->ctx, stacks, weights, part.count, 0);
	if (!status)
		status = perun_callgraph_new(writing->ctx, stacks, &options, &graph);
	part.graph = graph;
	if (!status)
		collect_graph(writing, &part);
	perun_callgraph_free(graph);
	for (size_t i = 0; i < part.count; i++)
		perun_free(selections[i]);
	return status;
}

static int collect_stacks(struct writing *writing)
{
	struct perun_stacks *stacks = NULL;
	int status =
		perun_stacks_new(writing->ctx, (struct perun_profile *)writing->profile, &stacks);

	for (size_t i = 0; !status && i < writing->events; i += PERUN_WEIGHTS)
		status = collect_part(writing, stacks, i);
	perun_stacks_free(stacks);
	return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

#define COMPARE(a, b)   \
	if ((a) != (b)) \
	return (a) < (b) ? -1 : 1

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	COMPARE(a->place.object, b->place.object);
	COMPARE(a->place.home, b->place.home);
	COMPARE(a->place.function, b->place.function);
	if (a->place.function == 0) /* then each address is one */
		COMPARE(a->place.address, b->place.address);
	COMPARE(a->order, b->order);
	return 0;
}

/* What would end a line becomes '_'. */
static void write_text(struct perun_output *output, const char *text)
{
	for (; *text; text++)
		perun_output_write(output, (unsigned char)*text < 0x20 ? "_" : text, 1);
}

static void write_name(struct writing *writing, struct short_names *names, const char *key,
		       perun_id name)
{
	const char *text = perun_profile_string(writing->profile, name, NULL);
	bool known = names->numbers[name] != 0;

	if (!known)
		names->numbers[name] = ++names->count;
	perun_output_printf(writing->output, "%s=(%" PRIu32 ")", key, names->numbers[name]);
	if (!known) {
		perun_output_text(writing->output, " ");
		write_text(writing->output, *text ? text : "???");
	}
	perun_output_text(writing->output, "\n");
}

/* A function without a name is called by its address. */
static void write_function(struct writing *writing, const char *key,
			   const struct callgrind_place *place)
{
	if (place->function)
		write_name(writing, &writing->functions, key, place->function);
	else
		perun_output_printf(writing->output, "%s=0x%016" PRIx64 "\n", key, place->address);
}

static void write_costs(struct writing *writing, const struct item *item)
{
	if (writing->addresses)
		perun_output_printf(writing->output, "0x%" PRIx64 " ", item->place.address);
	perun_output_printf(writing->output, "%" PRId64,
			    item->place.line < 0 ? 0 : item->place.line);
	for (size_t i = 0; i < writing->events; i++) {
		writing->negatives += item->costs[i] < 0;
		perun_output_printf(writing->output, " %" PRId64,
				    item->costs[i] < 0 ? 0 : item->costs[i]);
	}
	perun_output_text(writing->output, "\n");
}

/* Calls that were counted say who calls whom, whatever they cost. */
static bool says_nothing(const struct writing *writing, const struct item *item)
{
	if (item->is_call && item->count)
		return false;
	for (size_t i = 0; i < writing->events; i++)
		if (item->costs[i])
			return false;
	return true;
}

static void write_item(struct writing *writing, const struct item *item, perun_id *file)
{
	if (item->place.file != *file) {
		write_name(writing, &writing->files,
			   item->place.file == item->place.home ? "fe" : "fi", item->place.file);
		*file = item->place.file;
	}
	if (item->is_call) {
		if (item->callee.object != item->place.object && item->callee.object)
			write_name(writing, &writing->objects, "cob", item->callee.object);
		write_name(writing, &writing->files, "cfi", item->callee.file);
		write_function(writing, "cfn", &item->callee);
		perun_output_printf(writing->output, "calls=%" PRId64 " ", item->count);
		if (writing->addresses)
			perun_output_printf(writing->output, "0x%" PRIx64 " ",
					    item->callee.address);
		perun_output_printf(writing->output, "%" PRId64 "\n",
				    item->callee.line < 0 ? 0 : item->callee.line);
	}
	write_costs(writing, item);
}

static bool same_function(const struct item *a, const struct item *b)
{
	return a->place.object == b->place.object && a->place.home == b->place.home &&
	       a->place.function == b->place.function &&
	       (a->place.function != 0 || a->place.address == b->place.address);
}

static void write_items(struct writing *writing)
{
	perun_id object = 0, file = 0;

	if (writing->count > 1)
		qsort(writing->items, writing->count, sizeof *writing->items, compare_items);
	for (size_t i = 0; i < writing->count; i++) {
		const struct item *item = &writing->items[i];

		if (i == 0 || !same_function(item, item - 1)) {
			perun_output_text(writing->output, "\n");
			if (item->place.object != object)
				write_name(writing, &writing->objects, "ob", item->place.object);
			object = item->place.object;
			write_name(writing, &writing->files, "fl", item->place.home);
			write_function(writing, "fn", &item->place);
			file = item->place.home;
		}
		if (!says_nothing(writing, item))
			write_item(writing, item, &file);
	}
}

/* A name with control characters does not come back from the description of its event. */
static bool has_control(const char *name)
{
	while (*name && (unsigned char)*name >= 0x20)
		name++;
	return *name != '\0';
}

/* An event is a word of its own. */
static void name_events(struct writing *writing)
{
	for (size_t i = 0; i < writing->events; i++) {
		const char *given = writing->metrics[i]->name;
		struct perun_buffer name = {0};
		char *column = callgrind_column_name(given, i);

		writing->nameless += !*given || has_control(given) || strcmp(column, given) != 0;
		perun_free(column);
		perun_buffer_add_text(&name, *given ? given : "value");
		for (size_t k = 0; k < name.length; k++) {
			if ((unsigned char)name.data[k] <= 0x20 || name.data[k] == ':')
				name.data[k] = '_';
		}
		for (size_t k = 0; k < i; k++) {
			if (strcmp(writing->names[k], name.data) == 0) {
				perun_buffer_add_char(&name, '_');
				k = (size_t)-1;
			}
		}
		writing->names[i] = perun_buffer_take(&name);
	}
}

static void write_heading(struct writing *writing)
{
	struct perun_output *output = writing->output;

	perun_output_text(output, "# callgrind format\nversion: 1\ncreator: perun\n");
	perun_output_text(output, "cmd: ");
	write_text(output, perun_profile_text(writing->profile, "/header/cmd"));
	perun_output_printf(output, "\npositions:%s line\n", writing->addresses ? " instr" : "");
	for (size_t i = 0; i < writing->events; i++) {
		const struct perun_metric *metric = writing->metrics[i];

		if (!*metric->description && !*writing->units[i] &&
		    strcmp(metric->name, writing->names[i]) == 0)
			continue;
		perun_output_text(output, "event: ");
		perun_output_text(output, writing->names[i]);
		perun_output_text(output, " : ");
		write_text(output, *metric->description ? metric->description : metric->name);
		if (*writing->units[i]) {
			perun_output_text(output, " (");
			write_text(output, writing->units[i]);
			perun_output_text(output, ")");
		}
		perun_output_text(output, "\n");
	}
	perun_output_text(output, "events:");
	for (size_t i = 0; i < writing->events; i++) {
		perun_output_text(output, " ");
		perun_output_text(output, writing->names[i]);
	}
	perun_output_text(output, "\n");
}

static void write_summary(struct writing *writing)
{
	int64_t sums[EVENTS] = {0};

	for (size_t i = 0; i < writing->count; i++)
		for (size_t k = 0; k < writing->events && !writing->items[i].is_call; k++)
			if (writing->items[i].costs[k] > 0)
				sums[k] += writing->items[i].costs[k];
	perun_output_text(writing->output, "summary:");
	for (size_t k = 0; k < writing->events; k++)
		perun_output_printf(writing->output, " %" PRId64, sums[k]);
	perun_output_text(writing->output, "\n");
}

static void report_losses(struct writing *writing, size_t metrics)
{
	uint64_t longer = 0, columns = 0, empty = 0, mappings = 0;

	if (metrics > writing->events)
		perun_lost(writing->ctx, "metrics", metrics - writing->events);
	if (writing->fractions)
		perun_lost(writing->ctx, "fractions of values", writing->fractions);
	if (writing->negatives)
		perun_lost(writing->ctx, "negative values", writing->negatives);
	if (writing->nameless)
		perun_lost(writing->ctx, "names of metrics", writing->nameless);
	if (writing->unitless)
		perun_lost(writing->ctx, "units of metrics", writing->unitless);
	losses_report(writing->ctx, writing->profile,
		      LOSSES_LINES | LOSSES_OBJECTS | LOSSES_CALLS | LOSSES_COMMAND);
	for (size_t i = 0; i < perun_profile_stacks(writing->profile); i++) {
		size_t count;
		const perun_id *stack = perun_profile_stack(writing->profile, (perun_id)i, &count);

		empty += !count;
		longer += count > 1 ||
			  (count &&
			   perun_profile_location(writing->profile, stack[0])->line_count > 1);
	}
	for (size_t i = 0; i < perun_profile_locations(writing->profile); i++) {
		const struct perun_location *location =
			perun_profile_location(writing->profile, (perun_id)i);

		for (size_t k = 0; k < location->line_count; k++)
			columns += location->lines[k].column != 0;
	}
	for (size_t i = 0; i < perun_profile_mappings(writing->profile); i++) {
		const struct perun_mapping *mapping =
			perun_profile_mapping(writing->profile, (perun_id)i);

		mappings += !mapping->file || mapping->start || mapping->limit;
	}
	if (mappings)
		perun_lost(writing->ctx, "addresses of objects", mappings);
	if (empty)
		perun_lost(writing->ctx, "stacks without frames", empty);
	if (columns)
		perun_lost(writing->ctx, "columns of lines", columns);
	if (longer && !perun_profile_table(writing->profile, "calls"))
		perun_lost(writing->ctx, "stacks longer than a call", longer);
}

int callgrind_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		    struct perun_output *output)
{
	struct writing writing = {.ctx = ctx, .profile = profile, .output = output};
	const struct perun_table *calls = perun_profile_table(profile, "calls");
	size_t metrics, strings = perun_profile_strings(profile);
	int status = PERUN_OK;

	(void)instance;
	writing.metrics = perun_metrics(profile, &metrics);
	writing.events = metrics < EVENTS ? metrics : EVENTS;
	if (metrics == 0)
		return perun_fail(ctx, PERUN_INPUT, "the profile has no metric to write");
	for (size_t i = 0; i < writing.events; i++)
		if (!choose_unit_by_name(&writing, i))
			choose_unit(&writing, i);
	writing.objects.numbers = perun_alloc_zero(strings, sizeof(uint32_t));
	writing.files.numbers = perun_alloc_zero(strings, sizeof(uint32_t));
	writing.functions.numbers = perun_alloc_zero(strings, sizeof(uint32_t));
	if (calls && perun_table_column(calls, "caller") && perun_table_column(calls, "callee")) {
		collect_self(&writing);
		collect_calls(&writing, calls);
	} else {
		status = collect_stacks(&writing);
	}
	if (!status) {
		name_events(&writing);
		write_heading(&writing);
		write_summary(&writing);
		write_items(&writing);
		report_losses(&writing, metrics);
	}
	for (size_t i = 0; i < writing.events; i++)
		perun_free(writing.names[i]);
	for (size_t i = 0; i < writing.block_count; i++)
		perun_free(writing.blocks[i]);
	perun_free(writing.blocks);
	perun_free(writing.items);
	perun_free(writing.objects.numbers);
	perun_free(writing.files.numbers);
	perun_free(writing.functions.numbers);
	return status;
}
