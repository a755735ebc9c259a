/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections whose request has not come whole yet. */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "http.h"
#include "waiting.h"

enum { MAX_WAITING = 256, PATIENCE = 5000 /* milliseconds */ };

struct connection {
	int fd;
	bool whole;
	int64_t since;
	struct perun_buffer head;
};

struct site_waiting {
	int socket;
	struct connection items[MAX_WAITING]; /* in the order in which they came */
	size_t count;
	struct perun_buffer taken;
};

struct site_waiting *site_waiting_new(int socket)
{
	struct site_waiting *waiting = perun_alloc_zero(1, sizeof *waiting);

	waiting->socket = socket;
	return waiting;
}

static void forget(struct site_waiting *waiting, size_t at)
{
	perun_buffer_free(&waiting->items[at].head);
	waiting->count--;
	memmove(waiting->items + at, waiting->items + at + 1,
		(waiting->count - at) * sizeof *waiting->items);
}

static void drop(struct site_waiting *waiting, size_t at)
{
	/* Processes that answer others have copies of the descriptor. */
	shutdown(waiting->items[at].fd, SHUT_RDWR);
	close(waiting->items[at].fd);
	forget(waiting, at);
}

void site_waiting_free(struct site_waiting *waiting)
{
	if (!waiting)
		return;
	while (waiting->count > 0)
		drop(waiting, waiting->count - 1);
	perun_buffer_free(&waiting->taken);
	perun_free(waiting);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Make room by dropping the oldest whose request is not whole. */
static bool drop_oldest(struct site_waiting *waiting)
{
	for (size_t i = 0; i < waiting->count; i++) {
		if (!waiting->items[i].whole) {
			drop(waiting, i);
			return true;
		}
	}
	return false;
}

static void receive(struct site_waiting *waiting, size_t at)
{
	struct connection *connection = &waiting->items[at];
	int got = connection->whole ? 1 : http_receive(connection->fd, &connection->head);

	if (got < 0)
		drop(waiting, at);
	else
		connection->whole = got > 0;
}

/* Take all who call, and what they sent along. */
static void take_new(struct site_waiting *waiting)
{
	for (int i = 0; i < MAX_WAITING; i++) {
		int fd;

		if (waiting->count == MAX_WAITING && !drop_oldest(waiting))
			return;
		fd = accept4(waiting->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE) && drop_oldest(waiting))
			continue;
		if (fd < 0)
			return;
		waiting->items[waiting->count++] = (struct connection){.fd = fd, .since = now()};
		receive(waiting, waiting->count - 1);
	}
}

/* Read what came; true: somebody new calls. */
static bool look(struct site_waiting *waiting, int timeout)
{
	struct pollfd polls[MAX_WAITING + 1];
	size_t count = waiting->count;
	int64_t time;

	for (size_t i = 0; i < count; i++)
		polls[i] =
			(struct pollfd){.fd = waiting->items[i].whole ? -1 : waiting->items[i].fd,
					.events = POLLIN};
	polls[count] = (struct pollfd){.fd = waiting->socket, .events = POLLIN};
	if (poll(polls, count + 1, timeout) < 0)
		return false;
	time = now();
	/* From the end, since those that are dropped make the later ones move up. */
	for (size_t i = count; i-- > 0;) {
		if (polls[i].revents)
			receive(waiting, i);
		else if (!waiting->items[i].whole && time - waiting->items[i].since > PATIENCE)
			drop(waiting, i);
	}
	return polls[count].revents != 0;
}

static int take_whole(struct site_waiting *waiting, const char **head)
{
	for (size_t i = 0; i < waiting->count; i++) {
		struct connection *connection = &waiting->items[i];
		int fd = connection->fd;

		if (!connection->whole)
			continue;
		perun_buffer_free(&waiting->taken);
		waiting->taken = connection->head;
		connection->head = (struct perun_buffer){0};
		forget(waiting, i);
		*head = waiting->taken.data;
		return fd;
	}
	return -1;
}

int site_waiting_next(struct site_waiting *waiting, int timeout, bool take, const char **head)
{
	int fd = take ? take_whole(waiting, head) : -1;

	if (fd >= 0)
		return fd;
	if (look(waiting, timeout))
		take_new(waiting);
	return take ? take_whole(waiting, head) : -1;
}
