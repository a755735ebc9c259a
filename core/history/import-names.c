/* SPDX-License-Identifier: BSD-3-Clause */
/* Imported files may be called anything: which of their names, which are workloads, are not an identity. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/history/history.h"
#include "core/context/hash.h"

/* Classes of a kind that no file of the last versions has are forgotten from here on. */
#define MAX_CLASSES 64

/* A metric at a location, as a hash, and its samples, where it is a function of samples with its own cost; else 0. */
struct part {
	uint64_t strand;
	double samples;
};

/* Files that contain the same. */
struct content {
	const char *first;  /* the name that counts: that of an item; NULL = not known yet */
	struct part *parts; /* ascending by strand */
	size_t count;
	double samples;       /* of all parts */
	bool taken;           /* by a file of the version */
	struct content *like; /* of those known; NULL = none */
	size_t common;        /* strands with that one */
};

/* What may be one measurement under several names: its profiles differ in nothing but the workload. */
struct kind {
	char *type, *collector, *command; /* while lists are compared without the arguments */
	uint64_t hash;                    /* of the command */
	size_t version, last; /* the last one that has it, and the one before; SIZE_MAX = none */
	size_t since;         /* the first one that has it */
	size_t names, kept,
		fresh; /* of that version: all, those that the one before it has, and others */
	size_t names_before;
	struct content *known; /* of the versions before */
	struct content *found; /* of that version */
	size_t known_count, known_capacity, found_count, found_capacity;
	bool paired; /* while the items of a version are named */
	bool recurs; /* a name is in several versions */
	bool rivals; /* two files of a version measure mostly the same */
	bool counts; /* its names are an identity */
};

/* What a version has of a kind. */
struct named {
	size_t kind, version;
	char *name;
	size_t content;    /* of those found in the version */
	const char *first; /* the name that counts: that of an item */
};

/* Numbers from 1 on by hash, in a table of open addressing; 0 = free. */
struct numbers {
	size_t *slots;
	size_t count, size;
};

struct perun_import_names {
	struct kind *kinds;
	size_t kind_count, kind_capacity;
	struct named *items; /* in the order of the versions */
	size_t count, capacity;
	struct numbers kinds_by_hash;
	struct numbers names_by_hash; /* of each name of a kind the last item */
};

static uint64_t hash_text(const char *text, uint64_t seed)
{
	return perun_hash_bytes(text, strlen(text), seed);
}

static uint64_t hash_kind(const struct kind *kind)
{
	return hash_text(kind->type, hash_text(kind->collector, kind->hash));
}

static uint64_t hash_item(const struct perun_import_names *names, const struct named *item)
{
	return hash_text(item->name, names->kinds[item->kind].hash);
}

/* Make room for another number; the hashes of those there are asked for again. */
static void make_room(const struct perun_import_names *names, struct numbers *numbers, bool kinds)
{
	size_t *old = numbers->slots, old_size = numbers->size;

	if (2 * (numbers->count + 1) <= numbers->size)
		return;
	numbers->size = old_size ? 2 * old_size : 64;
	numbers->slots = perun_alloc_zero(numbers->size, sizeof *numbers->slots);
	for (size_t i = 0; i < old_size; i++) {
		size_t at;

		if (!old[i])
			continue;
		at = (size_t)(kinds ? hash_kind(&names->kinds[old[i] - 1])
				    : hash_item(names, &names->items[old[i] - 1]));
		while (numbers->slots[at &= numbers->size - 1])
			at++;
		numbers->slots[at] = old[i];
	}
	perun_free(old);
}

