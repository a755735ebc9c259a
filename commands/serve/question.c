/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of a request as options of a view: the same filters, by the same names. */
#include <config.h>

#include <string.h>

#include <perun/lib/options.h>

#include "serve.h"

const struct perun_option serve_filters[] = {VIEWS_DATA_OPTIONS, {0}};

static const struct perun_option *find_option(const char *name)
{
	for (const struct perun_option *option = serve_filters; option->name; option++) {
		if (strcmp(option->name, name) == 0)
			return option;
	}
	return NULL;
}

#define BASE "base-"

/* Whether a filter chooses samples, whatever their stacks are. */
static bool chooses_rows(const char *name)
{
	return strcmp(name, "label") == 0 || strcmp(name, "no-label") == 0 ||
	       strcmp(name, "where") == 0;
}

/* A filter of rows for the base alone. */
static bool is_base_filter(const struct server_argument *argument)
{
	return strncmp(argument->name, BASE, strlen(BASE)) == 0 && *argument->value &&
	       chooses_rows(argument->name + strlen(BASE));
}

bool serve_has_base_filter(const struct server_request *request)
{
	for (size_t i = 0; i < request->argument_count; i++) {
		if (is_base_filter(&request->arguments[i]))
			return true;
	}
	return false;
}

/* The name of the option that an argument is for a side; NULL = none. */
static const char *option_of(const struct server_argument *argument, enum serve_side side)
{
	if (!*argument->value)
		return NULL;
	if (side == SERVE_BASE && is_base_filter(argument))
		return argument->name + strlen(BASE);
	return side != SERVE_NEW && chooses_rows(argument->name) ? NULL : argument->name;
}

/* Other arguments are of the page, or of one answer. */
int serve_read_options(struct perun_ctx *ctx, const struct server_request *request,
		       enum serve_side side, struct perun_options **result)
{
	const struct perun_option_table table = {serve_filters, sizeof *serve_filters};
	struct perun_words words = {0};
	const char *const none[] = {NULL};
	int status;

	for (size_t i = 0; i < request->argument_count; i++) {
		const struct server_argument *argument = &request->arguments[i];
		const char *name = option_of(argument, side);
		const struct perun_option *option = name ? find_option(name) : NULL;
		char *word;

		if (!option)
			continue;
		word = option->type == PERUN_OPTION_FLAG
			       ? perun_format("--%s", name)
			       : perun_format("--%s=%s", name, argument->value);
		perun_words_add(&words, word, strlen(word));
		perun_free(word);
	}
	status = perun_options_parse(ctx, &table, 1,
				     words.count ? (const char *const *)words.items : none, 0,
				     result, NULL);
	perun_words_free(&words);
	return status;
}

int serve_ask(struct serve *serve, struct perun_ctx *ctx, const struct server_request *request,
	      struct serve_question *question)
{
	const char *metric = server_argument(request, "metric");
	int status;

	*question = (struct serve_question){.serve = serve, .ctx = ctx, .request = request};
	metric = metric && *metric ? NULL : serve->metric; /* the option goes first */
	if (serve_compares(request))
		return serve_ask_pair(question, metric);
	status = serve_read_options(ctx, request, SERVE_NEW, &question->options);
	if (!status)
		status = serve_select(question);
	if (!status)
		status = views_open(ctx, question->options, question->profile, question->title,
				    metric, &question->data);
	return status;
}

void serve_drop(struct serve_question *question)
{
	serve_pair_free(question->pair);
	views_close(&question->data);
	perun_options_free(question->options);
	perun_profile_unref(question->profile);
	perun_free(question->title);
	perun_free(question->version);
}

/* ---- what answers have in common --------------------------------------------------------------- */

void serve_write_pair(struct perun_json_writer *writer, const char *key, const char *text)
{
	perun_json_write_key_text(writer, key);
	perun_json_write_text(writer, text);
}

void serve_write_number(struct perun_json_writer *writer, const char *key, long double value)
{
	perun_json_write_key_text(writer, key);
	perun_json_write_double(writer, (double)value);
}

void serve_write_string(struct perun_json_writer *writer, const struct perun_profile *profile,
			perun_id id)
{
	size_t length = 0;
	const char *text = perun_profile_string(profile, id, &length);

	perun_json_write_string(writer, text ? text : "", length);
}

void serve_write_sum(const struct serve_question *question, struct perun_json_writer *writer)
{
	serve_write_pair(writer, "metric", question->data.metric->name);
	serve_write_pair(writer, "unit", question->data.metric->unit);
	serve_write_number(writer, "total", question->data.left);
	serve_write_number(writer, "all", question->data.all);
	if (question->pair) {
		serve_write_number(writer, "base_total", question->pair->total);
		serve_write_number(writer, "base_all", question->pair->all);
	}
}
