/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections whose request has not come whole yet: a bounded number of them, each for a bounded time. */
#ifndef PERUN_COMMANDS_SITE_WAITING_H
#define PERUN_COMMANDS_SITE_WAITING_H

#include <perun/context.h>

struct site_waiting;

/* Of a socket that listens and does not block; the caller closes it. */
struct site_waiting *site_waiting_new(int socket);
/* Closes the connections. NULL is allowed. */
void site_waiting_free(struct site_waiting *waiting);
/*
 * Wait up to `timeout` milliseconds for requests. With `take`, returns a connection whose request's head is
 * whole, in the order in which they came; the caller closes it, and `*head` is valid until the next call. -1
 * when there is none. Whoever sends nothing for some seconds is dropped, and the oldest of them when there are
 * too many, so that they keep nobody else waiting.
 */
int site_waiting_next(struct site_waiting *waiting, int timeout, bool take, const char **head);

#endif
