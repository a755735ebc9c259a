/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of versions, one after the other. */
#include <string.h>
#include <sys/stat.h>

#include "core/context/structs.h"
#include "core/history/cache.h"
#include "core/history/values.h"
#include "core/context/hash.h"
#include "core/store/store.h"

/* Profiles that a thread reads on one handle of the store. */
enum { AT_ONCE = 8 };

/* A profile in the index of a version. */
struct item {
	const char *checksum, *name, *command, *workload;
	uint32_t time;
};

/* The list of a version that was fetched before it is asked for. */
struct fetched {
	char *version;
	struct perun_buffer list;
};

struct perun_reader {
	struct perun_store *store;
	struct fetched *fetched;
	size_t fetched_count, fetched_next;
	struct perun_reader_options options;
	char *metric, *location;
	struct perun_history_cache *cache;
	struct perun_buffer list; /* of the version, as it is kept */
	struct item *items;
	size_t count, capacity, next;
	struct perun_buffer body; /* of the profile */
	struct perun_bytes bytes;
	struct perun_profile_head head;
	struct perun_measured_profile profile;
	struct perun_metric_head metric_head; /* whose groups come next */
	uint32_t metrics, groups;             /* that are left */
	struct perun_value value;
	struct perun_buffer command, workload;
	double *repeats;
	size_t repeat_capacity;
};

int perun_reader_open(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_reader_options *options, struct perun_reader **result)
{
	struct perun_reader *reader = perun_alloc_zero(1, sizeof *reader);

	(void)ctx;
	PERUN_STRUCT_TAKE(&reader->options, options);
	reader->store = store;
	reader->metric = perun_strdup(reader->options.metric);
	reader->location = perun_strdup(reader->options.location);
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
	perun_buffer_free(&reader->command);
	perun_buffer_free(&reader->workload);
	perun_free(reader->items);
	perun_free(reader->repeats);
	perun_free(reader->metric);
	perun_free(reader->location);
	perun_free(reader);
}

/* ---- the profiles of a version ---------------------------------------------------------------- */

