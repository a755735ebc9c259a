/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of commands that run a program alternately. */
#include <string.h>

#include <perun/lib/history.h>

#include "interleave-options.h"

/* The variables of --env after those of the program; an array to free with perun_free(). */
static int list_environment(struct perun_ctx *ctx, const struct perun_options *options,
			    const struct commands_program *program, const char ***environment)
{
	size_t given = perun_option_count(options, "env"), count = 0;

	*environment = NULL;
	while (program->environment && program->environment[count])
		count++;
	for (size_t i = 0; i < given; i++) {
		const char *text = perun_option_string_at(options, "env", i);

		if (!strchr(text, '=') || *text == '=')
			return perun_fail(ctx, PERUN_USAGE, "option --env: '%s' is not NAME=VALUE",
					  text);
	}
	*environment = perun_alloc_zero(count + given + 1, sizeof **environment);
	for (size_t i = 0; i < count; i++)
		(*environment)[i] = program->environment[i];
	for (size_t i = 0; i < given; i++)
		(*environment)[count + i] = perun_option_string_at(options, "env", i);
	return PERUN_OK;
}

static int find_threshold(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_options *options,
			  const struct commands_program *program, double *threshold)
{
	struct perun_buffer command = {0};
	double own = 0;
	int status = PERUN_OK;

	*threshold = perun_option_number(options, "threshold") / 100;
	if (!store || perun_option_given(options, "threshold"))
		return PERUN_OK;
	for (char *const *word = program->argv; *word; word++)
		perun_buffer_printf(&command, "%s%s", command.length ? " " : "", *word);
	status = perun_threshold(ctx, store, NULL, command.data, &own);
	if (own > 0)
		*threshold = own;
	perun_buffer_free(&command);
	return status;
}

/* What becomes of the options of a program: one of the two. */
struct outcome {
	struct perun_interleave *interleave;
	struct perun_json *document;
	bool described; /* the document is wanted */
};

static int prepare(struct perun_ctx *ctx, struct perun_store *store,
		   const struct perun_options *options, const struct commands_program *program,
		   struct outcome *outcome)
{
	static const char *const passed[][2] = {{"pin", "--pin"}, {"timeout", "--timeout"}};
	const char *words[8] = {NULL}, **environment = NULL;
	const char *input = perun_option_given(options, "stdin")
				    ? perun_option_string(options, "stdin")
				    : program->input;
	struct perun_interleave_options how = {
		.struct_size = sizeof how,
		.collector = "time",
		.sampler = "cpu",
		.words = words,
		.warmup = (size_t)perun_option_integer(options, "warmup"),
		.pairs = (size_t)perun_option_integer(options, "repeat"),
		.max_pairs = (size_t)perun_option_integer(options, "most"),
		.budget = perun_option_given(options, "budget")
				  ? perun_option_number(options, "budget")
				  : 0,
		.limit_option = perun_option_given(options, "timeout") ? NULL : "--timeout",
		.shell = program->shell || perun_option_flag(options, "shell"),
		.seeded = perun_option_given(options, "seed"),
		.seed = (uint64_t)perun_option_integer(options, "seed")};
	size_t count = 0;
	int status = find_threshold(ctx, store, options, program, &how.threshold);

	if (!status)
		status = list_environment(ctx, options, program, &environment);
	if (status)
		return status;
	how.environment = environment;
	if (perun_option_given(options, "metric"))
		how.metric = perun_option_string(options, "metric");
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
		if (!perun_option_given(options, passed[i][0]))
			continue;
		words[count++] = passed[i][1];
		words[count++] = perun_option_string_at(options, passed[i][0], 0);
	}
	if (input) {
		words[count++] = "--input";
		words[count++] = input;
	}
	if (perun_option_flag(options, "ignore-status"))
		words[count] = "--ignore-status";
	if (outcome->described)
		outcome->document = perun_interleave_document(program->argv, &how);
	else
		status = perun_interleave_new(ctx, program->argv, &how, &outcome->interleave);
	perun_free(environment);
	return status;
}

int commands_interleave_program(struct perun_ctx *ctx, struct perun_store *store,
				const struct perun_options *options,
				const struct commands_program *program,
				struct perun_interleave **interleave)
{
	struct outcome outcome = {0};
	int status = prepare(ctx, store, options, program, &outcome);

	*interleave = outcome.interleave;
	return status;
}

int commands_interleave_document(struct perun_ctx *ctx, struct perun_store *store,
				 const struct perun_options *options,
				 const struct commands_program *program,
				 struct perun_json **document)
{
	struct outcome outcome = {.described = true};
	int status = prepare(ctx, store, options, program, &outcome);

	*document = outcome.document;
	return status;
}

int commands_interleave_new(struct perun_ctx *ctx, const struct perun_options *options,
			    char *const *argv, struct perun_interleave **interleave)
{
	const struct commands_program program = {.argv = argv};

	return commands_interleave_program(ctx, NULL, options, &program, interleave);
}

const char **commands_words(const struct perun_options *options, const char *name)
{
	size_t count = perun_option_count(options, name);
	const char **words = perun_alloc_zero(count + 1, sizeof *words);

	for (size_t i = 0; i < count; i++)
		words[i] = perun_option_string_at(options, name, i);
	return words;
}
