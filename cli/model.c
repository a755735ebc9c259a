/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model: how the costs of an experiment grow with its parameters. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/experiment.h>
#include <perun/format.h>
#include <perun/json.h>
#include <perun/model.h>

#include "cli/cli.h"
#include "cli/lookup.h"

const struct perun_option cli_model_options[] = {
	{.name = "input",
	 .metavar = "INPUT",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "a file or directory of measurements, - for standard input, or a tag such as 0@i"},
	{.name = "format",
	 .aliases = "-f",
	 .metavar = "FORMAT",
	 .type = PERUN_OPTION_STRING,
	 .help = "the format to read, by default found out from the content"},
	{.name = "scaling",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "weak weak_threaded strong",
	 .help = "how the values of processes and threads are put together (formats that have "
		 "them)"},
	{.name = "modeler",
	 .aliases = "-m",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "default basic refining segmented multi-parameter",
	 .default_value = "default",
	 .help = "how models are searched for"},
	{.name = "measure",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "mean median minimum maximum",
	 .default_value = "mean",
	 .help = "what of the repetitions is modelled"},
	{.name = "option",
	 .aliases = "-o",
	 .metavar = "K=V",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "an option of the modeler"},
	{.name = "format-option",
	 .metavar = "K=V",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "an option of the format"},
	{.name = "allow-missing", .help = "model call paths that were not measured at every point"},
	{.name = "parse-point",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "only print what the name of a directory says of the parameters"},
	{.name = "json", .help = "print the experiment and its models as JSON"},
	{0}};

/* ---- input ----------------------------------------------------------------------------------- */

static int read_input(struct cli *cli, const struct perun_options *options,
		      struct perun_profile **profile)
{
	const char *name = perun_option_string(options, "input");
	const char *scaling = perun_option_string(options, "scaling");
	const char **settings = cli_strings(options, "format-option");
	struct cli_lookup lookup;
	struct perun_input *input;
	size_t count = perun_option_count(options, "format-option");
	char *setting = scaling ? perun_format("scaling=%s", scaling) : NULL;
	int status;

	if (setting) {
		settings = perun_realloc_array(settings, count + 2, sizeof *settings);
		settings[count] = setting;
		settings[count + 1] = NULL;
	}
	cli_lookup_start(&lookup, cli, NULL);
	status = cli_lookup_add(&lookup, name, CLI_REGISTERED | CLI_PENDING | CLI_FILE);
	if (!status && lookup.count != 1)
		status = perun_fail(cli->ctx, PERUN_USAGE, "%s names %zu profiles; model one", name,
				    lookup.count);
	if (!status && lookup.places[0].source == CLI_FILE) {
		status = perun_input_open(cli->ctx, lookup.places[0].path, &input);
		if (!status) {
			status = perun_read_profile(cli->ctx, input,
						    perun_option_string(options, "format"),
						    settings, profile, NULL);
			perun_input_close(input);
		}
	} else if (!status) {
		status = cli_lookup_load(&lookup, &lookup.places[0], profile);
	}
	cli_lookup_free(&lookup);
	perun_free(settings);
	perun_free(setting);
	return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

enum measure { MEAN, MEDIAN, MINIMUM, MAXIMUM };

struct modelling {
	const struct perun_experiment *experiment;
	const struct perun_modeler *modeler; /* of series that are complete */
	const struct perun_modeler_options *options;
	enum measure measure;
	struct perun_growth *growths; /* of each series; segments 0 = could not be modelled */
};

static int read_options(struct cli *cli, const struct perun_options *given,
			struct perun_modeler_options *options, enum measure *measure)
{
	static const char *const measures[] = {"mean", "median", "minimum", "maximum"};
	const char *word = perun_option_string(given, "measure");
	int status;

