/* SPDX-License-Identifier: BSD-3-Clause */
/* Records by key in a file that is appended to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/history.h>
#include <perun/lib/path.h>

#include "core/context/hash.h"
#include "core/history/cache.h"

#define FORM     "perun-values 14 "
#define KEY_SIZE 72 /* a checksum of up to 64 digits */
/* Bytes that wait to be written, and a file that is started over. */
#define MAX_WAITING (4u << 20)
#define MAX_FILE    (UINT64_C(2) << 30)
#define MAX_OWN     (UINT64_C(256) << 20) /* of the user's own file, which is for all stores */

struct head {
	uint64_t head_hash; /* of the rest of the head */
	uint64_t body_hash;
	uint64_t size; /* of the body, which follows */
	uint32_t kind, unused;
	char key[KEY_SIZE];
};

struct record {
	struct head head;
	uint64_t at; /* of the body, in the file or among the bytes that wait */
	bool waits;
};

/* A part of the file in memory: records are mostly asked for in their order. */
#define WINDOW_SIZE (256u << 10)
#define WINDOWS     4
struct window {
	char *data;
	uint64_t at, used; /* when it was used last */
	size_t length;
};

struct perun_history_cache {
	char *path;
	struct window windows[WINDOWS];
	uint64_t uses;
	int file;      /* -1 = none */
	uint64_t end;  /* of the records in the file */
	uint64_t seed; /* of hashes: the form and the version of the program */
	struct record *records;
	size_t count, capacity;
	uint32_t *slots; /* open addressing: number of a record + 1, 0 = free */
	size_t slot_count;
	struct perun_buffer waiting; /* heads and bodies */
	bool memory_only;            /* the file cannot be written */
	bool own;                    /* nobody but the user may have written it */
};

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct perun_history_cache *cache, uint32_t kind, const char *key)
{
	return perun_hash_bytes(key, strlen(key), cache->seed + kind);
}

static size_t slot_of(const struct perun_history_cache *cache, uint32_t kind, const char *key)
{
	size_t mask = cache->slot_count - 1, slot = (size_t)hash_of(cache, kind, key) & mask;

	while (cache->slots[slot]) {
		const struct head *head = &cache->records[cache->slots[slot] - 1].head;

		if (head->kind == kind && strcmp(head->key, key) == 0)
			break;
		slot = (slot + 1) & mask;
	}
	return slot;
}

static void grow_slots(struct perun_history_cache *cache)
{
	cache->slot_count = cache->slot_count ? cache->slot_count * 2 : 1024;
	perun_free(cache->slots);
	cache->slots = perun_alloc_zero(cache->slot_count, sizeof *cache->slots);
	for (size_t i = 0; i < cache->count; i++) {
		const struct head *head = &cache->records[i].head;

		cache->slots[slot_of(cache, head->kind, head->key)] = (uint32_t)i + 1;
	}
}

/* A record takes the place of an earlier one of its key. */
static void add_record(struct perun_history_cache *cache, const struct head *head, uint64_t at,
		       bool waits)
{
	size_t slot;

	if (2 * cache->count >= cache->slot_count)
		grow_slots(cache);
	slot = slot_of(cache, head->kind, head->key);
	if (!cache->slots[slot]) {
		PERUN_GROW(cache->records, cache->count, cache->capacity);
		cache->slots[slot] = (uint32_t)++cache->count;
	}
	cache->records[cache->slots[slot] - 1] = (struct record){*head, at, waits};
}

static const struct record *find(const struct perun_history_cache *cache, uint32_t kind,
				 const char *key)
{
	uint32_t number = cache->slot_count ? cache->slots[slot_of(cache, kind, key)] : 0;

	return number ? &cache->records[number - 1] : NULL;
}

/* ---- the file -------------------------------------------------------------------------------- */

