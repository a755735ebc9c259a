/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing experiments that Extra-P 4 reads. */
#include <archive.h>
#include <archive_entry.h>
#include <math.h>
#include <string.h>

#include "formats/common/experiment-json.h"
#include "formats/common/losses.h"
#include "extrap-experiment.h"

/* The version of Extra-P whose files these are. */
#define FORMAT_VERSION "4.2.5"

static void write_number(struct perun_json_writer *json, double number)
{
	if (isfinite(number))
		perun_json_write_double(json, number);
	else
		perun_json_write_text(json, isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
}

/* What the document is made of. */
struct writing {
	const struct perun_experiment *experiment;
	bool with_values;
};

static void write_measurement(void *data, struct perun_json_writer *json, size_t i)
{
	const struct writing *writing = data;
	const struct perun_experiment *experiment = writing->experiment;
	const struct perun_measurement *measurement = &experiment->measurements[i];
	const struct {
		const char *key;
		double number;
	} statistics[] = {
		{"median", measurement->median},   {"mean", measurement->mean},
		{"minimum", measurement->minimum}, {"maximum", measurement->maximum},
		{"std", measurement->std},
	};

	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "coordinate");
	perun_json_write_array_start(json);
	for (size_t p = 0; p < experiment->parameters; p++)
		write_number(
			json,
			experiment->coordinates[measurement->point * experiment->parameters + p]);
	perun_json_write_array_end(json);
	for (size_t k = 0; k < sizeof statistics / sizeof *statistics; k++) {
		perun_json_write_key_text(json, statistics[k].key);
		write_number(json, statistics[k].number);
	}
	if (measurement->repetitions) {
		perun_json_write_key_text(json, "repetitions");
		perun_json_write_uint64(json, measurement->repetitions);
	}
	perun_json_write_key_text(json, "values");
	if (writing->with_values) {
		perun_json_write_array_start(json);
		perun_json_write_uint64(json, 0);
		perun_json_write_uint64(json, i);
		perun_json_write_array_end(json);
	} else {
		perun_json_write_null(json);
	}
	perun_json_write_object_end(json);
}

static void write_kept(struct perun_json_writer *json, const struct perun_json *kept,
		       const char *key)
{
	const struct perun_json *value = perun_json_get(kept, key);

	if (!value)
		return;
	perun_json_write_key_text(json, key);
	perun_json_write_value(json, value);
}

/* The tags of call paths: those that were read, and those that say what is no part of sums. */
static struct perun_json *tags_of_callpaths(const struct perun_experiment *experiment,
					    const struct perun_json *kept)
{
	const struct perun_json *known = perun_json_get(kept, "callpaths");
	struct perun_json *callpaths = known ? perun_json_clone(known) : perun_json_object();

	for (size_t i = 0; i < experiment->series_count; i++) {
		const char *name = experiment->callpath_names[experiment->series[i].callpath];
		struct perun_json *callpath, *tags;

		if (!experiment->series[i].overlaps || perun_json_get(callpaths, name))
			continue;
		callpath = perun_json_object();
		tags = perun_json_object();
		perun_json_set(tags, EXTRAPEXPERIMENT_UNUSED, perun_json_bool(true));
		perun_json_set(callpath, "tags", tags);
		perun_json_set(callpaths, name, callpath);
	}
	return callpaths;
}

static void write_callpaths(struct perun_json_writer *json,
			    const struct perun_experiment *experiment,
			    const struct perun_json *kept)
{
	struct perun_json *callpaths = tags_of_callpaths(experiment, kept);

	if (perun_json_count(callpaths) || perun_json_get(kept, "callpaths")) {
		perun_json_write_key_text(json, "callpaths");
		perun_json_write_value(json, callpaths);
	}
	perun_json_free(callpaths);
}