	*options = (struct perun_modeler_options){0};
	*measure = MEAN;
	for (int i = 0; i < 4; i++)
		if (strcmp(word, measures[i]) == 0)
			*measure = (enum measure)i;
	status = perun_modeler_option(cli->ctx, options, "modeler",
				      perun_option_string(given, "modeler"));
	for (size_t i = 0; !status && i < perun_option_count(given, "option"); i++) {
		const char *setting = perun_option_string_at(given, "option", i);
		const char *equals = strchr(setting, '=');
		char *name;

		if (!equals)
			return perun_fail(cli->ctx, PERUN_USAGE, "--option %s: expected NAME=VALUE",
					  setting);
		name = perun_strndup(setting, (size_t)(equals - setting));
		status = perun_modeler_option(cli->ctx, options, name, equals + 1);
		perun_free(name);
	}
	return status;
}

static double measured(const struct perun_measurement *measurement, enum measure measure)
{
	const double values[] = {measurement->mean, measurement->median, measurement->minimum,
				 measurement->maximum};

	return values[measure];
}

/* A series that lacks points has a modeler of its own. */
static int model_incomplete(struct perun_ctx *ctx, struct modelling *modelling, size_t i)
{
	const struct perun_experiment *experiment = modelling->experiment;
	const struct perun_series *series = &experiment->series[i];
	size_t n = experiment->parameters;
	double *coordinates = perun_alloc_zero(series->count * n, sizeof *coordinates);
	double *values = perun_alloc_zero(series->count, sizeof *values);
	struct perun_modeler *modeler;
	int status;

	for (size_t k = 0; k < series->count; k++) {
		const struct perun_measurement *measurement =
			&experiment->measurements[series->first + k];

		memcpy(coordinates + k * n, experiment->coordinates + measurement->point * n,
		       n * sizeof *coordinates);
		values[k] = measured(measurement, modelling->measure);
	}
	status =
		perun_modeler_new(ctx, modelling->options, coordinates, series->count, n, &modeler);
	if (!status)
		perun_modeler_fit(modeler, values, &modelling->growths[i]);
	perun_modeler_free(modeler);
	perun_free(coordinates);
	perun_free(values);
	return status;
}

static int model_complete(struct modelling *modelling, size_t i)
{
	const struct perun_experiment *experiment = modelling->experiment;
	const struct perun_series *series = &experiment->series[i];
	double *values = perun_alloc_zero(experiment->points, sizeof *values);

	for (size_t k = 0; k < series->count; k++) {
		const struct perun_measurement *measurement =
			&experiment->measurements[series->first + k];

		values[measurement->point] = measured(measurement, modelling->measure);
	}
	perun_modeler_fit(modelling->modeler, values, &modelling->growths[i]);
	perun_free(values);
	return PERUN_OK;
}

enum { AT_ONCE = 32 };

static int model_some(struct perun_ctx *ctx, size_t block, void *data)
{
	struct modelling *modelling = data;
	size_t end = (block + 1) * AT_ONCE, count = modelling->experiment->series_count;
	int status = PERUN_OK;

	for (size_t i = block * AT_ONCE; i < end && i < count && !status; i++) {
		if (modelling->experiment->series[i].count == modelling->experiment->points)
			status = model_complete(modelling, i);
		else
			status = model_incomplete(ctx, modelling, i);
	}
	return status;
}

static int model_all(struct cli *cli, const struct perun_options *given,
		     const struct perun_experiment *experiment, struct perun_growth **growths)
{
	struct perun_modeler_options options;
	struct modelling modelling = {.experiment = experiment, .options = &options};
	struct perun_modeler *modeler = NULL;
	int status = read_options(cli, given, &options, &modelling.measure);

	if (!status)
		status = perun_modeler_new(cli->ctx, &options, experiment->coordinates,
					   experiment->points, experiment->parameters, &modeler);
	if (status)
		return status;
	modelling.modeler = modeler;
	modelling.growths = *growths = perun_alloc_zero(experiment->series_count, sizeof **growths);
	status = perun_parallel_for(cli->ctx, (experiment->series_count + AT_ONCE - 1) / AT_ONCE,
				    model_some, &modelling);
	perun_modeler_free(modeler);
	return status;
}

/* ---- output ---------------------------------------------------------------------------------- */

static int to_screen(void *data, const char *text, size_t length)
{
	return fwrite(text, 1, length, data) == length ? PERUN_OK : PERUN_INPUT;
}

static void write_number(struct perun_json_writer *json, const char *key, double number)
{
	perun_json_write_key_text(json, key);
	if (isfinite(number))
		perun_json_write_double(json, number);
	else
		perun_json_write_text(json, isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
}

static void write_known(struct perun_json_writer *json, const char *key, double number, bool known)
{
	if (known) {
		write_number(json, key, number);
	} else {
		perun_json_write_key_text(json, key);
		perun_json_write_null(json);
	}
}

static void write_names(struct perun_json_writer *json, const char *key, const char *const *names,
			size_t count)
{
	perun_json_write_key_text(json, key);
	perun_json_write_array_start(json);
	for (size_t i = 0; i < count; i++)
		perun_json_write_text(json, names[i]);
	perun_json_write_array_end(json);
}

static void write_coordinate(struct perun_json_writer *json,
			     const struct perun_experiment *experiment, size_t point)
{
	perun_json_write_array_start(json);
	for (size_t p = 0; p < experiment->parameters; p++)
		perun_json_write_double(
			json, experiment->coordinates[point * experiment->parameters + p]);
	perun_json_write_array_end(json);
}

static void write_series_head(struct perun_json_writer *json,
			      const struct perun_experiment *experiment,
			      const struct perun_series *series)
{
	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "callpath");
	perun_json_write_text(json, experiment->callpath_names[series->callpath]);
	perun_json_write_key_text(json, "metric");
	perun_json_write_text(json, experiment->metrics[series->metric]);
}

static void write_measurements(struct perun_json_writer *json,
			       const struct perun_experiment *experiment)
{
	perun_json_write_key_text(json, "measurements");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_series *series = &experiment->series[i];

		write_series_head(json, experiment, series);
		perun_json_write_key_text(json, "points");
		perun_json_write_array_start(json);
		for (size_t k = 0; k < series->count; k++) {
			const struct perun_measurement *measurement =
				&experiment->measurements[series->first + k];
			bool known = experiment->statistics_known;

			perun_json_write_object_start(json);
			perun_json_write_key_text(json, "coordinate");
			write_coordinate(json, experiment, measurement->point);
			write_number(json, "mean", measurement->mean);
			write_known(json, "median", measurement->median,
				    known || !isnan(measurement->median));
			write_known(json, "min", measurement->minimum,
				    known || !isnan(measurement->minimum));
			write_known(json, "max", measurement->maximum,
				    known || !isnan(measurement->maximum));
			write_known(json, "std", measurement->std,
				    known || !isnan(measurement->std));
			perun_json_write_key_text(json, "repetitions");
			if (measurement->repetitions)
				perun_json_write_int64(json, measurement->repetitions);
			else
				perun_json_write_null(json);
			perun_json_write_object_end(json);
		}
		perun_json_write_array_end(json);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
}

static void write_exponent(struct perun_json_writer *json, const struct perun_exponent *exponent)
{
	perun_json_write_key_text(json, "exponent");
	if (exponent->denominator > 1) {
		char *text = perun_format("%d/%d", exponent->numerator, exponent->denominator);

		perun_json_write_text(json, text);
		perun_free(text);
	} else if (exponent->denominator == 1) {
		perun_json_write_int64(json, exponent->numerator);
	} else {
		perun_json_write_double(json, exponent->value);
	}
}

static void write_formula(struct perun_json_writer *json, const struct perun_experiment *experiment,
			  const struct perun_formula *formula)
{
	struct perun_buffer text = {0};

	perun_formula_print(formula, experiment->parameter_names, PERUN_SPELLING_PLAIN, &text);
	perun_json_write_key_text(json, "string");
	perun_json_write_string(json, text.data, text.length);
	perun_buffer_free(&text);
	write_number(json, "constant", formula->constant);
	perun_json_write_key_text(json, "terms");
	perun_json_write_array_start(json);
	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];