uint64_t perun_version_key(struct perun_ctx *ctx, struct perun_store *store, const char *version)
{
	char path[PERUN_OBJECT_PATH_SIZE];
	struct stat info;

	if (!perun_is_checksum(version) || !perun_store_has_index(ctx, store, version))
		return 0;
	perun_object_path(version, "", path);
	if (fstatat(store->directory, path, &info, 0) != 0)
		return 0;
	return perun_hash_bytes((const int64_t[]){info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
						  info.st_size, (int64_t)info.st_ino},
				4 * sizeof(int64_t), 1) |
	       1;
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

/* A buffer that is empty has no data to point beyond. */
static struct perun_bytes bytes_of(const struct perun_buffer *buffer)
{
	if (!buffer->data)
		return (struct perun_bytes){0};
	return (struct perun_bytes){.at = buffer->data, .end = buffer->data + buffer->length};
}

/* The items of a list, whose texts they borrow. */
static void take_items(struct perun_reader *reader, const struct perun_buffer *list)
{
	struct perun_bytes bytes = bytes_of(list);
	uint32_t count;

	reader->count = reader->next = 0;
	if (!list->length)
		return;
	perun_bytes_take(&bytes, sizeof(uint64_t));
	count = perun_bytes_number(&bytes);
	for (uint32_t i = 0; i < count && !bytes.bad; i++) {
		struct item *item;

		PERUN_GROW(reader->items, reader->count, reader->capacity);
		item = &reader->items[reader->count++];
		item->checksum = perun_bytes_text(&bytes);
		item->name = perun_bytes_text(&bytes);
		item->command = perun_bytes_text(&bytes);
		item->workload = perun_bytes_text(&bytes);
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
	reader->metrics = reader->groups = 0;
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
	int status = perun_store_load(ctx, store, checksum, &profile);

	if (status)
		return status;
	*stacks = perun_has_only_stacks(perun_resources(profile));
	perun_buffer_clear(body);
	status =
		perun_values_of_profile(ctx, profile, functions ? PERUN_VALUES_FUNCTIONS : 0, body);
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

	if (reader->options.functions &&
	    perun_history_cache_read(cache, PERUN_RECORD_FUNCTIONS, checksum, &reader->body))
		return true;
	if (!perun_history_cache_read(cache, PERUN_RECORD_VALUES, checksum, &reader->body))
		return false;
	bytes = bytes_of(&reader->body);
	return !reader->options.functions || perun_bytes_number(&bytes) == 0;
}

static bool is_wanted(const struct perun_reader *reader, const struct perun_metric_head *metric,
		      bool first)
{
	if (reader->options.first_metric)
		return first;
	return !reader->metric || strcmp(metric->name, reader->metric) == 0;
}

/* Go to the next metric that is wanted. */
static bool next_metric(struct perun_reader *reader)
{
	while (reader->metrics > 0 && !reader->bytes.bad) {
		bool first = reader->metrics-- == reader->head.metrics;

		perun_metric_head_read(&reader->bytes, &reader->metric_head);
		if (is_wanted(reader, &reader->metric_head, first)) {
			reader->groups = reader->metric_head.groups;
			return !reader->bytes.bad;
		}
		perun_bytes_take(&reader->bytes, reader->metric_head.bytes);
	}
	return false;
}

static void start_profile(struct perun_reader *reader, const struct item *item)
{
	reader->bytes = bytes_of(&reader->body);
	perun_profile_head_read(&reader->bytes, &reader->head);
	reader->metrics = reader->head.metrics;
	reader->profile.machine = reader->head.machine_class;
	reader->profile.machine_document = reader->head.machine;
	reader->profile.measured = next_metric(reader);
	perun_buffer_clear(&reader->command);
	perun_buffer_printf(&reader->command, "%s%s%s", item->command,
			    *reader->head.arguments ? " " : "", reader->head.arguments);
}

int perun_reader_profile(struct perun_ctx *ctx, struct perun_reader *reader,
			 const struct perun_measured_profile **profile)
{
	const struct item *item;
	bool stacks = false;
	int status = PERUN_OK;

	reader->metrics = reader->groups = 0;
	*profile = NULL;
	if (reader->next >= reader->count)
		return PERUN_OK;
	item = &reader->items[reader->next++];
	reader->profile = (struct perun_measured_profile){.struct_size = sizeof reader->profile,
							  .checksum = item->checksum,
							  .name = item->name,
							  .time = item->time,
							  .machine = "",
							  .machine_document = ""};
	*profile = &reader->profile;
	if (!find_body(reader, item->checksum)) {
		status = make_body(ctx, reader->store, item->checksum, reader->options.functions,
				   &reader->body, &stacks);
		if (!status)
			perun_history_cache_add(
				reader->cache, kind_of(stacks, reader->options.functions),
				item->checksum, reader->body.data, reader->body.length);
	}
	if (!status)
		start_profile(reader, item);
	return status;
}

/* ---- its values ------------------------------------------------------------------------------- */

static void set_value(struct perun_reader *reader, const struct perun_value_group *group)
{
	const struct item *item = &reader->items[reader->next - 1];
	struct perun_value *value = &reader->value;

	perun_buffer_clear(&reader->workload);
	perun_buffer_add_text(&reader->workload, item->workload);
	if (*group->text)
		perun_buffer_printf(&reader->workload, "%s(%s)", *item->workload ? " " : "",
				    group->text);
	/* They are not aligned where they are kept. */
	if (reader->repeat_capacity < group->count) {
		reader->repeat_capacity = 2 * (size_t)group->count;
		reader->repeats = perun_realloc_array(reader->repeats, reader->repeat_capacity,
						      sizeof *reader->repeats);
	}
	if (group->count)
		memcpy(reader->repeats, group->repeats, group->count * sizeof *reader->repeats);
	*value = (struct perun_value){
		.struct_size = sizeof *value,
		.kind = reader->metric_head.kind,
		.command = reader->command.data ? reader->command.data : "",
		.workload = reader->workload.data ? reader->workload.data : "",
		.metric = reader->metric_head.name,
		.unit = reader->metric_head.unit,
		.location = group->location,
		.whole = group->flags & PERUN_GROUP_WHOLE,
		.total = group->flags & PERUN_GROUP_TOTAL,
		.better = reader->metric_head.better,
		.noise = reader->metric_head.noise,
		.sample = reader->metric_head.sample,
		.likely = perun_metric_head_likely(&reader->metric_head, reader->head.stacks),
		.stacks = reader->head.stacks,
		.deviation = group->deviation,
		.repeats = reader->repeats,
		.count = group->count};
}

const struct perun_value *perun_reader_value(struct perun_reader *reader)
{
	struct perun_value_group group;

	while (reader->groups > 0 || next_metric(reader)) {
		if (reader->groups == 0)
			continue;
		reader->groups--;
		perun_value_group_read(&reader->bytes, &group);
		if (reader->bytes.bad)
			break;
		if ((group.flags & PERUN_GROUP_TOTAL && !reader->options.totals) ||
		    (reader->location && strcmp(group.location, reader->location) != 0))
			continue;
		set_value(reader, &group);
		return &reader->value;
	}
	reader->groups = reader->metrics = 0;
	return NULL;
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
		if (!made->done) /* whoever gets there is told */
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

		if (reader->options.functions)
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
	struct making making = {.store = reader->store, .functions = reader->options.functions};
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
			perun_history_cache_add(reader->cache,
						kind_of(made->stacks, reader->options.functions),
						made->checksum, made->body.data, made->body.length);
		perun_buffer_free(&made->body);
	}
	perun_free(making.items);
	return status;
}
