/* SPDX-License-Identifier: BSD-3-Clause */
/* perun site --serve: the site on the loopback address, with views on request. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/lib/lookup.h>
#include <perun/lib/path.h>
#include <perun/lib/registry.h>

#include "http.h"
#include "page.h"
#include "waiting.h"

enum { MAX_ANSWERS = 64, PAUSE = 1000, SHORT_PAUSE = 20 /* milliseconds */ };

struct server {
	struct perun_ctx *ctx;
	const struct site_service *service;
	struct perun_store *store; /* in a process of its own another handle */
	unsigned port;
	int socket;
	uint64_t seen; /* the store as the site shows it */
	unsigned running;
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

static void add_views(struct server *server, struct perun_buffer *body)
{
	struct site site = {.ctx = server->ctx};

	if (site_list_views(&site) == PERUN_OK) {
		perun_buffer_add_text(body, "perun(\"views\",[");
		for (size_t i = 0; i < site.view_count; i++) {
			perun_buffer_add_text(body, i ? "," : "");
			site_add_text(body, site.views[i]);
		}
		perun_buffer_add_text(body, "]);\nperun(\"comparisons\",[");
		for (size_t i = 0, count = 0; site_comparisons[i]; i++) {
			if (!perun_registry_find(server->ctx, PERUN_KIND_VIEW, site_comparisons[i]))
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
static int load_before(struct server *server, const char *version, struct perun_profile *profile,
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
	int status = site_find_before(server->ctx, server->store, version, &like, &checksum);

	if (!status && !checksum)
		status = perun_fail(server->ctx, PERUN_INPUT,
				    "version %.8s did not measure the same", version);
	if (!status)
		status = perun_store_load(server->ctx, server->store, checksum, before);
	perun_free(checksum);
	return status;
}

/*
 * A page that was not written, drawn now: "view/PROFILE-NAME.html", or "view/PROFILE-VERSION-NAME.html", compared with
 * what the version measured.
 */
static int draw_view(struct server *server, const char *path, struct perun_buffer *body)
{
	struct perun_ctx *ctx = server->ctx;
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
		status = perun_store_load(ctx, server->store, checksum, &profiles[1]);
	if (!status && version)
		status = load_before(server, version, profiles[1], &profiles[0]);
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

static void add_refusal(struct server *server, int code, struct perun_buffer *body)
{
	const char *why = code == 404 ? perun_ctx_error(server->ctx) : "Unsupported request.";

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

static void answer(struct server *server, int connection, const struct http_request *request)
{
	const char *path = request->path[1] ? request->path + 1 : "index.html";
	struct perun_buffer body = {0};
	int code = request->problem, status = PERUN_OK;

	if (!code && is_plain(path) && *path != '.')
		status = site_read_file(NULL, server->service->directory, path, &body);
	else
		status = PERUN_USAGE;
	if (!code && (status || !body.length))
		code = is_plain(path) && draw_view(server, path, &body) == PERUN_OK ? 200 : 404;
	else if (!code && strcmp(path, "data/catalog.js") == 0)
		add_views(server, &body);
	if (!code)
		code = 200;
	if (code != 200)
		add_refusal(server, code, &body);
	http_answer(connection, request, code, code == 200 ? http_type(path) : http_type(".html"),
		    body.data, body.length);
	perun_buffer_free(&body);
}

/* ---- keeping up ------------------------------------------------------------------------------ */

/* Whatever is added to the store is a new name in one of its directories. */
static uint64_t look(struct server *server)
{
	const char *store = perun_store_path(server->store);
	uint64_t seen = 0;
	char *head = NULL;

	if (perun_lookup_version(server->ctx, server->store, NULL, &head) == PERUN_OK)
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

/* What an open store knows of the files that lie in it may be out of date. */
static int reopen_store(struct server *server)
{
	return perun_store_reopen(server->ctx, server->store, &server->store);
}

/* In a process of its own, so that what it finds and keeps is gone with it. */
static void keep_up(struct server *server)
{
	const struct site_service *service = server->service;
	uint64_t seen = look(server);
	pid_t child;
	int status;

	if (seen == server->seen)
		return;
	child = fork();
	if (child == 0) {
		status = reopen_store(server);
		if (!status)
			status = service->make(server->ctx, server->store, service->data);
		if (status && status != PERUN_CANCELLED)
			perun_warn(server->ctx, "%s", perun_ctx_error(server->ctx));
		_exit(status);
	}
	if (child < 0)
		return; /* with the next request */
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	server->seen = seen;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void serve(struct server *server, int connection, const char *head)
{
	struct http_request request;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return;
	if (child > 0) {
		server->running++;
		return;
	}
	close(server->socket);
	http_parse(head, server->port, &request);
	if (reopen_store(server) == PERUN_OK)
		answer(server, connection, &request);
	_exit(0);
}

static void reap(struct server *server)
{
	while (server->running > 0 && waitpid(-1, NULL, WNOHANG) > 0)
		server->running--;
}

/* Only this waits for anything; whoever sends no request has no process, and changes nothing. */
static void serve_all(struct server *server)
{
	struct site_waiting *waiting = site_waiting_new(server->socket);

	while (!perun_cancelled(server->ctx)) {
		const char *head;
		bool free = server->running < MAX_ANSWERS;
		int connection =
			site_waiting_next(waiting, free ? PAUSE : SHORT_PAUSE, free, &head);

		reap(server);
		if (connection < 0)
			continue;
		keep_up(server);
		serve(server, connection, head);
		close(connection);
	}
	site_waiting_free(waiting);
}

int site_serve(struct perun_ctx *ctx, const struct site_service *service)
{
	struct server server = {
		.ctx = ctx, .service = service, .store = service->store, .port = service->port};

	server.socket = http_listen(&server.port);
	if (server.socket < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno,
					"cannot listen on port %u of this machine", server.port);
	server.seen = look(&server);
	perun_output_printf(service->output,
			    "http://127.0.0.1:%u/ shows the site until this is interrupted\n",
			    server.port);
	perun_output_flush(service->output);
	fflush(stdout);
	serve_all(&server);
	close(server.socket);
	return PERUN_OK;
}