		perun_json_write_object_start(json);
		write_number(json, "coefficient", term->coefficient);
		perun_json_write_key_text(json, "factors");
		perun_json_write_array_start(json);
		for (uint32_t k = 0; k < term->count; k++) {
			const struct perun_factor *factor = &formula->factors[term->first + k];

			perun_json_write_object_start(json);
			perun_json_write_key_text(json, "parameter");
			perun_json_write_int64(json, factor->parameter);
			perun_json_write_key_text(json, "type");
			perun_json_write_text(json, factor->logarithm ? "logarithm" : "polynomial");
			write_exponent(json, &factor->exponent);
			perun_json_write_object_end(json);
		}
		perun_json_write_array_end(json);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
}

static void print_growth(const struct perun_experiment *experiment,
			 const struct perun_growth *growth, enum perun_spelling spelling,
			 struct perun_buffer *text)
{
	perun_formula_print(growth->formulas[0], experiment->parameter_names, spelling, text);
	if (growth->segments == 2) {
		char number[PERUN_JSON_NUMBER_SIZE];

		perun_json_print_double(growth->until, number);
		perun_buffer_printf(text, " for %s<=%s\n", experiment->parameter_names[0], number);
		perun_formula_print(growth->formulas[1], experiment->parameter_names, spelling,
				    text);
		perun_json_print_double(growth->from, number);
		perun_buffer_printf(text, " for %s>=%s", experiment->parameter_names[0], number);
	}
}

