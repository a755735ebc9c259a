/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles that programs send: stored, several at once, before they are acknowledged. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/lookup.h>
#include <perun/lib/path.h>

#include "commands/common/stored-query.h"
#include "serve.h"

/* A profile on its way into the store, until its request is answered. */
struct serve_item {
	const struct server_request *request;
	char *minor, *folder, *path;
	char checksum[PERUN_CHECKSUM_SIZE];
	bool already;
	int status;
	char *error;
	bool done;
	struct serve_item *next;
};

/* Profiles that are stored together. */
struct batch {
	struct serve_item *items[SERVE_BATCH];
	const char *paths[SERVE_BATCH];
	size_t count;
};

/* ---- storing --------------------------------------------------------------------------------- */

/* The labels of a request, as header.labels. */
static void describe(void *data, const struct perun_profile *profile, struct perun_json *document,
		     const char *path, const char *format)
{
	const struct batch *batch = data;
	const struct server_request *request = NULL;

	(void)profile;
	(void)format;
	for (size_t i = 0; i < batch->count; i++) {
		if (strcmp(batch->paths[i], path) == 0)
			request = batch->items[i]->request;
	}
	for (size_t i = 0; request && i < request->argument_count; i++) {
		const char *text = request->arguments[i].value, *colon = strchr(text, ':');

		if (strcmp(request->arguments[i].name, "label") == 0 && colon)
			commands_add_label(document, text, (size_t)(colon - text), colon + 1);
	}
}

static void note_failure(struct serve_item *item, struct perun_ctx *ctx, int status,
			 const char *error)
{
	item->status = status;
	item->error = perun_strdup(error ? error : perun_ctx_error(ctx));
}

/* One that cannot be read keeps all from being stored: then each goes by itself. */
static void store_batch(struct perun_ctx *ctx, struct perun_store *store, struct batch *batch)
{
	const struct perun_import_options how = {
		.struct_size = sizeof how, .describe = describe, .data = batch, .once = true};
	struct perun_additions *additions = NULL;
	int status = perun_store_import(ctx, store, batch->items[0]->minor, batch->paths,
					batch->count, &how, &additions);

	if (!additions && batch->count > 1) {
		for (size_t i = 0; i < batch->count; i++) {
			struct batch one = {{batch->items[i]}, {batch->paths[i]}, 1};

			perun_ctx_clear(ctx);
			store_batch(ctx, store, &one);
		}
		return;
	}
	for (size_t i = 0; i < batch->count; i++) {
		const struct perun_added *added =
			additions ? perun_additions_at(additions, i) : NULL;

		if (added && !added->status) {
			memcpy(batch->items[i]->checksum, added->checksum, sizeof added->checksum);
			batch->items[i]->already = added->already;
		} else {
			note_failure(batch->items[i], ctx, added ? added->status : status,
				     added ? added->error : NULL);
		}
	}
	perun_additions_free(additions);
	perun_ctx_clear(ctx);
}

/* Those that wait for the version that the first of them has. */
static void take_batch(struct serve *serve, struct batch *batch)
{
	struct serve_item **place = &serve->waiting;

	while (*place && batch->count < SERVE_BATCH) {
		struct serve_item *item = *place;

		if (batch->count && strcmp(item->minor, batch->items[0]->minor) != 0) {
			place = &item->next;
			continue;
		}
		*place = item->next;
		batch->paths[batch->count] = item->path;
		batch->items[batch->count++] = item;
	}
}

/*
 * What arrives while others are stored is stored together, so that a flush of the disk is for many. Whoever comes
 * when nobody stores does it for all that wait.
 */
