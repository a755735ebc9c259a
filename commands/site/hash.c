/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes that show whether something changed; they protect against nothing. */
#include <config.h>

#include <string.h>

#include "site.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

uint64_t site_hash(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t word;

	hash = mix(hash, size);
	for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
		memcpy(&word, bytes, sizeof word);
		hash = mix(hash, word);
	}
	word = 0;
	if (size > 0)
		memcpy(&word, bytes, size);
	return mix(mix(hash, word), 0x5bd1e995);
}

uint64_t site_hash_text(uint64_t hash, const char *text)
{
	return site_hash(hash, text, strlen(text));
}
