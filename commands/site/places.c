/* SPDX-License-Identifier: BSD-3-Clause */
/* Where things are measured, for the search: functions and the metrics that know them. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "site.h"

static int compare(const void *one, const void *other, void *data)
{
	const struct site *site = data;
	const struct site_strand *a = &site->strands[*(const uint32_t *)one];
	const struct site_strand *b = &site->strands[*(const uint32_t *)other];
	int order = strcmp(a->location, b->location);

	return order ? order : (a->page > b->page) - (a->page < b->page);
}

/* [place, [page, ...]] of each place that is on a page with others. */
int site_write_places(struct site *site)
{
	uint32_t *strands = perun_alloc((site->strand_count + 1) * sizeof *strands);
	struct perun_buffer out = {0};
	size_t count = 0;
	int status;

	for (size_t s = 0; s < site->strand_count; s++) {
		const struct site_strand *strand = &site->strands[s];

		if (strand->shown && *strand->location && site->pages[strand->page].count > 1)
			strands[count++] = (uint32_t)s;
	}
	if (count)
		qsort_r(strands, count, sizeof *strands, compare, site);
	perun_buffer_add_text(&out, "perun(\"places\",[");
	for (size_t i = 0; i < count; i++) {
		const struct site_strand *strand = &site->strands[strands[i]];
		bool first = i == 0 ||
			     strcmp(site->strands[strands[i - 1]].location, strand->location) != 0;
		char name[17];

		site_name(name, site->pages[strand->page].hash);
		if (first) {
			perun_buffer_add_text(&out, i ? "]],\n[" : "[");
			site_add_text(&out, strand->location);
			perun_buffer_add_text(&out, ",[");
		}
		perun_buffer_printf(&out, "%s\"%s\"", first ? "" : ",", name);
	}
	perun_buffer_add_text(&out, count ? "]]]);\n" : "]);\n");
	status = site_write(site->ctx, site->files, "data/places.js", 0, out.data, out.length);
	perun_buffer_free(&out);
	perun_free(strands);
	return status;
}
