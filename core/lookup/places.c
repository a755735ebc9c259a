/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiles that were found. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/path.h>

#include "core/lookup/lookup.h"
#include "core/store/original.h"

const char *perun_lookup_keep(struct perun_lookup *lookup, char *text)
{
	PERUN_GROW(lookup->texts, lookup->text_count, lookup->text_capacity);
	return lookup->texts[lookup->text_count++] = text;
}

static struct perun_place *add_place(struct perun_lookup *lookup, enum perun_place_kind kind)
{
	struct perun_place *place = perun_alloc_zero(1, sizeof *place);

	PERUN_GROW(lookup->places, lookup->count, lookup->capacity);
	lookup->places[lookup->count++] = place;
	place->struct_size = sizeof *place;
	place->kind = kind;
	return place;
}

void perun_lookup_add_registered(struct perun_lookup *lookup, const char *version,
				 const struct perun_entry *entry)
{
	struct perun_place *place = add_place(lookup, PERUN_PLACE_REGISTERED);

	place->entry = entry;
	place->version = perun_lookup_keep(lookup, perun_strdup(version));
	place->name = entry->path;
}

void perun_lookup_add_pending(struct perun_lookup *lookup, const struct perun_entry *entry)
{
	struct perun_place *place = add_place(lookup, PERUN_PLACE_PENDING);

	place->entry = entry;
	place->name = entry->path;
	place->path = perun_lookup_keep(
		lookup, perun_format("%s/jobs/%s", perun_store_path(lookup->store), entry->path));
}

void perun_lookup_add_object(struct perun_lookup *lookup, const char *checksum)
{
	struct perun_entry *entry = perun_alloc_zero(1, sizeof *entry);
	struct perun_place *place = add_place(lookup, PERUN_PLACE_REGISTERED);

	perun_lookup_keep(lookup, (char *)entry);
	(void)snprintf(entry->checksum, sizeof entry->checksum, "%s", checksum);
	entry->path = "";
	place->entry = entry;
	place->version = "";
	place->name = perun_lookup_keep(lookup, perun_strdup(checksum));
}

/* A path; "results/" is the directory results, whose name is not empty. */
static char *trimmed(const char *path)
{
	size_t length = strlen(path);
	struct stat info;

	if (length > 1 && path[length - 1] == '/' && stat(path, &info) == 0)
		while (length > 1 && path[length - 1] == '/')
			length--;
	return perun_strndup(path, length);
}

void perun_lookup_add_file(struct perun_lookup *lookup, const char *path)
{
	struct perun_place *place = add_place(lookup, PERUN_PLACE_FILE);

	place->path = perun_lookup_keep(lookup, trimmed(path));
	place->name = perun_path_base_name(place->path);
}

size_t perun_lookup_count(const struct perun_lookup *lookup)
{
	return lookup->count;
}

const struct perun_place *perun_lookup_at(const struct perun_lookup *lookup, size_t i)
{
	return i < lookup->count ? lookup->places[i] : NULL;
}

void perun_lookup_remove(struct perun_lookup *lookup, size_t i)
{
	if (i >= lookup->count)
		return;
	perun_free(lookup->places[i]);
	lookup->count--;
	memmove(lookup->places + i, lookup->places + i + 1,
		(lookup->count - i) * sizeof *lookup->places);
}

/* ---- each of them once ------------------------------------------------------------------------ */

struct found {
	struct perun_place *place;
	size_t number;
};

/* By what they are. */
static int compare_places(const struct found *a, const struct found *b)
{
	const struct perun_entry *one = a->place->entry, *other = b->place->entry;
	int order = (one > other) - (one < other);

	return order == 0 && !one ? strcmp(a->place->path, b->place->path) : order;
}

/* Those found earlier come first. */
static int compare_found(const void *one, const void *other)
{
	const struct found *a = one, *b = other;
	int order = compare_places(a, b);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

void perun_lookup_unique(struct perun_lookup *lookup)
{
	struct found *order = perun_alloc_zero(lookup->count + 1, sizeof *order);
	size_t kept = 0;

	for (size_t i = 0; i < lookup->count; i++)
		order[i] = (struct found){lookup->places[i], i};
	qsort(order, lookup->count, sizeof *order, compare_found);
	for (size_t i = 0, last = 0; i < lookup->count; i++) {
		if (i > 0 && compare_places(&order[last], &order[i]) == 0) {
			lookup->places[order[i].number] = NULL;
			perun_free(order[i].place);
		} else {
			last = i;
		}
	}
	for (size_t i = 0; i < lookup->count; i++) {
		if (lookup->places[i])
			lookup->places[kept++] = lookup->places[i];
	}
	lookup->count = kept;
	perun_free(order);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static int load_file(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *path,
		     struct perun_profile **profile)
{
	struct perun_input *input;
	int status = perun_input_open(ctx, path, &input);

	if (status)
		return status;
	status = perun_read_profile(ctx, input, lookup->format,
				    (const char *const *)lookup->format_options, profile, NULL);
	perun_input_close(input);
	if (!status && lookup->store)
		perun_store_apply_directions(ctx, lookup->store, *profile);
	return status;
}

int perun_lookup_load(struct perun_ctx *ctx, struct perun_lookup *lookup,
		      const struct perun_place *place, struct perun_profile **profile)
{
	int status;

	*profile = NULL;
	if (place->kind == PERUN_PLACE_REGISTERED)
		status = perun_store_load(ctx, lookup->store, place->entry->checksum, profile);
	else if (place->kind == PERUN_PLACE_PENDING)
		status = perun_store_load_pending(ctx, lookup->store, place->entry->path, profile);
	else
		return load_file(ctx, lookup, place->path, profile);
	if (status)
		perun_fail(ctx, PERUN_OK, "cannot read the profile %s", place->name);
	return status;
}

/* The member "attachment", the caller's, of a profile that is not registered; NULL = none. */
static int find_attachment(struct perun_ctx *ctx, struct perun_lookup *lookup,
			   const struct perun_place *place, struct perun_json **attachment)
{
	const struct perun_json *found;
	struct perun_profile *profile;
	int status = perun_lookup_load(ctx, lookup, place, &profile);

	if (!status)
		status = perun_lookup_find_store(ctx, lookup);
	found = status || !lookup->store ? NULL
					 : perun_attachment_of(perun_profile_document(profile));
	*attachment = found ? perun_json_clone(found) : NULL;
	perun_profile_unref(profile);
	return status;
}

int perun_lookup_imported(struct perun_ctx *ctx, struct perun_lookup *lookup,
			  const struct perun_place *place, struct perun_imported **imported)
{
	struct perun_json *attachment = NULL;
	int status;

	*imported = NULL;
	if (place->kind != PERUN_PLACE_REGISTERED)
		status = find_attachment(ctx, lookup, place, &attachment);
	else
		status = perun_stored_attachment(ctx, lookup->store, place->entry->checksum,
						 &attachment);
	if (!status && attachment)
		status = perun_imported_open(ctx, lookup->store, attachment, imported);
	if (status && (attachment || place->kind == PERUN_PLACE_REGISTERED))
		perun_fail(ctx, PERUN_OK, "cannot read the original of %s", place->name);
	perun_json_free(attachment);
	return status;
}
