/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages and answers for browsers and programs, on libmicrohttpd: perun site --serve and perun serve. One thread reads
 * requests and sends answers, others make them; whoever sends or reads nothing keeps nobody else waiting.
 */
#ifndef PERUN_COMMANDS_COMMON_SERVER_H
#define PERUN_COMMANDS_COMMON_SERVER_H

#include <perun/context.h>

/* An argument of the query, decoded. */
struct server_argument {
	const char *name, *value; /* value: "" without one */
};

struct server_request {
	bool post;        /* else it only reads */
	const char *path; /* decoded, without the query; begins with "/" */
	const struct server_argument *arguments;
	size_t argument_count;
	const char *body; /* "" unless `post` */
	size_t size;
};
/* The first argument of a name; NULL when there is none. */
const char *server_argument(const struct server_request *request, const char *name);

/* What is answered. The server frees `body` and `file`. */
struct server_answer {
	int code;         /* of HTTP */
	const char *type; /* of the content; NULL: plain text */
	char *file;       /* save it under this name; NULL: show it */
	struct perun_buffer body;
};

struct server_options {
	const char *address; /* numeric */
	unsigned port;       /* 0: any that is free */
	const char *token;   /* what changes something must have it; NULL: nothing can be changed */
	bool guarded;        /* what only reads must have it, too */
	const char *const
		*hosts; /* names besides addresses and localhost that requests may come under */
	size_t host_count;
	unsigned threads; /* that answer */
	size_t max_body;  /* bytes */
	void *data;
	/* Called on thread `worker` (0 to threads - 1), with a context of its own. */
	void (*answer)(void *data, unsigned worker, struct perun_ctx *ctx,
		       const struct server_request *request, struct server_answer *answer);
};

struct server;

/* Listen. PERUN_INPUT when the address cannot be had, PERUN_MISSING in a program without libmicrohttpd. */
int server_open(struct perun_ctx *ctx, const struct server_options *options,
		struct server **server);
unsigned server_port(const struct server *server);
/* Serve until the user interrupts. */
int server_run(struct perun_ctx *ctx, struct server *server);
void server_close(struct server *server); /* NULL is fine */

/* The type of the content of a file, by its name. */
const char *server_type(const char *path);

#endif