static uint64_t hash_head(const struct perun_history_cache *cache, const struct head *head)
{
	return perun_hash_bytes(&head->body_hash, sizeof *head - sizeof head->head_hash,
				cache->seed);
}

static bool read_all(int file, void *data, size_t size, uint64_t at)
{
	char *to = data;

	while (size) {
		ssize_t got = pread(file, to, size, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		at += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

static bool write_all(int file, const void *data, size_t size, uint64_t at)
{
	const char *from = data;

	while (size) {
		ssize_t put = pwrite(file, from, size, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		from += put;
		at += (uint64_t)put;
		size -= (size_t)put;
	}
	return true;
}

static bool copy_from(const struct window *window, void *data, size_t size, uint64_t at)
{
	if (at < window->at || at + size > window->at + window->length)
		return false;
	memcpy(data, window->data + (at - window->at), size);
	return true;
}

/* Bytes of the file, by way of a window when they are few. */
static bool read_part(struct perun_history_cache *cache, void *data, size_t size, uint64_t at)
{
	struct window *oldest = &cache->windows[0];
	ssize_t got;

	for (size_t i = 0; i < WINDOWS; i++) {
		struct window *window = &cache->windows[i];

		if (copy_from(window, data, size, at)) {
			window->used = ++cache->uses;
			return true;
		}
		oldest = window->used < oldest->used ? window : oldest;
	}
	if (size > WINDOW_SIZE / 16)
		return read_all(cache->file, data, size, at);
	if (!oldest->data)
		oldest->data = perun_alloc(WINDOW_SIZE);
	got = pread(cache->file, oldest->data, WINDOW_SIZE, (off_t)at);
	oldest->at = at;
	oldest->length = got > 0 ? (size_t)got : 0;
	oldest->used = ++cache->uses;
	return copy_from(oldest, data, size, at) || read_all(cache->file, data, size, at);
}

/* Another file, or more in it. */
static void forget_windows(struct perun_history_cache *cache)
{
	for (size_t i = 0; i < WINDOWS; i++) {
		perun_free(cache->windows[i].data);
		cache->windows[i] = (struct window){0};
	}
}

/* The first bytes: the form, and the program that understands the rest. */
static size_t make_magic(char magic[64])
{
	memset(magic, 0, 64);
	(void)snprintf(magic, 64, FORM "%s\n", perun_version());
	return 64;
}

/* Few heads lie in a window where bodies are large. */
static bool read_head(struct perun_history_cache *cache, struct head *head, uint64_t size_before)
{
	return size_before > WINDOW_SIZE / 16
		       ? read_all(cache->file, head, sizeof *head, cache->end)
		       : read_part(cache, head, sizeof *head, cache->end);
}

/* Find the records from `end` on; at the first one that is not whole they end. */
static void scan(struct perun_history_cache *cache)
{
	struct stat info;
	struct head head = {.size = 0};

	if (fstat(cache->file, &info) != 0)
		return;
	while (cache->end + sizeof head <= (uint64_t)info.st_size &&
	       read_head(cache, &head, head.size) && head.head_hash == hash_head(cache, &head) &&
	       head.key[KEY_SIZE - 1] == '\0' &&
	       head.size <= (uint64_t)info.st_size - cache->end - sizeof head) {
		add_record(cache, &head, cache->end + sizeof head, false);
		cache->end += sizeof head + head.size;
	}
}

static bool is_own(int file)
{
	struct stat info;

	return fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
	       !(info.st_mode & (S_IWGRP | S_IWOTH));
}

/* Whether an open file is one of this program's. */
static bool is_ours(const struct perun_history_cache *cache, int file)
{
	char magic[64], found[64];

	return read_all(file, found, make_magic(magic), 0) &&
	       memcmp(found, magic, sizeof magic) == 0 && (!cache->own || is_own(file));
}

/* Takes the path; NULL = memory alone. */
static struct perun_history_cache *open_cache(char *path, bool own)
{
	struct perun_history_cache *cache = perun_alloc_zero(1, sizeof *cache);
	char magic[64];

	cache->seed = perun_hash_bytes(magic, make_magic(magic), 0);
	cache->path = path;
	cache->own = own;
	cache->memory_only = !path;
	cache->file = path ? perun_path_open(path, O_RDONLY, 0) : -1;
	cache->end = sizeof magic;
	if (cache->file >= 0 && is_ours(cache, cache->file))
		scan(cache);
	return cache;
}

struct perun_history_cache *perun_history_cache_open(struct perun_store *store)
{
	return open_cache(perun_format("%s/cache/history-values", perun_store_path(store)), false);
}

struct perun_history_cache *perun_verdict_cache_open(void)
{
	return open_cache(perun_user_cache("verdicts"), true);
}

/* ---- reading --------------------------------------------------------------------------------- */

bool perun_history_cache_has(const struct perun_history_cache *cache, enum perun_record_kind kind,
			     const char *key)
{
	return find(cache, kind, key) != NULL;
}

bool perun_history_cache_read(struct perun_history_cache *cache, enum perun_record_kind kind,
			      const char *key, struct perun_buffer *body)
{
	const struct record *record = find(cache, kind, key);
	char *to;

	perun_buffer_clear(body);
	if (!record)
		return false;
	if (record->waits) {
		perun_buffer_add(body, cache->waiting.data + record->at, record->head.size);
		return true;
	}
	to = perun_buffer_reserve(body, record->head.size);
	if (!read_part(cache, to, record->head.size, record->at) ||
	    perun_hash_bytes(to, record->head.size, cache->seed) != record->head.body_hash)
		return false;
	body->length += record->head.size;
	return true;
}

uint64_t perun_history_cache_hash(const struct perun_history_cache *cache,
				  enum perun_record_kind kind, const char *key)
{
	const struct record *record = find(cache, kind, key);

	return record ? record->head.body_hash : 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void flush(struct perun_history_cache *cache);

void perun_history_cache_add(struct perun_history_cache *cache, enum perun_record_kind kind,
			     const char *key, const void *body, size_t size)
{
	struct head head;

	memset(&head, 0, sizeof head);
	if (strlen(key) >= KEY_SIZE)
		return;
	head.size = size;
	head.kind = kind;
	head.body_hash = perun_hash_bytes(body, size, cache->seed);
	memcpy(head.key, key, strlen(key));
	head.head_hash = hash_head(cache, &head);
	perun_buffer_add(&cache->waiting, &head, sizeof head);
	add_record(cache, &head, cache->waiting.length, true);
	perun_buffer_add(&cache->waiting, body, size);
	if (cache->waiting.length > MAX_WAITING && !cache->memory_only)
		flush(cache);
}

/* A new file in the place of one that is not there, or not ours, or too large. */
static int replace_file(const struct perun_history_cache *cache)
{
	char *name = perun_format("%s.%ld", cache->path, (long)getpid()), magic[64];
	int file;

	/* Whoever removed all of it wants a new one. */
	(void)perun_path_ensure_parents(name, cache->own ? 0700 : 0777);
	file = perun_path_open(name, O_RDWR | O_CREAT | O_TRUNC, cache->own ? 0600 : 0666);
	if (file >= 0 && (!write_all(file, magic, make_magic(magic), 0) ||
			  flock(file, LOCK_EX) != 0 || perun_path_rename(name, cache->path) != 0)) {
		perun_path_unlink(name);
		close(file);
		file = -1;
	}
	perun_free(name);
	return file;
}

/* The file, to be written and locked; -1 when that is impossible. It is the one of that name. */
static int open_locked(const struct perun_history_cache *cache)
{
	for (unsigned attempt = 0; attempt < 100; attempt++) {
		int file = perun_path_open(cache->path, O_RDWR, 0);
		struct stat ours, named;

		if (file < 0)
			return errno == ENOENT ? replace_file(cache) : -1;
		if (flock(file, LOCK_EX) == 0 && fstat(file, &ours) == 0 &&
		    perun_path_stat(cache->path, &named) == 0 && ours.st_ino == named.st_ino &&
		    ours.st_dev == named.st_dev) {
			if (is_ours(cache, file) &&
			    (uint64_t)ours.st_size <= (cache->own ? MAX_OWN : MAX_FILE))
				return file;
			close(file);
			return replace_file(cache);
		}
		close(file); /* another process has replaced it */
	}
	return -1;
}

/* The records that wait get places in the file; others of an older file are gone from it. */
static void settle(struct perun_history_cache *cache, int file, uint64_t at, bool same)
{
	size_t kept = 0;

	for (size_t i = 0; i < cache->count; i++) {
		struct record record = cache->records[i];

		if (!record.waits && !same)
			continue;
		if (record.waits) {
			record.at += at;
			record.waits = false;
		}
		cache->records[kept++] = record;
	}
	cache->count = kept;
	if (!same) {
		memset(cache->slots, 0, cache->slot_count * sizeof *cache->slots);
		for (size_t i = 0; i < kept; i++) {
			const struct head *head = &cache->records[i].head;

			cache->slots[slot_of(cache, head->kind, head->key)] = (uint32_t)i + 1;
		}
	}
	if (cache->file >= 0)
		close(cache->file);
	cache->file = file;
	forget_windows(cache);
}

/* Where the whole records of a file end, others of which another process may have added. */
static uint64_t find_end(const struct perun_history_cache *cache, int file, uint64_t from)
{
	struct perun_history_cache other = {.file = file, .end = from, .seed = cache->seed};

	scan(&other);
	forget_windows(&other);
	perun_free(other.records);
	perun_free(other.slots);
	return other.end;
}

/* Write what was added. */
static void flush(struct perun_history_cache *cache)
{
	struct stat before, now;
	uint64_t end;
	bool same;
	int file;

	if (!cache->waiting.length || cache->memory_only)
		return;
	file = open_locked(cache);
	if (file < 0) {
		cache->memory_only = true;
		return;
	}
	same = cache->file >= 0 && fstat(cache->file, &before) == 0 && fstat(file, &now) == 0 &&
	       before.st_ino == now.st_ino && before.st_dev == now.st_dev;
	end = find_end(cache, file, same ? cache->end : 64);
	/* What an interrupted process left goes, and what this one cannot write whole. */
	if (ftruncate(file, (off_t)end) != 0 ||
	    !write_all(file, cache->waiting.data, cache->waiting.length, end)) {
		if (ftruncate(file, (off_t)end) != 0)
			cache->memory_only = true;
		cache->memory_only = true;
		close(file);
		return;
	}
	flock(file, LOCK_UN);
	settle(cache, file, end, same);
	cache->end = end + cache->waiting.length;
	perun_buffer_clear(&cache->waiting);
}

void perun_history_cache_close(struct perun_history_cache *cache)
{
	if (!cache)
		return;
	flush(cache);
	forget_windows(cache);
	if (cache->file >= 0)
		close(cache->file);
	perun_buffer_free(&cache->waiting);
	perun_free(cache->records);
	perun_free(cache->slots);
	perun_free(cache->path);
	perun_free(cache);
}

void perun_history_forget(struct perun_store *store)
{
	char *folder = perun_format("%s/cache", perun_store_path(store));
	int fd = perun_path_open(folder, O_RDONLY | O_DIRECTORY, 0);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;

	for (struct dirent *item; directory && (item = readdir(directory));) {
		if (strncmp(item->d_name, "history-", 8) == 0)
			(void)unlinkat(dirfd(directory), item->d_name, 0);
	}
	if (directory)
		closedir(directory);
	else if (fd >= 0)
		close(fd);
	perun_free(folder);
}
