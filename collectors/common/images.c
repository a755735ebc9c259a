/* SPDX-License-Identifier: BSD-3-Clause */
/* ELF files mapped as a process has them, for their unwind tables and segments. */
#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/common/images.h"

#define MAX_SEGMENTS  64
#define LARGEST_IMAGE ((uint64_t)1 << 34)
#define RULES         16384

struct image {
	char *path;
	Elf64_Phdr segments[MAX_SEGMENTS];
	size_t segment_count;
	char *memory; /* where its address `low` is */
	uint64_t low, size;
	struct cfi_table table;
};

struct images {
	struct image *items;
	size_t count, capacity;
	struct {
		uint64_t address;
		uint32_t image;
		struct cfi_rule rule;
	} rules[RULES];
};

struct images *images_new(void)
{
	return perun_alloc_zero(1, sizeof(struct images));
}

void images_free(struct images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->count; i++) {
		if (images->items[i].memory)
			munmap(images->items[i].memory, images->items[i].size);
		perun_free(images->items[i].path);
	}
	perun_free(images->items);
	perun_free(images);
}

static void read_segments(struct image *image, int file)
{
	Elf64_Ehdr header;

	if (pread(file, &header, sizeof header, 0) != sizeof header ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
		return;
	for (size_t i = 0; i < header.e_phnum && i < MAX_SEGMENTS; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof(Elf64_Phdr));

		if (pread(file, &image->segments[i], sizeof(Elf64_Phdr), at) != sizeof(Elf64_Phdr))
			return;
		image->segment_count = i + 1;
	}
}

/* Only what is in the file is mapped: that is where tables are. */
static bool map_segment(struct image *image, const Elf64_Phdr *segment, int file,
			uint64_t file_size)
{
	uint64_t shift = segment->p_offset % 4096, length = segment->p_filesz + shift;
	char *at = image->memory + (segment->p_vaddr - shift - image->low);

	if (segment->p_vaddr % 4096 != shift || segment->p_offset > file_size ||
	    segment->p_filesz > file_size - segment->p_offset)
		return false;
	return segment->p_filesz == 0 || mmap(at, length, PROT_READ, MAP_PRIVATE | MAP_FIXED, file,
					      (off_t)(segment->p_offset - shift)) != MAP_FAILED;
}

static bool read_section(int file, const Elf64_Ehdr *header, size_t number, Elf64_Shdr *section)
{
	off_t at = (off_t)(header->e_shoff + number * sizeof *section);

	return number < header->e_shnum &&
	       pread(file, section, sizeof *section, at) == sizeof *section;
}

/* Programs that are linked statically have no sorted table, but a section. */
static void find_section(struct image *image, int file)
{
	static const char wanted[] = ".eh_frame";
	char name[sizeof wanted];
	Elf64_Shdr section, names;
	Elf64_Ehdr header;

	if (pread(file, &header, sizeof header, 0) != sizeof header ||
	    header.e_shentsize != sizeof section ||
	    !read_section(file, &header, header.e_shstrndx, &names))
		return;
	for (size_t i = 0; i < header.e_shnum; i++) {
		if (!read_section(file, &header, i, &section) ||
		    pread(file, name, sizeof name, (off_t)(names.sh_offset + section.sh_name)) !=
			    sizeof name ||
		    memcmp(name, wanted, sizeof name) != 0)
			continue;
		if (section.sh_type == SHT_NOBITS || section.sh_addr < image->low ||
		    section.sh_addr - image->low > image->size ||
		    section.sh_size > image->size - (section.sh_addr - image->low))
			return;
		image->table.entries =
			(const uint8_t *)image->memory + (section.sh_addr - image->low);
		image->table.entries_size = section.sh_size;
		return;
	}
}

