/* SPDX-License-Identifier: BSD-3-Clause */
/* ELF files mapped as a process has them, for their unwind tables and segments. */
#ifndef PERUN_COLLECTORS_IMAGES_H
#define PERUN_COLLECTORS_IMAGES_H

#include <perun/context.h>

#include "collectors/common/cfi.h"

struct images;

struct images *images_new(void);
void images_free(struct images *images);
/*
 * The image of a file; the number is kept. Files that are none have no tables and map offsets to
 * themselves.
 */
uint32_t images_find(struct images *images, const char *path);
/* The address that the file gives to an offset of it. */
uint64_t images_address(const struct images *images, uint32_t image, uint64_t offset);
/* The offset in the file of an address that has executable memory of it; UINT64_MAX = none has. */
uint64_t images_offset(const struct images *images, uint32_t image, uint64_t address);
/* What the file has at an address, `size` bytes; NULL = it has fewer. */
const uint8_t *images_bytes(const struct images *images, uint32_t image, uint64_t address,
			    uint64_t size);
/* The rule at a return address (as the file has it); kept. */
struct cfi_rule images_rule(struct images *images, uint32_t image, uint64_t address);

#endif
