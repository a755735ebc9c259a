/* SPDX-License-Identifier: BSD-3-Clause */
/* -http: what is asked for as words of perun serve. */
#include <config.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/program.h>

#include "settings.h"

static void add(struct perun_words *words, const char *text)
{
	perun_words_add(words, text, strlen(text));
}

static void add_text(struct perun_words *words, const char *name, const char *value)
{
	char *word;

	if (!*value)
		return;
	word = perun_format("--%s=%s", name, value);
	add(words, word);
	perun_free(word);
}

/* "localhost:8080", ":8080", "[::1]:8080", ":": as there, a host that is not given is this one, and a port any. */
static int add_place(struct perun_ctx *ctx, const char *place, struct perun_words *words)
{
	const char *colon = strrchr(place, ':');
	const char *port = colon && colon[1] ? colon + 1 : "0";
	size_t length = colon ? (size_t)(colon - place) : 0;
	char *host;

	if (!colon)
		return perun_fail(ctx, PERUN_USAGE, "-http=%s: expected HOST:PORT, or :PORT",
				  place);
	if (length > 1 && place[0] == '[' && place[length - 1] == ']') {
		place++;
		length -= 2;
	}
	host = perun_strndup(place, length);
	add_text(words, "address", *host && strcmp(host, "localhost") != 0 ? host : "127.0.0.1");
	add_text(words, "port", port);
	perun_free(host);
	return PERUN_OK;
}

static void add_filters(const struct pprof_settings *settings, struct perun_words *words)
{
	static const char *const by[] = {[PPROF_FUNCTIONS] = "",
					 [PPROF_FILE_FUNCTIONS] = "file-function",
					 [PPROF_FILES] = "file",
					 [PPROF_LINES] = "line",
					 [PPROF_ADDRESSES] = "address"};

	add_text(words, "focus", settings->focus);
	add_text(words, "ignore", settings->ignore);
	add_text(words, "hide", settings->hide);
	add_text(words, "show", settings->show);
	add_text(words, "show-from", settings->show_from);
	add_text(words, "prune-from", settings->prune_from);
	add_text(words, "root-label", settings->tag_root);
	add_text(words, "leaf-label", settings->tag_leaf);
	add_text(words, "metric", settings->sample_index);
	add_text(words, "by", by[settings->granularity]);
	if (settings->no_inlines)
		add(words, "--no-inlines");
	if (settings->relative_percentages)
		add(words, "--relative");
	if (settings->normalize)
		add(words, "--normalize");
}

/* What the page does not do is said. */
static void note_others(struct perun_ctx *ctx, const struct pprof_settings *settings)
{
	const struct {
		const char *name;
		bool given;
	} others[] = {{"-tagfocus", *settings->tag_focus},
		      {"-tagignore", *settings->tag_ignore},
		      {"-tagshow", *settings->tag_show},
		      {"-taghide", *settings->tag_hide},
		      {"-output", *settings->output},
		      {"-source_path", *settings->source_path},
		      {"-trim_path", *settings->trim_path},
		      {"-symbolize", *settings->symbolize},
		      {"-add_comment", *settings->comment},
		      {"-buildid", *settings->build_id},
		      {"-mean", settings->mean},
		      {"-divide_by", settings->divide_by != 1},
		      {"-drop_negative", settings->drop_negative},
		      {"the program", settings->binary != NULL}};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (others[i].given)
			perun_warn(ctx, "with -http %s counts for nothing", others[i].name);
	}
}

int pprof_serve(struct perun_ctx *ctx, const struct pprof_settings *settings)
{
	struct perun_words words = {0};
	int status;

	add(&words, "perun");
	add(&words, "serve");
	status = add_place(ctx, settings->http, &words);
	for (size_t i = 0; i < settings->bases.count; i++)
		add_text(&words, "base", settings->bases.items[i]);
	add_filters(settings, &words);
	add(&words, "--");
	for (size_t i = 0; i < settings->inputs.count; i++)
		add(&words, settings->inputs.items[i]);
	if (!status) {
		note_others(ctx, settings);
		fflush(stdout);
		execv("/proc/self/exe", words.items);
		status = perun_fail_errno(ctx, PERUN_MISSING, errno, "cannot run perun serve");
	}
	perun_words_free(&words);
	return status;
}
