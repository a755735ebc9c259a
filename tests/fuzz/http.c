/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz targets: what a browser sends to perun site --serve, and the pages that it then serves. */
#include <sys/socket.h>
#include <unistd.h>

#include <perun/lib/page.h>

#include "commands/site/http.h"
#include "tests/fuzz/fuzz.h"

enum { PORT = 80, MAX_SENT = 32768 };

/* The request arrives in two pieces. */
void fuzz_http(const uint8_t *data, size_t size)
{
	struct perun_buffer head = {0};
	struct http_request request;
	int ends[2], received = 0;

	size = size < MAX_SENT ? size : MAX_SENT;
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
	for (size_t at = 0, piece = size / 2; received == 0 && at < size;
	     at += piece, piece = size - at) {
		piece = piece ? piece : size;
		MUST(write(ends[1], data + at, piece) == (ssize_t)piece);
		received = http_receive(ends[0], &head);
	}
	if (received == 1) {
		http_parse(head.data, PORT, &request);
		MUST(request.problem || request.path[0] == '/');
		MUST(memchr(request.path, '\0', sizeof request.path) && http_type(request.path));
	}
	perun_buffer_free(&head);
	close(ends[0]);
	close(ends[1]);
}

void fuzz_page_policy(const uint8_t *data, size_t size)
{
	perun_free(perun_page_find_policy((const char *)data, size));
}
