/* SPDX-License-Identifier: BSD-3-Clause */
/* hpctoolkit: a database directory, or experiment.xml alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/plugin.h"
#include "hpctoolkit.h"

/* "HPCPROF-metricdb__", the version, 'b' for big endian, then the numbers of nodes and metrics. */
enum { TAG = 18, VERSION = 5, HEADER = 32 };

static bool is_values(const char *name)
{
	size_t length = strlen(name);

	return length > 10 && strcmp(name + length - 10, ".metric-db") == 0;
}

static uint32_t read_number(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static double read_double(const unsigned char *bytes)
{
	uint64_t bits = (uint64_t)read_number(bytes) << 32 | read_number(bytes + 4);
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* "1.cpi-000003-000-a8c00270-160446-0.metric-db": rank and thread are the fifth and fourth last parts but one. */
static void find_thread(const char *name, char rank[24], char thread[24])
{
	const char *dashes[5] = {0};
	size_t count = 0;

	for (size_t i = strlen(name); i-- > 0 && count < 5;)
		if (name[i] == '-' && strncmp(name + i, "-db", 3) != 0)
			dashes[count++] = name + i;
	snprintf(rank, 24, "%ld", count == 5 ? strtol(dashes[4] + 1, NULL, 10) : 0);
	snprintf(thread, 24, "%ld", count == 5 ? strtol(dashes[3] + 1, NULL, 10) : 0);
}

static void add_rows(struct hpctoolkit *database, const unsigned char *values, size_t nodes,
		     size_t metrics, const char *name)
{
	char rank[24], thread[24];

	find_thread(name, rank, thread);
	for (size_t i = 0; i < database->place_count; i++) {
		const struct hpctoolkit_place *place = &database->places[i];
		bool any = false;

		if (place->id == 0 || place->id > nodes)
			continue;
		for (size_t k = 0; k < metrics; k++) {
			double value = read_double(values + ((place->id - 1) * metrics + k) *
								    sizeof(double));

			if (!database->in_files[k].used || !isfinite(value) || value == 0)
				continue;
			stacks_value(database->stacks, database->in_files[k].metric, value);
			any = true;
		}
		if (!any)
			continue;
		stacks_label(database->stacks, "rank", rank, strlen(rank));
		stacks_label(database->stacks, "thread", thread, strlen(thread));
		stacks_add(database->stacks, place->stack);
	}
}

static int read_values(struct hpctoolkit *database, struct perun_input *input, const char *name)
{
	const unsigned char *bytes;
	const void *data;
	size_t size, nodes, metrics;
	int status = perun_input_map(database->ctx, input, 0, &data, &size);

	if (status)
		return status;
	bytes = data;
	if (size < HEADER || memcmp(bytes, "HPCPROF-metricdb__", TAG) != 0)
		return perun_fail(database->ctx, PERUN_INPUT,
				  "expected HPCPROF-metricdb at the start");
	if (bytes[TAG + VERSION] != 'b')
		return perun_fail(database->ctx, PERUN_INPUT, "expected big endian numbers");
	nodes = read_number(bytes + TAG + VERSION + 1);
	metrics = read_number(bytes + TAG + VERSION + 5);
	if (metrics != database->in_file_count)
		return perun_fail(database->ctx, PERUN_INPUT,
				  "expected %zu metrics, as experiment.xml has, found %zu",
				  database->in_file_count, metrics);
	if (metrics && nodes > (size - HEADER) / sizeof(double) / metrics)
		return perun_fail(database->ctx, PERUN_INPUT,
				  "expected values of %zu nodes, the file is too short", nodes);
	add_rows(database, bytes + HEADER, nodes, metrics, name);
	return PERUN_OK;
}

static int read_child(struct hpctoolkit *database, struct perun_input *input, const char *name)
{
	struct perun_input *child;
	int status = perun_input_open_child(database->ctx, input, name, &child);

	if (status)
		return status;
	status = is_values(name) ? read_values(database, child, name)
				 : hpctoolkit_read_tree(database, child);
	perun_input_close(child);
	return status ? perun_fail(database->ctx, status, "%s", name) : PERUN_OK;
}

static int read_directory(struct hpctoolkit *database, struct perun_input *input)
{
	const char *const *names;
	size_t count;
	bool tree = false;
	int status = perun_input_list(database->ctx, input, &names, &count);

	database->in_document_only = true;
	for (size_t i = 0; !status && i < count; i++) {
		tree = tree || strcmp(names[i], "experiment.xml") == 0;
		if (is_values(names[i]))
			database->in_document_only = false;
	}
	if (!status && !tree)
		return hpctoolkit_read_database(database->ctx, input, database->stacks);
	if (!status)
		status = read_child(database, input, "experiment.xml");
	for (size_t i = 0; !status && i < count; i++) {
		if (is_values(names[i]))
			status = read_child(database, input, names[i]);
		if (!status && perun_cancelled(database->ctx))
			status = PERUN_CANCELLED;
	}
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct hpctoolkit database = {.ctx = ctx,
				      .stacks = stacks_begin(ctx, builder, "hpctoolkit", instance)};
	int status;

	if (perun_input_is_directory(input)) {
		status = read_directory(&database, input);
	} else {
		database.in_document_only = true;
		status = hpctoolkit_read_tree(&database, input);
	}
	perun_free(database.places);
	return stacks_end(database.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	bool meta = false, profiles = false;

	for (size_t i = 0; i < probe->entry_count; i++) {
		if (strcmp(probe->entries[i], "experiment.xml") == 0)
			return 90;
		meta = meta || strcmp(probe->entries[i], HPCTOOLKIT_META) == 0;
		profiles = profiles || strcmp(probe->entries[i], HPCTOOLKIT_PROFILES) == 0;
	}
	if (probe->directory)
		return meta && profiles ? 90 : 0;
	return probe_has(probe, "<HPCToolkitExperiment") || probe_has(probe, "<!DOCTYPE HPCToolkit")
		       ? 95
		       : 0;
}

static const char *const marks[] = {"<HPCToolkitExperiment", "<!DOCTYPE HPCToolkit", NULL};

FORMAT_PLUGIN(hpctoolkit, "hpctoolkit", "databases of HPCToolkit", stacks_option_table,
	      .open = stacks_open, .close = stacks_close, .contains = marks,
	      .reads_directories = true, .probe = probe_format, .read = read_format);
