/* SPDX-License-Identifier: BSD-3-Clause */
/* Imported files may be called anything: which of their names, which are workloads, are not an identity. */
#include <stdlib.h>
#include <string.h>

#include "core/history/history.h"
#include "core/context/hash.h"

/* What may be one measurement under several names: its profiles differ in nothing but the workload. */
struct kind {
	char *type, *collector, *command; /* while lists are compared without the arguments */
	size_t version;                   /* the last one that has it */
	size_t first, end;                /* the names of that version */
	uint64_t *strands; /* of that version, ascending: hashes of metric and location */
	size_t strand_count;
	bool counts; /* a version has several names, or a name is not that of a file */
};

/* What a version has of a kind. */
struct named {
	size_t kind, version;
	char *name;
	const char *first; /* the name that counts: that of an item */
};

struct perun_import_names {
	struct kind *kinds;
	size_t kind_count, kind_capacity;
	struct named *items; /* in the order of the versions */
	size_t count, capacity;
	size_t next; /* who asks goes in their order */
};

static size_t kind_of(struct perun_import_names *names, const char *type, const char *collector,
		      const char *command)
{
	struct kind *kind;

	for (size_t k = 0; k < names->kind_count; k++) {
		kind = &names->kinds[k];
		if (strcmp(kind->command, command) == 0 && strcmp(kind->type, type) == 0 &&
		    strcmp(kind->collector, collector) == 0)
			return k;
	}
	PERUN_GROW(names->kinds, names->kind_count, names->kind_capacity);
	kind = &names->kinds[names->kind_count++];
	*kind = (struct kind){.type = perun_strdup(type),
			      .collector = perun_strdup(collector),
			      .command = perun_strdup(command),
			      .version = SIZE_MAX};
	return names->kind_count - 1;
}

void perun_import_names_free(struct perun_import_names *names)
{
	if (!names)
		return;
	for (size_t k = 0; k < names->kind_count; k++) {
		perun_free(names->kinds[k].type);
		perun_free(names->kinds[k].collector);
		perun_free(names->kinds[k].command);
		perun_free(names->kinds[k].strands);
	}
	for (size_t i = 0; i < names->count; i++)
		perun_free(names->items[i].name);
	perun_free(names->kinds);
	perun_free(names->items);
	perun_free(names);
}

/* ---- whether there is anything to find, by the lists alone -------------------------------------- */

static const struct named *find_name(const struct perun_import_names *names, size_t from,
				     size_t end, size_t kind, const char *name)
{
	for (size_t i = from; i < end; i++) {
		if (names->items[i].kind == kind && strcmp(names->items[i].name, name) == 0)
			return &names->items[i];
	}
	return NULL;
}

static void add_name(struct perun_import_names *names, size_t kind, size_t version,
		     const char *name)
{
	PERUN_GROW(names->items, names->count, names->capacity);
	names->items[names->count++] = (struct named){kind, version, perun_strdup(name), NULL};
}

/* Whether a version has a name of a kind that another one lacks. */
static bool has_other(const struct perun_import_names *names, size_t kind, size_t from, size_t end,
		      size_t other_from, size_t other_end)
{
	for (size_t i = from; i < end; i++) {
		if (names->items[i].kind == kind &&
		    !find_name(names, other_from, other_end, kind, names->items[i].name))
			return true;
	}
	return false;
}

/* Mark the kinds of which a version, whose names begin at `from`, has others than the version before it. */
static void compare_lists(struct perun_import_names *names, size_t from)
{
	for (size_t i = from; i < names->count; i++) {
		size_t k = names->items[i].kind;
		struct kind *kind = &names->kinds[k];

		if (kind->version != SIZE_MAX && kind->version != names->items[i].version)
			kind->counts |=
				has_other(names, k, from, names->count, kind->first, kind->end) &&
				has_other(names, k, kind->first, kind->end, from, names->count);
		kind->version = names->items[i].version;
		kind->first = from;
		kind->end = names->count;
	}
}

