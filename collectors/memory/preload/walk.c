/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks, fast. A chain of frame pointers is the true stack if at each of its return addresses the
 * unwind tables say so: the caller's frame follows from the frame pointer. That depends on the return
 * addresses alone, so that it is looked up once for each chain. Where it is not so, each step is taken
 * by the table's rule, which is kept for each return address. What no rule describes goes to the
 * compiler's unwinder.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "preload.h"

struct stack {
	uint64_t frames[MEMORY_MAX_DEPTH];
	uint32_t count, depth;
	uintptr_t high; /* the end of the memory that may be read */
	bool unknown;
};

static inline uint64_t mix(uint64_t hash, uint64_t ip)
{
	hash = (hash ^ ip) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint32_t slot_of(uint64_t hash)
{
	uint32_t slot = (uint32_t)(hash >> 20) & (MEMORY_SLOTS - 1);

	return slot ? slot : 1;
}

/* On a stack that is not the thread's own (of a signal, a coroutine): the mapped pages above. */
static uintptr_t mapped_above(uintptr_t sp)
{
	uintptr_t page = sp & ~(uintptr_t)4095;
	unsigned char present[64];
	int error = errno;
	size_t pages = sizeof present;

	while (pages > 1 && mincore((void *)page, pages * 4096, present) != 0)
		pages /= 4;
	errno = error;
	return page + (pages ? pages : 1) * 4096;
}

static struct cfi_rule rule_at(struct thread *thread, uintptr_t ip)
{
	struct rule_entry *entry = &thread->rules[(ip ^ ip >> 12) & (RULES - 1)];

	if (unlikely(entry->ip != ip)) {
		const struct module *module;
		bool changed;

		recorder_lock();
		changed = modules_refresh();
		module = modules_find(ip);
		entry->rule = module ? cfi_find(&module->table, ip)
				     : (struct cfi_rule){.base = CFI_UNKNOWN};
		entry->ip = ip;
		recorder_unlock();
		if (changed)
			recorder_send_modules(thread);
	}
	return entry->rule;
}

static bool keeps_chain(struct cfi_rule rule)
{
	return rule.base == CFI_BP && rule.cfa_offset == 16 && rule.bp_offset == -16;
}

/* A word of the stack that the walk depends on; NULL: no walk to be had again is wanted. */
static inline void note_word(struct walk *walk, uintptr_t address, uint64_t word)
{
	if (!walk)
		return;
	if (walk->count < WALK_WORDS && address - walk->sp <= UINT32_MAX) {
		walk->offsets[walk->count] = (uint32_t)(address - walk->sp);
		walk->words[walk->count] = word;
	}
	walk->count++;
}

/* The chain of frame pointers, until the C library. Gives its hash. */
static uint64_t follow_chain(const struct place *place, struct stack *stack, struct walk *walk)
{
	uintptr_t ip = place->ip, bp = place->bp, low = place->sp, next;
	uint64_t hash = mix(0, ip);

	stack->frames[0] = ip;
	stack->count = 1;
	while (stack->count < stack->depth && bp >= low && bp <= stack->high - 16 && !(bp & 7) &&
	       ip - modules_libc_start >= modules_libc_size) {
		ip = ((const uintptr_t *)bp)[1];
		note_word(walk, bp + 8, ip);
		if (!ip)
			break;
		stack->frames[stack->count++] = ip;
		hash = mix(hash, ip);
		low = bp + 16;
		next = ((const uintptr_t *)bp)[0];
		note_word(walk, bp, next);
		bp = next;
	}
	return hash;
}

/* The stack by the rules of the tables. Gives its hash. */
static uint64_t follow_rules(struct thread *thread, const struct place *place, struct stack *stack,
			     struct walk *walk)
{
	uintptr_t ip = place->ip, sp = place->sp, bp = place->bp, bp_at = 0, cfa;
	uint64_t hash = 0;

	stack->count = 0;
	stack->unknown = false;
	while (ip && stack->count < stack->depth) {
		struct cfi_rule rule;

		stack->frames[stack->count++] = ip;
		hash = mix(hash, ip);
		rule = rule_at(thread, ip);
		if (rule.base == CFI_END)
			break;
		if (rule.base == CFI_BP && bp_at)
			note_word(walk, bp_at, bp);
		else if (rule.base == CFI_BP && walk)
			walk->bp_matters = true;
		cfa = (rule.base == CFI_SP ? sp : bp) + (uintptr_t)(intptr_t)rule.cfa_offset;
		if (rule.base == CFI_UNKNOWN || cfa < sp + 8 || cfa > stack->high || cfa & 7 ||
		    cfa + (uintptr_t)(intptr_t)rule.bp_offset < sp) {
			stack->unknown = true;
			break;
		}
		ip = *(const uintptr_t *)(cfa - 8);
		note_word(walk, cfa - 8, ip);
		if (rule.bp_offset) {
			bp_at = cfa + (uintptr_t)(intptr_t)rule.bp_offset;
			bp = *(const uintptr_t *)bp_at;
		}
		sp = cfa;
	}
	return hash;
}

struct collecting {
	struct stack *stack;
	uintptr_t first;
	bool found;
};

static _Unwind_Reason_Code collect_frame(struct _Unwind_Context *context, void *data)
{
	struct collecting *collecting = data;
	uintptr_t ip = _Unwind_GetIP(context);

	collecting->found |= ip == collecting->first;
	if (!collecting->found)
		return _URC_NO_REASON;
	if (!ip || collecting->stack->count == collecting->stack->depth)
		return _URC_END_OF_STACK;
	collecting->stack->frames[collecting->stack->count++] = ip;
	return _URC_NO_REASON;
}

/* By the compiler's unwinder. What the rules gave stays if that gives less. */
static __attribute__((noinline)) uint64_t follow_unwinder(const struct place *place,
							  struct stack *stack)
{
	struct stack other = {.depth = stack->depth};
	struct collecting collecting = {&other, place->ip, false};
	uint64_t hash = 0;

	_Unwind_Backtrace(collect_frame, &collecting);
	if (other.count > stack->count)
		*stack = other;
	for (uint32_t i = 0; i < stack->count; i++)
		hash = mix(hash, stack->frames[i]);
	return hash;
}

static void send_stack(struct thread *thread, const struct stack *stack, uint32_t slot)
{
	size_t bytes = (2 + (size_t)stack->count) * 8;
	uint64_t *event;

	if (!recorder_room(thread, bytes))
		return;
	event = recorder_event(thread);
	event[0] = recorder_time() << 8 | MEMORY_STACK;
	event[1] = slot | (uint64_t)stack->count << 32;
	memcpy(event + 2, stack->frames, stack->count * sizeof *stack->frames);
	recorder_publish(thread, bytes);
}

/*
 * Whether the chain is the beginning of the true stack and all frames of which it knows nothing are those
 * with which the C library starts a program or a thread. They are the same for all such chains.
 */
static bool chain_is_sound(struct thread *thread, const struct stack *chain,
			   const struct stack *stack)
{
	uint32_t last = chain->count - 1;

	if (stack->unknown || stack->count < chain->count)
		return false;
	if (memcmp(chain->frames, stack->frames, chain->count * sizeof *chain->frames) != 0)
		return false;
	for (uint32_t i = 0; i < last; i++)
		if (!keeps_chain(rule_at(thread, chain->frames[i])))
			return false;
	if (stack->count == stack->depth && chain->count == stack->depth)
		return true;
	/* It ends in the C library; after it comes at most the program's first function. */
	if (chain->frames[last] - modules_libc_start >= modules_libc_size)
		return false;
	for (uint32_t i = last + 1; i + 1 < stack->count; i++)
		if (stack->frames[i] - modules_libc_start >= modules_libc_size)
			return false;
	return stack->count - chain->count <= 2 &&
	       rule_at(thread, stack->frames[stack->count - 1]).base == CFI_END;
}

/* A chain that was not seen before: 0 when it is not sound, else its slot. */
static uint32_t learn_chain(struct thread *thread, const struct place *place,
			    const struct stack *chain, uint64_t hash)
{
	uint32_t slot = slot_of(hash);
	struct stack stack = {.depth = chain->depth, .high = chain->high};

	follow_rules(thread, place, &stack, NULL);
	if (!chain_is_sound(thread, chain, &stack)) {
		thread->chains[slot] = hash;
		return 0;
	}
	send_stack(thread, &stack, slot);
	thread->slots[slot] = hash;
	return slot;
}

static void start_walk(struct walk *walk, const struct place *place)
{
	walk->sp = place->sp;
	walk->bp = place->bp;
	walk->bp_matters = false;
	walk->count = 0;
}

/* From now on the same words represent this slot. */
static void keep_walk(struct walk *walk, uintptr_t ip, uint64_t hash, uint32_t slot)
{
	walk->ip = walk->count <= WALK_WORDS ? ip : 0;
	walk->hash = hash;
	walk->slot = slot;
}

static uint32_t walk_by_rules(struct thread *thread, const struct place *place, struct stack *stack,
			      struct walk *walk)
{
	uint64_t hash;
	uint32_t slot;

	start_walk(walk, place);
	hash = follow_rules(thread, place, stack, walk);
	if (stack->unknown)
		hash = follow_unwinder(place, stack);
	/* Other than the hash of a chain with the same frames, which represents more of them. */
	hash ^= 1;
	slot = slot_of(hash);
	if (thread->slots[slot] != hash) {
		send_stack(thread, stack, slot);
		thread->slots[slot] = hash;
	}
	keep_walk(walk, stack->unknown ? 0 : place->ip, hash, slot);
	return slot;
}

/* By the chain of frame pointers; 0 where that is not sound. */
static uint32_t walk_by_chain(struct thread *thread, const struct place *place, struct stack *stack,
			      struct walk *walk)
{
	uint64_t hash;
	uint32_t slot;

	if (!keeps_chain(rule_at(thread, place->ip)))
		return 0;
	start_walk(walk, place);
	walk->bp_matters = true;
	hash = follow_chain(place, stack, walk);
	slot = slot_of(hash);
	if (thread->slots[slot] != hash)
		slot = thread->chains[slot] == hash ? 0 : learn_chain(thread, place, stack, hash);
	if (slot)
		keep_walk(walk, place->ip, hash, slot);
	return slot;
}

uint32_t walk_from_scratch(struct thread *thread, const struct place *place, struct walk *walk,
			   bool own)
{
	struct stack stack;
	uint32_t slot;

	stack.depth = recorder_session->depth;
	/* Is it the thread's own stack? Then all above is there, up to its end. */
	stack.high = own ? thread->stack_high : mapped_above(place->sp);
	slot = walk_by_chain(thread, place, &stack, walk);
	if (!slot)
		slot = walk_by_rules(thread, place, &stack, walk);
	if (!own)
		walk->ip = 0;
	return slot;
}
