/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile from a program that runs, by HTTP. */
#include <config.h>

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>
#include <perun/lib/program.h>

#include "download.h"

#define REDIRECTS 5
/* What a server says of a failure, of which the first line is shown. */
#define COMPLAINT 200

/* ---- the address ----------------------------------------------------------------------------- */

static char *part(CURLU *parts, CURLUPart which)
{
	char *text = NULL, *copy;

	if (curl_url_get(parts, which, &text, 0) != CURLUE_OK)
		return NULL;
	copy = perun_strdup(text);
	curl_free(text);
	return copy;
}

/* The path of what is asked for, without slashes at its end. */
static char *path_of(CURLU *parts)
{
	char *path = part(parts, CURLUPART_PATH);
	size_t length = path ? strlen(path) : 0;

	while (length && path[length - 1] == '/')
		path[--length] = '\0';
	if (length && strcmp(path, "/debug/pprof") != 0)
		return path;
	perun_free(path);
	return perun_strdup("/debug/pprof/profile");
}

/* What the address itself says; 0 = nothing. */
static long seconds_of(CURLU *parts)
{
	static const char name[] = "seconds=";
	char *query = part(parts, CURLUPART_QUERY);
	long seconds = 0;

	for (const char *at = query; at; at = strchr(at, '&')) {
		at += *at == '&';
		if (strncmp(at, name, sizeof name - 1) == 0)
			seconds = strtol(at + sizeof name - 1, NULL, 10);
	}
	perun_free(query);
	return seconds > 0 ? seconds : 0;
}

static void set_seconds(CURLU *parts, long seconds)
{
	char *text = perun_format("seconds=%ld", seconds);

	curl_url_set(parts, CURLUPART_QUERY, text, CURLU_APPENDQUERY);
	perun_free(text);
}

static void fill(CURLU *parts, long seconds, struct endpoint *endpoint)
{
	char *path = path_of(parts), *host = part(parts, CURLUPART_HOST);
	char *port = part(parts, CURLUPART_PORT);

	curl_url_set(parts, CURLUPART_PATH, path, 0);
	endpoint->name = perun_strdup(perun_path_base_name(path));
	endpoint->address =
		perun_format("%s%s%s", host ? host : "", port ? ":" : "", port ? port : "");
	if (seconds)
		set_seconds(parts, seconds);
	endpoint->seconds = seconds_of(parts);
	endpoint->url = part(parts, CURLUPART_URL);
	perun_free(path);
	perun_free(host);
	perun_free(port);
}

int endpoint_parse(struct perun_ctx *ctx, const char *url, long seconds, struct endpoint *endpoint)
{
	CURLU *parts = curl_url();
	CURLUcode code = curl_url_set(parts, CURLUPART_URL, url, CURLU_DEFAULT_SCHEME);
	char *scheme = NULL;
	int status = PERUN_OK;

	*endpoint = (struct endpoint){0};
	if (code == CURLUE_OK && !strstr(url, "://"))
		curl_url_set(parts, CURLUPART_SCHEME, "http", 0);
	scheme = part(parts, CURLUPART_SCHEME);
	if (code != CURLUE_OK)
		status = perun_fail(ctx, PERUN_USAGE,
				    "expected an address such as http://localhost:6060, not %s",
				    url);
	else if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
		status = perun_fail(ctx, PERUN_USAGE, "%s: expected http or https, not %s", url,
				    scheme);
	else if (seconds && seconds_of(parts))
		status = perun_fail(ctx, PERUN_USAGE,
				    "--seconds and the address both say for how long");
	else
		fill(parts, seconds, endpoint);
	perun_free(scheme);
	curl_url_cleanup(parts);
	return status;
}

void endpoint_free(struct endpoint *endpoint)
{
	perun_free(endpoint->url);
	perun_free(endpoint->name);
	perun_free(endpoint->address);
	*endpoint = (struct endpoint){0};
}

/* ---- what comes ------------------------------------------------------------------------------ */

struct transfer {
	struct perun_ctx *ctx;
	CURL *curl;
	uint64_t limit, size;
	int file, error; /* error: of writing */
	char complaint[COMPLAINT];
	size_t said;
};

static bool succeeded(CURL *curl)
{
	long code = 0;

	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
	return code == 200;
}

static size_t on_data(char *data, size_t one, size_t size, void *given)
{
	struct transfer *transfer = given;

	if (!succeeded(transfer->curl)) {
		size_t room = COMPLAINT - 1 - transfer->said;
		size_t length = size < room ? size : room;

		memcpy(transfer->complaint + transfer->said, data, length);
		transfer->said += length;
		return size;
	}
	transfer->size += size * one;
	if (transfer->size > transfer->limit)
		return 0;
	transfer->error = perun_write_all(transfer->file, data, size);
	return transfer->error ? 0 : size;
}

static int on_progress(void *given, curl_off_t all, curl_off_t now, curl_off_t up, curl_off_t sent)
{
	struct transfer *transfer = given;

	(void)all, (void)now, (void)up, (void)sent;
	return perun_cancelled(transfer->ctx);
}

static void set_options(CURL *curl, const struct download *download, struct transfer *transfer,
			char *error)
{
	curl_easy_setopt(curl, CURLOPT_URL, download->url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(curl, CURLOPT_MAXREDIRS, (long)REDIRECTS);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, download->timeout);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "perun");
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, transfer);
}

static int judge(const struct transfer *transfer, CURLcode code, const char *error)
{
	long answer = 0;
	size_t line = strcspn(transfer->complaint, "\r\n");

	curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &answer);
	if (code == CURLE_ABORTED_BY_CALLBACK)
		return PERUN_CANCELLED;
	if (transfer->error)
		return perun_fail_errno(transfer->ctx, PERUN_INPUT, transfer->error,
					"cannot keep what the server sends");
	if (transfer->size > transfer->limit)
		return perun_fail(transfer->ctx, PERUN_INPUT,
				  "the server sends more than %" PRIu64 " bytes", transfer->limit);
	if (code != CURLE_OK)
		return perun_fail(transfer->ctx, PERUN_INPUT, "%s",
				  *error ? error : curl_easy_strerror(code));
	if (answer != 200)
		return perun_fail(transfer->ctx, PERUN_INPUT,
				  "the server answers with status %ld%s%.*s", answer,
				  line ? ": " : "", (int)line, transfer->complaint);
	return PERUN_OK;
}

int download_run(struct perun_ctx *ctx, const struct download *download, const char *path)
{
	char error[CURL_ERROR_SIZE] = "";
	struct transfer transfer = {.ctx = ctx, .curl = curl_easy_init(), .limit = download->limit};
	CURLcode code;
	int status;

	transfer.file = perun_path_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (transfer.file < 0) {
		curl_easy_cleanup(transfer.curl);
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
	}
	set_options(transfer.curl, download, &transfer, error);
	code = curl_easy_perform(transfer.curl);
	status = judge(&transfer, code, error);
	curl_easy_cleanup(transfer.curl);
	if (close(transfer.file) != 0 && !status)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
	return status;
}
