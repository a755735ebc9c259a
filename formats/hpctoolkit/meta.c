/* SPDX-License-Identifier: BSD-3-Clause */
/* meta.db: the program, the metrics and their values, and what identifiers of threads are called. */
#include <string.h>

#include <perun/lib/path.h>

#include "database.h"

enum { GENERAL, IDENTIFIERS, METRICS, MODULES = 5 }; /* sections */
/* Sizes of structures. */
enum { GENERAL_SIZE = 16, MODULES_SIZE = 14, MODULE_SIZE = 16 };
enum { IDENTIFIERS_SIZE = 9, METRICS_SIZE = 27, METRIC_SIZE = 28, SCOPE_SIZE = 9, NAME_SIZE = 8 };
enum { POINT = 1, EXECUTION = 2 }; /* types of scopes */
enum { MAX_NAME = 1024, MAX_PATH = 65536, MAX_KIND = 64 };

/* The title is the name of the program, unless somebody chose another: its file is the first one of the profile. */
static int read_program(struct hpctoolkit_meta *meta)
{
	const struct hpctoolkit_file *file = &meta->file;
	struct perun_mapping program = {.has_functions = true};
	uint64_t general, at, module, count, stride;
	const char *title, *path;
	int status = hpctoolkit_section(file, GENERAL, GENERAL_SIZE, &general);

	if (!status)
		status = hpctoolkit_section(file, MODULES, MODULES_SIZE, &at);
	if (!status)
		status = hpctoolkit_text(file, hpctoolkit_number(file, general, 8), MAX_NAME,
					 &title);
	if (status)
		return status;
	module = hpctoolkit_number(file, at, 8);
	count = hpctoolkit_number(file, at + 8, 4);
	stride = hpctoolkit_number(file, at + 12, 2);
	status = hpctoolkit_expect(file, module, count, stride, MODULE_SIZE, "modules");
	for (uint64_t i = 0; !status && i < count && !program.file; i++, module += stride) {
		status = hpctoolkit_text(file, hpctoolkit_number(file, module + 8, 8), MAX_PATH,
					 &path);
		if (!status && strcmp(perun_path_base_name(path), title) == 0)
			program.file = perun_builder_text(stacks_builder(meta->stacks), path);
	}
	if (program.file)
		perun_builder_mapping(stacks_builder(meta->stacks), &program);
	return status;
}

/* "RANK": the label is rank. */
static int read_kinds(struct hpctoolkit_meta *meta)
{
	const struct hpctoolkit_file *file = &meta->file;
	struct perun_builder *builder = stacks_builder(meta->stacks);
	uint64_t at, names, count;
	const char *text;
	char name[MAX_KIND + 1];
	int status = hpctoolkit_section(file, IDENTIFIERS, IDENTIFIERS_SIZE, &at);

	if (status)
		return status;
	names = hpctoolkit_number(file, at, 8);
	count = hpctoolkit_number(file, at + 8, 1);
	status =
		hpctoolkit_expect(file, names, count, NAME_SIZE, NAME_SIZE, "names of identifiers");
	for (uint64_t i = 0; !status && i < count; i++) {
		status = hpctoolkit_text(file, hpctoolkit_number(file, names + i * NAME_SIZE, 8),
					 MAX_NAME, &text);
		if (status)
			break;
		perun_snprintf(name, sizeof name, "%.*s", MAX_KIND, text);
		for (char *letter = name; *letter; letter++)
			if (*letter >= 'A' && *letter <= 'Z')
				*letter = (char)(*letter - 'A' + 'a');
		meta->kinds[i] = perun_builder_text(builder, name);
	}
	return status;
}

/* Note which number values of a metric have that are its own, or a sum over all that is called. */
static int add_value_id(struct hpctoolkit_meta *meta, struct hpctoolkit_value_id *ids,
			uint64_t scope, uint64_t id)
{
	struct hpctoolkit_title *title = &meta->titles[meta->title_count];
	uint64_t type;
	int status = hpctoolkit_expect(&meta->file, scope, 1, SCOPE_SIZE, SCOPE_SIZE, "scope");

	if (status)
		return status;
	type = hpctoolkit_number(&meta->file, scope + 8, 1);
	if (type != POINT && type != EXECUTION)
		return PERUN_OK;
	ids[id] = (struct hpctoolkit_value_id){.title = (uint32_t)meta->title_count + 1,
					       .total = type == EXECUTION};
	title->own |= type == POINT;
	title->total |= type == EXECUTION;
	return PERUN_OK;
}

