/* SPDX-License-Identifier: BSD-3-Clause */
/* talpas: TaLPas' lines of almost JSON, one measurement each, with semicolons for commas. */
#include <inttypes.h>
#include <string.h>

#include <perun/lib/experiment.h>
#include <perun/format.h>
#include <perun/json.h>

#include "formats/common/losses.h"
#include "formats/common/plugin.h"

/* Semicolons separate, but not within strings. */
static void to_json(char *line)
{
	bool in_string = false;

	for (; *line; line++) {
		if (*line == '"')
			in_string = !in_string;
		else if (in_string && *line == '\\' && line[1])
			line++;
		else if (!in_string && *line == ';')
			*line = ',';
	}
}

static int read_talpas(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	static const struct perun_record_keys keys = {.parameters = "parameters",
						      .callpath = "callpath",
						      .metric = "metric",
						      .value = "value"};
	struct perun_lines *lines = perun_lines_new(input, 0);
	struct perun_json_reader *reader = perun_json_reader_new_text(ctx, "", 0, NULL);
	struct perun_records *records = perun_records_new(builder, &keys);
	size_t length;
	char *line;
	int status;

	(void)instance;
	while (!(status = perun_lines_next(ctx, lines, &line, &length)) && line) {
		if (line[strspn(line, " \t")] == '\0' && strlen(line) == length)
			continue;
		to_json(line);
		perun_json_reader_set_text(reader, line, length);
		if (perun_json_next(reader) == PERUN_JSON_ERROR)
			status = perun_json_error(reader)->status;
		if (!status)
			status = perun_records_add(records, reader);
		if (!status && perun_json_next(reader) != PERUN_JSON_END)
			status = perun_json_error(reader)->status
					 ? perun_json_error(reader)->status
					 : perun_json_fail(reader, "expected the end of the line");
		if (status) {
			perun_fail(ctx, PERUN_OK, "line %" PRIu64 " of the file",
				   perun_lines_number(lines));
			break;
		}
	}
	if (!status && perun_records_count(records) == 0)
		status = perun_fail_empty(ctx, NULL);
	perun_records_free(records);
	perun_json_reader_free(reader);
	perun_lines_free(lines);
	return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_number(double number, struct perun_buffer *out)
{
	char text[PERUN_JSON_NUMBER_SIZE];

	perun_buffer_add(out, text, perun_json_print_double(number, text));
}

static void write_measurement(struct perun_output *output,
			      const struct perun_experiment *experiment,
			      const struct perun_experiment_series *series, size_t at,
			      const struct perun_repetitions *all, struct perun_buffer *line)
{
	const double *point = experiment->coordinates +
			      experiment->measurements[at].point * experiment->parameters;
	const char *metric = experiment->metrics[series->metric];
	const char *callpath = experiment->callpath_names[series->callpath];

	for (size_t k = all->starts[at]; k < all->starts[at + 1]; k++) {
		perun_buffer_clear(line);
		perun_buffer_add_text(line, "{\"parameters\":{");
		for (size_t p = 0; p < experiment->parameters; p++) {
			const char *name = experiment->parameter_names[p];

			if (p)
				perun_buffer_add_char(line, ',');
			perun_json_quote(line, name, strlen(name));
			perun_buffer_add_char(line, ':');
			write_number(point[p], line);
		}
		perun_buffer_add_text(line, "};\"metric\":");
		perun_json_quote(line, metric, strlen(metric));
		perun_buffer_add_text(line, ";\"callpath\":");
		perun_json_quote(line, callpath, strlen(callpath));
		perun_buffer_add_text(line, ";\"value\":");
		write_number(all->values[k], line);
		perun_buffer_add_text(line, "}\n");
		perun_output_write(output, line->data, line->length);
	}
}

static int write_talpas(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
			struct perun_output *output)
{
	struct perun_experiment *experiment;
	struct perun_repetitions values;
	struct perun_buffer line = {0};
	int status = perun_experiment_new(ctx, profile, true, &experiment);

	(void)instance;
	if (status)
		return status;
	perun_experiment_repetitions(experiment, &values);
	losses_of_experiment(ctx, experiment, values.summaries, 0);
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_experiment_series *series = &experiment->series[i];

		for (size_t k = 0; k < series->count; k++)
			write_measurement(output, experiment, series, series->first + k, &values,
					  &line);
	}
	perun_buffer_free(&line);
	perun_repetitions_clear(&values);
	perun_experiment_free(experiment);
	return PERUN_OK;
}

/* The first line has all four members. */
static int probe_format(const struct perun_probe *probe)
{
	static const char *const keys[] = {"\"parameters\"", "\"metric\"", "\"callpath\"",
					   "\"value\""};
	const char *text = probe->data, *newline = memchr(text, '\n', probe->size);
	size_t length = newline ? (size_t)(newline - text) : probe->size;

	if (probe->directory || length == 0 || text[0] != '{')
		return 0;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!memmem(text, length, keys[i], strlen(keys[i])))
			return 0;
	return 94;
}

static const char *const marks[] = {"\"callpath\"", NULL};

FORMAT_PLUGIN(talpas, "talpas", "TaLPas' measurements", NULL, .contains = marks,
	      .probe = probe_format, .read = read_talpas, .write = write_talpas);
