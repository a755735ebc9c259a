/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers of profiles: a failure has a reason, and what is read is whole, as its kind of format has it. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <perun/json.h>
#include <perun/lib/experiment.h>
#include <perun/format.h>

#include "core/format/archive.h"
#include "core/format/taken.h"
#include "tests/fuzz/place.h"

static struct perun_profile *read_with(struct perun_ctx *ctx, const char *format,
				       const char *const *options, struct perun_input *input)
{
	struct perun_profile *profile;
	int status = perun_read_profile(ctx, input, format, options, &profile, NULL);

	MUST((status == PERUN_OK) == (profile != NULL));
	MUST((status == PERUN_OK) == (perun_ctx_error(ctx) == NULL));
	MUST(status == PERUN_OK || status == PERUN_INPUT ||
	     (status == PERUN_USAGE && strcmp(format, "lines") == 0));
	perun_input_close(input);
	return profile;
}

struct perun_profile *fuzz_read_with(struct perun_ctx *ctx, const char *format,
				     const char *const *options, const void *data, size_t size)
{
	return read_with(ctx, format, options, perun_input_from_memory("fuzz", data, size));
}

void fuzz_write_with(struct perun_ctx *ctx, const char *format, const char *const *options,
		     const struct perun_profile *profile, struct perun_buffer *out)
{
	struct perun_output *output = perun_output_to_buffer(out);

	MUST(perun_write_profile(ctx, profile, format, options, output) == PERUN_OK);
	MUST(perun_output_commit(ctx, output) == PERUN_OK);
	perun_output_close(output);
}

static struct perun_profile *read_input(struct perun_ctx *ctx, const char *format,
					struct perun_input *input)
{
	return read_with(ctx, format, NULL, input);
}

static struct perun_profile *read_bytes(struct perun_ctx *ctx, const char *format, const void *data,
					size_t size)
{
	return read_input(ctx, format, perun_input_from_memory("fuzz", data, size));
}

/* Rows have the stacks that they name; locations are numbered from 1 where the argument says so. */
static void check_profile(const struct fuzz_target *target, const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *stack = perun_table_column(table, "stack");

	MUST(target->argument || perun_table_rows(table) > 0);
	for (size_t row = 0; stack && row < perun_table_rows(table); row++)
		MUST(!target->argument || !perun_column_absent(stack, row));
	for (perun_id id = 0; target->argument && id < perun_profile_locations(profile); id++)
		MUST(perun_profile_location(profile, id)->source_id == id + 1);
}

void fuzz_read(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = read_bytes(ctx, target->name, data, size);

	if (profile)
		check_profile(target, profile);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}

void fuzz_read_alone(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	setenv("PATH", "/nonexistent", 1);
	fuzz_read(target, data, size);
}

/* The argument: with what error what was written may be refused. */
void fuzz_round_trip(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = read_bytes(ctx, target->name, data, size), *copy;
	struct perun_buffer text = {0};

	if (profile) {
		fuzz_write_with(ctx, target->name, NULL, profile, &text);
		copy = read_bytes(ctx, target->name, text.data, text.length);
		MUST(copy || (target->argument && strstr(perun_ctx_error(ctx), target->argument)));
		perun_profile_unref(copy);
	}
	perun_buffer_free(&text);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}

static void add_file(struct perun_buffer *archive, const char *name, const uint8_t *data,
		     size_t size)
{
	static const char zeros[PERUN_ARCHIVE_END];

	perun_archive_header(archive, name, size, 0);
	perun_buffer_add(archive, data, size);
	perun_buffer_add(archive, zeros, perun_archive_padding(size));
}

