/* SPDX-License-Identifier: BSD-3-Clause */
/* An ELF file of 64 bits in memory. */
#include <config.h>

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/dissect/image.h"

bool image_map(const char *path, struct image *image)
{
	int file = perun_path_open(path, O_RDONLY | O_NOFOLLOW, 0);
	struct stat facts;
	void *data = MAP_FAILED;

	*image = (struct image){0};
	if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0)
		data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (file >= 0)
		close(file);
	if (data == MAP_FAILED)
		return false;
	*image = (struct image){data, (size_t)facts.st_size};
	return true;
}

void image_unmap(struct image *image)
{
	if (image->data)
		munmap((void *)image->data, image->size);
	*image = (struct image){0};
}

bool image_holds(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

const Elf64_Ehdr *image_header(const struct image *image)
{
	const Elf64_Ehdr *header = (const void *)image->data;

	if (image->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	return header;
}

const Elf64_Shdr *image_sections(const struct image *image, size_t *count)
{
	const Elf64_Ehdr *header = image_header(image);

	*count = 0;
	if (!header || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 != 0 ||
	    !image_holds(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
		return NULL;
	*count = header->e_shnum;
	return (const void *)(image->data + header->e_shoff);
}

const char *image_name(const struct image *image, const Elf64_Shdr *names, uint64_t offset)
{
	const char *text;

	if (names->sh_type != SHT_STRTAB || offset >= names->sh_size ||
	    !image_holds(image, names->sh_offset, names->sh_size))
		return "";
	text = (const char *)image->data + names->sh_offset + offset;
	return memchr(text, '\0', names->sh_size - offset) ? text : "";
}
