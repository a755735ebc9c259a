/* SPDX-License-Identifier: BSD-3-Clause */
/* The hook that runs `perun push` with `git push`. One that somebody else wrote is never touched. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gitvcs.h"

/*
 * The first argument is the remote's name, or its address where it has none: then nothing is sent. A failure is reported and does not
 * keep git from pushing.
 */
static const char content[] =
	"#!/bin/sh\n"
	"# Written by perun install-hooks; perun install-hooks --remove takes it away.\n"
	"[ \"$1\" = \"$2\" ] || perun push \"$1\" >/dev/null </dev/null || true\n";

/* Where git looks for hooks: of this repository alone, so that no other one is changed. */
static int find_hook(struct gitvcs *vcs, struct perun_ctx *ctx, char **path)
{
	struct gitvcs_run run = {.flags = GITVCS_READ_ONLY | GITVCS_MAY_FAIL};
	int status = gitvcs_need_repository(vcs, ctx);

	*path = NULL;
	if (!status)
		status = gitvcs_git(vcs, ctx, &run, "config", "--get", "core.hooksPath", NULL);
	if (!status && run.code == 0)
		status = perun_fail(
			ctx, PERUN_INPUT,
			"core.hooksPath of git is %s: add the line 'perun push \"$1\" || "
			"true' to the hook pre-push there",
			gitvcs_run_line(&run));
	if (!status)
		*path = perun_format("%s/hooks/pre-push", vcs->common_dir);
	gitvcs_run_free(&run);
	return status;
}

enum hook { NONE, OURS, THEIRS };

static enum hook kind_of(const char *path)
{
	char data[sizeof content];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got;

	if (fd < 0)
		return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? THEIRS : NONE;
	got = read(fd, data, sizeof data);
	close(fd);
	return got == (ssize_t)(sizeof content - 1) && memcmp(data, content, (size_t)got) == 0
		       ? OURS
		       : THEIRS;
}

static int write_all(int fd)
{
	size_t done = 0;

	while (done < sizeof content - 1) {
		ssize_t put = write(fd, content + done, sizeof content - 1 - done);

		if (put < 0 && errno != EINTR)
			return errno;
		done += put > 0 ? (size_t)put : 0;
	}
	return fsync(fd) == 0 ? 0 : errno;
}

/* Whole or not at all, and never over a file that is there: a link fails where one came meanwhile. */
static int write_hook(struct perun_ctx *ctx, const char *path)
{
	char *temporary = perun_format("%s.perun-%ld", path, (long)getpid());
	char *folder = perun_strndup(path, (size_t)(strrchr(path, '/') - path));
	int fd, error = 0;

	(void)mkdir(folder, 0777);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0777);
	if (fd < 0)
		error = errno;
	if (!error)
		error = write_all(fd);
	if (fd >= 0)
		close(fd);
	if (!error && link(temporary, path) != 0)
		error = errno;
	if (fd >= 0)
		(void)unlink(temporary);
	perun_free(temporary);
	perun_free(folder);
	return error ? perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s", path)
		     : PERUN_OK;
}

int gitvcs_share_hook(void *instance, struct perun_ctx *ctx, bool install, char **path,
		      bool *changed)
{
	int status = find_hook(instance, ctx, path);
	enum hook kind = status ? NONE : kind_of(*path);

	*changed = false;
	if (status || kind == (install ? OURS : NONE))
		return status;
	if (kind == THEIRS && install)
		status = perun_fail(
			ctx, PERUN_INPUT,
			"%s is your own: add the line 'perun push \"$1\" || true' to it", *path);
	else if (kind == THEIRS)
		status = perun_fail(ctx, PERUN_INPUT, "%s is your own or was changed: it stays",
				    *path);
	else if (install)
		status = write_hook(ctx, *path);
	else if (unlink(*path) != 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot remove %s", *path);
	*changed = !status;
	return status;
}
