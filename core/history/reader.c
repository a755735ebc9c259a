/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of versions, one after the other. */
#include <string.h>
#include <sys/stat.h>

#include "core/context/structs.h"
#include "core/history/cache.h"
#include "core/history/history.h"
#include "core/history/values.h"
#include "core/history/verdict-key.h"
#include "core/context/hash.h"
#include "core/store/measured.h"
#include "core/store/store.h"

/* Profiles that a thread reads on one handle of the store. */
enum { AT_ONCE = 8 };

/* The list of a version that was fetched before it is asked for. */
struct fetched {
	char *version;
	struct perun_buffer list;
};

struct perun_reader {
	struct perun_store *store;
	struct fetched *fetched;
	size_t fetched_count, fetched_next;
	struct perun_history_cache *cache;
	struct perun_buffer list; /* of the version, as it is kept */
	struct perun_reader_item *items;
	size_t count, capacity, next;
	struct perun_buffer body;    /* of the profile */
	enum perun_record_kind kind; /* of that */
	struct perun_value_walk walk;
	struct perun_measured_profile profile;
	struct perun_import_names *names; /* NULL = all names count */
};

int perun_reader_open(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_reader_options *options, struct perun_reader **result)
{
	struct perun_reader *reader = perun_alloc_zero(1, sizeof *reader);

	(void)ctx;
	perun_value_walk_init(&reader->walk, options);
	reader->store = store;
	reader->cache = perun_history_cache_open(store);
	*result = reader;
	return PERUN_OK;
}

static void forget_fetched(struct perun_reader *reader)
{
	for (size_t i = 0; i < reader->fetched_count; i++) {
		perun_free(reader->fetched[i].version);
		perun_buffer_free(&reader->fetched[i].list);
	}
	perun_free(reader->fetched);
	reader->fetched = NULL;
	reader->fetched_count = reader->fetched_next = 0;
}

void perun_reader_close(struct perun_reader *reader)
{
	if (!reader)
		return;
	forget_fetched(reader);
	perun_history_cache_close(reader->cache);
	perun_buffer_free(&reader->list);
	perun_buffer_free(&reader->body);
	perun_value_walk_free(&reader->walk);
	perun_import_names_free(reader->names);
	perun_free(reader->items);
	perun_free(reader);
}

int perun_reader_join_files(struct perun_ctx *ctx, struct perun_reader *reader,
			    const char *const *versions, size_t count)
{
	perun_import_names_free(reader->names);
	reader->names = NULL;
	return perun_import_names_find(ctx, reader->store, reader, versions, count, &reader->names);
}

struct perun_import_names *perun_reader_take_names(struct perun_reader *reader)
{
	struct perun_import_names *names = reader->names;

	reader->names = NULL;
	return names;
}

const struct perun_reader_item *perun_reader_items(const struct perun_reader *reader, size_t *count)
{
	*count = reader->count;
	return reader->items;
}

/* ---- the profiles of a version ---------------------------------------------------------------- */

/* Changes with a file of the store; 0 = it is not there. */
static uint64_t key_of_file(const struct perun_store *store, const char *path)
{
	struct stat info;

	if (fstatat(store->directory, path, &info, 0) != 0)
		return 0;
	return perun_hash_bytes((const int64_t[]){info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
						  info.st_size, (int64_t)info.st_ino},
				4 * sizeof(int64_t), 1) |
	       1;
}

uint64_t perun_version_key(struct perun_ctx *ctx, struct perun_store *store, const char *version)
{
	char path[PERUN_OBJECT_PATH_SIZE];

	if (!perun_is_checksum(version) || !perun_store_has_index(ctx, store, version))
		return 0;
	perun_object_path(version, "", path);
	return key_of_file(store, path);
}

uint64_t perun_version_changes_key(struct perun_store *store, const char *version)
{
	char path[PERUN_OBJECT_PATH_SIZE];

	if (!perun_is_checksum(version))
		return 0;
	perun_object_path(version, ".changes", path);
	return key_of_file(store, path);
}

static int read_index(struct perun_ctx *ctx, struct perun_store *store, const char *version,
		      uint64_t key, struct perun_buffer *list)
{
	struct perun_entries entries;
	int status = perun_store_entries(ctx, store, version, &entries);

	if (status)
		return status;
	perun_buffer_clear(list);
	perun_buffer_add(list, &key, sizeof key);
	perun_bytes_add_number(list, (uint32_t)entries.count);
	for (size_t i = 0; i < entries.count; i++) {
		const struct perun_entry *entry = &entries.items[i];

		perun_bytes_add_text(list, entry->checksum);
		perun_bytes_add_text(list, entry->path);
		perun_bytes_add_text(list, entry->cmd);
		perun_bytes_add_text(list, entry->workload);
		perun_bytes_add_text(list, entry->type);
		perun_bytes_add_text(list, entry->collector);
		perun_bytes_add_number(list, entry->time);
	}
	perun_entries_free(&entries);
	return PERUN_OK;
}