static int write_document(struct perun_ctx *ctx, const struct perun_experiment *experiment,
			  bool with_values, bool with_models, struct perun_buffer *out)
{
	const struct perun_json *document = perun_profile_document(experiment->profile);
	const struct perun_json *kept = perun_json_get(perun_json_get(document, "extra"), "extrap");
	struct perun_json_writer *json = perun_json_writer_new(out, PERUN_JSON_PYTHON, 0);
	struct writing writing = {experiment, with_values};
	int status = PERUN_OK, finished;

	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "Extra-P");
	perun_json_write_text(json, FORMAT_VERSION);
	write_kept(json, kept, "scaling");
	experiment_json_write_parameters(json, experiment);
	write_callpaths(json, experiment, kept);
	write_kept(json, kept, "metrics");
	experiment_json_write_measurements(json, experiment, write_measurement, &writing);
	if (with_models && perun_json_get(kept, "modelers"))
		write_kept(json, kept, "modelers");
	else if (with_models)
		status = extrapexperiment_write_models(ctx, experiment, json);
	perun_json_write_object_end(json);
	finished = perun_json_writer_finish(json);
	return status ? status : finished;
}

/* ---- the archive ------------------------------------------------------------------------------ */

static la_ssize_t give_bytes(struct archive *zip, void *data, const void *bytes, size_t size)
{
	(void)zip;
	return perun_output_write(data, bytes, size) ? -1 : (la_ssize_t)size;
}

static int add_member(struct perun_ctx *ctx, struct archive *zip, const char *name, bool compress,
		      const struct perun_buffer *content)
{
	struct archive_entry *entry = archive_entry_new();
	int status = PERUN_OK;

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)content->length);
	/* The same profile gives the same bytes, so there is no time; zip knows none before 1980. */
	archive_entry_set_mtime(entry, 315619200, 0);
	if (compress)
		archive_write_zip_set_compression_deflate(zip);
	else
		archive_write_zip_set_compression_store(zip);
	if (archive_write_header(zip, entry) != ARCHIVE_OK ||
	    archive_write_data(zip, content->data, content->length) != (la_ssize_t)content->length)
		status = perun_fail(ctx, PERUN_INPUT, "cannot write member %s: %s", name,
				    archive_error_string(zip));
	archive_entry_free(entry);
	return status;
}

static int write_archive(struct perun_ctx *ctx, struct perun_output *output,
			 const struct perun_buffer *document, const struct perun_buffer *values,
			 const struct perun_buffer *index)
{
	struct archive *zip = archive_write_new();
	int status = PERUN_OK;

	archive_write_set_format_zip(zip);
	archive_write_set_format_option(zip, "zip", "compression-level", "1");
	archive_write_set_bytes_in_last_block(zip, 1);
	if (archive_write_open(zip, output, NULL, give_bytes, NULL) != ARCHIVE_OK)
		status = perun_fail(ctx, PERUN_INPUT, "cannot write the archive: %s",
				    archive_error_string(zip));
	if (!status)
		status = add_member(ctx, zip, "experiment.json", true, document);
	if (!status && values->length) {
		status = add_member(ctx, zip, "values/0.vals", false, values);
		if (!status)
			status = add_member(ctx, zip, "values/0.indx", false, index);
	}
	if (archive_write_close(zip) != ARCHIVE_OK && !status)
		status = perun_fail(ctx, PERUN_INPUT, "cannot write the archive: %s",
				    archive_error_string(zip));
	archive_write_free(zip);
	return status;
}

int extrapexperiment_write(void *instance, struct perun_ctx *ctx,
			   const struct perun_profile *profile, struct perun_output *output)
{
	const struct extrapexperiment_options *options = instance;
	struct perun_buffer document = {0}, values = {0}, index = {0};
	struct perun_experiment *experiment;
	struct perun_repetitions repetitions;
	bool with_values;
	int status = perun_experiment_new(ctx, profile, true, &experiment);

	if (status)
		return status;
	perun_experiment_repetitions(experiment, &repetitions);
	with_values = repetitions.summaries == 0;
	if (with_values)
		extrapexperiment_pack(&repetitions, experiment->measurement_count, &values, &index);
	losses_of_experiment(ctx, experiment, 0,
			     LOSSES_OVERLAPS | (options->no_models ? 0 : LOSSES_MODELS));
	status = write_document(ctx, experiment, with_values, !options->no_models, &document);
	if (!status)
		status = write_archive(ctx, output, &document, &values, &index);
	perun_buffer_free(&document);
	perun_buffer_free(&values);
	perun_buffer_free(&index);
	perun_repetitions_clear(&repetitions);
	perun_experiment_free(experiment);
	return status;
}
