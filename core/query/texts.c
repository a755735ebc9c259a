/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for texts. */
#include "core/context/hash.h"
#include "core/query/groups.h"

void perun_texts_free(struct perun_texts *texts)
{
	for (uint32_t i = 0; i < texts->count; i++)
		perun_free(texts->texts[i].text);
	perun_free(texts->texts);
	perun_free(texts->slots);
	*texts = (struct perun_texts){0};
}

static size_t first_slot(const struct perun_texts *texts, const char *text, size_t length)
{
	return (size_t)perun_hash_bytes(text, length, perun_hash_secret) & (texts->slot_count - 1);
}

static void grow(struct perun_texts *texts)
{
	texts->slot_count = texts->slot_count ? texts->slot_count * 2 : 64;
	perun_free(texts->slots);
	texts->slots = perun_alloc_zero(texts->slot_count, sizeof *texts->slots);
	for (uint32_t i = 0; i < texts->count; i++) {
		size_t at = first_slot(texts, texts->texts[i].text, texts->texts[i].length);

		while (texts->slots[at])
			at = (at + 1) & (texts->slot_count - 1);
		texts->slots[at] = i + 1;
	}
}

uint32_t perun_texts_number(struct perun_texts *texts, const char *text, size_t length, bool add)
{
	size_t at;

	if (texts->count >= texts->slot_count / 2) {
		if (!add && texts->slot_count == 0)
			return PERUN_NO_ID;
		grow(texts);
	}
	for (at = first_slot(texts, text, length); texts->slots[at];
	     at = (at + 1) & (texts->slot_count - 1)) {
		const struct perun_text *known = &texts->texts[texts->slots[at] - 1];

		if (known->length == length && memcmp(known->text, text, length) == 0)
			return texts->slots[at] - 1;
	}
	if (!add)
		return PERUN_NO_ID;
	PERUN_GROW(texts->texts, texts->count, texts->capacity);
	texts->texts[texts->count].text = perun_alloc(length + 1); /* it may hold NUL */
	memcpy(texts->texts[texts->count].text, text, length);
	texts->texts[texts->count].text[length] = '\0';
	texts->texts[texts->count].length = length;
	texts->slots[at] = ++texts->count;
	return texts->count - 1;
}
