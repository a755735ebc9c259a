/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and numbers in files of data and in pages. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/page.h>

#include "site.h"

void site_add_text(struct perun_buffer *out, const char *text)
{
	char *safe = perun_printable(text ? text : "");

	perun_buffer_add_char(out, '"');
	for (const char *c = safe; *c; c++) {
		size_t plain = strcspn(c, "\"\\<>&\n\t");

		perun_buffer_add(out, c, plain);
		c += plain;
		if (!*c)
			break;
		perun_buffer_printf(out, "\\u%04x", (unsigned char)*c);
	}
	perun_buffer_add_char(out, '"');
	perun_free(safe);
}

void site_add_markup(struct perun_buffer *out, const char *text)
{
	char *safe = perun_printable(text ? text : "");

	perun_page_add_text(out, safe, strlen(safe), PERUN_PAGE_MARKS);
	perun_free(safe);
}

void site_add_known(struct perun_buffer *out, const struct site *site,
		    const struct site_found *found, size_t k)
{
	const char *back = site_taken_back(site, found, k);
	char *taken = back ? perun_format("taken back by %.8s", back) : NULL;

	if (found->known[k] || taken)
		site_add_text(out, found->known[k] ? found->known[k] : taken);
	else
		perun_buffer_add_text(out, "null");
	perun_free(taken);
}

void site_add_number(struct perun_buffer *out, double value)
{
	if (!isfinite(value))
		perun_buffer_add_text(out, "null");
	else if (value == floor(value) && fabs(value) < 1e15)
		perun_buffer_printf(out, "%" PRId64, (int64_t)value);
	else
		out->length += perun_json_print_double(
			value, perun_buffer_reserve(out, PERUN_JSON_NUMBER_SIZE));
}

void site_name(char name[17], uint64_t hash)
{
	snprintf(name, 17, "%016" PRIx64, hash);
}

char *site_workload(const struct site *site, const struct site_strand *strand)
{
	if (!site->several_machines || !*strand->machine)
		return perun_strdup(strand->workload);
	return perun_format("%s%son %s", strand->workload, *strand->workload ? " " : "",
			    strand->machine);
}

void site_add_metric(struct perun_buffer *out, const struct site *site,
		     const struct site_strand *strand, uint64_t hash)
{
	char *workload = site_workload(site, strand);
	char name[17];

	site_name(name, hash);
	perun_buffer_printf(out, "{\"id\":\"%s\",\"cmd\":", name);
	site_add_text(out, strand->cmd);
	perun_buffer_add_text(out, ",\"workload\":");
	site_add_text(out, workload);
	perun_free(workload);
	perun_buffer_add_text(out, ",\"metric\":");
	site_add_text(out, strand->metric);
	perun_buffer_add_text(out, ",\"unit\":");
	site_add_text(out, strand->unit);
}

void site_add_blocks(struct perun_buffer *out, const struct site *site,
		     const struct site_found *found)
{
	bool first = true;

	perun_buffer_add_char(out, '[');
	for (size_t block = 0; block * SITE_BLOCK < site->line; block++) {
		if (!found->blocks[block])
			continue;
		perun_buffer_printf(out, "%s%zu", first ? "" : ",", block);
		first = false;
	}
	perun_buffer_add_char(out, ']');
}