/* Kinds with `counts` have other names here and there. */
static int read_lists(struct perun_ctx *ctx, struct perun_reader *lists,
		      const char *const *versions, size_t count, struct perun_import_names *names,
		      bool *any)
{
	int status = PERUN_OK;

	for (size_t v = 0; !status && v < count; v++) {
		const struct perun_reader_item *items;
		size_t item_count, from = names->count;

		status = perun_reader_version(ctx, lists, versions[v]);
		items = perun_reader_items(lists, &item_count);
		for (size_t i = 0; !status && i < item_count; i++) {
			size_t kind =
				kind_of(names, items[i].type, items[i].collector, items[i].command);

			if (!find_name(names, from, names->count, kind, items[i].workload))
				add_name(names, kind, v, items[i].workload);
		}
		compare_lists(names, from);
	}
	for (size_t k = 0; k < names->kind_count; k++)
		*any |= names->kinds[k].counts;
	return status;
}

/* ---- by the profiles ---------------------------------------------------------------------------- */

static int compare_hashes(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

/* Hashes of the strands of the profile that the reader is at, ascending; the caller frees them. */
static uint64_t *read_strands(struct perun_reader *reader, size_t *count)
{
	const struct perun_value *value;
	uint64_t *strands = NULL;
	size_t capacity = 0, kept = 0;

	*count = 0;
	while ((value = perun_reader_value(reader))) {
		uint64_t hash = perun_hash_bytes(value->metric, strlen(value->metric), 1);

		PERUN_GROW(strands, *count, capacity);
		strands[(*count)++] =
			perun_hash_bytes(value->location, strlen(value->location), hash);
	}
	if (*count)
		qsort(strands, *count, sizeof *strands, compare_hashes);
	for (size_t i = 0; i < *count; i++) {
		if (i == 0 || strands[i] != strands[kept - 1])
			strands[kept++] = strands[i];
	}
	*count = kept;
	return strands;
}

/* Whether half of the smaller set at least is in both. */
static bool are_alike(const uint64_t *one, size_t one_count, const uint64_t *other,
		      size_t other_count)
{
	size_t common = 0;

	for (size_t i = 0, k = 0; i < one_count && k < other_count;) {
		common += one[i] == other[k];
		if (one[i] <= other[k])
			i++;
		else
			k++;
	}
	return common && 2 * common >= (one_count < other_count ? one_count : other_count);
}

/* Take a profile of a version, with its strands (taken). */
static void take(struct perun_import_names *names, size_t k, size_t version, const char *name,
		 uint64_t *strands, size_t count)
{
	struct kind *kind = &names->kinds[k];
	const struct named *known = find_name(names, 0, names->count, k, name);
	const struct named *last = kind->version == SIZE_MAX ? NULL : &names->items[kind->first];
	const char *first = known ? known->first : NULL;

	if (kind->version == version && strcmp(last->name, name) != 0)
		kind->counts = true;
	if (kind->version == version) {
		perun_free(strands);
		return;
	}
	if (!first && last && are_alike(kind->strands, kind->strand_count, strands, count))
		first = last->first;
	add_name(names, k, version, name);
	names->items[names->count - 1].first = first ? first : names->items[names->count - 1].name;
	kind->first = names->count - 1;
	kind->version = version;
	perun_free(kind->strands);
	kind->strands = strands;
	kind->strand_count = count;
}

static void take_profile(struct perun_import_names *names, const struct perun_reader_item *item,
			 const struct perun_measured_profile *profile, size_t version,
			 struct perun_reader *reader)
{
	char *command = perun_format("%s%s%s", item->command, *profile->arguments ? " " : "",
				     profile->arguments);
	size_t k = kind_of(names, item->type, item->collector, command), count;

	perun_free(command);
	names->kinds[k].counts |= strcmp(profile->file, item->workload) != 0;
	if (!names->kinds[k].counts) {
		uint64_t *strands = read_strands(reader, &count);

		take(names, k, version, item->workload, strands, count);
	}
}

static int read_version(struct perun_ctx *ctx, struct perun_reader *reader,
			struct perun_import_names *lists, size_t version,
			struct perun_import_names *names)
{
	const struct perun_measured_profile *profile;
	int status = PERUN_OK;

	for (size_t i = 0;; i++) {
		const struct perun_reader_item *items;
		size_t count;

		status = perun_reader_profile(ctx, reader, &profile);
		items = perun_reader_items(reader, &count);
		/* The error is for whoever wants its values. */
		if (status == PERUN_INPUT || status == PERUN_MISSING) {
			perun_ctx_clear(ctx);
			continue;
		}
		if (status || !profile)
			return status;
		if (lists->kinds[kind_of(lists, items[i].type, items[i].collector,
					 items[i].command)]
			    .counts)
			take_profile(names, &items[i], profile, version, reader);
	}
}

int perun_import_names_find(struct perun_ctx *ctx, struct perun_store *store,
			    struct perun_reader *lists, const char *const *versions, size_t count,
			    struct perun_import_names **result)
{
	const struct perun_reader_options options = {.struct_size = sizeof options,
						     .functions = true};
	struct perun_import_names *listed = perun_alloc_zero(1, sizeof *listed), *names = NULL;
	struct perun_reader *reader = NULL;
	bool any = false;
	int status = read_lists(ctx, lists, versions, count, listed, &any);

	if (!status && any) {
		names = perun_alloc_zero(1, sizeof *names);
		status = perun_reader_open(ctx, store, &options, &reader);
	}
	for (size_t v = 0; !status && any && v < count; v++) {
		status = perun_reader_version(ctx, reader, versions[v]);
		if (!status)
			status = read_version(ctx, reader, listed, v, names);
	}
	perun_reader_close(reader);
	perun_import_names_free(listed);
	if (status) {
		perun_import_names_free(names);
		names = NULL;
	}
	*result = names;
	return status;
}

/* ---- asking ------------------------------------------------------------------------------------- */

static bool is_of_kind(const struct kind *kind, const char *type, const char *collector,
		       const char *command)
{
	return !kind->counts && strcmp(kind->command, command) == 0 &&
	       (!type || strcmp(kind->type, type) == 0) &&
	       (!collector || strcmp(kind->collector, collector) == 0);
}

const char *perun_import_names_of(struct perun_import_names *names, const char *type,
				  const char *collector, const char *command, const char *workload)
{
	for (size_t i = 0; names && i < names->count; i++) {
		size_t at = (names->next + i) % names->count;
		const struct named *item = &names->items[at];

		if (strcmp(item->name, workload) == 0 &&
		    is_of_kind(&names->kinds[item->kind], type, collector, command)) {
			names->next = at;
			return item->first;
		}
	}
	return workload;
}

/* The first item of a version. */
static size_t first_of(const struct perun_import_names *names, size_t version)
{
	size_t low = 0, high = names->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->items[middle].version < version)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

char *perun_import_names_command(const struct perun_import_names *names, size_t version,
				 const char *command)
{
	for (size_t i = names ? first_of(names, version) : 0;
	     names && i < names->count && names->items[i].version == version; i++) {
		const struct named *item = &names->items[i];
		const struct kind *kind = &names->kinds[item->kind];
		char *joined, *found = NULL;
		size_t length;

		if (kind->counts || strcmp(item->first, item->name) == 0)
			continue;
		joined = perun_format("%s%s%s", kind->command, *kind->command ? " " : "",
				      item->first);
		length = strlen(joined);
		/* The case of a sweep comes after it. */
		if (strncmp(command, joined, length) == 0 &&
		    (!command[length] || strncmp(command + length, " (", 2) == 0))
			found = perun_format("%s%s%s%s", kind->command, *kind->command ? " " : "",
					     item->name, command + length);
		perun_free(joined);
		if (found)
			return found;
	}
	return NULL;
}
