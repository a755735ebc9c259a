/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether two trees were built to the same programs. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/hash/hash.h"
#include "core/dissect/file-kinds.h"
#include "core/dissect/dissect.h"
#include "core/dissect/image.h"

/* Sections that are in memory, but for notes: these have a hash of the file, with what is there for debuggers. */
static bool add_sections(const struct image *image, struct perun_hash *hash)
{
	size_t count;
	const Elf64_Shdr *sections = image_sections(image, &count);

	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *section = &sections[i];
		const uint64_t facts[4] = {section->sh_type, section->sh_flags, section->sh_addr,
					   section->sh_size};

		if (!(section->sh_flags & SHF_ALLOC) || section->sh_type == SHT_NOTE)
			continue;
		perun_hash_add(hash, facts, sizeof facts);
		if (section->sh_type == SHT_NOBITS)
			continue;
		if (!image_holds(image, section->sh_offset, section->sh_size))
			return false;
		perun_hash_add(hash, image->data + section->sh_offset, section->sh_size);
	}
	return sections != NULL;
}

/* What is made on the way, and no program reads. */
static bool is_by_product(const char *name, const struct image *image)
{
	const Elf64_Ehdr *header = image_header(image);

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
	tree_list(root, &names, NULL);
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		bool tracked = is_listed(&search->pristine, name);
		char *path;
		struct image image;
		const Elf64_Ehdr *header;

		if (tracked && !is_run(search, name))
			continue;
		path = perun_format("%s/%s", root, name);
		if (image_map(path, &image)) {
			header = image_header(&image);
			if (!is_by_product(name, &image)) {
				perun_hash_add(&hash, name, strlen(name) + 1);
				if (header && add_sections(&image, &hash))
					programs = true;
				else
					perun_hash_add(&hash, image.data, image.size);
			}
			image_unmap(&image);
		}
		perun_free(path);
	}
	perun_words_free(&names);
	perun_hash_end(&hash, code, CODE_BYTES);
	return programs;
}
