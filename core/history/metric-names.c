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

/* Those of the newest version of a line that has any. */
static int find_names(struct perun_ctx *ctx, struct perun_reader *reader,
		      const struct perun_version_line *line, char ***names, size_t *count)
{
	const struct perun_measured_profile *profile;
	const struct perun_value *value;
	size_t capacity = 0;
	int status = PERUN_OK;

	for (size_t i = line->count; !status && !*count && i-- > 0;) {
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
	return status;
}

/* Nearly always the newest version with profiles has metrics: the line is read no further than there. */
int perun_history_metrics(struct perun_ctx *ctx, struct perun_store *store, const char *range,
			  char ***names, size_t *count)
{
	int (*const loads[])(struct perun_ctx *, struct perun_store *, const char *,
			     struct perun_version_line **) = {perun_version_line_newest,
							      perun_version_line_load};
	struct perun_reader *reader;
	int status = perun_reader_open(ctx, store, NULL, &reader);

	*names = NULL;
	*count = 0;
	for (size_t i = 0; !status && !*count && i < 2; i++) {
		struct perun_version_line *line;

		status = loads[i](ctx, store, range, &line);
		if (status)
			break;
		status = find_names(ctx, reader, line, names, count);
		perun_version_line_free(line);
	}
	perun_reader_close(reader);
	return status;
}

void perun_history_metrics_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perun_free(names[i]);
	perun_free(names);
}
