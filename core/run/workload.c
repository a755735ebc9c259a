/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads that are more than an argument: standard input, environment variables, a line of the shell. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/advice.h>

#include "core/run/run.h"

static const char *const keys[] = {"workload", "stdin", "env", "shell", "name"};

/* A text as it is, a number or a truth value as it is written in JSON; false of anything else. */
static bool add_value(struct perun_buffer *out, const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);
	enum perun_json_type type = perun_json_type(value);

	if (text)
		perun_buffer_add_text(out, text);
	else if (type == PERUN_JSON_TYPE_OBJECT || type == PERUN_JSON_TYPE_ARRAY ||
		 type == PERUN_JSON_TYPE_NULL)
		return false;
	else
		perun_json_print(value, out, PERUN_JSON_COMPACT, 0);
	return true;
}

/* ---- what may be in it ----------------------------------------------------------------------- */

static int check_variable(struct perun_ctx *ctx, const char *name, const struct perun_json *value)
{
	struct perun_buffer text = {0};
	int status = PERUN_OK;

	if (!*name || strchr(name, '='))
		status = perun_fail(ctx, PERUN_INPUT,
				    "'%s' cannot be the name of an environment variable", name);
	else if (!add_value(&text, value))
		status = perun_fail(ctx, PERUN_INPUT,
				    "the environment variable %s is not a text; put it in quotes",
				    name);
	perun_buffer_free(&text);
	return status;
}

static int check_value(struct perun_ctx *ctx, const char *key, const struct perun_json *value)
{
	bool flag;
	int status = PERUN_OK;

	if (strcmp(key, "shell") == 0) {
		if (!perun_json_as_bool(value, &flag))
			status = perun_fail(ctx, PERUN_INPUT, "shell is neither true nor false");
	} else if (strcmp(key, "env") == 0) {
		if (perun_json_type(value) != PERUN_JSON_TYPE_OBJECT)
			status = perun_fail(ctx, PERUN_INPUT,
					    "env does not map names to values, as in {LANG: C}");
		for (size_t i = 0; !status && i < perun_json_count(value); i++)
			status = check_variable(ctx, perun_json_key_at(value, i, NULL),
						perun_json_at(value, i));
	} else if (!perun_json_as_string(value, NULL)) {
		status = perun_fail(ctx, PERUN_INPUT, "%s is not a text; put it in quotes", key);
	}
	return status;
}

static int check_described(struct perun_ctx *ctx, const struct perun_json *described)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < perun_json_count(described); i++) {
		const char *key = perun_json_key_at(described, i, NULL);
		bool known = false;

		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			known |= strcmp(key, keys[k]) == 0;
		status = known ? check_value(ctx, key, perun_json_at(described, i))
			       : perun_fail(ctx, PERUN_INPUT,
					    "a workload has no '%s'; it has workload, stdin, env, "
					    "shell and name",
					    key);
	}
	return status;
}

/* ---- in a plan ------------------------------------------------------------------------------- */

/* What profiles say: "LANG=C -v < in.txt", unless it has a name. */
static char *label_of(const struct perun_json *described)
{
	const struct perun_json *variables = perun_json_get(described, "env");
	const char *name = perun_json_get_text(described, "name"),
		   *argument = perun_json_get_text(described, "workload");
	const char *input = perun_json_get_text(described, "stdin");
	struct perun_buffer label = {0};

	if (*name)
		return perun_strdup(name);
	for (size_t i = 0; i < perun_json_count(variables); i++) {
		perun_buffer_printf(&label, "%s%s=", i ? " " : "",
				    perun_json_key_at(variables, i, NULL));
		add_value(&label, perun_json_at(variables, i));
	}
	if (*argument)
		perun_buffer_printf(&label, "%s%s", label.length ? " " : "", argument);
	if (*input)
		perun_buffer_printf(&label, "%s< %s", label.length ? " " : "", input);
	return perun_buffer_take(&label);
}

int perun_plan_workload(struct perun_ctx *ctx, struct perun_plan *plan,
			const struct perun_json *described)
{
	size_t count = plan->texts[PERUN_PLAN_WORKLOADS].count;
	const char *text = perun_json_as_string(described, NULL);
	char *label;
	int status = PERUN_OK;

	if (text) {
		perun_plan_add(plan, PERUN_PLAN_WORKLOADS, text);
		return PERUN_OK;
	}
	if (perun_json_type(described) != PERUN_JSON_TYPE_OBJECT)
		status = perun_fail(ctx, PERUN_INPUT, "it is not a text; put it in quotes");
	else
		status = check_described(ctx, described);
	if (status)
		return perun_fail(ctx, status, "workload %zu", count + 1);
	/* Those before it may be plain texts. */
	while (plan->described_count <= count) {
		PERUN_GROW(plan->described, plan->described_count, plan->described_capacity);
		plan->described[plan->described_count++] = NULL;
	}
	plan->described[count] = perun_json_clone(described);
	label = label_of(described);
	perun_plan_add(plan, PERUN_PLAN_WORKLOADS, label);
	perun_free(label);
	return PERUN_OK;
}

const struct perun_json *perun_plan_described(const struct perun_plan *plan, size_t i)
{
	return i < plan->described_count ? plan->described[i] : NULL;
}

