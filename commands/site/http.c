/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests and answers of HTTP. */
#include <config.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/page.h>

#include "http.h"

enum { LONGEST_HEAD = 16384, PATIENCE = 10 /* seconds */ };

int http_listen(unsigned *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
	socklen_t size = sizeof address;
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 512) == 0 &&
	    getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
		*port = ntohs(address.sin_port);
		return fd;
	}
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* ---- requests -------------------------------------------------------------------------------- */

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int http_receive(int connection, struct perun_buffer *head)
{
	for (;;) {
		ssize_t got = recv(connection, perun_buffer_reserve(head, 4096), 4096, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (got <= 0)
			return -1;
		head->length += (size_t)got;
		head->data[head->length] = '\0';
		if (strlen(head->data) != head->length || head->length >= LONGEST_HEAD)
			return -1;
		if (strstr(head->data, "\r\n\r\n"))
			return 1;
	}
}

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static bool decode(const char *from, size_t length, char *to, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < length && from[i] != '?' && from[i] != '#'; i++) {
		char c = from[i];

		if (c == '%' && i + 2 < length && digit(from[i + 1]) >= 0 &&
		    digit(from[i + 2]) >= 0) {
			c = (char)(digit(from[i + 1]) * 16 + digit(from[i + 2]));
			i += 2;
		}
		if (c == '\0' || used + 1 >= room)
			return false;
		to[used++] = c;
	}
	to[used] = '\0';
	return to[0] == '/';
}

/*
 * Browsers send the name they were asked for. Another one than that of this machine is a page of elsewhere
 * that had its own name point here, to read what is served.
 */
static bool is_host(const char *head, unsigned port)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
	char wanted[64];

	for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
		const char *value;
		size_t length;

		if (strncasecmp(line + 2, "Host:", 5) != 0)
			continue;
		value = line + 7 + strspn(line + 7, " \t");
		length = strcspn(value, " \t\r");
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			snprintf(wanted, sizeof wanted, "%s:%u", names[i], port);
			if (strlen(wanted) == length && strncasecmp(value, wanted, length) == 0)
				return true;
		}
		return false;
	}
	return false;
}

void http_parse(const char *head, unsigned port, struct http_request *request)
{
	const char *path, *end;

	*request = (struct http_request){0};
	request->head = strncmp(head, "HEAD ", 5) == 0;
	path = strchr(head, ' ');
	end = path ? strchr(path + 1, ' ') : NULL;
	if (!end || end > strstr(head, "\r\n"))
		request->problem = 400;
	else if (!request->head && strncmp(head, "GET ", 4) != 0)
		request->problem = 405;
	else if (!is_host(head, port))
		request->problem = 403;
	else if (!decode(path + 1, (size_t)(end - path - 1), request->path, sizeof request->path))
		request->problem = 400;
}

/* ---- answers --------------------------------------------------------------------------------- */

static const char *reason(int code)
{
	switch (code) {
	case 200:
		return "OK";
	case 400:
		return "Bad Request";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	default:
		return "Internal Server Error";
	}
}

static bool send_all(int connection, const char *data, size_t size, int64_t end)
{
	while (size > 0) {
		struct pollfd wait = {.fd = connection, .events = POLLOUT};
		int64_t left = end - now();
		ssize_t sent;

		if (left <= 0 || poll(&wait, 1, (int)left) <= 0)
			return false;
		sent = send(connection, data, size, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		if (sent > 0) {
			data += sent;
			size -= (size_t)sent;
		}
	}
	return true;
}

static bool is_printable(const char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return true;
}

/* A page's own policy; a page without one, such as a plugin's, neither runs nor loads anything. */
static void add_policy(struct perun_buffer *head, const char *type, const char *body, size_t size)
{
	char *policy =
		strncmp(type, "text/html", 9) == 0 ? perun_page_find_policy(body, size) : NULL;

	perun_buffer_printf(head, "Content-Security-Policy: %s; frame-ancestors 'self'\r\n",
			    policy && is_printable(policy)
				    ? policy
				    : "default-src 'none'; base-uri 'none'; form-action 'none'");
	perun_free(policy);
}

void http_answer(int connection, const struct http_request *request, int code, const char *type,
		 const void *body, size_t size)
{
	int64_t end = now() + PATIENCE * 1000;
	struct perun_buffer head = {0};

	perun_buffer_printf(&head,
			    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
			    "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n"
			    "Referrer-Policy: no-referrer\r\nX-Frame-Options: SAMEORIGIN\r\n"
			    "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n",
			    code, reason(code), type, size);
	add_policy(&head, type, body, size);
	perun_buffer_add_text(&head, "\r\n");
	if (send_all(connection, head.data, head.length, end) && !request->head)
		send_all(connection, body, size, end);
	perun_buffer_free(&head);
	shutdown(connection, SHUT_WR);
}

const char *http_type(const char *path)
{
	static const struct {
		const char *end, *type;
	} types[] = {{".html", "text/html; charset=utf-8"},
		     {".js", "text/javascript; charset=utf-8"},
		     {".css", "text/css; charset=utf-8"}};
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t end = strlen(types[i].end);

		if (length >= end && strcmp(path + length - end, types[i].end) == 0)
			return types[i].type;
	}
	return "text/plain; charset=utf-8";
}
