/* SPDX-License-Identifier: BSD-3-Clause */
/* New directories of objects, filled under temporary names and put in their places as a whole. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/store/fanout.h"

#define FANS 256

enum fan {
	FAN_UNASKED,
	FAN_OLD,     /* has objects, or cannot be made: files are renamed one by one */
	FAN_FILLING, /* under its temporary name */
	FAN_PLACED
};

struct perun_fans {
	struct perun_store *store;
	const char *prefix;
	/* One for each: making a directory takes long enough that another thread would wait for it. */
	pthread_mutex_t mutexes[FANS];
	enum fan fans[FANS];
};

struct perun_fans *perun_fans_new(struct perun_store *store, const char *prefix)
{
	struct perun_fans *fans = perun_alloc_zero(1, sizeof *fans);

	fans->store = store;
	fans->prefix = prefix;
	for (size_t i = 0; i < FANS; i++)
		pthread_mutex_init(&fans->mutexes[i], NULL);
	return fans;
}

void perun_fans_free(struct perun_fans *fans)
{
	if (!fans)
		return;
	for (size_t i = 0; i < FANS; i++)
		pthread_mutex_destroy(&fans->mutexes[i]);
	perun_free(fans);
}

/* The number in the two digits of "objects/XX/...". */
static size_t number_of(const char *path)
{
	const char digits[3] = {path[8], path[9], '\0'};

	return strtoul(digits, NULL, 16) % FANS;
}

/* "objects/.new-RANDOM-XX" */
static void temporary_name(const struct perun_fans *fans, size_t number, char *out, size_t size)
{
	snprintf(out, size, "objects/%s%02zx", fans->prefix, number);
}

/* "objects/.new-RANDOM-XX/..." of "objects/XX/..." */
static void temporary_path(const struct perun_fans *fans, const char *path, char *out, size_t size)
{
	snprintf(out, size, "objects/%s%s", fans->prefix, path + 8);
}

bool perun_fans_take(struct perun_fans *fans, const char *path, char *out, size_t size)
{
	size_t number = number_of(path);
	enum fan fan;

	pthread_mutex_lock(&fans->mutexes[number]);
	if (fans->fans[number] == FAN_UNASKED) {
		fans->fans[number] = FAN_OLD;
		temporary_name(fans, number, out, size);
		if (perun_names_none(fans->store, number) &&
		    perun_beneath_make_directory(fans->store->directory, out, 0777) == 0)
			fans->fans[number] = FAN_FILLING;
	}
	fan = fans->fans[number];
	pthread_mutex_unlock(&fans->mutexes[number]);
	if (fan != FAN_FILLING)
		return false;
	temporary_path(fans, path, out, size);
	return true;
}

bool perun_fans_waiting(const struct perun_fans *fans, const char *path, char *out, size_t size)
{
	if (fans->fans[number_of(path)] != FAN_FILLING)
		return false;
	temporary_path(fans, path, out, size);
	return true;
}

int perun_fans_place(struct perun_fans *fans)
{
	int at = fans->store->directory;

	for (size_t i = 0; i < FANS; i++) {
		char from[64], to[16];

		if (fans->fans[i] != FAN_FILLING)
			continue;
		temporary_name(fans, i, from, sizeof from);
		snprintf(to, sizeof to, "objects/%02x", (unsigned)i);
		/* Onto nothing or an empty directory. */
		if (perun_beneath_rename(at, from, to, 0) == 0)
			fans->fans[i] = FAN_PLACED;
		else if (errno != ENOTEMPTY && errno != EEXIST)
			return errno;
	}
	return 0;
}

void perun_fans_sweep(struct perun_fans *fans)
{
	for (size_t i = 0; i < FANS; i++) {
		char name[64];

		if (fans->fans[i] != FAN_FILLING)
			continue;
		temporary_name(fans, i, name, sizeof name);
		perun_beneath_unlink(fans->store->directory, name, AT_REMOVEDIR);
		fans->fans[i] = FAN_OLD;
	}
}