/* Of sums over all threads: whether it is one of the values as they are, not of a formula, a minimum or a maximum. */
static bool is_sum(const struct hpctoolkit_file *file, uint64_t at)
{
	uint64_t formula = hpctoolkit_number(file, at + 8, 8);

	return hpctoolkit_number(file, at + 16, 1) == 0 && formula <= file->size - 3 &&
	       memcmp(file->bytes + formula, "$$", 3) == 0;
}

/* The values of a metric: `count` structures of threads, or of sums. */
static int read_values(struct hpctoolkit_meta *meta, bool sums, uint64_t at, uint64_t count,
		       uint64_t stride, uint64_t *left)
{
	const struct hpctoolkit_file *file = &meta->file;
	struct hpctoolkit_value_id *ids = sums ? meta->of_sums : meta->of_threads;
	uint64_t id_at = sums ? 18 : 8;
	int status = hpctoolkit_expect(file, at, count, stride, id_at + 2, "values of a metric");

	if (status)
		return status;
	if (count > *left)
		return perun_fail(file->ctx, PERUN_INPUT, "expected at most %d values of metrics",
				  HPCTOOLKIT_VALUE_IDS);
	*left -= count;
	for (uint64_t i = 0; !status && i < count; i++, at += stride)
		if (!sums || is_sum(file, at))
			status = add_value_id(meta, ids, hpctoolkit_number(file, at, 8),
					      hpctoolkit_number(file, at + id_at, 2));
	return status;
}

static int read_title(struct hpctoolkit_meta *meta, uint64_t at)
{
	return hpctoolkit_text(&meta->file, hpctoolkit_number(&meta->file, at, 8), MAX_NAME,
			       &meta->titles[meta->title_count].text);
}

static int read_metrics(struct hpctoolkit_meta *meta)
{
	const struct hpctoolkit_file *file = &meta->file;
	uint64_t at, metric, count, stride, of_threads = HPCTOOLKIT_VALUE_IDS,
					    of_sums = HPCTOOLKIT_VALUE_IDS;
	int status = hpctoolkit_section(file, METRICS, METRICS_SIZE, &at);

	if (status)
		return status;
	metric = hpctoolkit_number(file, at, 8);
	count = hpctoolkit_number(file, at + 8, 4);
	stride = hpctoolkit_number(file, at + 12, 1);
	status = hpctoolkit_expect(file, metric, count, stride, METRIC_SIZE, "metrics");
	if (status)
		return status;
	meta->titles = perun_alloc_zero(count + 1, sizeof *meta->titles);
	for (uint64_t i = 0; !status && i < count; i++, metric += stride) {
		status = read_title(meta, metric);
		if (!status)
			status = read_values(meta, false, hpctoolkit_number(file, metric + 8, 8),
					     hpctoolkit_number(file, metric + 24, 2),
					     hpctoolkit_number(file, at + 13, 1), &of_threads);
		if (!status)
			status = read_values(meta, true, hpctoolkit_number(file, metric + 16, 8),
					     hpctoolkit_number(file, metric + 26, 2),
					     hpctoolkit_number(file, at + 14, 1), &of_sums);
		meta->title_count++;
	}
	return status;
}

int hpctoolkit_read_meta(struct hpctoolkit_meta *meta)
{
	int status = read_program(meta);

	meta->of_threads = perun_alloc_zero(HPCTOOLKIT_VALUE_IDS, sizeof *meta->of_threads);
	meta->of_sums = perun_alloc_zero(HPCTOOLKIT_VALUE_IDS, sizeof *meta->of_sums);
	if (!status)
		status = read_kinds(meta);
	if (!status)
		status = read_metrics(meta);
	return status ? status : hpctoolkit_read_contexts(meta);
}

void hpctoolkit_free_meta(struct hpctoolkit_meta *meta)
{
	perun_free(meta->titles);
	perun_free(meta->of_threads);
	perun_free(meta->of_sums);
	perun_free(meta->contexts);
	stacks_numbers_free(&meta->by_id);
}
