/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of what the user trusts. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/config/config.h"
#include "core/config/shared.h"
#include "core/config/trust-record.h"
#include "core/context/context.h"
#include "core/hash/hash.h"

enum { HASH_SIZE = 65 }; /* 64 hexadecimal digits and NUL */

/* ---- hashes ---------------------------------------------------------------------------------- */

static void hash_of(const struct perun_buffer *text, char hash[HASH_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[PERUN_SHA256_BYTES];

	perun_sha256(text->data, text->length, bytes);
	for (unsigned i = 0; i < sizeof bytes; i++) {
		hash[2 * i] = digits[bytes[i] >> 4];
		hash[2 * i + 1] = digits[bytes[i] & 15];
	}
	hash[64] = '\0';
}

static void hash_place(const char *place, char hash[HASH_SIZE])
{
	struct perun_buffer text = {0};

	perun_buffer_add(&text, place, strlen(place) + 1);
	hash_of(&text, hash);
	perun_buffer_free(&text);
}

static void hash_settings(const char *place, const struct perun_json *settings,
			  char hash[HASH_SIZE])
{
	struct perun_buffer text = {0};

	/* The zero keeps a place from running into the settings. */
	perun_buffer_add(&text, place, strlen(place) + 1);
	perun_json_print(settings, &text, PERUN_JSON_PYTHON, 0);
	hash_of(&text, hash);
	perun_buffer_free(&text);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* NULL when there is no home. Caller frees. */
static char *record_path(const char *place)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char hash[HASH_SIZE];

	hash_place(place, hash);
	if (state && state[0] == '/')
		return perun_format("%s/perun/trust/%s", state, hash);
	if (home && home[0] == '/')
		return perun_format("%s/.local/state/perun/trust/%s", home, hash);
	return NULL;
}

/* A record that somebody else wrote counts as none. */
static bool read_record(const char *path, char hash[HASH_SIZE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat info;
	bool good = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
		    info.st_uid == geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH)) &&
		    read(fd, hash, HASH_SIZE) == HASH_SIZE && hash[HASH_SIZE - 1] == '\n';

	if (fd >= 0)
		close(fd);
	hash[HASH_SIZE - 1] = '\0';
	return good;
}

bool perun_trust_is_recorded(const char *place, const struct perun_json *settings)
{
	char *path = record_path(place);
	char wanted[HASH_SIZE], found[HASH_SIZE];
	bool is = path && read_record(path, found);

	if (is) {
		hash_settings(place, settings, wanted);
		is = strcmp(wanted, found) == 0;
	}
	perun_free(path);
	return is;
}

static int fail_without_home(struct perun_ctx *ctx)
{
	return perun_fail(ctx, PERUN_MISSING,
			  "cannot record what is trusted: neither XDG_STATE_HOME nor HOME is set");
}

/* Remove the record if what it names is gone. */
static void remove_if_stale(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	char text[HASH_SIZE + PATH_MAX + 1], *place = text + HASH_SIZE;
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	struct stat info;

	if (fd >= 0)
		close(fd);
	if (length < HASH_SIZE + 2 || text[HASH_SIZE - 1] != '\n' || *place != '/' ||
	    text[length - 1] != '\n')
		return;
	text[length - 1] = '\0';
	if (lstat(place, &info) != 0 && (errno == ENOENT || errno == ENOTDIR))
		unlinkat(folder, name, 0);
}

/* Stores that were removed leave their records, which nobody else would remove. */
static void remove_stale(const char *path)
{
	char *folder = perun_strndup(path, (size_t)(strrchr(path, '/') - path));
	DIR *stream = opendir(folder);
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (strlen(entry->d_name) == HASH_SIZE - 1)
			remove_if_stale(dirfd(stream), entry->d_name);
	if (stream)
		closedir(stream);
	perun_free(folder);
}

int perun_trust_write(struct perun_ctx *ctx, const char *place, const struct perun_json *settings)
{
	char *path = record_path(place), hash[HASH_SIZE];
	struct perun_buffer text = {0};
	int status;

	if (!path)
		return fail_without_home(ctx);
	hash_settings(place, settings, hash);
	perun_buffer_printf(&text, "%s\n%s\n", hash, place);
	status = perun_path_ensure_parents(path, 0700)
			 ? perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path)
			 : perun_config_write_file(ctx, path, text.data, text.length);
	if (!status && chmod(path, 0600) != 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot change the mode of %s",
					  path);
	if (!status)
		remove_stale(path);
	perun_buffer_free(&text);
	perun_free(path);
	return status;
}

int perun_trust_remove(struct perun_ctx *ctx, const char *place, bool *was)
{
	char *path = record_path(place);
	int status = PERUN_OK;

	*was = false;
	if (!path)
		return fail_without_home(ctx);
	*was = unlink(path) == 0;
	if (!*was && errno != ENOENT && errno != ENOTDIR)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot remove %s", path);
	perun_free(path);
	return status;
}