static void write_function(struct perun_json_writer *json,
			   const struct perun_experiment *experiment,
			   const struct perun_growth *growth)
{
	perun_json_write_key_text(json, "function");
	perun_json_write_object_start(json);
	if (growth->segments == 1) {
		write_formula(json, experiment, growth->formulas[0]);
	} else {
		struct perun_buffer text = {0};

		print_growth(experiment, growth, PERUN_SPELLING_PLAIN, &text);
		perun_json_write_key_text(json, "string");
		perun_json_write_string(json, text.data, text.length);
		perun_buffer_free(&text);
		perun_json_write_key_text(json, "segments");
		perun_json_write_array_start(json);
		for (int i = 0; i < 2; i++) {
			perun_json_write_object_start(json);
			write_formula(json, experiment, growth->formulas[i]);
			perun_json_write_object_end(json);
		}
		perun_json_write_array_end(json);
		perun_json_write_key_text(json, "intervals");
		perun_json_write_array_start(json);
		perun_json_write_array_start(json);
		perun_json_write_text(json, "-inf");
		perun_json_write_double(json, growth->until);
		perun_json_write_array_end(json);
		perun_json_write_array_start(json);
		perun_json_write_double(json, growth->from);
		perun_json_write_text(json, "inf");
		perun_json_write_array_end(json);
		perun_json_write_array_end(json);
	}
	perun_json_write_object_end(json);
}

static void write_models(struct perun_json_writer *json, const struct perun_experiment *experiment,
			 const struct perun_growth *growths)
{
	perun_json_write_key_text(json, "models");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_growth *growth = &growths[i];

		if (growth->segments == 0)
			continue;
		write_series_head(json, experiment, &experiment->series[i]);
		write_function(json, experiment, growth);
		write_number(json, "RSS", growth->rss);
		write_number(json, "rRSS", growth->relative_rss);
		write_number(json, "SMAPE", growth->smape);
		write_number(json, "AR2", growth->adjusted_r2);
		write_number(json, "RE", growth->relative_error);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
}

