/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash FNV-1a of 64 bits (Fowler, Noll and Vo), whose values may be stored. */
#ifndef PERUN_CORE_CONTEXT_FNV_H
#define PERUN_CORE_CONTEXT_FNV_H

#include <stddef.h>
#include <stdint.h>

#define PERUN_FNV1A 0xcbf29ce484222325u /* of nothing */

/* Continue a hash with further bytes. */
static inline uint64_t perun_fnv1a(const void *bytes, size_t size, uint64_t hash)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3;
	return hash;
}

#endif
