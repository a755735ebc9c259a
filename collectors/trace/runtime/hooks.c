/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries and returns of patched functions. Nothing here may touch the registers that hold arguments or
 * results: this file is compiled for general registers only, and the uncommon cases are called with all
 * others saved.
 */
#include "collectors/trace/runtime/hooks.h"

#if defined(__x86_64__)

#define FENCE() __asm__ volatile("" ::: "memory")

uintptr_t hooks_save_and_call(uintptr_t *slot, uintptr_t place, const uint64_t *arguments,
			      void *function) HIDDEN;
void hooks_enter(uintptr_t *slot, uintptr_t body, const uint64_t *arguments) HIDDEN;
uintptr_t hooks_leave(uintptr_t *slot) HIDDEN;

__thread struct hooks *trace_hooks INITIAL;

/*
 * hooks_entry is called before the first instruction of a function: above our return address is that
 * of the function. hooks_return is jumped to in place of the function's caller.
 */
__asm__(".text\n"
	".globl hooks_entry, hooks_return, hooks_save_and_call, hooks_nothing\n"
	".hidden hooks_entry, hooks_return, hooks_save_and_call, hooks_nothing\n"
	".type hooks_entry,@function\n"
	"hooks_entry:\n"
	"	push %rax\n	push %r11\n	push %r10\n	push %r9\n	push %r8\n"
	"	push %rcx\n	push %rdx\n	push %rsi\n	push %rdi\n"
	"	lea 80(%rsp), %rdi\n"
	"	mov 72(%rsp), %rsi\n"
	"	mov %rsp, %rdx\n"
	"	sub $8, %rsp\n"
	"	call hooks_enter\n"
	"	add $8, %rsp\n"
	"	pop %rdi\n	pop %rsi\n	pop %rdx\n	pop %rcx\n	pop %r8\n"
	"	pop %r9\n	pop %r10\n	pop %r11\n	pop %rax\n"
	"	ret\n"
	".size hooks_entry, .-hooks_entry\n"
	".type hooks_return,@function\n"
	"hooks_return:\n"
	"	sub $8, %rsp\n"
	"	push %rax\n	push %r11\n	push %r10\n	push %r9\n	push %r8\n"
	"	push %rcx\n	push %rdx\n	push %rsi\n	push %rdi\n"
	"	lea 72(%rsp), %rdi\n"
	"	call hooks_leave\n"
	"	mov %rax, 72(%rsp)\n"
	"	pop %rdi\n	pop %rsi\n	pop %rdx\n	pop %rcx\n	pop %r8\n"
	"	pop %r9\n	pop %r10\n	pop %r11\n	pop %rax\n"
	"	ret\n"
	".size hooks_return, .-hooks_return\n"
	".type hooks_save_and_call,@function\n"
	"hooks_save_and_call:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rbx\n"
	"	sub $2816, %rsp\n"
	"	and $-64, %rsp\n"
	"	mov %rcx, %r11\n"
	"	mov %rdx, %r10\n"
	"	xor %eax, %eax\n"
	"	mov %rax, 512(%rsp)\n	mov %rax, 520(%rsp)\n	mov %rax, 528(%rsp)\n"
	"	mov %rax, 536(%rsp)\n	mov %rax, 544(%rsp)\n	mov %rax, 552(%rsp)\n"
	"	mov %rax, 560(%rsp)\n	mov %rax, 568(%rsp)\n"
	"	mov $0xe7, %eax\n"
	"	xor %edx, %edx\n"
	"	xsave64 (%rsp)\n"
	"	mov %r10, %rdx\n"
	"	call *%r11\n"
	"	mov %rax, %rbx\n"
	"	mov $0xe7, %eax\n"
	"	xor %edx, %edx\n"
	"	xrstor64 (%rsp)\n"
	"	mov %rbx, %rax\n"
	"	lea -8(%rbp), %rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size hooks_save_and_call, .-hooks_save_and_call\n"
	".type hooks_nothing,@function\n"
	"hooks_nothing:\n"
	"	call hooks_entry\n"
	"	ret\n"
	".size hooks_nothing, .-hooks_nothing\n");

/* Whether the function was called from here before; it is the last one then. */
static inline bool is_known(const struct thread *thread, uint64_t place)
{
	struct trace_node *nodes = thread->nodes, *parent = &nodes[thread->top->node];
	uint32_t child = parent->last;

	if (likely(child && nodes[child].function == place))
		return true;
	for (child = parent->child; child && nodes[child].function != place;)
		child = nodes[child].sibling;
	if (child)
		parent->last = child;
	return child != 0;
}

/* Whether entering takes nothing but what is there already. */
static inline bool is_simple(const struct thread *thread, const struct hooks *hooks, uintptr_t slot,
			     uint64_t place)
{
	return !thread->busy && !thread->deep && thread->header->depth + 1 < thread->depth_ready &&
	       hooks->count < HOOKS_LIMIT &&
	       (!hooks->count || hooks->items[hooks->count - 1].slot > slot) &&
	       is_known(thread, place);
}

void hooks_enter(uintptr_t *slot, uintptr_t body, const uint64_t *arguments)
{
	struct thread *thread = trace_current;
	struct hooks *hooks = trace_hooks;
	uintptr_t place = body - PATCH_LENGTH;
	struct hook *hook;

	if (unlikely(!thread || !hooks || trace_session->sized ||
		     !is_simple(thread, hooks, (uintptr_t)slot, place))) {
		hooks_save_and_call(slot, place, arguments, (void *)(uintptr_t)hooks_enter_slowly);
		return;
	}
	if (unlikely(hooks->busy))
		return;
	hooks->busy = true;
	FENCE();
	trace_enter(thread, place);
	hook = &hooks->items[hooks->count++];
	hook->slot = (uintptr_t)slot;
	hook->back = *slot;
	hook->depth = thread->header->depth;
	*slot = (uintptr_t)hooks_return;
	FENCE();
	hooks->busy = false;
}

uintptr_t hooks_leave(uintptr_t *slot)
{
	struct thread *thread = trace_current;
	struct hooks *hooks = trace_hooks;
	const struct hook *hook = &hooks->items[hooks->count - 1];
	const struct trace_header *header;

	if (unlikely(!thread || hooks->busy || hooks->count == 0 || hook->slot != (uintptr_t)slot ||
		     !hook->depth || hook->depth != thread->header->depth))
		return hooks_save_and_call(slot, 0, NULL, (void *)(uintptr_t)hooks_leave_slowly);
	header = thread->header;
	/* Room for records is to be made, or the costs are to be looked at. */
	if (unlikely(thread->busy || header->order >= thread->check_at ||
		     (header->record_count == thread->records_ready && trace_records(thread))))
		return hooks_save_and_call(slot, 0, NULL, (void *)(uintptr_t)hooks_leave_slowly);
	hooks->busy = true;
	FENCE();
	trace_leave(thread, trace_now());
	hooks->count--;
	FENCE();
	hooks->busy = false;
	return hook->back;
}

#endif