static int print_json(const struct perun_experiment *experiment, const struct perun_growth *growths)
{
	struct perun_json_writer *json =
		perun_json_writer_new_sink(to_screen, stdout, PERUN_JSON_PYTHON, 0);

	perun_json_write_object_start(json);
	write_names(json, "parameters", experiment->parameter_names, experiment->parameters);
	perun_json_write_key_text(json, "coordinates");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < experiment->points; i++)
		write_coordinate(json, experiment, i);
	perun_json_write_array_end(json);
	write_names(json, "callpaths", (const char *const *)experiment->callpath_names,
		    experiment->callpaths);
	write_names(json, "metrics", experiment->metrics, experiment->metric_count);
	write_measurements(json, experiment);
	write_models(json, experiment, growths);
	perun_json_write_object_end(json);
	fflush(stdout);
	return perun_json_writer_finish(json);
}

static int print_table(const struct perun_experiment *experiment,
		       const struct perun_growth *growths)
{
	struct perun_buffer text = {0};

	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_series *series = &experiment->series[i];

		if (growths[i].segments == 0)
			continue;
		cli_print_safe(experiment->callpath_names[series->callpath]);
		printf("  ");
		cli_print_safe(experiment->metrics[series->metric]);
		perun_buffer_clear(&text);
		print_growth(experiment, &growths[i], PERUN_SPELLING_PLAIN, &text);
		printf("\n    ");
		cli_print_safe(text.data);
		printf("\n    SMAPE %.3g %%\n", growths[i].smape);
	}
	perun_buffer_free(&text);
	return PERUN_OK;
}

/* --parse-point: how the name of a directory is understood. */
static int parse_point(struct cli *cli, const char *name, bool as_json)
{
	struct perun_point_name point;
	int status = perun_point_name_parse(cli->ctx, name, &point);

	if (status)
		return status;
	if (as_json) {
		struct perun_json_writer *json =
			perun_json_writer_new_sink(to_screen, stdout, PERUN_JSON_PYTHON, 0);

		perun_json_write_object_start(json);
		write_names(json, "names", (const char *const *)point.names, point.count);
		perun_json_write_key_text(json, "values");
		perun_json_write_array_start(json);
		for (size_t i = 0; i < point.count; i++)
			perun_json_write_double(json, point.values[i]);
		perun_json_write_array_end(json);
		perun_json_write_object_end(json);
		status = perun_json_writer_finish(json);
		putchar('\n');
	} else {
		for (size_t i = 0; i < point.count; i++) {
			char number[PERUN_JSON_NUMBER_SIZE];

			perun_json_print_double(point.values[i], number);
			cli_print_safe(point.names[i]);
			printf(" = %s\n", number);
		}
	}
	perun_point_name_clear(&point);
	return status;
}

int cli_model(struct cli *cli, const struct cli_call *call)
{
	const struct perun_options *options = call->options;
	struct perun_experiment *experiment = NULL;
	struct perun_profile *profile = NULL;
	struct perun_growth *growths = NULL;
	int status;

	if (perun_option_string(options, "parse-point"))
		return parse_point(cli, perun_option_string(options, "parse-point"),
				   perun_option_flag(options, "json"));
	if (!perun_option_string(options, "input"))
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "name a file or directory of measurements");
	status = read_input(cli, options, &profile);
	if (!status)
		status = perun_experiment_new(cli->ctx, profile,
					      perun_option_flag(options, "allow-missing"),
					      &experiment);
	if (!status)
		status = model_all(cli, options, experiment, &growths);
	if (!status)
		status = perun_option_flag(options, "json") ? print_json(experiment, growths)
							    : print_table(experiment, growths);
	for (size_t i = 0; experiment && growths && i < experiment->series_count; i++)
		perun_growth_clear(&growths[i]);
	perun_free(growths);
	perun_experiment_free(experiment);
	perun_profile_unref(profile);
	return status;
}
