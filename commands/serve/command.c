/* SPDX-License-Identifier: BSD-3-Clause */
/* perun serve: its options, and its beginning. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/lookup.h>

#include "commands/common/plugin.h"
#include "serve.h"

enum { MAX_BODY = 64 << 20, MIN_TOKEN = 16, MAX_TOKEN = 1000 };

static const struct perun_option options[] = {
	{.name = "profile",
	 .metavar = "PROFILE",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "files, profiles of the store, or versions: their sum is shown (default: the "
		 "head's)"},
	{.name = "base",
	 .metavar = "PROFILE",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "what they are compared with; the page can do that with others, too"},
	{.name = "normalize", .help = "compare as if both had the same total"},
	{.name = "port",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "8766",
	 .ranged = true,
	 .maximum = 65535,
	 .help = "where; 0 takes any that is free"},
	{.name = "address",
	 .metavar = "ADDRESS",
	 .type = PERUN_OPTION_STRING,
	 .default_value = "127.0.0.1",
	 .help = "listen there; other machines need --token-file"},
	{.name = "token-file",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "a file with the token that others must send, which only its owner may read"},
	{.name = "host",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a name by which a proxy is asked for this page"},
	VIEWS_DATA_OPTIONS,
	{0}};

/* ---- the token ------------------------------------------------------------------------------- */

static int read_token(struct perun_ctx *ctx, const char *path, char **token)
{
	char text[MAX_TOKEN + 1];
	struct stat info;
	ssize_t got;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (file < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", path);
	got = read(file, text, sizeof text);
	if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || got < 0 || got > MAX_TOKEN) {
		close(file);
		return perun_fail(ctx, PERUN_INPUT, "%s is not a file with a token", path);
	}
	close(file);
	if (info.st_mode & (S_IRWXG | S_IRWXO))
		return perun_fail(ctx, PERUN_INPUT, "%s may be read by others: chmod 600 %s", path,
				  path);
	while (got > 0 && strchr(" \t\r\n", text[got - 1]))
		got--;
	if (got < MIN_TOKEN || memchr(text, '\0', (size_t)got))
		return perun_fail(ctx, PERUN_INPUT,
				  "%s: expected a token of at least %d characters", path,
				  MIN_TOKEN);
	*token = perun_strndup(text, (size_t)got);
	return PERUN_OK;
}

