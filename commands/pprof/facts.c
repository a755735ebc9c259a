/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile says of itself, and its sample types. */
#include <stdlib.h>
#include <string.h>

#include "formats/common/pprof-texts.h"
#include "report.h"

static char *take_text(const struct perun_json *object, const char *key)
{
	struct perun_buffer bytes = {0};

	pprof_from_json(perun_json_get(object, key), &bytes);
	return perun_buffer_take(&bytes);
}

void pprof_read_facts(const struct perun_profile *profile, struct pprof_facts *facts)
{
	const struct perun_json *document = perun_profile_document(profile);
	const struct perun_json *header = perun_json_get(document, "header");
	const struct perun_json *own = perun_json_get(perun_json_get(document, "extra"), "pprof");
	const struct perun_json *period = perun_json_get(header, "period_type");
	const struct perun_json *comments = perun_json_get(document, "comments");

	*facts = (struct pprof_facts){0};
	perun_json_as_int64(perun_json_get(header, "time"), &facts->time);
	perun_json_as_int64(perun_json_get(header, "duration"), &facts->duration);
	perun_json_as_int64(perun_json_get(header, "period"), &facts->period);
	facts->period_type = take_text(period, "type");
	facts->period_unit = take_text(period, "unit");
	facts->doc_url = take_text(own, "doc_url");
	facts->default_sample_type = take_text(own, "default_sample_type");
	facts->drop_frames = take_text(own, "drop_frames");
	facts->keep_frames = take_text(own, "keep_frames");
	facts->comment_count = perun_json_count(comments);
	facts->comments = perun_alloc_zero(facts->comment_count + 1, sizeof *facts->comments);
	for (size_t i = 0; i < facts->comment_count; i++) {
		struct perun_buffer bytes = {0};

		pprof_from_json(perun_json_at(comments, i), &bytes);
		facts->comments[i] = perun_buffer_take(&bytes);
	}
}

void pprof_free_facts(struct pprof_facts *facts)
{
	perun_free(facts->period_type);
	perun_free(facts->period_unit);
	perun_free(facts->doc_url);
	perun_free(facts->default_sample_type);
	perun_free(facts->drop_frames);
	perun_free(facts->keep_frames);
	for (size_t i = 0; i < facts->comment_count; i++)
		perun_free(facts->comments[i]);
	perun_free(facts->comments);
}

/* ---- sample types ---------------------------------------------------------------------------- */

/*
 * Type and unit as the file had them, where the name of the column says less. They are in the order of the columns: the
 * search begins at `next`, after the one found last.
 */
static const struct perun_json *exact_type(const struct perun_json *types, size_t *next,
					   const char *column)
{
	size_t count = perun_json_count(types);

	for (size_t i = 0; i < count; i++) {
		size_t at = (*next + i) % count;
		const struct perun_json *type = perun_json_at(types, at);
		const char *name = perun_json_as_string(perun_json_get(type, "column"), NULL);

		if (name && strcmp(name, column) == 0) {
			*next = at + 1;
			return type;
		}
	}
	return NULL;
}

static struct pprof_type make_type(const struct perun_json *types, size_t *next,
				   const struct perun_column *column)
{
	const struct perun_column_info *info = perun_column_info(column);
	const struct perun_json *exact = exact_type(types, next, info->name);
	struct pprof_type type = {.values = column};

	if (exact) {
		type.type = take_text(exact, "type");
		type.unit = take_text(exact, "unit");
	} else {
		type.type = perun_strdup(info->name);
		type.unit = perun_strdup(info->unit ? info->unit : "");
	}
	return type;
}

/* What a column of "resources" means here. */
enum meaning { NOTHING, VALUES, FOREIGN };

static enum meaning column_meaning(const struct perun_column *column)
{
	const struct perun_column_info *info = perun_column_info(column);

	if ((strcmp(info->name, "stack") == 0 && info->type == PERUN_TYPE_STACK) ||
	    (strcmp(info->name, "labels") == 0 && info->type == PERUN_TYPE_LABELS))
		return NOTHING;
	if (info->role != PERUN_ROLE_METRIC || info->type != PERUN_TYPE_INT64 ||
	    strcmp(info->name, "amount") == 0)
		return FOREIGN;
	return VALUES;
}

