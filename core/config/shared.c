/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's own configuration file: where it is, making it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/config/config.h"
#include "core/config/shared.h"
#include "core/path/read.h"
#include "core/path/write.h"

#define FILE_NAME  "shared.yml"
#define FILE_LIMIT ((size_t)16 << 20)

static const char *set_variable(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

static char *shared_path(void)
{
	const char *directory = set_variable("PERUN_CONFIG_DIR");
	const char *home = set_variable("HOME");

	if (directory)
		return perun_format("%s/" FILE_NAME, directory);
	directory = set_variable("XDG_CONFIG_HOME");
	if (directory && directory[0] == '/')
		return perun_format("%s/perun/" FILE_NAME, directory);
	return perun_format("%s/.config/perun/" FILE_NAME, home ? home : "/nonexistent");
}

int perun_shared_read_file(struct perun_ctx *ctx, const char *path, struct perun_buffer *text)
{
	perun_buffer_clear(text);
	return path_read(ctx, path, FILE_LIMIT, text);
}

bool perun_shared_read(struct perun_buffer *text, char **path)
{
	*path = shared_path();
	return perun_shared_read_file(NULL, *path, text) == PERUN_OK;
}

char *perun_user_cache(const char *name)
{
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	struct stat status;

	if (cache && *cache != '/')
		cache = NULL;
	/* With another user's HOME (sudo) nothing of ours is left there. */
	if (!cache &&
	    (!home || *home != '/' || stat(home, &status) != 0 || status.st_uid != geteuid()))
		return NULL;
	return perun_format("%s%s/perun/%s", cache ? cache : home, cache ? "" : "/.cache", name);
}

int perun_shared_make(struct perun_ctx *ctx, char **path)
{
	char *file = shared_path();
	int status = PERUN_OK;

	*path = NULL;
	if (access(file, F_OK) != 0) {
		status = perun_path_ensure_parents(file, 0777)
				 ? perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", file)
				 : perun_config_write_file(ctx, file, perun_config_defaults,
							   strlen(perun_config_defaults));
	}
	if (status)
		perun_free(file);
	else
		*path = file;
	return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Write, flush and close; 0 or an errno. */
static int write_and_flush(int fd, const char *text, size_t length)
{
	int error = perun_write_all(fd, text, length);

	if (!error && fsync(fd) != 0 && errno != EINVAL)
		error = errno;
	if (close(fd) != 0 && !error)
		error = errno;
	return error;
}

static void flush_directory(const char *path)
{
	char *directory = perun_strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		if (fsync(fd) != 0) {
			/* The file is there; that its name lasts cannot be had. */
		}
		close(fd);
	}
	perun_free(directory);
}

int perun_config_write_file(struct perun_ctx *ctx, const char *path, const char *text,
			    size_t length)
{
	char *real = realpath(path, NULL); /* a link stays a link */
	const char *target = real ? real : path;
	char digits[PERUN_RANDOM_SIZE], *temporary;
	struct stat info;
	int fd, error;

	perun_random_digits(digits);
	temporary = perun_format("%s.new-%s", target, digits);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	error = fd < 0 ? errno : 0;
	if (fd >= 0) {
		if (stat(target, &info) == 0 && fchmod(fd, info.st_mode & 07777) != 0)
			error = errno;
		if (error)
			close(fd);
		else
			error = write_and_flush(fd, text, length);
		if (!error && rename(temporary, target) != 0)
			error = errno;
		if (error)
			unlink(temporary);
		else if (strchr(target, '/'))
			flush_directory(target);
	}
	perun_free(temporary);
	free(real);
	return error ? perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s", path)
		     : PERUN_OK;
}
