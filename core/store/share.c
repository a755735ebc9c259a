/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines, names and states of what is shared. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/hash.h>
#include <perun/lib/history.h>
#include <perun/lib/path.h>

#include "core/store/share.h"

#define SHARED "shared"
/* Seconds that another process of this store is waited for. */
enum { PATIENCE = 20 };

const char *const share_documents[] = {PERUN_ACKNOWLEDGED, PERUN_DIRECTIONS, NULL};

/* ---- lines ------------------------------------------------------------------------------------ */

void share_line_add(struct perun_buffer *text, const struct share_line *line)
{
	perun_buffer_printf(text, "%s\t%s\t%s\t%lu\t%lld\t%s\t%s\n", line->minor, line->checksum,
			    *line->attachment ? line->attachment : "-", (unsigned long)line->time,
			    (long long)line->date, line->machine, line->name);
}

static bool take_checksum(const char *text, char checksum[PERUN_CHECKSUM_SIZE])
{
	if (!perun_is_checksum(text))
		return false;
	(void)snprintf(checksum, PERUN_CHECKSUM_SIZE, "%s", text);
	return true;
}

static bool take_number(const char *text, int64_t most, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 10);
	return end != text && !*end && !errno && *number >= 0 && *number <= most;
}

/* A name of an entry is a base name, and is printed. */
static bool is_name(const char *name)
{
	size_t length = strlen(name);
	char *printable = perun_printable(name);
	bool same = strcmp(printable, name) == 0;

	perun_free(printable);
	return same && length && length <= 200 && !strchr(name, '/') && *name != '.';
}

bool share_line_parse(char *text, struct share_line *line)
{
	char *fields[7];
	int64_t time;

	for (size_t i = 0; i < 7; i++) {
		fields[i] = text;
		if (i == 6)
			break;
		text = strchr(text, '\t');
		if (!text)
			return false;
		*text++ = '\0';
	}
	*line = (struct share_line){.machine = fields[5], .name = fields[6]};
	if (!take_checksum(fields[0], line->minor) || !take_checksum(fields[1], line->checksum) ||
	    !take_number(fields[3], UINT32_MAX, &time) ||
	    !take_number(fields[4], INT64_MAX, &line->date) || !is_name(line->name))
		return false;
	line->time = (uint32_t)time;
	return strcmp(fields[2], "-") == 0 || take_checksum(fields[2], line->attachment);
}

void share_name(const void *data, size_t size, char name[PERUN_CHECKSUM_SIZE + 1])
{
	char checksum[PERUN_CHECKSUM_SIZE];

	perun_sha_of(data, size, checksum);
	(void)snprintf(name, PERUN_CHECKSUM_SIZE + 1, "%.2s/%s", checksum, checksum + 2);
}

/* ---- sets ------------------------------------------------------------------------------------- */

static size_t *slot_of(const struct share_set *set, const char *text)
{
	size_t at = (size_t)perun_hash_text(text, strlen(text)) & (set->size - 1);

	while (set->slots[at] && strcmp(set->items[set->slots[at] - 1], text) != 0)
		at = (at + 1) & (set->size - 1);
	return &set->slots[at];
}

size_t share_set_find(const struct share_set *set, const char *text)
{
	return set->size ? *slot_of(set, text) : 0;
}

bool share_set_add(struct share_set *set, const char *text)
{
	size_t *slot;

	if (2 * (set->count + 1) > set->size) {
		perun_free(set->slots);
		set->size = set->size ? 2 * set->size : 64;
		set->slots = perun_alloc_zero(set->size, sizeof *set->slots);
		for (size_t i = 0; i < set->count; i++)
			*slot_of(set, set->items[i]) = i + 1;
	}
	slot = slot_of(set, text);
	if (*slot)
		return false;
	PERUN_GROW(set->items, set->count, set->capacity);
	set->items[set->count++] = perun_strdup(text);
	*slot = set->count;
	return true;
}

void share_set_free(struct share_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		perun_free(set->items[i]);
	perun_free(set->items);
	perun_free(set->slots);
}

/* ---- the document ----------------------------------------------------------------------------- */