static size_t kind_of(struct perun_import_names *names, const char *type, const char *collector,
		      const char *command)
{
	struct kind key = {.type = perun_strdup(type),
			   .collector = perun_strdup(collector),
			   .command = perun_strdup(command),
			   .hash = hash_text(command, perun_hash_secret),
			   .version = SIZE_MAX,
			   .last = SIZE_MAX};
	size_t at = (size_t)hash_kind(&key), number;

	make_room(names, &names->kinds_by_hash, true);
	for (;; at++) {
		const struct kind *kind;

		number = names->kinds_by_hash.slots[at &= names->kinds_by_hash.size - 1];
		kind = number ? &names->kinds[number - 1] : NULL;
		if (kind && (strcmp(kind->command, command) != 0 || strcmp(kind->type, type) != 0 ||
			     strcmp(kind->collector, collector) != 0))
			continue;
		if (!kind)
			break;
		perun_free(key.type);
		perun_free(key.collector);
		perun_free(key.command);
		return number - 1;
	}
	PERUN_GROW(names->kinds, names->kind_count, names->kind_capacity);
	names->kinds[names->kind_count++] = key;
	names->kinds_by_hash.slots[at] = names->kind_count;
	names->kinds_by_hash.count++;
	return names->kind_count - 1;
}

static void free_contents(struct content *contents, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perun_free(contents[i].parts);
	perun_free(contents);
}

void perun_import_names_free(struct perun_import_names *names)
{
	if (!names)
		return;
	for (size_t k = 0; k < names->kind_count; k++) {
		struct kind *kind = &names->kinds[k];

		perun_free(kind->type);
		perun_free(kind->collector);
		perun_free(kind->command);
		free_contents(kind->known, kind->known_count);
		free_contents(kind->found, kind->found_count);
	}
	for (size_t i = 0; i < names->count; i++)
		perun_free(names->items[i].name);
	perun_free(names->kinds);
	perun_free(names->items);
	perun_free(names->kinds_by_hash.slots);
	perun_free(names->names_by_hash.slots);
	perun_free(names);
}

/* Where the last item of a name is in the table, or belongs. */
static size_t *find_name(struct perun_import_names *names, size_t kind, const char *name)
{
	struct numbers *numbers = &names->names_by_hash;
	size_t at = (size_t)hash_text(name, names->kinds[kind].hash);

	make_room(names, numbers, false);
	for (;; at++) {
		size_t number = numbers->slots[at &= numbers->size - 1];
		const struct named *item = number ? &names->items[number - 1] : NULL;

		if (!item || (item->kind == kind && strcmp(item->name, name) == 0))
			return &numbers->slots[at];
	}
}

/* Add a name of a version, the newest one so far; NULL when the version has it. `*known` = the item before it, or NULL. */
static struct named *add_name(struct perun_import_names *names, size_t kind, size_t version,
			      const char *name, const struct named **known)
{
	size_t *slot = find_name(names, kind, name);
	bool is_known = *slot != 0;
	size_t before = *slot - 1;

	if (is_known && names->items[before].version == version)
		return NULL;
	PERUN_GROW(names->items, names->count, names->capacity);
	names->items[names->count++] =
		(struct named){.kind = kind, .version = version, .name = perun_strdup(name)};
	*slot = names->count;
	names->names_by_hash.count += !is_known;
	*known = is_known ? &names->items[before] : NULL;
	return &names->items[names->count - 1];
}

/* ---- whether there is anything to find, by the lists alone -------------------------------------- */

static void list_name(struct perun_import_names *names, size_t k, size_t version, const char *name)
{
	struct kind *kind = &names->kinds[k];
	const struct named *known;

	if (kind->version == SIZE_MAX)
		kind->since = version;
	if (kind->version != version) {
		kind->last = kind->version;
		kind->version = version;
		kind->names_before = kind->names;
		kind->names = kind->kept = kind->fresh = 0;
	}
	if (!add_name(names, k, version, name, &known))
		return;
	kind->names++;
	if (known && known->version == kind->last)
		kind->kept++;
	else if (kind->last != SIZE_MAX)
		kind->fresh++;
}

/* Kinds with `counts` have other names here and there: each of two versions in a row has one that the other lacks. */
static void compare_lists(struct perun_import_names *names, size_t from)
{
	for (size_t i = from; i < names->count; i++) {
		struct kind *kind = &names->kinds[names->items[i].kind];

		kind->counts |= kind->fresh && kind->kept < kind->names_before;
	}
}

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
		for (size_t i = 0; !status && i < item_count; i++)
			list_name(
				names,
				kind_of(names, items[i].type, items[i].collector, items[i].command),
				v, items[i].workload);
		compare_lists(names, from);
	}
	for (size_t k = 0; k < names->kind_count; k++)
		*any |= names->kinds[k].counts;
	return status;
}

