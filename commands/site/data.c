/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of data that pages load when they show it: histories and versions, block by block. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "site.h"

/* ---- histories ------------------------------------------------------------------------------- */

/* The lists of a block, in the order they are written. */
enum { MEDIANS, LOW, HIGH, REPEATS, LISTS };

static const char *const list_starts[LISTS] = {"{\"m\":[", "],\"l\":[", "],\"h\":[", "],\"r\":["};

/* What was written of a block when it had fewer versions: the same numbers are not printed again. */
struct written {
	struct perun_buffer text;
	const char *lists[LISTS]; /* in the text; NULL = it has none */
	size_t lengths[LISTS];
	size_t count; /* versions; 0 = nothing */
};

static void begin_list(struct perun_buffer *out, const struct written *written, size_t list)
{
	perun_buffer_add_text(out, list_starts[list]);
	if (written->count)
		perun_buffer_add(out, written->lists[list], written->lengths[list]);
}

static void add_list(struct perun_buffer *out, const struct written *written, size_t list,
		     const double *values, size_t count)
{
	begin_list(out, written, list);
	for (size_t i = written->count; i < count; i++) {
		if (i)
			perun_buffer_add_char(out, ',');
		if (!isnan(values[i]))
			site_add_number(out, values[i]);
		else
			perun_buffer_add_text(out, "null");
	}
}

static void add_repeats(struct perun_buffer *out, const struct written *written,
			const struct site_series *series, size_t from, size_t end)
{
	begin_list(out, written, REPEATS);
	for (size_t i = from + written->count; i < end; i++) {
		perun_buffer_add_text(out, i == from ? "[" : ",[");
		for (size_t k = series->starts[i]; k < series->starts[i + 1]; k++) {
			if (k > series->starts[i])
				perun_buffer_add_char(out, ',');
			site_add_number(out, series->repeats[k]);
		}
		perun_buffer_add_char(out, ']');
	}
}

/* Whether a version of [from, end) has more than one value. */
static bool is_repeated(const struct site_series *series, size_t from, size_t end)
{
	bool repeated = series->starts[end] - series->starts[from] > end - from;

	for (size_t i = from; !repeated && i < end; i++)
		repeated = series->starts[i + 1] - series->starts[i] > 1;
	return repeated;
}

/* {"m": medians, "l", "h": their intervals, "r": the repeats of each} of versions [from, end). */
static void add_block(struct perun_buffer *out, const struct written *written,
		      const struct site_series *series, size_t from, size_t end)
{
	double low[SITE_BLOCK], high[SITE_BLOCK];
	const struct perun_strand view = site_view(series);

	add_list(out, written, MEDIANS, series->values + from, end - from);
	if (is_repeated(series, from, end)) {
		for (size_t i = from + written->count; i < end; i++)
			perun_strand_interval(&view, i, &low[i - from], &high[i - from]);
		add_list(out, written, LOW, low, end - from);
		add_list(out, written, HIGH, high, end - from);
		add_repeats(out, written, series, from, end);
	}
	perun_buffer_add_text(out, "]}");
}

/* All that the numbers of versions [from, end) follow from. Never 0. */
static uint64_t key_of(const struct site_series *series, size_t from, size_t end)
{
	size_t starts[SITE_BLOCK];

	for (size_t i = from; i < end; i++)
		starts[i - from] = series->starts[i] - series->starts[from];
	return site_hash(site_hash(2, series->repeats + series->starts[from],
				   (series->starts[end] - series->starts[from]) * sizeof(double)),
			 starts, (end - from) * sizeof *starts) |
	       1;
}

/* Find the lists of a text; false when it is of another form. */
static bool find_lists(struct written *written, bool repeated)
{
	const char *at = written->text.data, *end;
	size_t lists = repeated ? LISTS : 1;

	for (size_t list = 0; list < lists; list++) {
		at = strstr(at, list_starts[list]);
		if (!at)
			return false;
		at += strlen(list_starts[list]);
		end = strstr(at, list + 1 < lists ? list_starts[list + 1] : "]}");
		if (!end)
			return false;
		written->lists[list] = at;
		written->lengths[list] = (size_t)(end - at);
	}
	return repeated || !strstr(at, list_starts[LOW]);
}

/* Read what was written of the beginning of a block, if it was of the same values. */
static void read_written(struct site *site, const char *path, const struct site_series *series,
			 size_t from, size_t end, struct written *written)
{
	uint64_t key = site_read_back(site->files, path, &written->text);
	size_t count = 1;

	if (!key || !find_lists(written, is_repeated(series, from, end)))
		return;
	for (size_t i = 0; i < written->lengths[MEDIANS]; i++)
		count += written->lists[MEDIANS][i] == ',';
	if (count < end - from && key_of(series, from, from + count) == key)
		written->count = count;
}

static int write_block(struct perun_ctx *ctx, struct site *site, size_t strand, size_t block)
{
	const struct site_series *series = &site->found[strand].series;
	size_t from = block * SITE_BLOCK, end = from + SITE_BLOCK;
	struct written written = {0};
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
	key = key_of(series, from, end);
	if (!site_is_current(site->files, path, key)) {
		read_written(site, path, series, from, end, &written);
		perun_buffer_printf(&out, "perun(\"%s/%zu\",", name, block);
		add_block(&out, &written, series, from, end);
		perun_buffer_add_text(&out, ");\n");
		status = site_write(ctx, site->files, path, key, out.data, out.length);
		perun_buffer_free(&out);
		perun_buffer_free(&written.text);
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