/* The item of a writer of a remote; that without a remote names this store. */
static struct perun_json *find_item(const struct perun_json *list, const char *remote,
				    const char *writer)
{
	for (size_t i = 0; i < perun_json_count(list); i++) {
		struct perun_json *item = perun_json_at(list, i);

		if (strcmp(perun_json_get_text(item, "remote"), remote) == 0 &&
		    (!writer || strcmp(perun_json_get_text(item, "writer"), writer) == 0))
			return item;
	}
	return NULL;
}

struct noted {
	const char *remote, *writer, *state;
};

static int note(void *data, struct perun_ctx *ctx, struct perun_json *list)
{
	struct noted *noted = data;
	struct perun_json *item =
		find_item(list, noted->remote, *noted->remote ? noted->writer : NULL);

	(void)ctx;
	if (!item) {
		item = perun_json_object();
		if (*noted->remote)
			perun_json_set(item, "remote", perun_json_text(noted->remote));
		perun_json_set(item, "writer", perun_json_text(noted->writer));
		perun_json_append(list, item);
	}
	if (noted->state)
		perun_json_set(item, "state", perun_json_text(noted->state));
	return PERUN_OK;
}

static int find_text(struct perun_ctx *ctx, struct perun_store *store, const char *remote,
		     const char *writer, const char *key, char **text)
{
	struct perun_json *list = NULL;
	int status = perun_store_document(ctx, store, SHARED, &list);
	const struct perun_json *item = status ? NULL : find_item(list, remote, writer);

	*text = item && *perun_json_get_text(item, key)
			? perun_strdup(perun_json_get_text(item, key))
			: NULL;
	perun_json_free(list);
	return status;
}

/* "alice-3f09c2d1": the user's name for people, digits so that no two stores are one writer. */
static char *new_writer(void)
{
	const char *user = getenv("USER");
	char digits[PERUN_RANDOM_SIZE], name[33];
	size_t length = 0;

	for (; user && *user && length < sizeof name - 1; user++)
		if ((*user >= 'a' && *user <= 'z') || (*user >= '0' && *user <= '9'))
			name[length++] = *user;
	name[length] = '\0';
	perun_random_digits(digits);
	return perun_format("%s-%.12s", length ? name : "perun", digits);
}

int share_writer(struct perun_ctx *ctx, struct perun_store *store, bool make, char **writer)
{
	struct noted noted = {.remote = ""};
	int status = find_text(ctx, store, "", NULL, "writer", writer);

	if (status || *writer || !make)
		return status;
	*writer = new_writer();
	noted.writer = *writer;
	return perun_store_edit_document(ctx, store, SHARED, note, &noted);
}

int share_state(struct perun_ctx *ctx, struct perun_store *store, const char *remote,
		const char *writer, char **state)
{
	return find_text(ctx, store, remote, writer, "state", state);
}

int share_set_state(struct perun_ctx *ctx, struct perun_store *store, const char *remote,
		    const char *writer, const char *state)
{
	struct noted noted = {.remote = remote, .writer = writer, .state = state};

	return perun_store_edit_document(ctx, store, SHARED, note, &noted);
}

/*
 * The lock is inherited by the programs that a vcs starts: one that outlives a killed perun holds it as long as it works.
 */
int share_lock(struct perun_ctx *ctx, struct perun_store *store, int *lock)
{
	const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
	char *path = perun_format("%s/shared.lock", perun_store_path(store));
	int status = PERUN_OK;

	*lock = perun_path_open_locked(path, O_CREAT, LOCK_EX);
	for (unsigned tenths = 0;
	     *lock < 0 && errno == EWOULDBLOCK && tenths < 10 * PATIENCE && !perun_cancelled(ctx);
	     tenths++) {
		nanosleep(&pause, NULL);
		*lock = perun_path_open_locked(path, O_CREAT, LOCK_EX);
	}
	if (*lock < 0)
		status =
			errno == EWOULDBLOCK
				? perun_fail(ctx, PERUN_INPUT,
					     "another perun shares this store now; try again")
				: perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", path);
	else
		(void)fcntl(*lock, F_SETFD, 0);
	perun_free(path);
	return status;
}