const char *perun_plan_workload_argument(const struct perun_plan *plan, size_t i)
{
	const struct perun_json *described = perun_plan_described(plan, i);

	return described ? perun_json_get_text(described, "workload")
			 : perun_plan_text(plan, PERUN_PLAN_WORKLOADS, i);
}

/* Whether a shell runs it. */
static bool is_line(const struct perun_json *described)
{
	bool shell = false;

	return perun_json_as_bool(perun_json_get(described, "shell"), &shell) && shell;
}

/* "LANG=C" and the like, where no program has that name. */
static bool is_variable(const char *word)
{
	size_t name = 0;

	while (isalnum((unsigned char)word[name]) || word[name] == '_')
		name++;
	return name > 0 && word[name] == '=';
}

/* A word of its own that a shell would not pass on. Quoted ones cannot be distinguished, so it is but a warning. */
static bool is_operator(const char *word)
{
	static const char *const operators[] = {"|", "||", "&&", ";", "&", ">", ">>", "<", "2>&1"};

	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		if (strcmp(word, operators[i]) == 0)
			return true;
	}
	return false;
}

static int check_text(struct perun_ctx *ctx, const char *text, bool command)
{
	struct perun_words words = {0};
	int status = perun_split_words(ctx, text, &words);

	if (!status && command && words.count && is_variable(words.items[0]))
		status = perun_fail(ctx, PERUN_USAGE,
				    "'%s' sets a variable, which only a shell understands%s",
				    words.items[0], perun_advice(PERUN_ADVICE_USE_SHELL));
	for (size_t i = 0; !status && i < words.count; i++) {
		if (!is_operator(words.items[i]))
			continue;
		perun_warn(ctx, "'%s' is passed to the program as an argument%s", words.items[i],
			   perun_advice(PERUN_ADVICE_USE_SHELL));
		break;
	}
	perun_words_free(&words);
	return status;
}

/* Whether a collector has a shell of its own, as `time` has. */
static bool has_shell(const struct perun_modules *collectors)
{
	for (size_t i = 0; i < collectors->count; i++) {
		const struct perun_module *unit = &collectors->items[i];

		for (size_t word = 0; word < unit->count; word++) {
			const char *text = unit->arguments[word];

			if (strcmp(text + strspn(text, "-"), "shell") == 0)
				return true;
		}
	}
	return false;
}

int perun_workload_check(struct perun_ctx *ctx, const struct perun_plan *plan)
{
	size_t plain = 0;
	int status = PERUN_OK;

	if (has_shell(&plan->units[PERUN_PLAN_COLLECTORS]))
		return PERUN_OK;
	for (size_t i = 0; !status && i < perun_plan_texts(plan, PERUN_PLAN_WORKLOADS); i++) {
		if (is_line(perun_plan_described(plan, i)))
			continue;
		plain++;
		status = check_text(ctx, perun_plan_workload_argument(plan, i), false);
	}
	for (size_t i = 0; !status && plain && i < plan->texts[PERUN_PLAN_COMMANDS].count; i++)
		status = check_text(ctx, plan->texts[PERUN_PLAN_COMMANDS].items[i], true);
	for (size_t i = 0; !status && plain && i < plan->texts[PERUN_PLAN_ARGUMENTS].count; i++)
		status = check_text(ctx, plan->texts[PERUN_PLAN_ARGUMENTS].items[i], false);
	return status;
}

/* ---- when it is run -------------------------------------------------------------------------- */

void perun_workload_environment(const struct perun_json *described, struct perun_words *environment)
{
	const struct perun_json *variables = perun_json_get(described, "env");

	for (size_t i = 0; i < perun_json_count(variables); i++) {
		struct perun_buffer text = {0};

		perun_buffer_printf(&text, "%s=", perun_json_key_at(variables, i, NULL));
		add_value(&text, perun_json_at(variables, i));
		perun_words_add(environment, text.data, text.length);
		perun_buffer_free(&text);
	}
}

/* Of a shell: the texts are joined as they are, and what a generator made is one word of the line. */
static void add_line(const struct perun_run_job *names, const struct perun_json *described,
		     const char *generated, struct perun_words *words)
{
	const char *argument = generated ? "\"$1\"" : perun_json_get_text(described, "workload");
	struct perun_buffer line = {0};

	perun_buffer_printf(&line, "%s%s%s%s%s", names->command, *names->arguments ? " " : "",
			    names->arguments, *argument ? " " : "", argument);
	perun_words_add(words, "/bin/sh", strlen("/bin/sh"));
	perun_words_add(words, "-c", strlen("-c"));
	perun_words_add(words, line.data, line.length);
	if (generated) {
		perun_words_add(words, "sh", strlen("sh"));
		perun_words_add(words, generated, strlen(generated));
	}
	perun_buffer_free(&line);
}

int perun_workload_words(struct perun_ctx *ctx, const struct perun_run_job *names,
			 const struct perun_json *described, const char *generated,
			 struct perun_words *words)
{
	int status;

	if (is_line(described)) {
		add_line(names, described, generated, words);
		return PERUN_OK;
	}
	status = perun_split_words(ctx, names->command, words);
	if (!status)
		status = perun_split_words(ctx, names->arguments, words);
	if (!status && generated)
		perun_words_add(words, generated, strlen(generated));
	else if (!status)
		status = perun_split_words(ctx,
					   described ? perun_json_get_text(described, "workload")
						     : names->workload,
					   words);
	return status;
}