int perun_import_names_meet_new(struct perun_ctx *ctx, struct perun_reader *lists,
				const char *const *versions, size_t count, size_t fresh, bool *meet)
{
	struct perun_import_names *listed = perun_alloc_zero(1, sizeof *listed);
	bool any = false;
	int status = read_lists(ctx, lists, versions, count, listed, &any);

	*meet = any;
	for (size_t k = 0; k < listed->kind_count; k++)
		*meet |= listed->kinds[k].since >= fresh;
	perun_import_names_free(listed);
	return status;
}

/* ---- by the profiles ---------------------------------------------------------------------------- */

static int compare_parts(const void *one, const void *other)
{
	const struct part *a = one, *b = other;

	return a->strand < b->strand ? -1 : a->strand > b->strand;
}

/* Functions of samples below this share of everything come and go with the samples: they identify nothing. */
#define MIN_SHARE 0.01

/* A strand while a profile is read. */
struct seen {
	uint64_t hash, metric;
	double samples; /* what it costs; INFINITY = it is not a function of samples */
	bool inclusive;
};

/* Drop small functions of a metric, which are the strands from `first` on; the new number of all. */
static size_t drop_small(struct seen *seen, size_t first, size_t count)
{
	double whole = 0;
	size_t kept = first;

	for (size_t i = first; i < count; i++)
		whole += isfinite(seen[i].samples) && !seen[i].inclusive ? seen[i].samples : 0;
	for (size_t i = first; i < count; i++) {
		if (seen[i].samples >= MIN_SHARE * whole)
			seen[kept++] = seen[i];
	}
	return kept;
}

/* The strands of the profile that the reader is at; the caller frees them. */
static struct seen *see_strands(struct perun_reader *reader, size_t *count)
{
	const struct perun_value *value;
	struct seen *seen = NULL;
	size_t capacity = 0, first = 0;

	*count = 0;
	while ((value = perun_reader_value(reader))) {
		uint64_t metric = perun_hash_bytes(value->metric, strlen(value->metric), 1);
		bool sampled = value->stacks && value->noise == PERUN_NOISE_SAMPLED;

		if (*count > first && seen[*count - 1].metric != metric) {
			*count = drop_small(seen, first, *count);
			first = *count;
		}
		PERUN_GROW(seen, *count, capacity);
		seen[(*count)++] = (struct seen){
			.hash = perun_hash_bytes(value->location, strlen(value->location), metric),
			.metric = metric,
			.samples = sampled && value->count ? value->repeats[0] / value->sample
							   : INFINITY,
			.inclusive = value->inclusive};
	}
	*count = drop_small(seen, first, *count);
	return seen;
}

/* What the profile that the reader is at contains. */
static struct content read_content(struct perun_reader *reader)
{
	size_t all;
	struct seen *seen = see_strands(reader, &all);
	struct content content = {.parts = perun_alloc((all + 1) * sizeof *content.parts)};

	for (size_t i = 0; i < all; i++) {
		bool own = isfinite(seen[i].samples) && !seen[i].inclusive;

		content.parts[i] = (struct part){seen[i].hash, own ? seen[i].samples : 0};
		content.samples += content.parts[i].samples;
	}
	perun_free(seen);
	qsort(content.parts, all, sizeof *content.parts, compare_parts);
	for (size_t i = 0; i < all; i++) {
		if (i == 0 || content.parts[i].strand != content.parts[content.count - 1].strand)
			content.parts[content.count++] = content.parts[i];
	}
	return content;
}

