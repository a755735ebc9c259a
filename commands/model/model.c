/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model: how the costs of an experiment grow with its parameters. */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/lookup.h>

#include "commands/common/change-line.h"
#include "commands/common/plugin.h"
#include "model.h"
#include "views/common/modeler.h"

static const struct perun_option options[] = {
	{.name = "input",
	 .metavar = "INPUT",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "a file or directory of measurements, - for standard input, a tag such as 0@i, "
		 "several profiles, a version, two as A..B, or a run in cells by its id"},
	{.name = "parameter",
	 .aliases = "-p",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "what varies among profiles, or in a column of their resources: workload, "
		 "args[2], "
		 "n=params.size"},
	{.name = "rows",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "sum each",
	 .help = "rows of a profile with the same call path are summed, or each is a measurement; "
		 "by default stacks are summed"},
	{.name = "format",
	 .metavar = "FORMAT",
	 .type = PERUN_OPTION_STRING,
	 .help = "the format to read, by default found out from the content"},
	{.name = "scaling",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "weak weak_threaded strong auto",
	 .help = "add speed-up, efficiency and cost of weak or strong scaling; for formats with "
		 "processes and threads weak and strong say how their values are put together"},
	{.name = "processors",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the parameter that counts processors, for --scaling (default: the only one, or "
		 "one that is called so)"},
	{.name = "efficiency",
	 .metavar = "PERCENT",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0.01,
	 .maximum = 100,
	 .default_value = "50",
	 .help = "with --scaling, say where the efficiency falls below this"},
	VIEWS_MODELER_OPTION(NULL),
	VIEWS_MEASURE_OPTION,
	VIEWS_MODELER_SETTING_OPTION("an option of the modeler"),
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
	{.name = "at",
	 .metavar = "POINT",
	 .type = PERUN_OPTION_STRING,
	 .help = "predict what everything costs at this point, as p=100000,n=1e6, and rank it"},
	{.name = "level",
	 .metavar = "PERCENT",
	 .type = PERUN_OPTION_STRING,
	 .default_value = "95",
	 .help = "the confidence of the bands around predictions"},
	{.name = "next",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 20,
	 .help = "say which N measurements would make the prediction surer: at --at, or at four "
		 "times the first parameter's largest value"},
	{.name = "cost",
	 .metavar = "EXPRESSION",
	 .type = PERUN_OPTION_STRING,
	 .help = "with --next, what measuring at a point costs, as 'p*t': of parameters, and t, "
		 "the predicted sum of the first metric"},
	{.name = "budget",
	 .metavar = "COST",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e300,
	 .help = "with --cost, what all of them may cost together"},
	{.name = "inclusive",
	 .help = "values of a call path contain those of the call paths below it"},
	{.name = "compare",
	 .metavar = "OTHER",
	 .type = PERUN_OPTION_PATH,
	 .help = "report how growth changed since this other experiment"},
	{.name = "print",
	 .metavar = "WHAT",
	 .type = PERUN_OPTION_STRING,
	 .help = "print this in Extra-P's form: all, functions (also with -python or -latex), "
		 "callpaths, metrics, parameters, or a format such as '{callpath}: {model}'"},
	{.name = "markdown", .help = "print the table in Markdown"},
	{.name = "json", .help = "print the experiment and its models as JSON"},
	{0}};

/* ---- a run ----------------------------------------------------------------------------------- */

/* Model an experiment. Clear the run also after a failure. */
static int run_start(struct model_run *run, const struct model_input *input, size_t which)
{
	struct perun_ctx *ctx = input->ctx;
	const struct perun_command_call *call = input->call;
	const struct perun_options *options = call->options;
	struct perun_modeler_options modeler;
	bool gathered;
	int status;

	*run = (struct model_run){.ctx = ctx,
				  .title = model_input_title(input, which),
				  .call = call,
				  .options = options};
	run->canvas = (struct perun_canvas){
		.struct_size = sizeof run->canvas,
		.form = perun_option_flag(options, "markdown") ? PERUN_FORM_MARKDOWN
							       : PERUN_FORM_TERMINAL,
		.color = call->color,
		.width = call->width,
		.output = call->output,
		.ascii = !call->unicode,
		.screen = commands_line_width(call->terminal, call->width) > 0};
	status = model_input_make(input, which, &run->profile, &gathered);
	/* What does not happen in a profile is not in it. */
	if (!status)
		status = perun_experiment_new(
			ctx, run->profile, gathered || perun_option_flag(options, "allow-missing"),
			&run->experiment);
	if (!status)
		status = views_read_modeler(ctx, options, &modeler, &run->repeated);
	if (!status && model_wants_scaling(options, run->profile))
		status = model_scaling_add(run);
	if (!status)
		status = perun_experiment_fit(ctx, run->experiment, &modeler, run->repeated,
					      &run->growths);
	/* The models of thousands of call paths in JSON do not need it. */
	if (!status && (perun_option_given(options, "at") || perun_option_given(options, "next") ||
			!perun_option_flag(options, "json")))
		model_tree_init(&run->tree, run->experiment);
	if (!status)
		run->elsewhere = run->title && !model_has_point(run);
	if (status || run->elsewhere)
		return status;
	status = model_predict(run);
	if (!status && run->scaling.whole)
		status = model_scaling_fit(run, &modeler);
	if (!status)
		status = model_next_find(run);
	return status;
}

static void run_clear(struct model_run *run)
{
	model_tree_clear(&run->tree);
	model_scaling_clear(run);
	model_next_clear(&run->next);
	perun_free(run->at);
	perun_free(run->costs);
	perun_free(run->below);
	perun_free(run->ranking);
	if (run->experiment)
		perun_scaling_models_free(run->growths, run->experiment->series_count);
	perun_experiment_free(run->experiment);
	perun_profile_unref(run->profile);
}

const char **model_strings(const struct perun_options *options, const char *name)
{
	size_t count = perun_option_count(options, name);
	const char **texts = perun_alloc_zero(count + 1, sizeof *texts);

	for (size_t i = 0; i < count; i++)
		texts[i] = perun_option_string_at(options, name, i);
	return texts;
}

/* ---- printing -------------------------------------------------------------------------------- */

void model_print(const struct model_run *run, const char *format, ...)
{
	va_list args;
	char *line;

	va_start(args, format);
	line = perun_vformat(format, args);
	va_end(args);
	perun_output_text(run->call->output, line);
	perun_free(line);
}

void model_print_safe(const struct model_run *run, const char *text)
{
	char *safe = perun_printable(text);

	perun_output_text(run->call->output, safe);
	perun_free(safe);
}

void model_print_title(const struct model_run *run, const char *title)
{
	struct perun_buffer text = {0};

	if (run->canvas.form == PERUN_FORM_MARKDOWN) {
		perun_buffer_printf(&text, "## %s\n\n", title);
	} else {
		perun_buffer_add_char(&text, '\n');
		views_add_color(&text, &run->canvas, VIEWS_BOLD);
		perun_buffer_printf(&text, "[%s]", title);
		views_add_color(&text, &run->canvas, VIEWS_PLAIN);
		perun_buffer_add_text(&text, "\n\n");
	}
	perun_output_write(run->call->output, text.data, text.length);
	perun_buffer_free(&text);
}

void model_print_formula(const struct model_run *run, const struct perun_scaling_model *growth,
			 enum perun_spelling spelling, struct perun_buffer *text)
{
	const char *const *names = run->experiment->parameter_names;
	char number[PERUN_JSON_NUMBER_SIZE];

	perun_formula_print(growth->formulas[0], names, spelling, text);
	if (growth->segments != 2)
		return;
	perun_json_print_double(growth->until, number);
	perun_buffer_printf(text, " for %s<=%s\n", names[0], number);
	perun_formula_print(growth->formulas[1], names, spelling, text);
	perun_json_print_double(growth->from, number);
	perun_buffer_printf(text, " for %s>=%s", names[0], number);
}

void model_print_point(const struct model_run *run, const double *point, struct perun_buffer *text)
{
	for (size_t p = 0; p < run->experiment->parameters; p++)
		perun_buffer_printf(text, "%s%s=%.6g", p ? "," : "",
				    run->experiment->parameter_names[p], point[p]);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int to_output(void *data, const char *text, size_t length)
{
	return perun_output_write(data, text, length);
}

/* --parse-point: how the name of a directory is understood. */
static int parse_point(struct perun_ctx *ctx, const struct perun_command_call *call,
		       const char *name)
{
	struct perun_output *output = call->output;
	struct perun_point_name point;
	int status = perun_point_name_parse(ctx, name, &point);

	if (status)
		return status;
	if (perun_option_flag(call->options, "json")) {
		struct perun_json_writer *json =
			perun_json_writer_new_sink(to_output, output, PERUN_JSON_PYTHON, 0);

		perun_json_write_object_start(json);
		perun_json_write_key_text(json, "names");
		perun_json_write_array_start(json);
		for (size_t i = 0; i < point.count; i++)
			perun_json_write_text(json, point.names[i]);
		perun_json_write_array_end(json);
		perun_json_write_key_text(json, "values");
		perun_json_write_array_start(json);
		for (size_t i = 0; i < point.count; i++)
			perun_json_write_double(json, point.values[i]);
		perun_json_write_array_end(json);
		perun_json_write_object_end(json);
		status = perun_json_writer_finish(json);
		perun_output_text(output, "\n");
	} else {
		for (size_t i = 0; i < point.count; i++) {
			char number[PERUN_JSON_NUMBER_SIZE],
				*safe = perun_printable(point.names[i]);

			perun_json_print_double(point.values[i], number);
			perun_output_printf(output, "%s = %s\n", safe, number);
			perun_free(safe);
		}
	}
	perun_point_name_clear(&point);
	return status;
}

static int print_run(const struct model_run *run)
{
	const struct perun_options *options = run->options;
	const char *word = perun_option_string(options, "print");

	if (perun_option_flag(options, "json"))
		return model_json(run);
	if (word)
		return model_text(run, word);
	return perun_option_flag(options, "markdown") ? model_markdown(run) : model_table(run);
}

/* Before each of several experiments: what it is of, in JSON what is between two members. */
static void print_between(const struct model_run *run, bool first)
{
	if (perun_option_flag(run->options, "json"))
		model_print(run, first ? "{\"experiments\": [" : ",\n");
	else if (!perun_option_string(run->options, "print"))
		model_print_title(run, run->title);
}

/* Print one of the experiments; of several those that have the parameters of --at, and something to be compared with. */
static int print_experiment(const struct model_input *input, const struct model_input *before,
			    size_t which, size_t *printed)
{
	size_t other = before ? model_input_find(input, which, before) : 0;
	struct model_run run, earlier = {0};
	int status;

	if (other == SIZE_MAX)
		return PERUN_OK;
	status = run_start(&run, input, which);
	if (!status && before && !run.elsewhere)
		status = run_start(&earlier, before, other);
	if (!status && before && !run.elsewhere)
		status = model_check_parameters(&earlier, &run);
	if (!status && !run.elsewhere) {
		if (*printed == 0 && !perun_option_flag(run.options, "json"))
			perun_command_page(run.call);
		if (run.title)
			print_between(&run, *printed == 0);
		++*printed;
		status = before ? model_compare(&earlier, &run) : print_run(&run);
	}
	run_clear(&earlier);
	run_clear(&run);
	return status;
}

static int print_all(const struct model_input *input, const struct model_input *before)
{
	size_t count = model_input_count(input), printed = 0;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = print_experiment(input, before, i, &printed);
	if (!status && !printed)
		return perun_fail(input->ctx, PERUN_USAGE,
				  before ? "the two have no experiment in common"
					 : "no experiment has the parameters of --at");
	/* The document has an end also where a later one fails. */
	if (printed && count > 1 && perun_option_flag(input->options, "json"))
		perun_output_text(input->call->output, "]}\n");
	return status;
}

/* "v1..v2": the versions that are compared; none where the word is something else. */
static int find_range(struct perun_ctx *ctx, const struct perun_command_call *call,
		      const char *word, struct perun_range *range)
{
	struct perun_store *store = NULL;
	int status;

	if (!strstr(word, "..") || strchr(word, '/') || access(word, F_OK) == 0)
		return PERUN_OK;
	status = perun_command_store(call, ctx, true, &store);
	if (!status)
		status = perun_lookup_range(ctx, store, word, range);
	if (!status && perun_option_string(call->options, "compare"))
		status = perun_fail(ctx, PERUN_USAGE,
				    "%s compares two versions: take it without --compare", word);
	return status;
}

static int run_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const struct perun_options *options = call->options;
	const char *other = perun_option_string(options, "compare");
	struct perun_range range = {.struct_size = sizeof range};
	const char *name = perun_option_string(options, "parse-point");
	const char *word = perun_option_string(options, "print");
	bool as_json = perun_option_flag(options, "json");
	struct model_input *input = NULL, *before = NULL;
	const char **words;
	int status;

	if (name)
		return parse_point(ctx, call, name);
	if (!perun_option_count(options, "input"))
		return perun_fail(ctx, PERUN_USAGE, "name a file or directory of measurements");
	for (int i = 0; i < 2 && !perun_option_string(options, "scaling"); i++)
		if (perun_option_given(options, i ? "efficiency" : "processors"))
			return perun_fail(ctx, PERUN_USAGE, "--%s is for --scaling",
					  i ? "efficiency" : "processors");
	if (perun_option_given(options, "cost") && !perun_option_given(options, "next"))
		return perun_fail(ctx, PERUN_USAGE, "--cost is for --next");
	if (perun_option_given(options, "budget") && !perun_option_given(options, "cost"))
		return perun_fail(ctx, PERUN_USAGE, "--budget is for --cost");
	if (perun_option_given(options, "next") && (other || word))
		return perun_fail(ctx, PERUN_USAGE,
				  "--next is for one experiment, as a table or JSON");
	if (as_json + perun_option_flag(options, "markdown") + (word != NULL) > 1)
		return perun_fail(ctx, PERUN_USAGE,
				  "--json, --markdown and --print are different forms: take one");
	words = model_strings(options, "input");
	status = words[1] ? PERUN_OK : find_range(ctx, call, words[0], &range);
	if (!status && range.head) {
		words[0] = range.head;
		other = range.exclude;
	}
	if (!status && word && other)
		status = perun_fail(ctx, PERUN_USAGE, "a comparison has no form of --print");
	if (!status)
		status = model_input_read(ctx, call, words, perun_option_count(options, "input"),
					  &input);
	if (!status && other)
		status = model_input_read(ctx, call, &other, 1, &before);
	if (!status)
		status = print_all(input, before);
	model_input_free(input);
	model_input_free(before);
	perun_range_free(&range);
	perun_free(words);
	return status;
}

COMMAND_PLUGIN(model, "model", "formulas of growth, as Extra-P finds them",
	       "find out how costs grow with the parameters of an experiment", options,
	       run_command);
