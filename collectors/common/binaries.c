/* SPDX-License-Identifier: BSD-3-Clause */
/* Files by their names and build ids. */
#include <config.h>

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "collectors/common/binaries.h"
#include "collectors/common/vdso.h"

/* An ELF file that is a regular one: what a profile names may be anything. NULL: it is none. */
static Elf *open_elf(const char *path, int *file)
{
	struct stat facts;
	Elf *elf = NULL;

	elf_version(EV_CURRENT);
	*file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*file < 0)
		return NULL;
	if (fstat(*file, &facts) == 0 && S_ISREG(facts.st_mode))
		elf = elf_begin(*file, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	close(*file);
	return NULL;
}

bool binaries_is_fixed(const char *path)
{
	int file;
	Elf *elf = open_elf(path, &file);
	GElf_Ehdr header;
	bool fixed;

	if (!elf)
		return false;
	fixed = gelf_getehdr(elf, &header) && header.e_type == ET_EXEC;
	elf_end(elf);
	close(file);
	return fixed;
}

static bool same_id(Elf *elf, const char *build_id)
{
	const void *note;
	ssize_t length = dwelf_elf_gnu_build_id(elf, &note);
	const unsigned char *bytes = note;
	char digits[3];

	if (length <= 0 || strlen(build_id) != (size_t)length * 2)
		return false;
	for (ssize_t i = 0; i < length; i++) {
		(void)snprintf(digits, sizeof digits, "%02x", bytes[i]);
		if (strncasecmp(digits, build_id + 2 * i, 2) != 0)
			return false;
	}
	return true;
}

static bool is_wanted(const char *path, const struct binaries_wanted *wanted)
{
	int file;
	Elf *elf = open_elf(path, &file);
	bool good;

	if (!elf)
		return false;
	good = !*wanted->build_id || same_id(elf, wanted->build_id);
	elf_end(elf);
	close(file);
	return good;
}

/* Takes the path: it is returned where the file is the wanted one. */
static char *take_if_wanted(char *path, const struct binaries_wanted *wanted)
{
	if (is_wanted(path, wanted))
		return path;
	perun_free(path);
	return NULL;
}

/* A file that the user gave is for the mapping of its build id, else of its name, else for the program. */
static char *find_given(const struct binaries_wanted *wanted, const char *const *given,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool meant = *wanted->build_id || wanted->main ||
			     strcmp(perun_path_base_name(given[i]),
				    perun_path_base_name(wanted->file)) == 0;

		if (meant && is_wanted(given[i], wanted))
			return perun_strdup(given[i]);
	}
	return NULL;
}

static char *find_in_folder(const char *folder, size_t length, const struct binaries_wanted *wanted)
{
	const char *id = wanted->build_id, *name = perun_path_base_name(wanted->file);
	char *found = NULL;

	if (strlen(id) > 2) {
		found = take_if_wanted(perun_format("%.*s/%s/%s", (int)length, folder, id, name),
				       wanted);
		if (!found)
			found = take_if_wanted(
				perun_format("%.*s/%.2s/%s.debug", (int)length, folder, id, id + 2),
				wanted);
	}
	if (!found && *name)
		found = take_if_wanted(perun_format("%.*s/%s", (int)length, folder, wanted->file),
				       wanted);
	if (!found && *name)
		found = take_if_wanted(perun_format("%.*s/%s", (int)length, folder, name), wanted);
	return found;
}

static char *find_in_path(const struct binaries_wanted *wanted)
{
	const char *path = getenv("PPROF_BINARY_PATH"), *home = getenv("HOME");
	char *usual = perun_format("%s/pprof/binaries", home ? home : ""), *found = NULL;

	for (const char *at = path && *path ? path : usual; *at && !found;) {
		size_t length = strcspn(at, ":");

		if (length)
			found = find_in_folder(at, length, wanted);
		at += length + (at[length] == ':');
	}
	perun_free(usual);
	return found;
}

static char *find_by_id(const struct binaries_wanted *wanted)
{
	const char *id = wanted->build_id, *home = getenv("HOME");
	char *found;

	if (strlen(id) <= 2)
		return NULL;
	found = take_if_wanted(
		perun_format("%s/.debug/.build-id/%.2s/%s/elf", home ? home : "", id, id + 2),
		wanted);
	return found ? found
		     : take_if_wanted(
			       perun_format("/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2),
			       wanted);
}

/* Over the network, and so only where the user said from where. The library stays loaded: it has threads. */
static char *ask_debuginfod(const struct binaries_wanted *wanted)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *library, *client, *(*begin)(void);
	int (*find)(void *, const unsigned char *, int, char **), file;
	void (*end)(void *);
	char *path = NULL, *found = NULL;

	if (!urls || !*urls || !*wanted->build_id)
		return NULL;
	library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		return NULL;
	*(void **)&begin = dlsym(library, "debuginfod_begin");
	*(void **)&find = dlsym(library, "debuginfod_find_executable");
	*(void **)&end = dlsym(library, "debuginfod_end");
	client = begin && find && end ? begin() : NULL;
	if (client) {
		/* A length of 0: the id is hexadecimal. */
		file = find(client, (const unsigned char *)wanted->build_id, 0, &path);
		if (file >= 0) {
			found = take_if_wanted(perun_strdup(path), wanted);
			close(file);
		}
		free(path);
		end(client);
	}
	dlclose(library);
	return found;
}

/* The library of the kernel that runs, for a profile that names its build. */
static char *find_vdso(const struct binaries_wanted *wanted)
{
	int file = collectors_vdso_open();
	Elf *elf = NULL;
	bool same;

	elf_version(EV_CURRENT);
	if (file >= 0)
		elf = elf_begin(file, ELF_C_READ, NULL);
	same = elf && *wanted->build_id && same_id(elf, wanted->build_id);
	elf_end(elf);
	if (file >= 0)
		close(file);
	return same ? perun_strdup(COLLECTORS_VDSO) : NULL;
}

char *binaries_find(const struct binaries_wanted *wanted, const char *const *given, size_t count)
{
	char *found = find_given(wanted, given, count);

	if (!found && strcmp(wanted->file, COLLECTORS_VDSO) == 0)
		return find_vdso(wanted);
	if (!found && (*wanted->file || *wanted->build_id))
		found = find_in_path(wanted);
	if (!found && *wanted->file == '/')
		found = take_if_wanted(perun_strdup(wanted->file), wanted);
	if (!found)
		found = find_by_id(wanted);
	return found ? found : ask_debuginfod(wanted);
}