/* How many strands are in both, which are most of one of them at least; else 0. */
static size_t count_common(const struct content *one, const struct content *other)
{
	size_t common = 0, smaller = one->count < other->count ? one->count : other->count;

	for (size_t i = 0, k = 0; i < one->count && k < other->count;) {
		uint64_t a = one->parts[i].strand, b = other->parts[k].strand;

		common += a == b;
		i += a <= b;
		k += a >= b;
	}
	return 2 * common >= smaller ? common : 0;
}

/* How far shares of samples of two runs of one program may be apart, beyond chance, and how far chance may go to say so. */
#define MAX_APART  0.1
#define MAX_CHANCE 0.25

/*
 * Whether the samples of two profiles are spread over the functions alike: half the sum of the differences of their shares is
 * not much more than what two samples from one distribution are expected to differ by.
 */
static bool are_alike(const struct content *one, const struct content *other)
{
	double n = one->samples, m = other->samples, apart = 0, chance = 0;

	if (!(n > 0 && m > 0) || n > 2 * m || m > 2 * n)
		return false;
	for (size_t i = 0, k = 0; i < one->count || k < other->count;) {
		uint64_t a = i < one->count ? one->parts[i].strand : UINT64_MAX;
		uint64_t b = k < other->count ? other->parts[k].strand : UINT64_MAX;
		double here = a <= b && i < one->count ? one->parts[i].samples / n : 0;
		double there = b <= a && k < other->count ? other->parts[k].samples / m : 0;

		apart += fabs(here - there) / 2;
		chance += sqrt((here + there) / 2 * (1 / n + 1 / m) / (2 * acos(-1)));
		i += a <= b;
		k += b <= a;
	}
	return chance <= MAX_CHANCE && apart <= chance + MAX_APART;
}

/* Whether two files imported together are repeats: they contain the same benchmarks, or samples of one program. */
static bool are_repeats(const struct content *one, const struct content *other, size_t common)
{
	size_t larger = one->count > other->count ? one->count : other->count;

	return common && (10 * common >= 9 * larger || are_alike(one, other));
}

/* Put what a file of the version contains (taken) among what was found in the version. */
static size_t add_content(struct kind *kind, struct content content)
{
	for (size_t i = 0; i < kind->found_count; i++) {
		struct content *found = &kind->found[i];
		size_t common = count_common(found, &content);

		kind->rivals |= common != 0;
		/* Two names that mean different things so far remain so. */
		if (!are_repeats(found, &content, common) ||
		    (found->first && content.first && strcmp(found->first, content.first) != 0))
			continue;
		if (!found->first)
			found->first = content.first;
		perun_free(content.parts);
		return i;
	}
	PERUN_GROW(kind->found, kind->found_count, kind->found_capacity);
	kind->found[kind->found_count++] = content;
	return kind->found_count - 1;
}

/* Of what no file of the version has, find what is most like a content. */
static void find_like(struct kind *kind, struct content *found)
{
	found->like = NULL;
	found->common = 0;
	for (size_t i = 0; i < kind->known_count; i++) {
		struct content *known = &kind->known[i];
		size_t common = known->taken ? 0 : count_common(known, found);

		if (common > found->common) {
			found->like = known;
			found->common = common;
		}
	}
}

/* The content without a name that shares most with one that is known; NULL = none does. */
static struct content *next_pair(struct kind *kind)
{
	struct content *best = NULL;

	for (size_t f = 0; f < kind->found_count; f++) {
		struct content *found = &kind->found[f];

		if (!found->first && found->like && (!best || found->common > best->common))
			best = found;
	}
	return best;
}

/* Each content without a name takes that of the one before that it is most like: those first that share most. */
static void pair_contents(struct kind *kind)
{
	struct content *next;

	for (size_t f = 0; f < kind->found_count; f++) {
		for (size_t i = 0; kind->found[f].first && i < kind->known_count; i++)
			kind->known[i].taken |=
				strcmp(kind->known[i].first, kind->found[f].first) == 0;
	}
	for (size_t f = 0; f < kind->found_count; f++) {
		if (!kind->found[f].first)
			find_like(kind, &kind->found[f]);
	}
	while ((next = next_pair(kind))) {
		if (next->like->taken) {
			find_like(kind, next);
			continue;
		}
		next->first = next->like->first;
		next->like->taken = true;
	}
}

