/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of many numbers, texts, or objects of texts, and arrays of any values, one by one. */
#include "packed.h"

struct perun_json_members {
	struct json_arena *arena;
	struct json_packer *packer;
};

static struct perun_json_members *new_members(enum perun_json_type type)
{
	struct perun_json_members *members = perun_alloc(sizeof *members);

	members->arena = json_arena_new();
	members->packer = json_packer_new(members->arena, members->arena, type);
	return members;
}

struct perun_json_members *perun_json_members_new(void)
{
	return new_members(PERUN_JSON_TYPE_OBJECT);
}

struct perun_json_members *perun_json_elements_new(void)
{
	return new_members(PERUN_JSON_TYPE_ARRAY);
}

void perun_json_elements_add(struct perun_json_members *elements, const struct perun_json *element)
{
	json_pack(elements->packer, NULL, 0, element);
}

void perun_json_members_number(struct perun_json_members *members, const char *key, double number)
{
	json_pack_number(members->packer, key, number);
}

void perun_json_members_text(struct perun_json_members *members, const char *key, const char *text)
{
	json_pack_text(members->packer, key, text);
}

void perun_json_members_object(struct perun_json_members *members, const char *key, size_t length,
			       const char *const *names, const char *const *texts, size_t count)
{
	json_pack_texts(members->packer, key, length, names, texts, count);
}

/* What has no more than the first piece of its arena takes less when it is packed again. */
static bool is_small(const struct json_arena *arena)
{
	return !arena->taken && !arena->beside->first;
}

void perun_json_members_take(struct perun_json_members *members, const char *key, size_t length,
			     struct perun_json *value)
{
	struct json_arena *arena =
		perun_json_count(value) && value->root ? value->list->arena : NULL;

	if (arena && arena->beside && !is_small(arena)) {
		struct perun_json part = *value;

		part.root = false;
		json_arena_join(arena, members->arena);
		json_pack_other(members->packer, key, length, &part);
	} else {
		json_pack(members->packer, key, length, value);
		perun_json_free(value);
	}
}

struct perun_json *perun_json_members_end(struct perun_json_members *members)
{
	struct perun_json *root;

	if (!members)
		return NULL;
	root = json_arena_take(members->arena, sizeof *root);
	*root = json_packed_value(json_packer_end(members->packer));
	root->root = true;
	perun_free(members);
	return root;
}

/* ---- at once ---------------------------------------------------------------------------------- */

struct perun_json *perun_json_numbers(const char *const *keys, const double *numbers, size_t count)
{
	struct perun_json_members *members = perun_json_members_new();

	for (size_t i = 0; i < count; i++)
		perun_json_members_number(members, keys[i], numbers[i]);
	return perun_json_members_end(members);
}

struct perun_json *perun_json_texts(const char *const *keys, const char *const *texts, size_t count)
{
	struct perun_json_members *members = perun_json_members_new();

	for (size_t i = 0; i < count; i++)
		perun_json_members_text(members, keys[i], texts[i]);
	return perun_json_members_end(members);
}
