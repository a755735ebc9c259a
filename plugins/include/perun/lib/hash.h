/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes for tables in memory, different in each process: nobody can prepare input that fills one place of a table. And
 * FNV-1a (Fowler, Noll and Vo), which is the same everywhere, so that its values may be stored: for names and colours.
 * Of the growing part of the interface: see version.h.
 * Threads: any thread may call these.
 */
#ifndef PERUN_LIB_HASH_H
#define PERUN_LIB_HASH_H

#include <perun/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a number; of several: of one, to which the next one is added by ^, and so on. */
PERUN_EXPORT uint64_t perun_hash_number(uint64_t number);
PERUN_EXPORT uint64_t perun_hash_text(const char *text, size_t length);

/* FNV-1a of no bytes, of 64 and 32 bits; the functions go on with further bytes. */
#define PERUN_FNV1A    0xcbf29ce484222325u
#define PERUN_FNV1A_32 0x811c9dc5u
static inline uint64_t perun_fnv1a(const void *bytes, size_t size, uint64_t hash)
{
	const unsigned char *byte = (const unsigned char *)bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3u;
	return hash;
}
static inline uint32_t perun_fnv1a_32(const void *bytes, size_t size, uint32_t hash)
{
	const unsigned char *byte = (const unsigned char *)bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x01000193u;
	return hash;
}

#ifdef __cplusplus
}
#endif
#endif