static bool is_loopback(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* What the page is asked for at first. */
struct first {
	struct server_argument *items;
	size_t count, capacity;
};

static void add_first(struct first *first, const char *name, const char *value)
{
	PERUN_GROW(first->items, first->count, first->capacity);
	first->items[first->count++] = (struct server_argument){name, value};
}

static void read_first(const struct serve *serve, const struct perun_options *given,
		       struct first *first)
{
	for (size_t i = 0; i < serve->base->count; i++)
		add_first(first, "base-profile", serve->base->items[i]);
	if (perun_option_flag(given, "normalize"))
		add_first(first, "normalize", "1");
	for (const struct perun_option *option = serve_filters; option->name; option++) {
		if (!perun_option_given(given, option->name))
			continue;
		if (option->type == PERUN_OPTION_FLAG)
			add_first(first, option->name, "1");
		for (size_t i = 0; option->type != PERUN_OPTION_FLAG &&
				   i < perun_option_count(given, option->name);
		     i++)
			add_first(first, option->name,
				  perun_option_string_at(given, option->name, i));
	}
}

/* What is wrong with the profiles is said before anybody asks. */
static int try_profiles(struct serve *serve, struct perun_ctx *ctx, const struct first *first)
{
	const struct server_request request = {
		.path = "/", .arguments = first->items, .argument_count = first->count};
	struct serve_question question;
	int status = serve_ask(serve, ctx, &request, &question);

	serve_drop(&question);
	return status;
}

/* "?base-profile=old.pb.gz&focus=main": in hexadecimal what means something in an address, or has no place there. */
static char *query_of(const struct first *first)
{
	struct perun_buffer query = {0};

	for (size_t i = 0; i < first->count; i++) {
		perun_buffer_printf(&query, "%s%s=", i ? "&" : "?", first->items[i].name);
		for (const char *at = first->items[i].value; *at; at++) {
			const unsigned char byte = (unsigned char)*at;
			const bool plain = byte > ' ' && byte < 0x7f &&
					   !strchr("\"#$%&'()+,;<=>?@[]\\^`{|}", byte);

			perun_buffer_printf(&query, plain ? "%c" : "%%%02X", byte);
		}
	}
	return query.length ? perun_buffer_take(&query) : perun_strdup("");
}

static int serve_all(struct perun_ctx *ctx, const struct perun_command_call *call,
		     const struct server_options *how, const char *query)
{
	const bool six = strchr(how->address, ':') != NULL;
	struct server *server = NULL;
	int status = server_open(ctx, how, &server);

	if (!status) {
		perun_output_printf(call->output,
				    "http://%s%s%s:%u/%s shows it until this is interrupted\n",
				    six ? "[" : "", how->address, six ? "]" : "",
				    server_port(server), query ? query : "");
		perun_output_flush(call->output);
		fflush(stdout);
		status = server_run(ctx, server);
	}
	server_close(server);
	return status;
}

static void add_words(const struct perun_options *given, const char *option,
		      struct perun_words *words)
{
	for (size_t i = 0; i < perun_option_count(given, option); i++) {
		const char *word = perun_option_string_at(given, option, i);

		perun_words_add(words, word, strlen(word));
	}
}

static char *find_root(const struct perun_store *store)
{
	char *here = store ? NULL : realpath(".", NULL), *root;

	root = perun_strdup(store ? perun_store_root(store) : here ? here : ".");
	free(here);
	return root;
}

/* What callers have to show; other machines are answered by a server that has a token alone. */
static int guard(struct perun_ctx *ctx, const struct perun_options *given,
		 struct server_options *how, char **token)
{
	const char *file = perun_option_string(given, "token-file");
	int status = file ? read_token(ctx, file, token) : PERUN_OK;

	how->token = *token;
	how->guarded = !is_loopback(how->address);
	how->threads = *token ? SERVE_INGEST_THREADS : SERVE_THREADS;
	if (!status && how->guarded && !*token)
		status = perun_fail(ctx, PERUN_USAGE,
				    "other machines could read what %s shows: give --token-file",
				    how->address);
	return status;
}

static int run_serve(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const struct perun_options *given = call->options;
	size_t host_count = perun_option_count(given, "host");
	const char **hosts = perun_alloc_zero(host_count + 1, sizeof *hosts);
	struct perun_words words = {0}, base = {0};
	struct serve serve = {.given = &words,
			      .base = &base,
			      .metric = perun_option_string(given, "metric"),
			      .lock = PTHREAD_MUTEX_INITIALIZER,
			      .store_lock = PTHREAD_MUTEX_INITIALIZER,
			      .stored = PTHREAD_COND_INITIALIZER};
	struct perun_scratch scratch = {.lock = -1};
	struct server_options how = {.address = perun_option_string(given, "address"),
				     .port = (unsigned)perun_option_integer(given, "port"),
				     .hosts = hosts,
				     .host_count = host_count,
				     .max_body = MAX_BODY,
				     .data = &serve,
				     .answer = serve_answer};
	struct first first = {0};
	char *token = NULL, *query;
	int status = guard(ctx, given, &how, &token);

	add_words(given, "profile", &words);
	add_words(given, "base", &base);
	for (size_t i = 0; i < host_count; i++)
		hosts[i] = perun_option_string_at(given, "host", i);
	if (!status)
		status = perun_command_store(call, ctx, !words.count, &serve.store);
	serve.root = find_root(serve.store);
	read_first(&serve, given, &first);
	query = query_of(&first);
	if (!status && (words.count || !token)) /* what is to be filled may be empty */
		status = try_profiles(&serve, ctx, &first);
	if (!status && token)
		status = perun_scratch_make(ctx, "perun-serve", &scratch);
	serve.scratch = scratch.path;
	if (!status)
		status = serve_all(ctx, call, &how, query);
	perun_scratch_remove(&scratch);
	serve_forget(&serve);
	perun_words_free(&words);
	perun_words_free(&base);
	perun_free(serve.root);
	perun_free(token);
	perun_free(query);
	perun_free(first.items);
	perun_free((void *)hosts);
	pthread_mutex_destroy(&serve.lock);
	pthread_mutex_destroy(&serve.store_lock);
	pthread_cond_destroy(&serve.stored);
	return status;
}

COMMAND_PLUGIN(serve, "serve", "profiles on a live page", "show profiles on a live page", options,
	       run_serve);
