/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of data that pages load when they show it: histories and versions, block by block. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "site.h"

/* ---- histories ------------------------------------------------------------------------------- */

static void add_list(struct perun_buffer *out, const char *name, const double *values, size_t count)
{
	perun_buffer_printf(out, "\"%s\":[", name);
	for (size_t i = 0; i < count; i++) {
		if (i)
			perun_buffer_add_char(out, ',');
		if (!isnan(values[i]))
			site_add_number(out, values[i]);
		else
			perun_buffer_add_text(out, "null");
	}
	perun_buffer_add_char(out, ']');
}

/* {"m": medians, "l", "h": their intervals, "r": the repeats of each} of versions [from, end). */
static void add_block(struct perun_buffer *out, const struct site_series *series, size_t from,
		      size_t end)
{
	double low[SITE_BLOCK], high[SITE_BLOCK];
	const struct perun_strand view = site_view(series);
	bool repeated = series->starts[end] - series->starts[from] > end - from;

	perun_buffer_add_char(out, '{');
	add_list(out, "m", series->values + from, end - from);
	for (size_t i = from; i < end; i++) {
		repeated |= series->starts[i + 1] - series->starts[i] > 1;
		perun_strand_interval(&view, i, &low[i - from], &high[i - from]);
	}
	if (repeated) {
		perun_buffer_add_char(out, ',');
		add_list(out, "l", low, end - from);
		perun_buffer_add_char(out, ',');
		add_list(out, "h", high, end - from);
		perun_buffer_add_text(out, ",\"r\":[");
		for (size_t i = from; i < end; i++) {
			perun_buffer_add_text(out, i == from ? "[" : ",[");
			for (size_t k = series->starts[i]; k < series->starts[i + 1]; k++) {
				if (k > series->starts[i])
					perun_buffer_add_char(out, ',');
				site_add_number(out, series->repeats[k]);
			}
			perun_buffer_add_char(out, ']');
		}
		perun_buffer_add_char(out, ']');
	}
	perun_buffer_add_char(out, '}');
}

static int write_block(struct perun_ctx *ctx, struct site *site, size_t strand, size_t block)
{
	const struct site_series *series = &site->found[strand].series;
	size_t from = block * SITE_BLOCK, end = from + SITE_BLOCK;
	struct perun_buffer out = {0};
	char name[17], *path;
	uint64_t key;
	int status = PERUN_OK;

	if (end > site->line)
		end = site->line;
	if (series->starts[from] == series->starts[end])
		return PERUN_OK;
	site->found[strand].blocks[block] = true;
	site_name(name, site->strands[strand].hash);
	path = perun_format("data/%s/%zu.js", name, block);
	key = site_hash(2, series->repeats + series->starts[from],
			(series->starts[end] - series->starts[from]) * sizeof(double));
	for (size_t i = from; i < end; i++)
		key = site_hash(key, &(size_t){series->starts[i] - series->starts[from]},
				sizeof(size_t));
	key |= 1;
	if (!site_is_current(site->files, path, key)) {
		perun_buffer_printf(&out, "perun(\"%s/%zu\",", name, block);
		add_block(&out, series, from, end);
		perun_buffer_add_text(&out, ");\n");
		status = site_write(ctx, site->files, path, key, out.data, out.length);
		perun_buffer_free(&out);
	}
	perun_free(path);
	return status;
}

int site_write_history(struct perun_ctx *ctx, struct site *site, size_t strand)
{
	size_t count = (site->line + SITE_BLOCK - 1) / SITE_BLOCK;
	int status = PERUN_OK;

	site->found[strand].blocks = perun_alloc_zero(count + 1, sizeof(bool));
	for (size_t block = 0; !status && block < count; block++)
		status = write_block(ctx, site, strand, block);
	if (!status && perun_cancelled(ctx))
		status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	return status;
}

/* ---- versions -------------------------------------------------------------------------------- */

/* [checksum, subject, author, seconds, whether it has profiles]. */
static void add_version(struct perun_buffer *out, const struct site_version *version)
{
	const struct perun_minor_version *minor = version->info;
	char *subject = perun_version_subject(minor);

	perun_buffer_add_char(out, '[');
	site_add_text(out, minor->checksum);
	perun_buffer_add_char(out, ',');
	site_add_text(out, subject);
	perun_buffer_add_char(out, ',');
	site_add_text(out, minor->author);
	perun_buffer_printf(out, ",%" PRId64 ",%d]", minor->date, version->key != 0);
	perun_free(subject);
}

int site_write_versions(struct site *site)
{
	size_t blocks = (site->line + SITE_BLOCK - 1) / SITE_BLOCK;
	struct perun_buffer out = {0};
	int status = PERUN_OK;

	/* What is not on the line is in a file of its own. */
	for (size_t block = 0; !status && block <= blocks; block++) {
		size_t from = block < blocks ? block * SITE_BLOCK : site->line;
		size_t end = block < blocks ? from + SITE_BLOCK : site->count;
		char *path = block < blocks ? perun_format("data/versions-%zu.js", block)
					    : perun_strdup("data/versions-other.js");

		if (block < blocks && end > site->line)
			end = site->line;
		perun_buffer_clear(&out);
		if (block < blocks)
			perun_buffer_printf(&out, "perun(\"versions-%zu\",[", block);
		else
			perun_buffer_add_text(&out, "perun(\"versions-other\",[");
		for (size_t i = from; i < end; i++) {
			if (i > from)
				perun_buffer_add_text(&out, ",\n");
			add_version(&out, &site->versions[i]);
		}
		perun_buffer_add_text(&out, "]);\n");
		status = site_write(site->ctx, site->files, path, 0, out.data, out.length);
		perun_free(path);
	}
	perun_buffer_free(&out);
	return status;
}
