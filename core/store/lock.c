/* SPDX-License-Identifier: BSD-3-Clause */
/* One process at a time changes a store; the kernel drops the lock with its holder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/store/store.h"

#define LOCK_FILE        "lock"
#define LOCK_TIMEOUT_KEY "store.lock_timeout"
#define LOCK_TIMEOUT     120  /* seconds */
#define LOCK_QUIET       1000 /* milliseconds of waiting that are not worth a word */
#define LOCK_PAUSE       20   /* milliseconds between two attempts */
#define LOCK_TEXT_SIZE   512

/* A lock of the open file description: of this opening, not of the whole process. 0 or an errno. */
static int try_lock(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	for (;;) {
		if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
			return 0;
		if (errno != EINTR)
			return errno == EACCES ? EAGAIN : errno;
	}
}

static size_t read_text(int fd, char text[LOCK_TEXT_SIZE])
{
	ssize_t got = pread(fd, text, LOCK_TEXT_SIZE - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return got > 0 ? (size_t)got : 0;
}

/* "perun add (process 42 on host)", as another process wrote it; control characters taken out. */
static char *holder(int fd)
{
	char text[LOCK_TEXT_SIZE];

	if (read_text(fd, text) == 0)
		return perun_strdup("another process");
	return perun_printable(text);
}

static void write_text(int fd, const char *command)
{
	char host[256] = "", text[LOCK_TEXT_SIZE];
	int length;

	gethostname(host, sizeof host - 1);
	length = snprintf(text, sizeof text, "perun %s (process %ld on %s)\n", command,
			  (long)getpid(), host);
	if (length > 0 && (size_t)length >= sizeof text)
		length = sizeof text - 1;
	/* Only for people, and to notice that a holder died: a failure does no harm. */
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)length, 0) != length)
		return;
}

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int wait_for_lock(struct perun_ctx *ctx, struct perun_store *store, int fd)
{
	int64_t limit = -1; /* not asked for as long as nobody else holds the lock */
	const struct timespec pause = {0, LOCK_PAUSE * 1000000L};
	int64_t start = milliseconds();
	bool noted = false;
	int error;

	while ((error = try_lock(fd)) == EAGAIN) {
		int64_t waited = milliseconds() - start;

		if (perun_cancelled(ctx))
			return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
		if (limit < 0)
			limit = perun_store_limit(ctx, store, LOCK_TIMEOUT_KEY, LOCK_TIMEOUT);
		if (limit >= 0 && waited / 1000 >= limit) {
			char *who = holder(fd);
			int status =
				perun_fail(ctx, PERUN_INPUT,
					   "the store %s is in use by %s; waited %jd seconds "
					   "(%s)",
					   store->path, who, (intmax_t)limit, LOCK_TIMEOUT_KEY);
			perun_free(who);
			return status;
		}
		if (!noted && waited >= LOCK_QUIET) {
			char *who = holder(fd);

			perun_warn(ctx, "waiting for %s to finish with %s", who, store->path);
			perun_free(who);
			noted = true;
		}
		nanosleep(&pause, NULL);
	}
	if (error)
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot lock %s/%s", store->path,
					LOCK_FILE);
	return PERUN_OK;
}

int perun_lock(struct perun_ctx *ctx, struct perun_store *store, const char *command, int *lock,
	       bool *died)
{
	int fd = perun_beneath_open_own(store->directory, LOCK_FILE, O_CREAT);
	char text[LOCK_TEXT_SIZE];
	int status;

	*lock = -1;
	if (fd < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s/%s", store->path,
					LOCK_FILE);
	status = wait_for_lock(ctx, store, fd);
	if (status) {
		close(fd);
		return status;
	}
	/* Whoever ends in peace leaves no text. */
	*died = read_text(fd, text) > 0;
	write_text(fd, command);
	*lock = fd;
	return PERUN_OK;
}

void perun_unlock(int lock)
{
	if (lock < 0)
		return;
	if (ftruncate(lock, 0) != 0) {
		/* The next one looks for leftovers and finds none. */
	}
	close(lock);
}