/* What was found becomes known, before what is known and was not found. */
static void keep_contents(struct kind *kind)
{
	size_t found_count = kind->found_count;

	for (size_t i = 0; i < kind->known_count; i++) {
		if (kind->known[i].taken || kind->found_count >= MAX_CLASSES + found_count) {
			perun_free(kind->known[i].parts);
			continue;
		}
		PERUN_GROW(kind->found, kind->found_count, kind->found_capacity);
		kind->found[kind->found_count++] = kind->known[i];
	}
	perun_free(kind->known);
	kind->known = kind->found;
	kind->known_count = kind->found_count;
	kind->known_capacity = kind->found_capacity;
	kind->found = NULL;
	kind->found_count = kind->found_capacity = 0;
}

/* Find the names that count for those of a version, whose items begin at `from`. */
static void name_items(struct perun_import_names *names, size_t from)
{
	/* The name of a content that is new is that of its first file. */
	for (size_t i = from; i < names->count; i++) {
		struct named *item = &names->items[i];
		struct kind *kind = &names->kinds[item->kind];

		if (!kind->paired)
			pair_contents(kind);
		kind->paired = true;
		if (!kind->found[item->content].first)
			kind->found[item->content].first = item->name;
		item->first = kind->found[item->content].first;
	}
	for (size_t i = from; i < names->count; i++) {
		struct kind *kind = &names->kinds[names->items[i].kind];

		if (kind->paired)
			keep_contents(kind);
		kind->paired = false;
	}
}

/* Whether a workload says no more than where the profile was read from: names that say nothing are left out at its import. */
static bool is_source(const struct perun_measured_profile *profile, const char *workload)
{
	return !*workload ||
	       strcmp(workload, *profile->file ? profile->file : "standard input") == 0;
}

static void take_profile(struct perun_import_names *names, const struct perun_reader_item *item,
			 const struct perun_measured_profile *profile, size_t version,
			 struct perun_reader *reader)
{
	char *command = perun_format("%s%s%s", item->command, *profile->arguments ? " " : "",
				     profile->arguments);
	size_t k = kind_of(names, item->type, item->collector, command);
	struct kind *kind = &names->kinds[k];
	const struct named *known;
	struct content content;
	struct named *named;

	perun_free(command);
	kind->counts |= !is_source(profile, item->workload);
	named = kind->counts ? NULL : add_name(names, k, version, item->workload, &known);
	if (!named)
		return;
	kind->recurs |= known != NULL;
	content = read_content(reader);
	content.first = known ? known->first : NULL;
	named->content = add_content(kind, content);
}

static int read_version(struct perun_ctx *ctx, struct perun_reader *reader,
			struct perun_import_names *lists, size_t version,
			struct perun_import_names *names)
{
	const struct perun_measured_profile *profile;
	size_t from = names->count;
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
			break;
		if (lists->kinds[kind_of(lists, items[i].type, items[i].collector,
					 items[i].command)]
			    .counts)
			take_profile(names, &items[i], profile, version, reader);
	}
	if (!status)
		name_items(names, from);
	return status;
}

/* Where files that are imported together measure the same, and under the same names later, the names say what differs. */
static void decide(struct perun_import_names *names)
{
	for (size_t k = 0; k < names->kind_count; k++)
		names->kinds[k].counts |= names->kinds[k].rivals && names->kinds[k].recurs;
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
	if (names)
		decide(names);
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
	const struct numbers *numbers = names ? &names->names_by_hash : NULL;
	size_t at, number;

	if (!names || !numbers->count)
		return workload;
	at = (size_t)hash_text(workload, hash_text(command, perun_hash_secret));
	for (; (number = numbers->slots[at & (numbers->size - 1)]); at++) {
		const struct named *item = &names->items[number - 1];

		if (strcmp(item->name, workload) == 0 &&
		    is_of_kind(&names->kinds[item->kind], type, collector, command))
			return item->first;
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