bool pprof_read_types(const struct perun_profile *profile, struct pprof_type **types, size_t *count)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *stack = perun_table_column(table, "stack");
	const struct perun_json *exact =
		perun_json_path(perun_profile_document(profile), "/extra/pprof/sample_types");
	size_t columns = perun_table_columns(table), next = 0;
	bool ours = stack && perun_column_info(stack)->type == PERUN_TYPE_STACK &&
		    !perun_table_column(table, "metric");
	bool calls = perun_profile_table(profile, "calls") != NULL;

	*types = perun_alloc_zero(columns + 1, sizeof **types);
	*count = 0;
	for (size_t i = 0; i < columns; i++) {
		const struct perun_column *column = perun_table_column_at(table, i);
		enum meaning meaning = column_meaning(column);

		if (meaning == VALUES)
			(*types)[(*count)++] = make_type(exact, &next, column);
		else if (meaning == FOREIGN && !calls)
			ours = false;
	}
	return ours;
}

void pprof_free_types(struct pprof_type *types, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		perun_free(types[i].type);
		perun_free(types[i].unit);
	}
	perun_free(types);
}

/* Whether a text is a whole number, as pprof reads one: an optional sign and digits. */
static bool parse_index(const char *text, int64_t *index)
{
	const char *digits = text + (*text == '-' || *text == '+');

	if (!*digits || strlen(digits) > 18 || digits[strspn(digits, "0123456789")])
		return false;
	*index = strtoll(text, NULL, 10);
	return true;
}

static int find_type(struct pprof_report *report, const char *name, size_t *index)
{
	const char *short_name = strncmp(name, "inuse_", 6) == 0 ? name + 6 : name;
	struct perun_buffer names = {0};
	int64_t number;
	int status;

	if (parse_index(name, &number)) {
		*index = (size_t)number;
		if (number >= 0 && (size_t)number < report->type_count)
			return PERUN_OK;
		return perun_fail(report->ctx, PERUN_USAGE,
				  "-sample_index=%s: expected a number from 0 to %zu", name,
				  report->type_count - 1);
	}
	for (size_t i = 0; i < report->type_count; i++) {
		const char *type = report->types[i].type;

		*index = i;
		if (strcmp(type, name) == 0 || strcmp(type, short_name) == 0) {
			perun_buffer_free(&names);
			return PERUN_OK;
		}
		perun_buffer_printf(&names, "%s%s", i ? ", " : "", type);
	}
	status = perun_fail(report->ctx, PERUN_USAGE,
			    "-sample_index=%s: the profile has no such sample type, but: %s", name,
			    names.data);
	perun_buffer_free(&names);
	return status;
}

/* What the file names as default, else the leading metric, which is the last type of pprof's own files. */
static size_t default_type(const struct pprof_report *report)
{
	const char *said = report->facts.default_sample_type;
	const char *leading = perun_profile_text(report->profile, "/header/default_metric");
	size_t chosen = report->type_count - 1;

	for (size_t i = report->type_count; i-- > 0;) {
		const struct pprof_type *type = &report->types[i];

		if (strcmp(*said ? type->type : perun_column_info(type->values)->name,
			   *said ? said : leading) == 0)
			chosen = i;
	}
	return chosen;
}

int pprof_choose_type(struct pprof_report *report)
{
	const char *name = report->settings.sample_index;
	size_t chosen;
	int status = PERUN_OK;

	if (!report->type_count)
		return perun_fail(report->ctx, PERUN_INPUT, "the profile has no sample types");
	chosen = default_type(report);
	if (*name)
		status = find_type(report, name, &chosen);
	if (status)
		return status;
	report->shown = chosen;
	report->values = report->types[chosen].values;
	report->unit = report->types[chosen].unit;
	report->divisor = report->settings.mean ? report->types[0].values : NULL;
	perun_free(report->type_name);
	report->type_name = perun_format("%s%s", report->settings.mean ? "mean_" : "",
					 report->types[chosen].type);
	return PERUN_OK;
}
