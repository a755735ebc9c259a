/* SPDX-License-Identifier: BSD-3-Clause */
/* perun site --serve: the site on the loopback address, with views on request. */
#include <config.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <perun/lib/lookup.h>
#include <perun/lib/path.h>
#include <perun/lib/registry.h>

#include "commands/common/server/server.h"
#include "commands/common/symbolize.h"
#include "page.h"

enum { THREADS = 4 };

/* What all threads share. */
struct keeping {
	const struct site_service *service;
	pthread_mutex_t lock;
	uint64_t seen; /* the store as the site shows it */
};

/* What answers one request. */
struct desk {
	struct perun_ctx *ctx;
	const struct site_service *service;
	struct perun_store *store; /* a handle of its own */
};

/* ---- what is asked for ----------------------------------------------------------------------- */

/* Names of the site's own files have nothing else in them. */
static bool is_plain(const char *path)
{
	for (const char *c = path; *c; c++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._",
			    *c) ||
		    (*c == '/' && (c[1] == '.' || c[1] == '/')))
			return false;
	}
	return true;
}

static void add_views(struct desk *desk, struct perun_buffer *body)
{
	struct site site = {.ctx = desk->ctx};

	if (site_list_views(&site) == PERUN_OK) {
		perun_buffer_add_text(body, "perun(\"views\",[");
		for (size_t i = 0; i < site.view_count; i++) {
			perun_buffer_add_text(body, i ? "," : "");
			site_add_text(body, site.views[i]);
		}
		perun_buffer_add_text(body, "]);\nperun(\"comparisons\",[");
		for (size_t i = 0, count = 0; site_comparisons[i]; i++) {
			if (!perun_registry_find(desk->ctx, PERUN_KIND_VIEW, site_comparisons[i]))
				continue;
			perun_buffer_add_text(body, count++ ? "," : "");
			site_add_text(body, site_comparisons[i]);
		}
		perun_buffer_add_text(body, "]);\n");
	}
	for (size_t i = 0; i < site.view_count; i++)
		perun_free(site.views[i]);
	perun_free(site.views);
}

/* The checksum at `*text`, which ends with '-'; `*text` moves past both. NULL = there is none. The caller's. */
static char *take_checksum(const char **text)
{
	size_t digits = strspn(*text, "0123456789abcdef");
	char *checksum;

	if ((digits != 40 && digits != 64) || (*text)[digits] != '-')
		return NULL;
	checksum = perun_strndup(*text, digits);
	*text += digits + 1;
	return checksum;
}

/* What `version` measured in the same way as a profile. */
static int load_before(struct desk *desk, const char *version, struct perun_profile *profile,
		       struct perun_profile **before)
{
	const struct perun_entry like = {
		.struct_size = sizeof like,
		.type = (char *)perun_profile_text(profile, "/header/type"),
		.cmd = (char *)perun_profile_text(profile, "/header/cmd"),
		.args = (char *)perun_profile_text(profile, "/header/args"),
		.workload = (char *)perun_profile_text(profile, "/header/workload"),
		.collector = (char *)perun_profile_text(profile, "/collector_info/name"),
		.postprocessors = (char *)perun_profile_postprocessors(profile)};
	char *checksum = NULL;
	int status = site_find_before(desk->ctx, desk->store, version, &like, &checksum);

	if (!status && !checksum)
		status = perun_fail(desk->ctx, PERUN_INPUT, "version %.8s did not measure the same",
				    version);
	if (!status)
		status = perun_store_load(desk->ctx, desk->store, checksum, before);
	perun_free(checksum);
	return status;
}

/*
 * A page that was not written, drawn now: "view/PROFILE-NAME.html", or "view/PROFILE-VERSION-NAME.html", compared with
 * what the version measured.
 */
static int draw_view(struct desk *desk, const char *path, struct perun_buffer *body)
{
	struct perun_ctx *ctx = desk->ctx;
	struct perun_profile *profiles[2] = {NULL, NULL};
	const char *rest = strncmp(path, "view/", 5) == 0 ? path + 5 : path;
	char *checksum = take_checksum(&rest), *version = checksum ? take_checksum(&rest) : NULL;
	size_t length = strlen(rest), single = version == NULL;
	char *view = perun_strndup(rest, length > 5 ? length - 5 : 0);
	char *before = version ? perun_strndup(version, 8) : NULL;
	char *after = checksum ? perun_strndup(checksum, 8) : NULL;
	const char *const names[] = {before, after};
	int status = PERUN_OK;

	if (!checksum || length < 5 || strcmp(rest + length - 5, ".html") != 0)
		status = perun_fail(ctx, PERUN_USAGE, "there is no page of this name");
	else if (!perun_registry_find(ctx, PERUN_KIND_VIEW, view))
		status = perun_fail(ctx, PERUN_USAGE, "there is no such view");
	else
		status = perun_store_load(ctx, desk->store, checksum, &profiles[1]);
	if (!status && version)
		status = load_before(desk, version, profiles[1], &profiles[0]);
	for (size_t i = single; i < 2 && !status; i++)
		status = commands_symbolize_for_view(ctx, &profiles[i]);
	if (!status)
		status = site_draw(ctx, view, profiles + single, names + single, 2 - single, body);
	perun_profile_unref(profiles[0]);
	perun_profile_unref(profiles[1]);
	perun_free(before);
	perun_free(after);
	perun_free(version);
	perun_free(checksum);
	perun_free(view);
	return status;
}