static void map_image(struct image *image, int file, uint64_t file_size)
{
	uint64_t low = UINT64_MAX, high = 0;
	bool good = true;

	for (size_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];

		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_memsz > LARGEST_IMAGE || segment->p_filesz > segment->p_memsz ||
		    segment->p_vaddr > UINT64_MAX / 2)
			return;
		low = segment->p_vaddr < low ? segment->p_vaddr : low;
		high = segment->p_vaddr + segment->p_memsz > high
			       ? segment->p_vaddr + segment->p_memsz
			       : high;
	}
	if (high <= low || high - low > LARGEST_IMAGE)
		return;
	image->low = low & ~(uint64_t)4095;
	image->size = (high - image->low + 4095) & ~(uint64_t)4095;
	image->memory = mmap(NULL, image->size, PROT_READ,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (image->memory == MAP_FAILED) {
		image->memory = NULL;
		return;
	}
	image->table.start = (uintptr_t)image->memory;
	image->table.limit = image->table.start + image->size;
	for (size_t i = 0; good && i < image->segment_count; i++)
		if (image->segments[i].p_type == PT_LOAD)
			good = map_segment(image, &image->segments[i], file, file_size);
	for (size_t i = 0; good && i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];

		if (segment->p_type != PT_GNU_EH_FRAME || segment->p_vaddr < image->low ||
		    segment->p_vaddr - image->low > image->size ||
		    segment->p_memsz > image->size - (segment->p_vaddr - image->low))
			continue;
		image->table.frames =
			(const uint8_t *)image->memory + (segment->p_vaddr - image->low);
		image->table.frames_size = segment->p_memsz;
	}
	if (good && !image->table.frames)
		find_section(image, file);
}

uint32_t images_find(struct images *images, const char *path)
{
	struct image *image;
	struct stat facts;
	int file;

	for (size_t i = 0; i < images->count; i++)
		if (strcmp(images->items[i].path, path) == 0)
			return (uint32_t)i;
	PERUN_GROW(images->items, images->count, images->capacity);
	image = &images->items[images->count];
	*image = (struct image){.path = perun_strdup(path)};
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file >= 0) {
		if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) {
			read_segments(image, file);
			map_image(image, file, (uint64_t)facts.st_size);
		}
		close(file);
	}
	return (uint32_t)images->count++;
}

uint64_t images_address(const struct images *images, uint32_t image, uint64_t offset)
{
	const struct image *item = &images->items[image];

	for (size_t i = 0; i < item->segment_count; i++) {
		const Elf64_Phdr *segment = &item->segments[i];
		uint64_t start = segment->p_offset & ~(uint64_t)4095;

		if (segment->p_type == PT_LOAD && offset >= start &&
		    offset < segment->p_offset + segment->p_filesz)
			return offset - segment->p_offset + segment->p_vaddr;
	}
	return offset;
}

uint64_t images_offset(const struct images *images, uint32_t image, uint64_t address)
{
	const struct image *item = &images->items[image];

	for (size_t i = 0; i < item->segment_count; i++) {
		const Elf64_Phdr *segment = &item->segments[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    address - segment->p_vaddr < segment->p_filesz)
			return address - segment->p_vaddr + segment->p_offset;
	}
	return UINT64_MAX;
}

const uint8_t *images_bytes(const struct images *images, uint32_t image, uint64_t address,
			    uint64_t size)
{
	const struct image *item = &images->items[image];

	for (size_t i = 0; item->memory && i < item->segment_count; i++) {
		const Elf64_Phdr *segment = &item->segments[i];

		if (segment->p_type == PT_LOAD && address - segment->p_vaddr < segment->p_filesz &&
		    size <= segment->p_filesz - (address - segment->p_vaddr))
			return (const uint8_t *)item->memory + (address - item->low);
	}
	return NULL;
}

struct cfi_rule images_rule(struct images *images, uint32_t image, uint64_t address)
{
	const struct image *item = &images->items[image];
	size_t at = (size_t)((address ^ (uint64_t)image << 40) * 0x9e3779b97f4a7c15u >> 50) &
		    (RULES - 1);
	struct cfi_rule rule = {.base = CFI_UNKNOWN};

	if (images->rules[at].address == address && images->rules[at].image == image &&
	    images->rules[at].rule.base != CFI_NONE)
		return images->rules[at].rule;
	if ((item->table.frames || item->table.entries) && address - item->low < item->size)
		rule = cfi_find(&item->table, item->table.start + (uintptr_t)(address - item->low));
	images->rules[at].address = address;
	images->rules[at].image = image;
	images->rules[at].rule = rule;
	return rule;
}
