/* SPDX-License-Identifier: BSD-3-Clause */
/* As much of HTTP/1.1 as a browser on the same machine needs to read a site. */
#ifndef PERUN_COMMANDS_SITE_HTTP_H
#define PERUN_COMMANDS_SITE_HTTP_H

#include <perun/context.h>

struct http_request {
	bool head;       /* only the head of the answer is wanted */
	char path[1024]; /* decoded, without the query; begins with "/" */
	int problem;     /* what to answer at once, 0 = the request is fine */
};

/*
 * Listen on the loopback address. `port` 0 takes a free one; `*port` becomes the one in use. Returns the
 * socket, -1 and errno otherwise.
 */
int http_listen(unsigned *port);
/*
 * Add what a connection that does not block has sent to the head of its request. 1 = it is whole, 0 = not yet,
 * -1 = it ended, or is none.
 */
int http_receive(int connection, struct perun_buffer *head);
/* Read the head of a request. */
void http_parse(const char *head, unsigned port, struct http_request *request);
/*
 * Answer with a body; gives up when that takes many seconds. `type` is that of its content. The head repeats
 * the policy of a page.
 */
void http_answer(int connection, const struct http_request *request, int code, const char *type,
		 const void *body, size_t size);
/* The type of the content of a file, by its name. */
const char *http_type(const char *path);

#endif
