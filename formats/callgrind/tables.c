/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs and calls as tables of a profile. */
#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "callgrind.h"

enum { KNOWN = 1 << 12 };

char *callgrind_column_name(const char *event, size_t i)
{
	static const char *const taken[] = {
		"stack",  "labels", "amount", "metric",        "type",       "subtype",
		"caller", "callee", "count",  "function-file", "entry-line", "entry-address"};

	for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
		if (strcmp(event, taken[k]) == 0)
			return perun_format("%s#%zu", event, i + 2);
	return perun_strdup(event);
}

/* Rows are many: a line of the file each. */
static struct perun_column_builder *add_narrow(struct perun_table_builder *table,
					       const struct perun_column_info *info)
{
	struct perun_column_builder *column = perun_table_add_column(table, info);

	perun_column_save_memory(column);
	return column;
}

static struct perun_column_builder *add_column(struct perun_table_builder *table, const char *name,
					       enum perun_type type, enum perun_role role)
{
	struct perun_column_info info = {.name = name, .type = type, .role = role};

	return add_narrow(table, &info);
}

static struct perun_column_builder *add_cost(struct perun_table_builder *table, const char *name,
					     const char *unit)
{
	struct perun_column_info info = {
		.name = name, .unit = unit, .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};

	return add_narrow(table, &info);
}

/* "Time_(ms)", "Time (ns)": what is in parentheses at the end of a text; NULL = nothing. */
static char *in_parentheses(const char *text)
{
	size_t length = strlen(text);
	const char *open = length && text[length - 1] == ')' ? strrchr(text, '(') : NULL;

	return open ? perun_strndup(open + 1, (size_t)(text + length - 2 - open)) : NULL;
}

static bool is_unit(const char *text)
{
	enum perun_unit_kind kind = perun_unit_of(text).kind;

	return kind == PERUN_UNIT_TIME || kind == PERUN_UNIT_BYTES;
}

char *callgrind_named_unit(const char *event, int64_t *count)
{
	char *text = in_parentheses(event), *unit = NULL;
	size_t digits = text ? strspn(text, "0123456789") : 0;

	*count = digits && digits < 10 ? strtoll(text, NULL, 10) : !digits;
	if (text && *count && is_unit(text + digits))
		unit = perun_strdup(text + digits);
	perun_free(text);
	return unit;
}

/*
 * The unit of an event: in parentheses after its name or after its meaning, as it is written here, or the name itself
 * ("ns : Nanoseconds"). "" = none. A cost is `count` of it.
 */
static char *unit_of_event(const char *event, const char *meaning, int64_t *count)
{
	char *unit = callgrind_named_unit(event, count);

	if (unit)
		return unit;
	*count = 1;
	unit = meaning ? in_parentheses(meaning) : NULL;
	if (unit && is_unit(unit))
		return unit;
	perun_free(unit);
	return perun_strdup(is_unit(event) ? event : "");
}

/*
 * The name of an event: a word, in which '_' is a blank or a colon of the meaning where that is "NAME" or "NAME (UNIT)", as it
 * is written here.
 */
static char *name_of_event(const char *event, const char *meaning)
{
	size_t length = strlen(event);

	if (!meaning || strlen(meaning) < length ||
	    (meaning[length] && strncmp(meaning + length, " (", 2) != 0))
		return perun_strdup(event);
	for (size_t i = 0; i < length; i++)
		if (event[i] != meaning[i] && !(event[i] == '_' && strchr(" :", meaning[i])))
			return perun_strdup(event);
	return perun_strndup(meaning, length);
}

/*
 * How what Valgrind counts varies from run to run: reads, writes and branches not at all, and what a simulated cache or
 * predictor misses depends on where things lie in memory. NULL = it is not known; other programs have events of their own.
 */
static const char *noise_of_event(const char *event)
{
	static const char *const exact[] = {"Dr", "Dw", "Bc", "Bi", "sysCount"};
	static const char *const misses[] = {
		"I1mr",    "D1mr",    "D1mw",    "ILmr",    "DLmr",      "DLmw",
		"I2mr",    "D2mr",    "D2mw",    "Bcm",     "Bim",       "AcCost1",
		"AcCost2", "SpLoss1", "SpLoss2", "sysTime", "sysCpuTime"};

	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
		if (strcmp(event, exact[i]) == 0)
			return "exact";
	for (size_t i = 0; i < sizeof misses / sizeof *misses; i++)
		if (strcmp(event, misses[i]) == 0)
			return "timed";
	return NULL;
}

/* What the document says of an event; NULL = nothing. */
static struct perun_json *describe_event(const char *event, const char *meaning)
{
	const char *noise = noise_of_event(event);
	struct perun_json *metric = meaning || noise ? perun_json_object() : NULL;

	if (meaning)
		perun_json_set(metric, "description", perun_json_text(meaning));
	if (noise)
		perun_json_set(metric, "noise", perun_json_text(noise));
	return metric;
}

