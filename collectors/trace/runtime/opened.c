/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries that the program opens while it runs: dlopen() is before that of the C library. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "collectors/trace/runtime/hooks.h"

#if defined(__x86_64__)

/* What the caller is said to be, and what is to be called; of two registers. */
struct opened_way {
	uintptr_t caller, function;
};

struct opened_way opened_prepare(uintptr_t caller) HIDDEN;
void opened_done(const void *library) HIDDEN;

/*
 * The dynamic linker looks where the library that calls it says (RUNPATH), and knows that by its return address.
 * So it returns to an instruction `ret` of that library, and this returns to us.
 */
__asm__(".text\n"
	".globl dlopen\n"
	".type dlopen,@function\n"
	"dlopen:\n"
	"	push %rdi\n	push %rsi\n"
	"	sub $8, %rsp\n"
	"	mov 24(%rsp), %rdi\n"
	"	call opened_prepare\n"
	"	add $8, %rsp\n"
	"	pop %rsi\n	pop %rdi\n"
	"	test %rax, %rax\n"
	"	jz 1f\n"
	"	lea 2f(%rip), %r11\n"
	"	push %r11\n"
	"	push %rax\n"
	"1:	jmp *%rdx\n"
	"2:	push %rax\n"
	"	mov %rax, %rdi\n"
	"	call opened_done\n"
	"	pop %rax\n"
	"	ret\n"
	".size dlopen, .-dlopen\n");

struct search {
	uintptr_t caller, found;
};

/* Any byte of this value will do: what comes before it is not executed. */
static int find_return(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD ||
		    (segment->p_flags & (PF_X | PF_R)) != (PF_X | PF_R) ||
		    search->caller - start >= segment->p_memsz)
			continue;
		search->found = (uintptr_t)memchr((const void *)start, 0xc3, segment->p_memsz);
		return 1;
	}
	return 0;
}

struct opened_way opened_prepare(uintptr_t caller)
{
	const struct hooks *hooks = trace_hooks;
	struct search search = {.caller = caller};

	/* A patched function that ends with a jump to us. */
	if (caller == (uintptr_t)hooks_return && hooks && hooks->count)
		search.caller = hooks->items[hooks->count - 1].back;
	if (trace_session && trace_session->patch)
		dl_iterate_phdr(find_return, &search);
	return (struct opened_way){search.found, (uintptr_t)dlsym(RTLD_NEXT, "dlopen")};
}

void opened_done(const void *library)
{
	if (library)
		patch_more();
}

#endif