/* A directory of two files, the second from its first word on; without that a document. */
void fuzz_hpctoolkit(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	static const uint8_t zeros[PERUN_ARCHIVE_END];
	const uint8_t *second = size ? memmem(data, size, "HPCTOOLKITprof", 14) : NULL;
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_buffer archive = {0};
	struct perun_profile *profile;
	struct perun_input *input;

	if (!second) {
		profile = read_bytes(ctx, target->name, data, size);
	} else {
		add_file(&archive, "meta.db", data, (size_t)(second - data));
		add_file(&archive, "profile.db", second, (size_t)(data + size - second));
		perun_buffer_add(&archive, zeros, sizeof zeros);
		MUST(perun_input_open_archive(ctx, "fuzz", archive.data, archive.length, &input) ==
		     PERUN_OK);
		profile = read_input(ctx, target->name, input);
	}
	if (profile)
		check_profile(target, profile);
	perun_profile_unref(profile);
	perun_buffer_free(&archive);
	perun_ctx_free(ctx);
}

/* ---- results of benchmarks ------------------------------------------------------------------- */

static void check_benchmark(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *amount, *uid, *order, *type;

	/* All of them may have failed. */
	if (perun_json_get(perun_profile_document(profile), "failed") &&
	    !(table && perun_table_rows(table)))
		return;
	MUST(table && perun_table_rows(table) > 0);
	amount = perun_table_column(table, "amount");
	uid = perun_table_column(table, "uid");
	order = perun_table_column(table, "order");
	type = perun_table_column(table, "type");
	MUST(amount && uid && order && type);
	for (size_t row = 0; row < perun_table_rows(table); row++) {
		MUST(isfinite(perun_column_double(amount, row)));
		MUST(perun_column_int64(order, row) >= 0);
		MUST(!perun_column_absent(uid, row) && !perun_column_absent(type, row));
	}
}

void fuzz_benchmark(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = read_bytes(ctx, target->name, data, size);

	if (profile)
		check_benchmark(profile);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}

void fuzz_lines(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t length = end ? (size_t)(end - data) : size, used = end ? length + 1 : size;
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *pattern = perun_format("pattern=%.*s", (int)length, size ? (const char *)data : "");
	const char *const options[] = {pattern, NULL};
	struct perun_profile *profile =
		read_with(ctx, target->name, options,
			  perun_input_from_memory("fuzz", size ? data + used : data, size - used));

	if (profile)
		check_benchmark(profile);
	perun_profile_unref(profile);
	perun_free(pattern);
	perun_ctx_free(ctx);
}

/* ---- experiments ----------------------------------------------------------------------------- */

/* The argument: another format to write. */
void fuzz_experiment(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	const char *to = target->argument ? target->argument : target->name;
	struct perun_profile *profile = read_bytes(ctx, target->name, data, size);
	struct perun_experiment *experiment;
	struct perun_buffer text = {0};

	if (profile && perun_experiment_new(ctx, profile, true, &experiment) == PERUN_OK) {
		struct perun_output *output = perun_output_to_buffer(&text);

		MUST(experiment->measurement_count > 0);
		MUST(perun_write_profile(ctx, profile, to, NULL, output) == PERUN_OK ||
		     perun_ctx_status(ctx) == PERUN_INPUT);
		perun_output_close(output);
		perun_experiment_free(experiment);
	}
	perun_buffer_free(&text);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}

/* A directory of an experiment of two points; the input is the file of both, whose name is the argument, and a run alone. */
void fuzz_two_points(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	static const char *const points[] = {"a.p1", "a.p2"};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	static const char *place;
	struct perun_input *input;

	if (!place)
		place = fuzz_folder();
	for (int i = 0; i < 2; i++) {
		char *point = perun_format("%s/%s", place, points[i]);

		mkdir(point, 0777);
		fuzz_write(point, target->argument, data, size);
		perun_free(point);
	}
	MUST(perun_input_open(ctx, place, &input) == PERUN_OK);
	perun_profile_unref(read_input(ctx, target->name, input));
	perun_profile_unref(read_bytes(ctx, target->name, data, size));
	perun_ctx_free(ctx);
}
