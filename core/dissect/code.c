/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether two trees were built to the same programs. */
#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/hash/hash.h"
#include "core/dissect/file-kinds.h"
#include "core/dissect/dissect.h"

/* A file in memory. */
struct image {
	const unsigned char *data;
	size_t size;
};

static bool map(const char *path, struct image *image)
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

static bool holds(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

/* The header of an ELF file of 64 bits. */
static const Elf64_Ehdr *elf_header(const struct image *image)
{
	const Elf64_Ehdr *header = (const void *)image->data;

	if (image->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	return header;
}

/* Sections that are in memory, but for notes: these have a hash of the file, with what is there for debuggers. */
static bool add_sections(const struct image *image, const Elf64_Ehdr *header,
			 struct perun_hash *hash)
{
	if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 != 0 ||
	    !holds(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
		return false;
	for (size_t i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *section =
			(const Elf64_Shdr *)(const void *)(image->data + header->e_shoff) + i;
		const uint64_t facts[4] = {section->sh_type, section->sh_flags, section->sh_addr,
					   section->sh_size};

		if (!(section->sh_flags & SHF_ALLOC) || section->sh_type == SHT_NOTE)
			continue;
		perun_hash_add(hash, facts, sizeof facts);
		if (section->sh_type == SHT_NOBITS)
			continue;
		if (!holds(image, section->sh_offset, section->sh_size))
			return false;
		perun_hash_add(hash, image->data + section->sh_offset, section->sh_size);
	}
	return true;
}

/* What is made on the way, and no program reads. */
static bool is_by_product(const char *name, const struct image *image)
{
	const Elf64_Ehdr *header = elf_header(image);

	return header ? header->e_type == ET_REL : file_is_by_product(name);
}

static int compare_name(const void *name, const void *entry)
{
	return strcmp(name, *(char *const *)entry);
}

static bool is_listed(const struct perun_words *names, const char *name)
{
	return names->count && bsearch(name, names->items, names->count, sizeof *names->items,
				       compare_name) != NULL;
}

/* Whether a file of the version is part of what runs: one of the changed files that is not compiled. */
static bool is_run(const struct perun_dissect *search, const char *name)
{
	if (file_is_source(name) || file_is_header(name) || file_is_text(name) ||
	    file_is_build(name))
		return false;
	for (size_t i = 0; i < search->changes.file_count; i++) {
		if (strcmp(search->changes.files[i].new_path, name) == 0 ||
		    strcmp(search->changes.files[i].old_path, name) == 0)
			return true;
	}
	return false;
}

bool code_read(const struct perun_dissect *search, const char *root, unsigned char code[CODE_BYTES])
{
	struct perun_words names = {0};
	struct perun_hash hash;
	bool programs = false;

	perun_sha256_start(&hash);
	tree_list(root, &names);
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		bool tracked = is_listed(&search->pristine, name);
		char *path;
		struct image image;
		const Elf64_Ehdr *header;

		if (tracked && !is_run(search, name))
			continue;
		path = perun_format("%s/%s", root, name);
		if (map(path, &image)) {
			header = elf_header(&image);
			if (!is_by_product(name, &image)) {
				perun_hash_add(&hash, name, strlen(name) + 1);
				if (header && add_sections(&image, header, &hash))
					programs = true;
				else
					perun_hash_add(&hash, image.data, image.size);
			}
			munmap((void *)image.data, image.size);
		}
		perun_free(path);
	}
	perun_words_free(&names);
	perun_hash_end(&hash, code, CODE_BYTES);
	return programs;
}
