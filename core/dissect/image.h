/* SPDX-License-Identifier: BSD-3-Clause */
/* An ELF file of 64 bits in memory. Files may hold anything: each function checks what it reads. */
#ifndef PERUN_CORE_DISSECT_IMAGE_H
#define PERUN_CORE_DISSECT_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image {
	const unsigned char *data;
	size_t size;
};

/* Map a regular file that is not empty; false where it cannot be. */
bool image_map(const char *path, struct image *image);
void image_unmap(struct image *image);
bool image_holds(const struct image *image, uint64_t offset, uint64_t size);
/* NULL = it is not such a file. */
const Elf64_Ehdr *image_header(const struct image *image);
/* Its sections, `*count` of them; NULL = there are none, or not within the file. */
const Elf64_Shdr *image_sections(const struct image *image, size_t *count);
/* The text at `offset` of a section of names; "" = none. */
const char *image_name(const struct image *image, const Elf64_Shdr *names, uint64_t offset);

#endif
