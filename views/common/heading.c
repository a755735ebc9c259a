/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said about the data of a view: headings for people, members for programs. */
#include <config.h>

#include <math.h>

#include "views/common/data.h"
#include "views/common/grid.h"
#include "views/common/text.h"

bool views_higher_is_better(const struct views_data *data)
{
	return perun_metric_higher(data->metric, PERUN_BETTER_UNKNOWN);
}

void views_add_word(struct perun_buffer *out, const char *text, const struct perun_canvas *canvas)
{
	if (canvas->form == PERUN_FORM_MARKDOWN)
		views_add_escaped(out, text);
	else
		views_add_fitted(out, text, SIZE_MAX, canvas->ascii);
}

void views_add_unit(struct perun_buffer *out, const char *before, const struct perun_unit *unit,
		    const char *name, const struct perun_canvas *canvas)
{
	const size_t length = strlen(name), end = strlen(unit->name);

	if (unit->kind != PERUN_UNIT_OTHER ||
	    (length >= end && strcmp(name + length - end, unit->name) == 0))
		return;
	perun_buffer_add_text(out, before);
	views_add_word(out, unit->name, canvas);
}

/* "median of 10 runs ± 1.2 %", where rows repeat measurements. */
static void add_repeats(struct perun_buffer *out, const struct views_data *data,
			const struct perun_canvas *canvas)
{
	const struct views_repeats *repeats = &data->repeats;

	if (repeats->least == repeats->most)
		perun_buffer_printf(out, "median of %zu run%s", repeats->most,
				    repeats->most == 1 ? "" : "s");
	else
		perun_buffer_printf(out, "medians of %zu to %zu runs", repeats->least,
				    repeats->most);
	if (isnan(repeats->spread))
		return;
	perun_buffer_add_text(out, canvas->ascii ? " +- " : " ± ");
	views_add_share(out, repeats->spread, false);
}

void views_add_heading(const struct views_data *data, const struct perun_canvas *canvas,
		       struct perun_buffer *out)
{
	views_add_word(out, data->metric->name, canvas);
	perun_buffer_add_text(out, " of ");
	views_add_word(out, data->name, canvas);
	perun_buffer_add_text(out, ": ");
	if (data->left != data->all) {
		views_add_amount(out, data->left, &data->unit, false, canvas->ascii);
		perun_buffer_add_text(out, " of ");
	}
	views_add_amount(out, data->all, &data->unit, false, canvas->ascii);
	views_add_unit(out, " ", &data->unit, "", canvas);
	if (data->left != data->all) {
		perun_buffer_add_text(out, " (");
		views_add_share(out, data->all != 0 ? data->left / data->all : 0, false);
		perun_buffer_add_text(out, " passed the filters)");
	}
	if (data->repeats.most > 1) {
		perun_buffer_add_text(out, ", ");
		add_repeats(out, data, canvas);
	}
	perun_buffer_add_char(out, '\n');
}

void views_add_pair_heading(const struct views_pair *pair, const struct perun_canvas *canvas,
			    struct perun_buffer *out)
{
	const struct views_data *new = &pair->data[1];
	long double before = pair->data[0].left * pair->factor[0], after = new->left;

	views_add_word(out, new->metric->name, canvas);
	perun_buffer_add_text(out, " of ");
	views_add_word(out, pair->data[0].name, canvas);
	perun_buffer_add_text(out, " and ");
	views_add_word(out, new->name, canvas);
	perun_buffer_add_text(out, ": ");
	views_add_amount(out, before, &new->unit, false, canvas->ascii);
	perun_buffer_add_text(out, ", now ");
	views_add_amount(out, after, &new->unit, false, canvas->ascii);
	views_add_unit(out, " ", &new->unit, "", canvas);
	if (before != 0) {
		perun_buffer_add_text(out, " (");
		views_add_share(out, (after - before) / before, true);
		perun_buffer_add_char(out, ')');
	}
	if (pair->normalized)
		perun_buffer_add_text(out, ", the first scaled to the sum of the second");
	perun_buffer_add_char(out, '\n');
	for (size_t i = 0; i < 2 && pair->data[0].medians && new->medians &&
			   (pair->data[0].repeats.most > 1 || new->repeats.most > 1);
	     i++) {
		perun_buffer_add_text(out, i ? ", now " : "");
		add_repeats(out, &pair->data[i], canvas);
		perun_buffer_add_text(out, i ? "\n" : "");
	}
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *const titles[][2] = {
	[PERUN_BY_FUNCTION] = {"function", "functions"},
	[PERUN_BY_FILE_FUNCTION] = {"function", "functions"},
	[PERUN_BY_FILE] = {"file", "files"},
	[PERUN_BY_LINE] = {"line", "lines"},
	[PERUN_BY_ADDRESS] = {"address", "addresses"},
	[PERUN_BY_MODULE] = {"module", "modules"},
};

/* Rows without stacks, and those of them that were measured several times. */
static const char *const flat[][2] = {{"name", "names"}, {"benchmark", "benchmarks"}};

const char *views_title(const struct views_data *data)
{
	return views_plural(data, 1);
}

const char *views_plural(const struct views_data *data, size_t count)
{
	const char *const *title = data->stacks ? titles[data->by] : flat[data->repeats.most > 1];

	return title[count != 1];
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_text(struct perun_json_writer *writer, const char *key, const char *text)
{
	perun_json_write_key_text(writer, key);
	perun_json_write_text(writer, text);
}

static void write_number(struct perun_json_writer *writer, const char *key, long double number)
{
	perun_json_write_key_text(writer, key);
	views_write_number(writer, number);
}

static const char *by_name(const struct views_data *data)
{
	if (!data->stacks)
		return "uid";
	return data->by == PERUN_BY_FILE_FUNCTION ? "file-function" : views_title(data);
}

void views_write_data(struct perun_json_writer *writer, const struct views_data *data)
{
	write_text(writer, "profile", data->name);
	write_text(writer, "metric", data->metric->name);
	write_text(writer, "unit", data->unit.name);
	write_text(writer, "by", by_name(data));
	write_number(writer, "total", data->left);
	write_number(writer, "unfiltered", data->all);
}

void views_write_pair(struct perun_json_writer *writer, const struct views_pair *pair)
{
	const struct views_data *new = &pair->data[1];

	write_text(writer, "base", pair->data[0].name);
	write_text(writer, "new", new->name);
	write_text(writer, "metric", new->metric->name);
	write_text(writer, "unit", new->unit.name);
	write_text(writer, "by", by_name(new));
	write_number(writer, "base_total", pair->data[0].left * pair->factor[0]);
	write_number(writer, "new_total", new->left);
	write_number(writer, "base_factor", pair->factor[0]);
}