/* The list as it is kept, or else the index itself. */
static int load_list(struct perun_ctx *ctx, struct perun_reader *reader, const char *version,
		     struct perun_buffer *list)
{
	uint64_t key = perun_version_key(ctx, reader->store, version), kept;
	int status;

	perun_buffer_clear(list);
	if (!key)
		return PERUN_OK;
	if (perun_history_cache_read(reader->cache, PERUN_RECORD_VERSION, version, list) &&
	    list->length >= sizeof kept) {
		memcpy(&kept, list->data, sizeof kept);
		if (kept == key)
			return PERUN_OK;
	}
	status = read_index(ctx, reader->store, version, key, list);
	if (!status)
		perun_history_cache_add(reader->cache, PERUN_RECORD_VERSION, version, list->data,
					list->length);
	return status;
}

/* The items of a list, whose texts they borrow. */
static void take_items(struct perun_reader *reader, const struct perun_buffer *list)
{
	struct perun_bytes bytes = perun_bytes_of(list);
	uint32_t count;

	reader->count = reader->next = 0;
	if (!list->length)
		return;
	perun_bytes_take(&bytes, sizeof(uint64_t));
	count = perun_bytes_number(&bytes);
	for (uint32_t i = 0; i < count && !bytes.bad; i++) {
		struct perun_reader_item *item;

		PERUN_GROW(reader->items, reader->count, reader->capacity);
		item = &reader->items[reader->count++];
		item->checksum = perun_bytes_text(&bytes);
		item->name = perun_bytes_text(&bytes);
		item->command = perun_bytes_text(&bytes);
		item->workload = perun_bytes_text(&bytes);
		item->type = perun_bytes_text(&bytes);
		item->collector = perun_bytes_text(&bytes);
		item->time = perun_bytes_number(&bytes);
	}
}

/* The list of a version that was fetched; those are asked for in their order. */
static bool take_fetched(struct perun_reader *reader, const char *version)
{
	size_t i = reader->fetched_next;

	while (i < reader->fetched_count && strcmp(reader->fetched[i].version, version) != 0)
		i++;
	if (i == reader->fetched_count)
		return false;
	perun_buffer_free(&reader->list);
	reader->list = reader->fetched[i].list;
	reader->fetched[i].list = (struct perun_buffer){0};
	reader->fetched_next = i + 1;
	return true;
}

int perun_reader_version(struct perun_ctx *ctx, struct perun_reader *reader, const char *version)
{
	int status = PERUN_OK;

	reader->count = reader->next = 0;
	perun_value_walk_stop(&reader->walk);
	if (perun_cancelled(ctx))
		return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	if (!take_fetched(reader, version))
		status = load_list(ctx, reader, version, &reader->list);
	if (!status)
		take_items(reader, &reader->list);
	return status;
}

/* ---- a profile -------------------------------------------------------------------------------- */

/* Read the values of an object; of stacks by function, or not. `*stacks`: it is one of stacks. */
static int make_body(struct perun_ctx *ctx, struct perun_store *store, const char *checksum,
		     bool functions, struct perun_buffer *body, bool *stacks)
{
	struct perun_profile *profile;
	int status = perun_store_load_measured(ctx, store, checksum, &profile);

	if (status)
		return status;
	*stacks = perun_has_only_stacks(perun_resources(profile));
	perun_buffer_clear(body);
	status = perun_values_of_profile(
		ctx, profile, PERUN_VALUES_INCLUSIVE | (functions ? PERUN_VALUES_FUNCTIONS : 0),
		body);
	perun_profile_unref(profile);
	return status;
}

static enum perun_record_kind kind_of(bool stacks, bool functions)
{
	return stacks && functions ? PERUN_RECORD_FUNCTIONS : PERUN_RECORD_VALUES;
}

/* What is kept of an object into the reader's body; false when nothing is. */
static bool find_body(struct perun_reader *reader, const char *checksum)
{
	struct perun_history_cache *cache = reader->cache;
	struct perun_bytes bytes;

	reader->kind = PERUN_RECORD_FUNCTIONS;
	if (reader->walk.options.functions &&
	    perun_history_cache_read(cache, reader->kind, checksum, &reader->body))
		return true;
	reader->kind = PERUN_RECORD_VALUES;
	if (!perun_history_cache_read(cache, reader->kind, checksum, &reader->body))
		return false;
	bytes = perun_bytes_of(&reader->body);
	return !reader->walk.options.functions || perun_bytes_number(&bytes) == 0;
}

static void start_profile(struct perun_reader *reader, const struct perun_reader_item *item)
{
	struct perun_value_walk *walk = &reader->walk;

	reader->profile.measured = perun_value_walk_start(walk, &reader->body, item->command);
	perun_value_walk_workload(walk,
				  perun_import_names_of(reader->names, item->type, item->collector,
							walk->command.data, item->workload));
	reader->profile.machine = walk->head.machine_class;
	reader->profile.machine_document = walk->head.machine;
	reader->profile.arguments = walk->head.arguments;
	reader->profile.file = walk->head.file;
	reader->profile.command = walk->command.data;
	reader->profile.workload = walk->plain_workload;
	reader->profile.failed = walk->head.failed;
}

