/* SPDX-License-Identifier: BSD-3-Clause */
/* From requests to answers. */
#include <config.h>

#include <string.h>

#include "assets.h"
#include "serve.h"

static const struct {
	const char *path;
	int (*write)(struct serve_question *question, struct perun_json_writer *writer);
} documents[] = {{"/api/about", serve_write_about},   {"/api/tree", serve_write_tree},
		 {"/api/top", serve_write_top},       {"/api/peek", serve_write_peek},
		 {"/api/labels", serve_write_labels}, {"/api/source", serve_write_source},
		 {"/api/graph", serve_write_graph},   {"/api/times", serve_write_times}};

static const struct {
	const char *path;
	const unsigned char *data;
	const unsigned long *size;
} files[] = {{"/", serve_page_html, &serve_page_html_size},
	     {"/serve.css", serve_page_css, &serve_page_css_size},
	     {"/serve.js", serve_page_js, &serve_page_js_size}};

/* What is wrong, as a document. */
static void add_failure(struct perun_ctx *ctx, int status, struct server_answer *answer)
{
	struct perun_json_writer *writer;
	const char *why = perun_ctx_error(ctx);

	perun_buffer_clear(&answer->body);
	perun_free(answer->file);
	answer->file = NULL;
	answer->code = status == PERUN_USAGE       ? 400
		       : status == PERUN_CANCELLED ? 503
		       : status == PERUN_INPUT     ? 422
		       : status == PERUN_MISSING   ? 501
						   : 500;
	answer->type = server_type(".json");
	writer = perun_json_writer_new(&answer->body, PERUN_JSON_COMPACT, 0);
	perun_json_write_object_start(writer);
	serve_write_pair(writer, "error", why ? why : "this took too long");
	perun_json_write_object_end(writer);
	perun_json_writer_finish(writer);
}

static bool answer_file(const struct server_request *request, struct server_answer *answer)
{
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (strcmp(request->path, files[i].path) != 0)
			continue;
		answer->type = server_type(i ? files[i].path : ".html");
		perun_buffer_add(&answer->body, files[i].data, *files[i].size);
		return true;
	}
	return false;
}

static int answer_question(struct serve_question *question, struct server_answer *answer)
{
	struct perun_json_writer *writer;
	int status = PERUN_USAGE;

	if (strcmp(question->request->path, "/api/profile") == 0)
		return serve_download(question, answer);
	answer->type = server_type(".json");
	writer = perun_json_writer_new(&answer->body, PERUN_JSON_COMPACT, 0);
	perun_json_write_object_start(writer);
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		if (strcmp(question->request->path, documents[i].path) == 0)
			status = documents[i].write(question, writer);
	}
	perun_json_write_object_end(writer);
	perun_json_writer_finish(writer);
	return status;
}

static bool is_question(const char *path)
{
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		if (strcmp(path, documents[i].path) == 0)
			return true;
	}
	return strcmp(path, "/api/profile") == 0;
}

void serve_answer(void *data, unsigned worker, struct perun_ctx *ctx,
		  const struct server_request *request, struct server_answer *answer)
{
	struct serve_question question;
	int status;

	(void)worker;
	if (request->post && strcmp(request->path, "/api/profiles") == 0) {
		status = serve_ingest(data, ctx, request, answer);
		if (status)
			add_failure(ctx, status, answer);
		return;
	}
	if (request->post || (!answer_file(request, answer) && !is_question(request->path))) {
		answer->code = 404;
		perun_buffer_add_text(&answer->body, "There is nothing of this name.\n");
		return;
	}
	if (answer->body.length)
		return;
	status = serve_ask(data, ctx, request, &question);
	if (!status)
		status = answer_question(&question, answer);
	if (status)
		add_failure(ctx, status, answer);
	serve_drop(&question);
}