static void add_refusal(const struct desk *desk, struct perun_buffer *body)
{
	const char *why = perun_ctx_error(desk->ctx);

	perun_buffer_clear(body);
	perun_buffer_add_text(body,
			      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
			      "charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" "
			      "content=\"default-src 'none'; style-src 'self'; base-uri 'none'; "
			      "form-action 'none'\"><title>Not "
			      "found</title><link rel=\"stylesheet\" href=\"/site.css\"></head>"
			      "<body><main><h1>Not found</h1><p>");
	site_add_markup(body, why ? why : "There is no page of this name.");
	perun_buffer_add_text(body, "</p><p><a href=\"/index.html\">Overview</a></p></main></body>"
				    "</html>\n");
}

static void answer_path(struct desk *desk, const char *path, struct server_answer *answer)
{
	struct perun_buffer *body = &answer->body;
	bool plain = is_plain(path) && *path != '.';

	answer->type = server_type(path);
	if (plain && site_read_file(NULL, desk->service->directory, path, body) == PERUN_OK &&
	    body->length) {
		if (strcmp(path, "data/catalog.js") == 0)
			add_views(desk, body);
	} else if (!plain || draw_view(desk, path, body) != PERUN_OK) {
		answer->code = 404;
		answer->type = server_type(".html");
		add_refusal(desk, body);
	}
}

/* ---- keeping up ------------------------------------------------------------------------------ */

/* Whatever is added to the store is a new name in one of its directories. */
static uint64_t look(struct perun_ctx *ctx, struct perun_store *opened)
{
	const char *store = perun_store_path(opened);
	uint64_t seen = 0;
	char *head = NULL;

	if (perun_lookup_version(ctx, opened, NULL, &head) == PERUN_OK)
		seen = site_hash_text(seen, head);
	for (int i = -1; i < 256; i++) {
		char *path = i < 0 ? perun_format("%s/acknowledged.json", store)
				   : perun_format("%s/objects/%02x", store, (unsigned)i);
		struct stat info;

		if (perun_path_stat(path, &info) == 0)
			seen = site_hash(seen, &info.st_mtim, sizeof info.st_mtim);
		perun_free(path);
	}
	perun_free(head);
	return seen;
}

/* By one thread, while others that ask for something wait. */
static void keep_up(struct keeping *keeping, struct desk *desk)
{
	uint64_t seen;

	pthread_mutex_lock(&keeping->lock);
	seen = look(desk->ctx, desk->store);
	if (seen != keeping->seen &&
	    keeping->service->make(desk->ctx, desk->store, keeping->service->data) == PERUN_OK)
		keeping->seen = seen;
	pthread_mutex_unlock(&keeping->lock);
	perun_ctx_clear(desk->ctx);
}

/* What an open store knows of the files that lie in it may be out of date. */
static int open_store(struct perun_ctx *ctx, const struct keeping *keeping,
		      struct perun_store **store)
{
	return perun_store_reopen(ctx, keeping->service->store, store);
}

static void answer(void *data, unsigned worker, struct perun_ctx *ctx,
		   const struct server_request *request, struct server_answer *answer)
{
	struct keeping *keeping = data;
	struct desk desk = {.ctx = ctx, .service = keeping->service};

	(void)worker;
	if (open_store(ctx, keeping, &desk.store) == PERUN_OK) {
		keep_up(keeping, &desk);
		perun_store_close(desk.store);
	}
	if (open_store(ctx, keeping, &desk.store) == PERUN_OK) {
		answer_path(&desk, request->path[1] ? request->path + 1 : "index.html", answer);
		perun_store_close(desk.store);
		return;
	}
	answer->code = 500;
	perun_buffer_add_text(&answer->body, "The store cannot be opened.\n");
}

int site_serve(struct perun_ctx *ctx, const struct site_service *service)
{
	struct keeping keeping = {.service = service, .lock = PTHREAD_MUTEX_INITIALIZER};
	const struct server_options options = {.address = "127.0.0.1",
					       .port = service->port,
					       .threads = THREADS,
					       .data = &keeping,
					       .answer = answer};
	struct server *server;
	int status;

	keeping.seen = look(ctx, service->store);
	status = server_open(ctx, &options, &server);
	if (!status) {
		perun_output_printf(
			service->output,
			"http://127.0.0.1:%u/ shows the site until this is interrupted\n",
			server_port(server));
		perun_output_flush(service->output);
		fflush(stdout);
		status = server_run(ctx, server);
	}
	server_close(server);
	pthread_mutex_destroy(&keeping.lock);
	return status;
}
