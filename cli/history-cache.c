/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of metrics by the checksums of objects, kept in a file. */
#include <config.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>

#include "cli/history-cache.h"
#include "core/profile/hash.h"

/* The bytes are as they lie in memory: other machines read the store anew. */
#define MAGIC   "perun-history 3\n"
#define LARGEST (UINT64_C(1) << 30)

struct record {
	char checksum[PERUN_CHECKSUM_SIZE];
	size_t from, end; /* in the bytes */
};

struct cli_history_cache {
	struct cli *cli;
	char *path;
	uint64_t seed;            /* of the hash: what the file is for */
	struct perun_buffer data; /* records one after the other */
	struct record *records;   /* the first `sorted` in order of checksums */
	size_t count, capacity, sorted;
	size_t open; /* where the record that is being added begins */
	bool changed;
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static void add_number(struct perun_buffer *out, uint32_t number)
{
	perun_buffer_add(out, &number, sizeof number);
}

static void add_text(struct perun_buffer *out, const char *text)
{
	add_number(out, (uint32_t)strlen(text));
	perun_buffer_add(out, text, strlen(text) + 1);
}

static const void *take(const char **at, const char *end, size_t size)
{
	const char *from = *at;

	if (!from || size > (size_t)(end - from)) {
		*at = NULL;
		return NULL;
	}
	*at += size;
	return from;
}

static uint32_t take_number(const char **at, const char *end)
{
	const void *from = take(at, end, sizeof(uint32_t));
	uint32_t number = 0;

	if (from)
		memcpy(&number, from, sizeof number);
	return number;
}

static const char *take_text(const char **at, const char *end)
{
	uint32_t size = take_number(at, end);
	const char *text = take(at, end, (size_t)size + 1);

	if (text && text[size] == '\0')
		return text;
	*at = NULL;
	return "";
}

/* ---- the file -------------------------------------------------------------------------------- */

static int compare_records(const void *one, const void *other)
{
	const struct record *a = one, *b = other;

	return strcmp(a->checksum, b->checksum);
}

/* Where the records are. Each begins with its checksum and its size. */
static void find_records(struct cli_history_cache *cache)
{
	const char *at = cache->data.data, *end = at ? at + cache->data.length : NULL;

	while (at < end) {
		const char *checksum = take(&at, end, PERUN_CHECKSUM_SIZE);
		uint32_t size = take_number(&at, end);
		const char *body = take(&at, end, size);
		struct record *record;

		if (!body || checksum[PERUN_CHECKSUM_SIZE - 1] != '\0')
			break;
		PERUN_GROW(cache->records, cache->count, cache->capacity);
		record = &cache->records[cache->count++];
		memcpy(record->checksum, checksum, PERUN_CHECKSUM_SIZE);
		record->from = (size_t)(body - cache->data.data);
		record->end = record->from + size;
	}
	if (cache->count)
		qsort(cache->records, cache->count, sizeof *cache->records, compare_records);
	cache->sorted = cache->count;
}

static void load(struct cli_history_cache *cache)
{
	const size_t magic = sizeof MAGIC - 1, head = magic + sizeof(uint64_t);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_input *input = NULL;
	const void *data;
	uint64_t hash;
	size_t size;

	if (access(cache->path, F_OK) == 0 &&
	    perun_input_open(quiet, cache->path, &input) == PERUN_OK &&
	    perun_input_map(quiet, input, LARGEST, &data, &size) == PERUN_OK && size > head &&
	    memcmp(data, MAGIC, magic) == 0) {
		memcpy(&hash, (const char *)data + magic, sizeof hash);
		if (hash == perun_hash_bytes((const char *)data + head, size - head, cache->seed))
			perun_buffer_add(&cache->data, (const char *)data + head, size - head);
	}
	if (input)
		perun_input_close(input);
	perun_ctx_free(quiet);
	find_records(cache);
}

struct cli_history_cache *cli_history_cache_open(struct cli *cli, const char *metric)
{
	struct cli_history_cache *cache = perun_alloc_zero(1, sizeof *cache);
	const char *version = perun_version(), *name = metric ? metric : "";

	cache->cli = cli;
	cache->seed = perun_hash_bytes(version, strlen(version), metric != NULL);
	cache->seed = perun_hash_bytes(name, strlen(name), cache->seed);
	cache->path = perun_format("%s/cache/history-%016llx", perun_store_path(cli->store),
				   (unsigned long long)cache->seed);
	load(cache);
	return cache;
}

static void save(struct cli_history_cache *cache)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_output *output = NULL;
	uint64_t hash = perun_hash_bytes(cache->data.data, cache->data.length, cache->seed);

