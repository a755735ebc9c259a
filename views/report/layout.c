/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sections a page has, and in which order. */
#include <config.h>

#include <string.h>

#include "views/report/page.h"

static const char *const names[] = {
	[REPORT_METRICS] = "metrics", [REPORT_CHANGES] = "changes", [REPORT_TOTALS] = "totals",
	[REPORT_MAP] = "map",         [REPORT_FLAMES] = "flames",   [REPORT_BOXES] = "boxes",
	[REPORT_MODELS] = "models",   [REPORT_CURVES] = "curves",   [REPORT_FACTS] = "facts",
	[REPORT_REMARKS] = "remarks"};

static bool find_name(const char *text, size_t length, enum report_section *section)
{
	for (size_t i = 0; i < REPORT_SECTIONS; i++) {
		*section = (enum report_section)i;
		if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
			return true;
	}
	return false;
}

static int fail_name(struct perun_ctx *ctx, const char *text, size_t length)
{
	struct perun_buffer list = {0};
	int status;

	for (size_t i = 0; i < REPORT_SECTIONS; i++)
		perun_buffer_printf(&list, "%s%s", i ? ", " : "", names[i]);
	status =
		perun_fail(ctx, PERUN_USAGE, "--sections: there is no section '%.*s'; there are %s",
			   (int)(length < 80 ? length : 80), text, list.data);
	perun_buffer_free(&list);
	return status;
}

bool report_has(const struct report_layout *layout, enum report_section section)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->sections[i] == section)
			return true;
	return false;
}

int report_read_layout(struct perun_ctx *ctx, const char *text, struct report_layout *layout)
{
	layout->count = 0;
	if (!*text)
		for (size_t i = 0; i < REPORT_SECTIONS; i++)
			layout->sections[layout->count++] = (enum report_section)i;
	for (bool more = *text; more; text++) {
		size_t length = strcspn(text, ",");
		enum report_section section;

		if (!find_name(text, length, &section))
			return fail_name(ctx, text, length);
		if (report_has(layout, section))
			return perun_fail(ctx, PERUN_USAGE, "--sections: %s is named twice",
					  names[section]);
		layout->sections[layout->count++] = section;
		text += length;
		more = *text == ',';
	}
	return PERUN_OK;
}
