/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks: the chain that the kernel found, calls that the processor noted, or a copy of the stack. */
#include "collectors/common/unwind.h"
#include "stacks.h"

/* Marks in a chain, of which part the addresses after it are. */
#define MARK        ((uint64_t)-4095)
#define MARK_KERNEL ((uint64_t)-128)
#define MARK_USER   ((uint64_t)-512)

enum {
	MAX_DEPTH = 1024,
	/* Registers of x86-64 in masks: the base pointer, the stack pointer, the instruction pointer */
	REGISTER_BP = 6,
	REGISTER_SP = 7,
	REGISTER_IP = 8
};

static void push(struct perfdata_stack *stack, uint64_t address, bool kernel)
{
	PERUN_GROW(stack->frames, stack->count, stack->room);
	stack->frames[stack->count++] = (struct perfdata_frame){address, kernel};
}

/* All but the first address of a part are those after calls. Guests and hypervisors are left out. */
static void add_chain(const struct perfdata_sample *sample, struct perfdata_stack *stack)
{
	struct cursor chain = sample->chain;
	uint64_t part = (sample->misc & MODE) == MODE_KERNEL ? MARK_KERNEL : MARK_USER;
	bool first = true;

	while (cursor_left(&chain) >= 8) {
		uint64_t address = cursor_64(&chain);

		if (address >= MARK) {
			part = address;
			first = true;
		} else if ((part == MARK_KERNEL || part == MARK_USER) && address) {
			push(stack, address - !first, part == MARK_KERNEL);
			first = false;
		}
	}
}

/* Calls that did not return yet, as the processor noted them: where the newest one went, and where each came from. */
static void add_calls(const struct perfdata_sample *sample, struct perfdata_stack *stack)
{
	struct cursor calls = sample->branches;
	bool first = true;

	while (cursor_left(&calls) >= 24) {
		uint64_t from = cursor_64(&calls), to = cursor_64(&calls);

		cursor_64(&calls);
		if (first)
			push(stack, to, false);
		push(stack, from, false);
		first = false;
	}
}

static bool take_register(const struct perfdata_sample *sample, unsigned number, uint64_t *value)
{
	struct cursor registers = sample->registers;
	uint64_t below = sample->register_mask & (((uint64_t)1 << number) - 1);

	if (!(sample->register_mask >> number & 1))
		return false;
	cursor_bytes(&registers, 8 * (uint64_t)__builtin_popcountll(below));
	*value = cursor_64(&registers);
	return !registers.truncated;
}

struct unwinding {
	struct perfdata_processes *processes;
	struct perfdata_names *names;
	int32_t pid;
};

static struct cfi_rule rule_at(void *data, uint64_t back)
{
	const struct unwinding *unwinding = data;
	const struct perfdata_map *map =
		perfdata_map_at(unwinding->processes, unwinding->pid, false, back - 1);

	return map ? perfdata_rule_at(unwinding->names, unwinding->processes, map, back)
		   : (struct cfi_rule){.base = CFI_UNKNOWN};
}

static size_t unwind(const struct perfdata *file, struct unwinding *unwinding,
		     const struct perfdata_sample *sample, uint64_t *frames)
{
	struct unwind_copy copy = {.stack = sample->stack, .stack_size = sample->stack_size};

	if (file->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ||
	    !take_register(sample, REGISTER_BP, &copy.bp) ||
	    !take_register(sample, REGISTER_SP, &copy.sp) ||
	    !take_register(sample, REGISTER_IP, &copy.ip))
		return 0;
	return collectors_unwind(&copy, rule_at, unwinding, frames, MAX_DEPTH);
}

/* A copy of the stack replaces what the chain has of the program, if more is found by it. */
static void add_copy(const struct perfdata *file, struct unwinding *unwinding,
		     const struct perfdata_sample *sample, struct perfdata_stack *stack)
{
	uint64_t frames[MAX_DEPTH];
	size_t count = file->foreign ? 0 : unwind(file, unwinding, sample, frames), kernel = 0;

	stack->cut |= count == 0;
	while (kernel < stack->count && stack->frames[kernel].kernel)
		kernel++;
	if (count <= stack->count - kernel)
		return;
	stack->count = kernel;
	for (size_t i = 0; i < count; i++)
		push(stack, frames[i] - 1, false);
}

void perfdata_find_stack(const struct perfdata *file, struct perfdata_processes *processes,
			 struct perfdata_names *names, const struct perfdata_sample *sample,
			 struct perfdata_stack *stack)
{
	struct unwinding unwinding = {processes, names, sample->pid};
	bool kernel = (sample->misc & MODE) == MODE_KERNEL;

	stack->count = 0;
	if (sample->chain.at)
		add_chain(sample, stack);
	if (sample->calls && sample->branches.at) {
		while (stack->count && !stack->frames[stack->count - 1].kernel)
			stack->count--;
		add_calls(sample, stack);
	}
	if (sample->stack)
		add_copy(file, &unwinding, sample, stack);
	if (!stack->count && sample->ip)
		push(stack, sample->ip, kernel);
}