void callgrind_tables_begin(struct callgrind_tables *tables, struct perun_builder *builder,
			    char *const *events, char *const *meanings, size_t count)
{
	struct perun_json *metrics = perun_json_object(), *header = perun_json_object();

	*tables = (struct callgrind_tables){.builder = builder, .events = count};
	tables->known = perun_alloc_zero(KNOWN, sizeof *tables->known);
	tables->self = perun_builder_table(builder, "resources");
	tables->calls = perun_builder_table(builder, "calls");
	tables->stack = add_column(tables->self, "stack", PERUN_TYPE_STACK, PERUN_ROLE_KEY);
	tables->caller = add_column(tables->calls, "caller", PERUN_TYPE_STACK, PERUN_ROLE_KEY);
	tables->callee = add_column(tables->calls, "callee", PERUN_TYPE_STACK, PERUN_ROLE_KEY);
	tables->count = add_column(tables->calls, "count", PERUN_TYPE_INT64, PERUN_ROLE_METRIC);
	tables->factors = perun_alloc_zero(count, sizeof *tables->factors);
	tables->self_costs = perun_alloc_zero(count, sizeof *tables->self_costs);
	tables->call_costs = perun_alloc_zero(count, sizeof *tables->call_costs);
	for (size_t i = 0; i < count; i++) {
		char *whole = name_of_event(events[i], meanings[i]);
		char *name = callgrind_column_name(whole, i);
		char *unit = unit_of_event(events[i], meanings[i], &tables->factors[i]);
		struct perun_json *metric = describe_event(events[i], meanings[i]);

		tables->self_costs[i] = add_cost(tables->self, name, unit);
		tables->call_costs[i] = add_cost(tables->calls, name, unit);
		perun_free(unit);
		if (i == 0)
			perun_json_set(header, "default_metric", perun_json_text(name));
		if (metric)
			perun_json_set(metrics, name, metric);
		perun_free(name);
		perun_free(whole);
	}
	perun_json_set(perun_builder_document(builder), "header", header);
	if (perun_json_count(metrics))
		perun_json_set(perun_builder_document(builder), "metrics", metrics);
	else
		perun_json_free(metrics);
}

void callgrind_tables_free(struct callgrind_tables *tables)
{
	perun_free(tables->known);
	perun_free(tables->factors);
	perun_free(tables->self_costs);
	perun_free(tables->call_costs);
}

/* The function of a place, which is that of the place before it mostly. */
static void find_function(struct callgrind_tables *tables, const struct callgrind_place *place)
{
	struct callgrind_function *last = &tables->last;
	struct perun_function function = {
		.name = place->function, .system_name = place->function, .file = place->file};
	struct perun_mapping mapping = {.file = place->object};

	if (last->known && last->name == place->function && last->file == place->file &&
	    last->object == place->object)
		return;
	*last = (struct callgrind_function){.known = true,
					    .name = place->function,
					    .file = place->file,
					    .object = place->object};
	last->mapping =
		place->object ? perun_builder_mapping(tables->builder, &mapping) : PERUN_NO_ID;
	last->function = perun_builder_function(tables->builder, &function);
}

static perun_id make_stack(struct callgrind_tables *tables, const struct callgrind_place *place)
{
	struct perun_line line = {.line = place->line};
	struct perun_location location = {
		.address = place->address, .line_count = 1, .lines = &line};
	perun_id id;

	find_function(tables, place);
	line.function = tables->last.function;
	location.mapping = tables->last.mapping;
	id = perun_builder_location(tables->builder, &location);
	return id == PERUN_NO_ID ? id : perun_builder_stack(tables->builder, &id, 1);
}

/* The same of a function that is called, most of which were met before. */
static perun_id stack_of_callee(struct callgrind_tables *tables,
				const struct callgrind_place *callee)
{
	const struct callgrind_place place = {
		.object = callee->object, .file = callee->file, .function = callee->function};
	struct callgrind_known *known = &tables->known[place.function % KNOWN];

	if (!known->used || known->object != place.object || known->file != place.file ||
	    known->function != place.function)
		*known = (struct callgrind_known){.object = place.object,
						  .file = place.file,
						  .function = place.function,
						  .stack = make_stack(tables, &place),
						  .used = true};
	return known->stack;
}

/* Code of another file, inlined into the function: where the function itself is. */
static void set_home(struct perun_table_builder *table, struct perun_column_builder **column,
		     const struct callgrind_place *place)
{
	if (place->home == place->file)
		return;
	if (!*column)
		*column = add_column(table, "function-file", PERUN_TYPE_STRING, PERUN_ROLE_PLAIN);
	perun_column_set_id(*column, PERUN_TYPE_STRING, place->home);
}

/* Where a call enters its callee: the line, and in files that have them the address. */
static void set_entry(struct callgrind_tables *tables, const struct callgrind_place *callee)
{
	if (callee->line && !tables->entry_line)
		tables->entry_line =
			add_column(tables->calls, "entry-line", PERUN_TYPE_INT64, PERUN_ROLE_PLAIN);
	if (callee->line)
		perun_column_set_int64(tables->entry_line, callee->line);
	if (callee->address && !tables->entry_address)
		tables->entry_address = add_column(tables->calls, "entry-address",
						   PERUN_TYPE_UINT64, PERUN_ROLE_PLAIN);
	if (callee->address)
		perun_column_set_uint64(tables->entry_address, callee->address);
}

void callgrind_add_self(struct callgrind_tables *tables, const struct callgrind_place *place,
			const int64_t *costs)
{
	perun_column_set_id(tables->stack, PERUN_TYPE_STACK, make_stack(tables, place));
	set_home(tables->self, &tables->self_home, place);
	for (size_t i = 0; i < tables->events; i++)
		perun_column_set_int64(tables->self_costs[i], costs[i]);
	perun_table_end_row(tables->self);
}

void callgrind_add_call(struct callgrind_tables *tables, const struct callgrind_place *caller,
			const struct callgrind_place *callee, int64_t count, const int64_t *costs)
{
	perun_column_set_id(tables->caller, PERUN_TYPE_STACK, make_stack(tables, caller));
	set_home(tables->calls, &tables->call_home, caller);
	perun_column_set_id(tables->callee, PERUN_TYPE_STACK, stack_of_callee(tables, callee));
	set_entry(tables, callee);
	perun_column_set_int64(tables->count, count);
	for (size_t i = 0; i < tables->events; i++)
		perun_column_set_int64(tables->call_costs[i], costs[i]);
	perun_table_end_row(tables->calls);
}