	if (perun_output_open(quiet, cache->path, &output) == PERUN_OK) {
		perun_output_write(output, MAGIC, sizeof MAGIC - 1);
		perun_output_write(output, &hash, sizeof hash);
		perun_output_write(output, cache->data.data, cache->data.length);
		(void)perun_output_commit(quiet, output);
		perun_output_close(output);
	}
	perun_ctx_free(quiet);
}

void cli_history_cache_close(struct cli_history_cache *cache)
{
	if (!cache)
		return;
	if (cache->changed && cache->data.length <= LARGEST / 2)
		save(cache);
	perun_buffer_free(&cache->data);
	perun_free(cache->records);
	perun_free(cache->path);
	perun_free(cache);
}

void cli_history_cache_clear(struct cli *cli)
{
	char *folder = perun_format("%s/cache", perun_store_path(cli->store));
	DIR *directory = opendir(folder);

	for (struct dirent *item; directory && (item = readdir(directory));) {
		if (strncmp(item->d_name, "history-", 8) == 0)
			(void)unlinkat(dirfd(directory), item->d_name, 0);
	}
	if (directory)
		closedir(directory);
	perun_free(folder);
}

/* ---- records --------------------------------------------------------------------------------- */

static const struct record *find(const struct cli_history_cache *cache, const char *checksum)
{
	size_t low = 0, high = cache->sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(cache->records[middle].checksum, checksum);

		if (order == 0)
			return &cache->records[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	/* The one that was added last is asked for next. */
	if (cache->count > cache->sorted &&
	    strcmp(cache->records[cache->count - 1].checksum, checksum) == 0)
		return &cache->records[cache->count - 1];
	return NULL;
}

bool cli_history_cache_find(const struct cli_history_cache *cache, const char *checksum,
			    struct cli_kept *kept)
{
	const struct record *record = find(cache, checksum);
	const char *at, *end;

	if (!record)
		return false;
	at = cache->data.data + record->from;
	end = cache->data.data + record->end;
	*kept = (struct cli_kept){.there = take_number(&at, end) != 0};
	kept->machine = take_text(&at, end);
	kept->arguments = take_text(&at, end);
	kept->name = take_text(&at, end);
	kept->unit = take_text(&at, end);
	kept->better = (enum perun_direction)take_number(&at, end);
	kept->groups = take_number(&at, end);
	kept->at = at;
	kept->end = end;
	return at != NULL;
}

bool cli_kept_group(struct cli_kept *kept, const char **location, const char **text,
		    const void **values, uint32_t *count)
{
	if (kept->groups == 0)
		return false;
	kept->groups--;
	*location = take_text(&kept->at, kept->end);
	*text = take_text(&kept->at, kept->end);
	*count = take_number(&kept->at, kept->end);
	*values = take(&kept->at, kept->end, *count * sizeof(double));
	return *values != NULL;
}

void cli_history_cache_add(struct cli_history_cache *cache, const char *checksum,
			   const struct perun_profile *profile, const struct perun_metric *metric,
			   uint32_t groups)
{
	const struct perun_json *machine =
		perun_json_get(perun_profile_document(profile), "machine");
	struct perun_buffer text = {0};
	char name[PERUN_CHECKSUM_SIZE] = "";

	memccpy(name, checksum, '\0', sizeof name - 1);
	cache->open = cache->data.length;
	perun_buffer_add(&cache->data, name, sizeof name);
	add_number(&cache->data, 0); /* the size, later */
	if (machine)
		perun_json_print(machine, &text, PERUN_JSON_COMPACT, 0);
	add_number(&cache->data, metric != NULL);
	add_text(&cache->data, text.data ? text.data : "");
	add_text(&cache->data, perun_profile_text(profile, "header.args"));
	add_text(&cache->data, metric ? metric->name : "");
	add_text(&cache->data, metric && metric->unit ? metric->unit : "");
	add_number(&cache->data, metric ? metric->better : 0);
	add_number(&cache->data, groups);
	perun_buffer_free(&text);
}

void cli_history_cache_add_group(struct cli_history_cache *cache, const char *location,
				 const char *text, const double *values, size_t count)
{
	add_text(&cache->data, location);
	add_text(&cache->data, text);
	add_number(&cache->data, (uint32_t)count);
	if (count)
		perun_buffer_add(&cache->data, values, count * sizeof *values);
}

void cli_history_cache_end(struct cli_history_cache *cache)
{
	size_t from = cache->open + PERUN_CHECKSUM_SIZE + sizeof(uint32_t);
	uint32_t size = (uint32_t)(cache->data.length - from);
	struct record *record;

	memcpy(cache->data.data + from - sizeof size, &size, sizeof size);
	PERUN_GROW(cache->records, cache->count, cache->capacity);
	record = &cache->records[cache->count++];
	memcpy(record->checksum, cache->data.data + cache->open, PERUN_CHECKSUM_SIZE);
	record->from = from;
	record->end = cache->data.length;
	cache->changed = true;
}
