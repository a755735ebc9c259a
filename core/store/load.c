/* SPDX-License-Identifier: BSD-3-Clause */
/* Registered profiles: entries of a minor version, and reading what they name. */
#include <stdio.h>
#include <string.h>

#include <perun/format.h>
#include <perun/json.h>

#include "core/profile/model.h"
#include "core/context/context.h"
#include "core/store/original.h"

int perun_store_entries(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			struct perun_entries *entries)
{
	return perun_index_load(ctx, store, minor, entries, NULL);
}

int perun_store_load_text(struct perun_ctx *ctx, struct perun_store *store, const char *checksum,
			  char **text, size_t *length)
{
	struct perun_object object;
	int status = perun_object_read(ctx, store, checksum, true, &object);

	*text = NULL;
	*length = 0;
	if (!status && object.kind != PERUN_OBJECT_PROFILE)
		status = perun_fail(ctx, PERUN_INPUT, "object %s is not a profile", checksum);
	if (!status) {
		*text = object.body;
		*length = (size_t)object.length;
		object.body = NULL;
	}
	perun_object_free(&object);
	return status;
}

static int read_text(struct perun_ctx *ctx, const char *name, const char *format,
		     const struct perun_object *object, struct perun_profile **profile)
{
	struct perun_input *input =
		perun_input_from_memory(name, object->body, (size_t)object->length);
	int status = perun_read_profile(ctx, input, format, NULL, profile, NULL);

	perun_input_close(input);
	return status;
}

/* The object of a registered profile, and who asks for it; the others are borrowed. */
struct stored {
	struct perun_ctx *ctx;
	struct perun_store *store;
	const char *checksum, *name;
	struct perun_object object; /* `whole`, or its beginning */
	bool whole;
};

static int read_whole(struct stored *stored)
{
	if (stored->whole)
		return PERUN_OK;
	stored->whole = true;
	perun_object_free(&stored->object);
	return perun_object_read(stored->ctx, stored->store, stored->checksum, true,
				 &stored->object);
}

/* All that the object itself has. */
static int read_stored(struct stored *stored, struct perun_profile **profile)
{
	int status = read_whole(stored);

	return status ? status
		      : read_text(stored->ctx, stored->name, "perun", &stored->object, profile);
}

/*
 * The profile in its own format, as it came. Where that is gone or nothing reads it, all rows that the stored profile
 * has do instead.
 */
static int load_original(struct stored *stored, const struct perun_json *attachment,
			 struct perun_profile **profile)
{
	struct perun_ctx *ctx = stored->ctx;
	const char *checksum = perun_json_as_string(perun_json_get(attachment, "object"), NULL);
	const char *resources = perun_json_as_string(perun_json_get(attachment, "resources"), NULL);
	/* What its reader has to say was said when it was imported. */
	bool muted = perun_ctx_mute(ctx, true);
	int status = perun_original_load(ctx, stored->store, attachment, profile);

	perun_ctx_mute(ctx, muted);
	if (!status) {
		perun_store_apply_directions(ctx, stored->store, *profile);
		perun_original_compare(ctx, *profile, attachment);
		return PERUN_OK;
	}
	if (!resources || strcmp(resources, "all") != 0 ||
	    (status != PERUN_MISSING && perun_object_exists(stored->store, checksum)))
		return status;
	perun_warn(ctx, "%s; its stored resources are used instead", perun_ctx_error(ctx));
	perun_ctx_clear(ctx);
	status = read_stored(stored, profile);
	if (!status)
		perun_store_apply_directions(ctx, stored->store, *profile);
	return status;
}

void perun_store_apply_directions(struct perun_ctx *ctx, struct perun_store *store,
				  struct perun_profile *profile)
{
	struct perun_json *directions;

	/* Where it cannot be read, profiles are inspected all the same. */
	if (perun_store_document(ctx, store, PERUN_DIRECTIONS, &directions)) {
		perun_warn(ctx, "directions of metrics are not known: %s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
	} else if (perun_json_count(directions)) {
		perun_profile_directions(profile, directions);
	}
	perun_json_free(directions);
}

/*
 * What names an original is read alone: rows that are beside it would take several times as long as these. Where it comes
 * first, the others are not even inflated. NULL = there is none, or the text is not what it should be, which reading all of it
 * says better.
 */
static struct perun_json *find_attachment(const struct stored *stored)
{
	static const char word[] = "\"attachment\"";
	const struct perun_object *object = &stored->object;

	if (!memmem(object->body, (size_t)object->length, word, sizeof word - 1))
		return NULL;
	return perun_facts_attachment(stored->ctx, object->body, (size_t)object->length);
}

static int read_attachment(struct stored *stored, struct perun_json **attachment)
{
	int status;

	*attachment = find_attachment(stored);
	if (*attachment || stored->whole)
		return PERUN_OK;
	status = read_whole(stored); /* it may be longer than what was read of it */
	if (!status)
		*attachment = find_attachment(stored);
	return status;
}

static int load_profile(struct stored *stored, struct perun_loaded *loaded,
			struct perun_profile **profile)
{
	struct perun_json *attachment;
	int status = read_attachment(stored, &attachment);

	if (status)
		return status;
	if (attachment) {
		*loaded = (struct perun_loaded){true, perun_original_by_uid(attachment)};
		status = load_original(stored, attachment, profile);
	} else {
		status = read_stored(stored, profile);
		if (!status)
			perun_store_apply_directions(stored->ctx, stored->store, *profile);
	}
	perun_json_free(attachment);
	return status;
}

int perun_stored_load(struct perun_ctx *ctx, struct perun_store *store, const char *checksum,
		      struct perun_loaded *loaded, struct perun_profile **profile)
{
	char name[PERUN_CHECKSUM_SIZE + 16];
	struct stored stored = {.ctx = ctx, .store = store, .checksum = checksum, .name = name};
	int status = perun_object_read_start(ctx, store, checksum, &stored.object, &stored.whole);

	*loaded = (struct perun_loaded){0};
	*profile = NULL;
	if (status)
		return status;
	(void)snprintf(name, sizeof name, "object %s", checksum);
	if (stored.object.kind == PERUN_OBJECT_PROFILE)
		status = load_profile(&stored, loaded, profile);
	else
		status = perun_fail(ctx, PERUN_INPUT, "object %s is not a profile", checksum);
	perun_object_free(&stored.object);
	return status;
}

int perun_stored_attachment(struct perun_ctx *ctx, struct perun_store *store, const char *checksum,
			    struct perun_json **attachment)
{
	struct stored stored = {.ctx = ctx, .store = store, .checksum = checksum};
	int status = perun_object_read_start(ctx, store, checksum, &stored.object, &stored.whole);

	*attachment = NULL;
	if (status)
		return status;
	if (stored.object.kind == PERUN_OBJECT_PROFILE)
		status = read_attachment(&stored, attachment);
	else
		status = perun_fail(ctx, PERUN_INPUT, "object %s is not a profile", checksum);
	perun_object_free(&stored.object);
	return status;
}

int perun_store_load(struct perun_ctx *ctx, struct perun_store *store, const char *checksum,
		     struct perun_profile **profile)
{
	struct perun_loaded loaded;

	return perun_stored_load(ctx, store, checksum, &loaded, profile);
}
