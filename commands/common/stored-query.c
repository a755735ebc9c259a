/* SPDX-License-Identifier: BSD-3-Clause */
/* Registered profiles by their labels and age. */
#include <config.h>

#include <time.h>

#include "commands/common/stored-query.h"

/* A member that is an object, made where there is none. */
static struct perun_json *object_of(struct perun_json *document, const char *key)
{
	if (!perun_json_get(document, key))
		perun_json_set(document, key, perun_json_object());
	return perun_json_get(document, key);
}

void commands_add_label(struct perun_json *document, const char *key, size_t length,
			const char *value)
{
	struct perun_json *labels = object_of(object_of(document, "header"), "labels");

	perun_json_set_n(labels, key, length, perun_json_text(value));
}

void commands_add_labels(const struct perun_options *options, struct perun_json *document)
{
	for (size_t i = 0; i < perun_option_count(options, "label"); i++) {
		const char *text = perun_option_string_at(options, "label", i);
		size_t length = strcspn(text, "=");

		commands_add_label(document, text, length, text + length + 1);
	}
}

int commands_check_labels(struct perun_ctx *ctx, const struct perun_options *options)
{
	for (size_t i = 0; i < perun_option_count(options, "label"); i++) {
		const char *text = perun_option_string_at(options, "label", i);

		if (*text == '=' || !strchr(text, '='))
			return perun_fail(ctx, PERUN_USAGE, "label %s: expected KEY=VALUE",
					  *text ? text : "''");
	}
	return PERUN_OK;
}

bool commands_has_query(const struct perun_options *options)
{
	return perun_option_count(options, "label") || perun_option_given(options, "since") ||
	       perun_option_given(options, "until");
}

/* "12 profiles, service=api zone=eu" */
static char *name_of(const struct perun_lookup_query *query, size_t found)
{
	struct perun_buffer name = {0};

	perun_buffer_printf(&name, "%zu profile%s", found, found == 1 ? "" : "s");
	for (size_t i = 0; i < query->label_count; i++)
		perun_buffer_printf(&name, "%s %s", i ? "" : ",", query->labels[i]);
	return perun_buffer_take(&name);
}

int commands_lookup_add_query(struct perun_ctx *ctx, const struct perun_options *options,
			      struct perun_lookup *lookup, char **name)
{
	size_t count = perun_option_count(options, "label"), before = perun_lookup_count(lookup);
	const char **labels = perun_alloc_zero(count + 1, sizeof *labels);
	const int64_t now = (int64_t)time(NULL);
	struct perun_lookup_query query = {.struct_size = sizeof query,
					   .labels = labels,
					   .label_count = count,
					   .until = INT64_MAX};
	int status;

	for (size_t i = 0; i < count; i++)
		labels[i] = perun_option_string_at(options, "label", i);
	if (perun_option_given(options, "since"))
		query.since = now - (int64_t)perun_option_number(options, "since");
	if (perun_option_given(options, "until"))
		query.until = now - (int64_t)perun_option_number(options, "until");
	status = perun_lookup_add_query(ctx, lookup, &query);
	if (!status && perun_lookup_count(lookup) == before)
		status = perun_fail(ctx, PERUN_INPUT, "no registered profile %s",
				    count ? "has these labels" : "is of that age");
	if (!status)
		*name = name_of(&query, perun_lookup_count(lookup) - before);
	perun_free((void *)labels);
	return status;
}
