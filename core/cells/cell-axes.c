/* SPDX-License-Identifier: BSD-3-Clause */
/* What a cell is: its place on the axes of the plan, and its texts. */
#include <config.h>

#include <string.h>

#include "core/cells/cells.h"
#include "core/run/run.h"

/* ---- places ------------------------------------------------------------------------------------ */

/* Cells are numbered version by version, then by parameters, then by job: the last changes fastest. */
struct cells_place cells_place_of(const struct perun_run_cells *cells, size_t number)
{
	size_t at = number - 1;

	return (struct cells_place){.version = at / cells->jobs / cells->points,
				    .point = at / cells->jobs % cells->points,
				    .job = at % cells->jobs};
}

struct perun_json *cells_point(const struct perun_run_cells *cells, size_t point)
{
	const struct perun_json *parameters = cells->plan->parameters;
	struct perun_json *values = perun_json_object();
	size_t rest = cells->points;

	for (size_t i = 0; i < perun_json_count(parameters); i++) {
		const struct perun_json *list = perun_json_at(parameters, i);

		rest /= perun_json_count(list);
		perun_json_set(values, perun_json_key_at(parameters, i, NULL),
			       perun_json_clone(
				       perun_json_at(list, point / rest % perun_json_count(list))));
	}
	return values;
}

/* ---- texts ------------------------------------------------------------------------------------- */

static void add_value(struct perun_buffer *out, const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);

	if (text)
		perun_buffer_add_text(out, text);
	else
		perun_json_print(value, out, PERUN_JSON_COMPACT, 0);
}

char *cells_expand(const char *text, const struct perun_json *values)
{
	struct perun_buffer out = {0};

	while (*text) {
		const char *end = *text == '{' ? strchr(text, '}') : NULL;
		const struct perun_json *value =
			end ? perun_json_get_n(values, text + 1, (size_t)(end - text) - 1) : NULL;

		if (value) {
			add_value(&out, value);
			text = end + 1;
		} else {
			perun_buffer_add_char(&out, *text++);
		}
	}
	return perun_buffer_take(&out);
}

/* Whether a text has the name of a parameter in it. */
static bool names_parameter(const char *text, const char *parameter)
{
	char *name = perun_format("{%s}", parameter);
	bool mentions = strstr(text, name) != NULL;

	perun_free(name);
	return mentions;
}

/* Parameters that no text says, such as those of the launcher: " processes=4". */
static void add_silent(struct perun_buffer *label, const struct perun_run_job *names,
		       const struct perun_json *values)
{
	for (size_t i = 0; i < perun_json_count(values); i++) {
		const char *name = perun_json_key_at(values, i, NULL);

		if (names_parameter(names->command, name) ||
		    names_parameter(names->arguments, name) ||
		    names_parameter(names->workload, name))
			continue;
		perun_buffer_printf(label, "%s%s=", label->length ? " " : "", name);
		add_value(label, perun_json_at(values, i));
	}
}

static void keep(struct perun_words *texts, char *text)
{
	perun_words_add(texts, text, strlen(text));
	perun_free(text);
}

void perun_cell_describe(const struct perun_run_cells *cells, size_t number,
			 struct perun_cell *cell)
{
	const struct cells_place place = cells_place_of(cells, number);
	const struct perun_plan *plan = cells->plan;
	const struct perun_modules *collectors = &plan->units[PERUN_PLAN_COLLECTORS];
	const struct perun_json *labels = perun_json_get(cells->document, "workload_names");
	size_t args = perun_plan_texts(plan, PERUN_PLAN_ARGUMENTS);
	size_t row = place.job / collectors->count, call = row / perun_json_count(labels);
	struct perun_words *texts = perun_alloc_zero(1, sizeof *texts);
	struct perun_json *values = cells_point(cells, place.point);
	struct perun_buffer label = {0};
	const char *workload =
		perun_json_as_string(perun_json_at(labels, row % perun_json_count(labels)), NULL);
	const struct perun_run_job names = {
		.command = perun_plan_text(plan, PERUN_PLAN_COMMANDS, call / args),
		.arguments = perun_plan_text(plan, PERUN_PLAN_ARGUMENTS, call % args),
		.workload = workload};
	char *expanded = cells_expand(workload, values);

	*cell = (struct perun_cell){.struct_size = sizeof *cell,
				    .number = number,
				    .version_at = place.version,
				    .version = cells->versions.items[place.version],
				    .collector =
					    collectors->items[place.job % collectors->count].name,
				    .parameters = values,
				    .memory = texts};
	perun_buffer_add_text(&label, expanded);
	perun_free(expanded);
	add_silent(&label, &names, values);
	keep(texts, cells_expand(names.command, values));
	keep(texts, cells_expand(names.arguments, values));
	keep(texts, perun_buffer_take(&label));
	keep(texts, cells_expand(cells->launch, values));
	cell->command = texts->items[0];
	cell->arguments = texts->items[1];
	cell->workload = texts->items[2];
	cell->launch = texts->items[3];
}

void perun_cell_free(struct perun_cell *cell)
{
	if (cell->memory)
		perun_words_free(cell->memory);
	perun_free(cell->memory);
	perun_json_free(cell->parameters);
	*cell = (struct perun_cell){0};
}
