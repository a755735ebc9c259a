/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs that cross the border of the library. */
#ifndef PERUN_CORE_CONTEXT_STRUCTS_H
#define PERUN_CORE_CONTEXT_STRUCTS_H

#include <stdint.h>
#include <string.h>

/*
 * Copy a struct that begins with its size, from somebody who may have been built for another header: members that
 * `given` lacks are 0 in `to`, those that are not known here are left out. `given` may be NULL: then all are 0.
 */
static inline void perun_struct_take(void *to, uint32_t size, const void *given)
{
	uint32_t theirs = 0;

	if (given)
		memcpy(&theirs, given, sizeof theirs);
	memset(to, 0, size);
	if (theirs)
		memcpy(to, given, theirs < size ? theirs : size);
	memcpy(to, &size, sizeof size);
}
#define PERUN_STRUCT_TAKE(TO, GIVEN) perun_struct_take((TO), sizeof *(TO), (GIVEN))

#endif