static void store_item(struct serve *serve, struct perun_ctx *ctx, struct perun_store *store,
		       struct serve_item *item)
{
	pthread_mutex_lock(&serve->store_lock);
	item->next = serve->waiting;
	serve->waiting = item;
	while (!item->done) {
		struct batch batch = {.count = 0};

		if (serve->storing) {
			pthread_cond_wait(&serve->stored, &serve->store_lock);
			continue;
		}
		serve->storing = true;
		take_batch(serve, &batch);
		pthread_mutex_unlock(&serve->store_lock);
		store_batch(ctx, store, &batch);
		pthread_mutex_lock(&serve->store_lock);
		for (size_t i = 0; i < batch.count; i++)
			batch.items[i]->done = true;
		serve->storing = false;
		pthread_cond_broadcast(&serve->stored);
	}
	pthread_mutex_unlock(&serve->store_lock);
}

/* ---- the request ----------------------------------------------------------------------------- */

/* Names become paths: nothing but letters, digits and a few signs. */
static bool is_plain(const char *name)
{
	return *name && *name != '.' && strlen(name) <= 100 &&
	       name[strspn(name,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] ==
		       '\0';
}

static int check_request(struct perun_ctx *ctx, const struct server_request *request)
{
	const char *name = server_argument(request, "name");

	if (!request->size)
		return perun_fail(ctx, PERUN_USAGE, "the request has no profile in it");
	if (name && !is_plain(name))
		return perun_fail(ctx, PERUN_USAGE,
				  "name: expected letters, digits, '.', '_' and '-'");
	for (size_t i = 0; i < request->argument_count; i++) {
		const char *value = request->arguments[i].value;

		if (strcmp(request->arguments[i].name, "label") == 0 &&
		    (*value == ':' || !strchr(value, ':')))
			return perun_fail(ctx, PERUN_USAGE, "label %s: expected KEY:VALUE", value);
	}
	return PERUN_OK;
}

/* The formats read files: one in a folder of its own, so that the store has it under the name that it was given. */
static int write_file(struct serve *serve, struct perun_ctx *ctx, struct serve_item *item)
{
	const struct server_request *request = item->request;
	const char *name = server_argument(request, "name");
	char digits[PERUN_RANDOM_SIZE];
	int file, error;

	perun_random_digits(digits);
	item->folder = perun_format("%s/%s", serve->scratch, digits);
	item->path = perun_format("%s/%s", item->folder, name ? name : "profile");
	if (perun_path_make_directory(item->folder, 0700) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", item->folder);
	file = perun_path_open(item->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	error = file < 0 ? errno : perun_write_all(file, request->body, request->size);
	if (file >= 0 && close(file) != 0 && !error)
		error = errno;
	return error ? perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s", item->path)
		     : PERUN_OK;
}

static void write_answer(const struct serve_item *item, struct server_answer *answer)
{
	struct perun_json_writer *writer =
		perun_json_writer_new(&answer->body, PERUN_JSON_COMPACT, 0);

	answer->code = 201;
	answer->type = server_type(".json");
	perun_json_write_object_start(writer);
	serve_write_pair(writer, "minor_version", item->minor);
	serve_write_pair(writer, "checksum", item->checksum);
	perun_json_write_key_text(writer, "already");
	perun_json_write_bool(writer, item->already);
	perun_json_write_object_end(writer);
	perun_json_writer_finish(writer);
}

int serve_ingest(struct serve *serve, struct perun_ctx *ctx, const struct server_request *request,
		 struct server_answer *answer)
{
	struct serve_item item = {.request = request};
	struct perun_store *store = NULL;
	int status = check_request(ctx, request);

	if (!status && !serve->store)
		status = perun_fail(ctx, PERUN_USAGE, "there is no store to keep it in");
	if (!status)
		status = perun_store_reopen(ctx, serve->store, &store);
	if (!status)
		status = perun_lookup_version(ctx, store, server_argument(request, "commit"),
					      &item.minor);
	if (!status)
		status = write_file(serve, ctx, &item);
	if (!status) {
		store_item(serve, ctx, store, &item);
		if (item.status)
			status = perun_fail(ctx, item.status, "%s", item.error);
	}
	if (!status)
		write_answer(&item, answer);
	if (item.folder)
		perun_path_remove_tree(item.folder);
	perun_store_close(store);
	perun_free(item.minor);
	perun_free(item.folder);
	perun_free(item.path);
	perun_free(item.error);
	return status;
}
