/* SPDX-License-Identifier: BSD-3-Clause */
/* Which metrics a line of versions has. */
#include <string.h>

#include "core/history/history.h"

static bool has_name(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

int perun_history_metrics(struct perun_ctx *ctx, struct perun_store *store, const char *range,
			  char ***names, size_t *count)
{
	struct perun_version_line *line = NULL;
	const struct perun_measured_profile *profile;
	const struct perun_value *value;
	struct perun_reader *reader = NULL;
	size_t capacity = 0;
	int status = perun_version_line_load(ctx, store, range, &line);

	*names = NULL;
	*count = 0;
	if (!status)
		status = perun_reader_open(ctx, store, NULL, &reader);
	for (size_t i = status ? 0 : line->count; !status && !*count && i-- > 0;) {
		status = perun_reader_version(ctx, reader, line->checksums[i]);
		while (!status && !(status = perun_reader_profile(ctx, reader, &profile)) &&
		       profile) {
			while ((value = perun_reader_value(reader))) {
				if (has_name(*names, *count, value->metric))
					continue;
				PERUN_GROW(*names, *count, capacity);
				(*names)[(*count)++] = perun_strdup(value->metric);
			}
		}
	}
	perun_reader_close(reader);
	perun_version_line_free(line);
	return status;
}

void perun_history_metrics_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perun_free(names[i]);
	perun_free(names);
}
