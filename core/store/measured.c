/* SPDX-License-Identifier: BSD-3-Clause */
/* The uid of samples of stacks. */
#include <stdio.h>
#include <string.h>

#include <perun/json.h>

#include "core/profile/words.h"
#include "core/store/measured.h"
#include "core/store/original.h"
#include "core/store/store.h"

struct naming {
	const struct perun_profile *profile;
	struct perun_builder *builder;
	perun_id *uids; /* by location; PERUN_NO_ID = not known yet */
};

static const char *name_of(const struct perun_profile *profile,
			   const struct perun_location *location)
{
	const struct perun_function *function = NULL;

	if (location->line_count && location->lines[0].function != PERUN_NO_ID)
		function = perun_profile_function(profile, location->lines[0].function);
	return function ? perun_profile_string(profile, function->name, NULL) : "";
}

/* The name as the format of Perun writes it, whose texts are UTF-8. */
static perun_id make_uid(const struct naming *naming, const struct perun_location *location)
{
	const char *name = name_of(naming->profile, location), *text;
	struct perun_buffer json = {0};
	struct perun_json *value = NULL;
	char address[32];
	perun_id id;

	(void)snprintf(address, sizeof address, "0x%llx", (unsigned long long)location->address);
	name = *name ? name : address;
	if (perun_is_chance_address(name))
		name = PERUN_UNKNOWN_FUNCTION;
	perun_json_quote(&json, name, strlen(name));
	perun_json_parse(NULL, json.data, json.length, NULL, &value);
	text = perun_json_as_string(value, NULL);
	id = perun_builder_text(naming->builder, text ? text : "");
	perun_json_free(value);
	perun_buffer_free(&json);
	return id;
}

static perun_id uid_of(const struct naming *naming, perun_id stack)
{
	perun_id leaf = perun_profile_stack_leaf(naming->profile, stack);
	perun_id *uid = leaf == PERUN_NO_ID ? NULL : &naming->uids[leaf];

	if (uid && *uid == PERUN_NO_ID)
		*uid = make_uid(naming, perun_profile_location(naming->profile, leaf));
	return uid ? *uid : PERUN_NO_ID;
}

static void add_uids(const struct naming *naming, const struct perun_column *stacks)
{
	struct perun_table_builder *table = perun_builder_table(naming->builder, "resources");
	struct perun_column_builder *uid;
	size_t rows = perun_table_builder_rows(table);

	perun_table_rewind(table, 0);
	uid = perun_table_add_column(table, &(struct perun_column_info){.name = "uid",
									.type = PERUN_TYPE_STRING,
									.role = PERUN_ROLE_KEY});
	for (size_t row = 0; row < rows; row++) {
		perun_column_set_id(uid, PERUN_TYPE_STRING,
				    uid_of(naming, perun_column_id(stacks, row)));
		perun_table_end_row(table);
	}
}

/* Takes the reference to the profile, and gives another one. */
static int with_uids(struct perun_ctx *ctx, struct perun_profile **profile)
{
	const struct perun_table *table = perun_resources(*profile);
	const struct perun_column *stacks = perun_table_column(table, "stack");
	size_t locations = perun_profile_locations(*profile);
	struct naming naming = {.profile = *profile};
	struct perun_profile *named = NULL;
	int status;

	if (!stacks || perun_column_info(stacks)->type != PERUN_TYPE_STACK ||
	    perun_table_column(table, "uid"))
		return PERUN_OK;
	naming.builder = perun_builder_from(*profile);
	naming.uids = perun_alloc(locations * sizeof *naming.uids + 1);
	memset(naming.uids, 0xff, locations * sizeof *naming.uids);
	add_uids(&naming, stacks);
	perun_free(naming.uids);
	status = perun_builder_finish(ctx, naming.builder, &named);
	perun_profile_unref(*profile);
	*profile = named;
	return status;
}

void perun_store_offer(struct perun_store *store, const char *checksum,
		       struct perun_profile *profile)
{
	perun_profile_unref(store->at_hand);
	perun_free(store->at_hand_checksum);
	store->at_hand = profile ? perun_profile_ref(profile) : NULL;
	store->at_hand_checksum = perun_strdup(checksum);
}

int perun_store_load_with_facts(struct perun_ctx *ctx, struct perun_store *store,
				const char *checksum, struct perun_profile **profile,
				struct perun_json **facts)
{
	struct perun_loaded loaded;
	int status;

	if (facts)
		*facts = NULL;
	if (store->at_hand && strcmp(store->at_hand_checksum, checksum) == 0) {
		*profile = perun_profile_ref(store->at_hand);
		return PERUN_OK;
	}
	status = perun_stored_load(ctx, store, checksum, &loaded, profile);
	if (!status && facts && !loaded.original)
		*facts = perun_facts_of_read(*profile);
	if (!status && loaded.by_uid)
		status = with_uids(ctx, profile);
	if (!status && loaded.by_uid)
		perun_store_apply_directions(ctx, store, *profile);
	return status;
}

int perun_store_load_measured(struct perun_ctx *ctx, struct perun_store *store,
			      const char *checksum, struct perun_profile **profile)
{
	return perun_store_load_with_facts(ctx, store, checksum, profile, NULL);
}
