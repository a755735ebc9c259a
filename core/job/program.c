/* SPDX-License-Identifier: BSD-3-Clause */
/* What an ELF file says of how it was built: its compiler, and the libraries it wants. */
#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/collect.h>

#include "core/job/program.h"

/* More than any sensible file has; a damaged one does not make us read on. */
#define MAX_PARTS     4096
#define MAX_LIBRARIES 256
#define MAX_TEXT      65536

#if __SIZEOF_POINTER__ == 8
#define OWN_CLASS ELFCLASS64
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
typedef Elf64_Shdr elf_section;
typedef Elf64_Dyn elf_entry;
#else
#define OWN_CLASS ELFCLASS32
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
typedef Elf32_Shdr elf_section;
typedef Elf32_Dyn elf_entry;
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_DATA ELFDATA2LSB
#else
#define OWN_DATA ELFDATA2MSB
#endif

struct elf {
	int file;
	elf_header header;
};

static bool read_at(const struct elf *elf, uint64_t at, void *out, size_t size)
{
	return at <= INT64_MAX && pread(elf->file, out, size, (off_t)at) == (ssize_t)size;
}

/* A text at an offset, up to MAX_TEXT; the caller frees it. NULL when there is none. */
static char *text_at(const struct elf *elf, uint64_t at, uint64_t limit)
{
	size_t size = limit < MAX_TEXT ? (size_t)limit : MAX_TEXT;
	char *text = perun_alloc_zero(size + 1, 1);
	ssize_t got = at <= INT64_MAX ? pread(elf->file, text, size, (off_t)at) : -1;

	if (got <= 0 || !*text) {
		perun_free(text);
		return NULL;
	}
	return text;
}

static bool read_segment(const struct elf *elf, size_t i, elf_segment *segment)
{
	return i < elf->header.e_phnum && i < MAX_PARTS &&
	       elf->header.e_phentsize == sizeof *segment &&
	       read_at(elf, elf->header.e_phoff + i * sizeof *segment, segment, sizeof *segment);
}

static bool read_section(const struct elf *elf, size_t i, elf_section *section)
{
	return i < elf->header.e_shnum && i < MAX_PARTS &&
	       elf->header.e_shentsize == sizeof *section &&
	       read_at(elf, elf->header.e_shoff + i * sizeof *section, section, sizeof *section);
}

/* The offset in the file of an address of its image; UINT64_MAX = of none. */
static uint64_t offset_of(const struct elf *elf, uint64_t address)
{
	elf_segment segment;

	for (size_t i = 0; read_segment(elf, i, &segment); i++) {
		if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
			return address - segment.p_vaddr + segment.p_offset;
	}
	return UINT64_MAX;
}

/* ---- libraries ------------------------------------------------------------------------------- */

static void add_names(const struct elf *elf, const elf_segment *dynamic,
		      struct perun_json *libraries)
{
	uint64_t names[MAX_LIBRARIES], texts = UINT64_MAX;
	size_t count = 0;
	elf_entry entry = {0};

	for (uint64_t at = 0; at + sizeof entry <= dynamic->p_filesz; at += sizeof entry) {
		if (!read_at(elf, dynamic->p_offset + at, &entry, sizeof entry) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_NEEDED && count < MAX_LIBRARIES)
			names[count++] = entry.d_un.d_val;
		if (entry.d_tag == DT_STRTAB)
			texts = offset_of(elf, entry.d_un.d_ptr);
	}
	for (size_t i = 0; i < count && texts != UINT64_MAX; i++) {
		char *name = text_at(elf, texts + names[i], PATH_MAX);

		if (name)
			perun_json_append(libraries, perun_json_text(name));
		perun_free(name);
	}
}

static struct perun_json *libraries_of(const struct elf *elf, bool *linked)
{
	struct perun_json *libraries = perun_json_array();
	elf_segment segment;

	*linked = false;
	for (size_t i = 0; read_segment(elf, i, &segment); i++) {
		*linked |= segment.p_type == PT_INTERP;
		if (segment.p_type == PT_DYNAMIC)
			add_names(elf, &segment, libraries);
	}
	return libraries;
}

/* ---- compiler -------------------------------------------------------------------------------- */

/* The first text of the section .comment, "GCC: (Debian 12.2.0-14) 12.2.0"; NULL without one. */
static char *compiler_of(const struct elf *elf)
{
	elf_section names, section;

	if (!read_section(elf, elf->header.e_shstrndx, &names))
		return NULL;
	for (size_t i = 0; read_section(elf, i, &section); i++) {
		char name[sizeof ".comment"] = "";

		if (section.sh_type == SHT_PROGBITS &&
		    read_at(elf, names.sh_offset + section.sh_name, name, sizeof name) &&
		    memcmp(name, ".comment", sizeof name) == 0)
			return text_at(elf, section.sh_offset, section.sh_size);
	}
	return NULL;
}

/* ---- the file -------------------------------------------------------------------------------- */

char *perun_find_program(const char *name, const char *directory)
{
	const char *part = getenv("PATH");

	if (strchr(name, '/'))
		return *name == '/' ? perun_strdup(name) : perun_format("%s/%s", directory, name);
	for (part = part ? part : "/bin:/usr/bin"; *part;) {
		size_t length = strcspn(part, ":");
		char *file = perun_format("%.*s/%s", (int)length, part, name);

		if (access(file, X_OK) == 0)
			return file;
		perun_free(file);
		part += length + (part[length] == ':');
	}
	return NULL;
}

static bool open_elf(const char *path, struct elf *elf)
{
	struct stat facts;

	elf->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (elf->file < 0)
		return false;
	return fstat(elf->file, &facts) == 0 && S_ISREG(facts.st_mode) &&
	       read_at(elf, 0, &elf->header, sizeof elf->header) &&
	       memcmp(elf->header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       elf->header.e_ident[EI_CLASS] == OWN_CLASS &&
	       elf->header.e_ident[EI_DATA] == OWN_DATA;
}

void perun_describe_program(const char *name, const char *directory, struct perun_json *machine)
{
	char *path = name && *name ? perun_find_program(name, directory) : NULL, *compiler,
	     *printable;
	struct elf elf = {.file = -1};
	bool linked;

	if (path && open_elf(path, &elf)) {
		struct perun_json *libraries = libraries_of(&elf, &linked);

		compiler = compiler_of(&elf);
		if (compiler) {
			printable = perun_printable(compiler);
			perun_json_set(machine, "compiler", perun_json_text(printable));
			perun_free(printable);
		}
		perun_json_set(machine, "linking", perun_json_text(linked ? "dynamic" : "static"));
		perun_json_set(machine, "libraries", libraries);
		perun_free(compiler);
	}
	if (elf.file >= 0)
		close(elf.file);
	perun_free(path);
}
