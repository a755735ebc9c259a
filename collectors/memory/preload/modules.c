/* SPDX-License-Identifier: BSD-3-Clause */
/* The ELF files mapped in this process, from the dynamic linker. */
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "preload.h"

#define MAX_MODULES 8192

uintptr_t modules_libc_start, modules_libc_size, modules_linker_start, modules_linker_size;

static struct module *modules;
static size_t module_count;
static unsigned long long changes;

static void add_module(const struct dl_phdr_info *info)
{
	struct module module = {.table = {.start = UINTPTR_MAX}, .bias = info->dlpi_addr};
	const char *base;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_LOAD) {
			if (start < module.table.start)
				module.table.start = start;
			if (start + header->p_memsz > module.table.limit)
				module.table.limit = start + header->p_memsz;
		} else if (header->p_type == PT_GNU_EH_FRAME) {
			module.table.frames = (const uint8_t *)start;
			module.table.frames_size = header->p_memsz;
		}
	}
	if (module.table.limit == 0 || module_count == MAX_MODULES)
		return;
	module.name = info->dlpi_name ? info->dlpi_name : "";
	base = strrchr(module.name, '/');
	if (base && strncmp(base, "/libc.so", 8) == 0) {
		modules_libc_size = module.table.limit - module.table.start;
		modules_libc_start = module.table.start;
	}
	if (base && strncmp(base, "/ld-", 4) == 0) {
		modules_linker_size = module.table.limit - module.table.start;
		modules_linker_start = module.table.start;
	}
	modules[module_count++] = module;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	bool *changed = data;

	(void)size;
	if (!*changed) {
		unsigned long long now = info->dlpi_adds + info->dlpi_subs;

		if (now == changes && module_count)
			return 1;
		changes = now;
		*changed = true;
		module_count = 0;
	}
	add_module(info);
	return 0;
}

bool modules_refresh(void)
{
	bool changed = false;

	if (!modules) {
		void *memory = mmap(NULL, MAX_MODULES * sizeof *modules, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (memory == MAP_FAILED)
			return false;
		modules = memory;
	}
	dl_iterate_phdr(visit, &changed);
	return changed;
}

void modules_forget(void)
{
	module_count = 0;
}

const struct module *modules_find(uintptr_t ip)
{
	for (size_t i = 0; i < module_count; i++)
		if (ip - modules[i].table.start < modules[i].table.limit - modules[i].table.start)
			return &modules[i];
	return NULL;
}

const struct module *modules_all(size_t *count)
{
	*count = module_count;
	return modules;
}
