/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading the file of a plugin, with the true reason when it fails. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ltdl.h>

#include "core/registry/crash.h"
#include "core/registry/guard.h"
#include "core/registry/registry-private.h"

/*
 * The dynamic loader maps what the program headers say and gets SIGBUS where the file is shorter. So
 * look first whether all of it is there; whatever else is wrong the loader says by itself.
 */
static bool is_whole(int fd, off_t size)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;

	if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
		return false;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof segment)
		return true; /* not our kind of file: the loader's business */
	/* The table of sections is at the end. */
	if (header.e_shoff > (ElfW(Off))size ||
	    (ElfW(Off))size - header.e_shoff < (ElfW(Off))header.e_shnum * header.e_shentsize)
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof segment);

		if (pread(fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment)
			return false;
		if (segment.p_type == PT_LOAD &&
		    (segment.p_filesz > (ElfW(Xword))size ||
		     segment.p_offset > (ElfW(Xword))size - segment.p_filesz))
			return false;
	}
	return true;
}

static int check_file(struct perun_ctx *ctx, const char *file)
{
	struct stat status;
	int result = PERUN_OK;
	/* A FIFO has no writer to wait for. */
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return perun_fail_errno(ctx, PERUN_MISSING, errno, "cannot load %s", file);
	if (fstat(fd, &status) != 0)
		result = perun_fail_errno(ctx, PERUN_MISSING, errno, "cannot load %s", file);
	else if (!S_ISREG(status.st_mode))
		result = perun_fail(ctx, PERUN_MISSING, "cannot load %s: not a file", file);
	else if (!is_whole(fd, status.st_size))
		result =
			perun_fail(ctx, PERUN_MISSING,
				   "cannot load %s: the file is truncated; install it again", file);
	close(fd);
	return result;
}

static const char *text_or(const char *text, const char *other)
{
	return text ? text : other;
}

/* dlerror()'s words begin with the file's name as it was given: ours does already. */
static int loader_failed(struct perun_ctx *ctx, const char *file, const char *reason)
{
	size_t length = strlen(file);

	reason = text_or(reason, "unknown reason");
	if (strncmp(reason, file, length) == 0 && strncmp(reason + length, ": ", 2) == 0)
		reason += length + 2;
	return perun_fail(ctx, PERUN_MISSING, "cannot load %s: %s", file, reason);
}

static char *symbol_name(enum perun_kind kind, const char *name)
{
	char *symbol = perun_format("perun_plugin_%s_%s", perun_kind_name(kind), name);

	for (char *c = symbol; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return symbol;
}

static int open_module(struct perun_ctx *ctx, const char *file, lt_dlhandle *module)
{
	static bool initialized; /* under the registry's lock */
	void *handle;

	if (!initialized && lt_dlinit() != 0)
		return perun_fail(ctx, PERUN_MISSING, "cannot load plugins: %s", lt_dlerror());
	initialized = true;
	/*
	 * libltdl binds lazily, so that a missing function would end the program at its first call,
	 * and its messages name another trouble than the one there is. Therefore the loader is
	 * asked first to bind all at once.
	 */
	handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return loader_failed(ctx, file, dlerror());
	*module = lt_dlopen(file);
	if (!*module) {
		int status = loader_failed(ctx, file, lt_dlerror());

		dlclose(handle);
		return status;
	}
	/* `handle` stays open: plugins are never unloaded, so that stacks stay readable. */
	lt_dlmakeresident(*module);
	return PERUN_OK;
}

static int check_identity(struct perun_ctx *ctx, const char *file, enum perun_kind kind,
			  const char *name, const struct perun_plugin *plugin)
{
	if (plugin->kind != kind || !plugin->name || strcmp(plugin->name, name) != 0)
		return perun_fail(ctx, PERUN_MISSING, "%s calls itself %s %s", file,
				  text_or(perun_kind_name(plugin->kind), "(unknown kind)"),
				  text_or(plugin->name, "(no name)"));
	return PERUN_OK;
}

/* What runs or reads the plugin's own: its constructors, its tables. */
static int load_module(struct perun_ctx *ctx, const char *file, enum perun_kind kind,
		       const char *name, const struct perun_plugin **plugin)
{
	const struct perun_plugin *found, *copy;
	lt_dlhandle module;
	char *symbol;
	int status = open_module(ctx, file, &module);

	if (status != PERUN_OK)
		return status;
	symbol = symbol_name(kind, name);
	found = lt_dlsym(module, symbol);
	if (!found)
		status = perun_fail(ctx, PERUN_MISSING,
				    "cannot load %s: it has no symbol %s; is it a plugin of perun?",
				    file, symbol);
	perun_free(symbol);
	if (status == PERUN_OK)
		status = plugin_check_abi(ctx, file, found);
	if (status != PERUN_OK)
		return status;
	copy = plugin_in_host_layout(found);
	status = check_identity(ctx, file, kind, name, copy);
	if (status == PERUN_OK) {
		status = perun_plugin_validate(ctx, copy);
		if (status != PERUN_OK)
			status = perun_fail(ctx, PERUN_MISSING, "cannot use %s", file);
	}
	if (status == PERUN_OK)
		*plugin = copy;
	else
		plugin_free_layout(copy);
	return status;
}

int plugin_load_file(struct perun_ctx *ctx, const char *file, enum perun_kind kind,
		     const char *name, const struct perun_plugin **plugin)
{
	struct perun_plugin_call call;
	int status = plugin_path_check(ctx, file);

	if (status == PERUN_OK)
		status = check_file(ctx, file);
	if (status != PERUN_OK)
		return status;
	plugin_enter_file(&call, perun_kind_name(kind), name, file);
	status = load_module(ctx, file, kind, name, plugin);
	perun_plugin_return(&call);
	if (status == PERUN_OK)
		plugin_remember(*plugin, file);
	return status;
}