int perun_reader_profile(struct perun_ctx *ctx, struct perun_reader *reader,
			 const struct perun_measured_profile **profile)
{
	const struct perun_reader_item *item;
	bool stacks = false;
	int status = PERUN_OK;

	perun_value_walk_stop(&reader->walk);
	*profile = NULL;
	if (reader->next >= reader->count)
		return PERUN_OK;
	item = &reader->items[reader->next++];
	reader->profile = (struct perun_measured_profile){.struct_size = sizeof reader->profile,
							  .checksum = item->checksum,
							  .name = item->name,
							  .time = item->time,
							  .machine = "",
							  .machine_document = "",
							  .arguments = "",
							  .file = "",
							  .command = "",
							  .workload = "",
							  .failed = ""};
	*profile = &reader->profile;
	if (!find_body(reader, item->checksum)) {
		status = make_body(ctx, reader->store, item->checksum,
				   reader->walk.options.functions, &reader->body, &stacks);
		reader->kind = kind_of(stacks, reader->walk.options.functions);
		if (!status)
			perun_history_cache_add(reader->cache, reader->kind, item->checksum,
						reader->body.data, reader->body.length);
	}
	if (!status)
		start_profile(reader, item);
	return status;
}

void perun_reader_hash_profile(const struct perun_reader *reader, struct perun_hash *hash)
{
	const uint64_t values =
		perun_history_cache_hash(reader->cache, reader->kind, reader->profile.checksum);

	perun_verdict_key_add_text(hash, reader->profile.checksum);
	perun_verdict_key_add_text(hash, reader->profile.command);
	perun_verdict_key_add_text(hash, reader->profile.workload);
	perun_hash_add(hash, &values, sizeof values);
}

const struct perun_value *perun_reader_value(struct perun_reader *reader)
{
	return perun_value_walk_next(&reader->walk);
}

/* ---- several versions at once ----------------------------------------------------------------- */

struct made {
	char checksum[PERUN_CHECKSUM_SIZE];
	struct perun_buffer body;
	bool stacks, done;
};

struct making {
	struct perun_store *store;
	bool functions;
	struct made *items;
	size_t count, capacity;
};

static int make_some(struct perun_ctx *ctx, size_t number, void *data)
{
	struct making *making = data;
	size_t end = (number + 1) * AT_ONCE;
	struct perun_store *store;
	int status = perun_store_reopen(ctx, making->store, &store);

	for (size_t i = number * AT_ONCE; !status && i < end && i < making->count; i++) {
		struct made *made = &making->items[i];

		if (perun_cancelled(ctx)) {
			status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
			break;
		}
		made->done = make_body(ctx, store, made->checksum, making->functions, &made->body,
				       &made->stacks) == PERUN_OK;
		if (!made->done) /* whoever gets there gets the error */
			perun_ctx_clear(ctx);
	}
	perun_store_close(store);
	return status;
}

/* Note the profiles of a version that are not kept. */
static int note_missing(struct perun_ctx *ctx, struct perun_reader *reader, const char *version,
			struct making *making)
{
	struct fetched *fetched = &reader->fetched[reader->fetched_count++];
	int status = load_list(ctx, reader, version, &fetched->list);

	fetched->version = perun_strdup(version);
	if (!status)
		take_items(reader, &fetched->list);
	for (size_t i = 0; !status && i < reader->count; i++) {
		const char *checksum = reader->items[i].checksum;
		bool kept = perun_history_cache_has(reader->cache, PERUN_RECORD_VALUES, checksum);

		if (reader->walk.options.functions)
			kept |= perun_history_cache_has(reader->cache, PERUN_RECORD_FUNCTIONS,
							checksum);
		if (kept || strlen(checksum) >= PERUN_CHECKSUM_SIZE)
			continue;
		PERUN_GROW(making->items, making->count, making->capacity);
		making->items[making->count] = (struct made){.done = false};
		strcpy(making->items[making->count++].checksum, checksum);
	}
	reader->count = reader->next = 0;
	return status;
}

int perun_reader_prefetch(struct perun_ctx *ctx, struct perun_reader *reader,
			  const char *const *versions, size_t count)
{
	struct making making = {.store = reader->store,
				.functions = reader->walk.options.functions};
	int status = PERUN_OK;

	forget_fetched(reader);
	reader->fetched = perun_alloc_zero(count + 1, sizeof *reader->fetched);
	for (size_t i = 0; !status && i < count; i++)
		status = note_missing(ctx, reader, versions[i], &making);
	if (!status && making.count > 1)
		status = perun_parallel_for(ctx, (making.count + AT_ONCE - 1) / AT_ONCE, make_some,
					    &making);
	for (size_t i = 0; i < making.count; i++) {
		struct made *made = &making.items[i];

		if (made->done)
			perun_history_cache_add(
				reader->cache,
				kind_of(made->stacks, reader->walk.options.functions),
				made->checksum, made->body.data, made->body.length);
		perun_buffer_free(&made->body);
	}
	perun_free(making.items);
	return status;
}
