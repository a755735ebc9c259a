/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said about the data of a view: headings for people, members for programs. */
#include <config.h>

#include "views/common/data.h"
#include "views/common/grid.h"

bool views_higher_is_better(const struct views_data *data)
{
	return data->metric->better == PERUN_BETTER_HIGHER;
}

void views_add_heading(const struct views_data *data, bool ascii, struct perun_buffer *out)
{
	char *metric = perun_printable(data->metric->name), *name = perun_printable(data->name);

	perun_buffer_printf(out, "%s of %s: ", metric, name);
	if (data->left != data->all) {
		views_add_amount(out, data->left, &data->unit, false, ascii);
		perun_buffer_add_text(out, " of ");
	}
	views_add_amount(out, data->all, &data->unit, false, ascii);
	if (data->unit.kind == VIEWS_OTHER) {
		char *unit = perun_printable(data->unit.name);

		perun_buffer_printf(out, " %s", unit);
		perun_free(unit);
	}
	if (data->left != data->all) {
		perun_buffer_add_text(out, " (");
		views_add_share(out, data->all != 0 ? data->left / data->all : 0, false);
		perun_buffer_add_text(out, " passed the filters)");
	}
	perun_buffer_add_text(out, "\n");
	perun_free(metric);
	perun_free(name);
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

const char *views_title(const struct views_data *data)
{
	return data->stacks ? titles[data->by][0] : "uid";
}

const char *views_plural(const struct views_data *data, size_t count)
{
	if (!data->stacks)
		return count == 1 ? "uid" : "uids";
	return titles[data->by][count != 1];
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
