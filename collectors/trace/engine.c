/* SPDX-License-Identifier: BSD-3-Clause */
/* Which engine traces a program: what it was compiled for, what the kernel allows, what is wanted. */
#include <config.h>

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "ebpf.h"
#include "narrow.h"
#include "trace.h"
#include "uprobes.h"

/* What the program's file says. */
struct facts {
	bool elf, dynamic;
	bool compiled, patchable;
	bool unwinds; /* it may throw exceptions */
};

static const char *const names[] = {
	[ENGINE_AUTO] = "auto",           [ENGINE_COMPILED] = "compiled",
	[ENGINE_PATCHABLE] = "patchable", [ENGINE_UPROBES] = "uprobes",
	[ENGINE_EBPF] = "ebpf",
};

const char *engine_name(enum trace_engine engine)
{
	return names[engine];
}

/* ---- the file ----------------------------------------------------------------------------------- */

/* Whether it calls the runtime, or defines what does. */
static void look_at_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			    struct facts *facts)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; data && i < count; i++) {
		GElf_Sym symbol;
		const char *name = gelf_getsym(data, (int)i, &symbol)
					   ? elf_strptr(elf, header->sh_link, symbol.st_name)
					   : NULL;

		if (!name)
			continue;
		facts->compiled |= header->sh_type == SHT_DYNSYM &&
				   strcmp(name, "__cyg_profile_func_enter") == 0;
		facts->unwinds |= strncmp(name, "_Unwind_R", 9) == 0 ||
				  strncmp(name, "__cxa_throw", 11) == 0 ||
				  strncmp(name, "__gxx_personality", 17) == 0;
	}
}

static void look_at_sections(Elf *elf, struct facts *facts)
{
	Elf_Scn *section = NULL;
	size_t names_at;

	if (elf_getshdrstrndx(elf, &names_at) != 0)
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names_at, header.sh_name);
		if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
			look_at_symbols(elf, section, &header, facts);
		if (name && strcmp(name, "__patchable_function_entries") == 0)
			facts->patchable = header.sh_size > 0;
	}
}

static struct facts look_at(const char *path)
{
	struct facts facts = {0};
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t segments = 0;
	Elf *elf = NULL;

	elf_version(EV_CURRENT);
	if (file >= 0)
		elf = elf_begin(file, ELF_C_READ, NULL);
	facts.elf = elf && elf_kind(elf) == ELF_K_ELF;
	if (facts.elf && elf_getphdrnum(elf, &segments) == 0)
		for (size_t i = 0; i < segments; i++) {
			GElf_Phdr segment;

			if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
				facts.dynamic = true;
		}
	if (facts.elf)
		look_at_sections(elf, &facts);
	elf_end(elf);
	if (file >= 0)
		close(file);
	return facts;
}

bool engine_unwinds(const char *path)
{
	return look_at(path).unwinds;
}

bool engine_is_program(const char *path)
{
	return look_at(path).elf;
}

/* ---- the choice --------------------------------------------------------------------------------- */

/* What only the kernel's engines can do. */
static const char *kernel_option(const struct trace_collector *collector)
{
	if (collector->binaries[0] && collector->engine != ENGINE_PATCHABLE)
		return "--binary";
	return collector->probes[0] ? "--probe" : NULL;
}

/* eBPF starts and ends faster than events of perf; it came later and needs one capability more. */
static int choose_kernel(struct perun_ctx *ctx, struct trace_collector *collector, const char *path)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	int status = ebpf_allowed(quiet);

	perun_ctx_free(quiet);
	collector->engine = status ? ENGINE_UPROBES : ENGINE_EBPF;
	if (status && uprobes_allowed(ctx, path)) {
		perun_fail(ctx, PERUN_OK,
			   "%s calls no runtime of Perun: compile it with "
			   "-finstrument-functions (and -g), or give its sources with --files; as "
			   "it is it can be traced only by the kernel",
			   path);
		return PERUN_MISSING;
	}
	perun_note(ctx,
		   "%s is traced as it is, by breakpoints of the kernel (engine %s), which cost "
		   "microseconds per call; compiled with -finstrument-functions it would be "
		   "faster",
		   path, engine_name(collector->engine));
	return PERUN_OK;
}

/* Whether functions are to be left out while the program runs, which needs calls that can be taken away. */
static bool exclusion_is_wanted(const struct trace_collector *collector)
{
	return (collector->budget && collector->exclusion.share) || collector->exclusion.below;
}

static int choose_for(struct perun_ctx *ctx, struct trace_collector *collector,
		      const struct facts *facts, const char *path)
{
	bool chosen = narrowing_is_wanted(&collector->narrowing);
	bool sparing = chosen || exclusion_is_wanted(collector);
	bool compiled = facts->compiled && !chosen && !(sparing && facts->patchable);

	if (!facts->elf && !chosen) {
		collector->engine = ENGINE_COMPILED;
		return PERUN_OK;
	}
	if (!kernel_option(collector) && facts->dynamic && (compiled || facts->patchable)) {
		collector->engine = compiled ? ENGINE_COMPILED : ENGINE_PATCHABLE;
		if (!compiled)
			perun_note(ctx,
				   "%s has room at the entries of its functions, which is used "
				   "(engine patchable)",
				   path);
		return PERUN_OK;
	}
	return choose_kernel(ctx, collector, path);
}

static int check_choice(struct perun_ctx *ctx, const struct trace_collector *collector)
{
	bool kernel = collector->engine == ENGINE_UPROBES || collector->engine == ENGINE_EBPF;
	const char *option = kernel_option(collector);

	if (!kernel && option)
		return perun_fail(ctx, PERUN_USAGE,
				  "%s needs an engine of the kernel: --engine ebpf or uprobes",
				  option);
	if (collector->engine == ENGINE_COMPILED && collector->sizes[0])
		return perun_fail(
			ctx, PERUN_USAGE,
			"--size cannot be used with the engine compiled, where the "
			"program reports sizes by perun_trace_size(): use another engine");
	if (collector->engine == ENGINE_COMPILED && narrowing_is_wanted(&collector->narrowing))
		return perun_fail(ctx, PERUN_USAGE,
				  "with the engine compiled each function calls Perun: "
				  "--changed-since, --depth and --skip-constant need another one");
	if (collector->engine == ENGINE_COMPILED && exclusion_is_wanted(collector))
		perun_warn(ctx,
			   "--overhead and --exclude-below have no effect with the engine "
			   "compiled, where each function calls Perun: compile the program with "
			   "-fpatchable-function-entry=5 instead");
	return PERUN_OK;
}

void engine_choose_for_sources(struct trace_collector *collector)
{
	if (collector->engine == ENGINE_AUTO)
		collector->engine =
			narrowing_is_wanted(&collector->narrowing) || exclusion_is_wanted(collector)
				? ENGINE_PATCHABLE
				: ENGINE_COMPILED;
}

int engine_choose(struct perun_ctx *ctx, struct trace_collector *collector,
		  const struct perun_collect_job *job)
{
	struct facts facts;
	char *path;
	int status = PERUN_OK;

	if (collector->engine == ENGINE_AUTO) {
		path = collectors_find_program(job);
		if (!path)
			return perun_fail(ctx, PERUN_MISSING, "cannot run %s: it was not found",
					  job->argv[0]);
		facts = look_at(path);
		status = choose_for(ctx, collector, &facts, path);
		perun_free(path);
	}
	return status ? status : check_choice(ctx, collector);
}
