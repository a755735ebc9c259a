/* SPDX-License-Identifier: BSD-3-Clause */
/* Patching the entries of functions, at the start and back again, and the uncommon cases of their calls. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collectors/trace/decode.h"
#include "collectors/trace/runtime/hooks.h"

#if defined(__x86_64__)

/* Calls of functions that nobody predicts, with data that is not at hand, take longer than those of one in a loop. */
#define IN_PLACE 3
#define SEVERAL  256        /* calls of a function from one place, that it is left out */
#define NEAR     0x60000000 /* how far a call reaches, with room to spare */
#define LEAD     256        /* room before a function is less than this */

struct patching {
	const struct trace_selected *selected; /* in order; NULL = all */
	size_t selected_count;
	dev_t device; /* of the module at hand */
	ino_t inode;
	uintptr_t bias;
	uintptr_t *entries; /* its table of places with room */
	size_t count;
	uintptr_t starts_base;
	const int32_t (
		*starts)[2]; /* of functions, in order, and of no interest; NULL = not known */
	size_t start_count;
};

static struct trace_selected *chosen; /* what "selected" holds, mapped */
static size_t chosen_count;
static const char *session_folder;
static atomic_flag patch_lock = ATOMIC_FLAG_INIT;

/* Functions whose sizes are to be read, by place. */
static struct {
	uintptr_t place;
	const struct trace_selected *selected;
} sized[1024];
static size_t sized_count;

/* Modules that were looked at, until one is closed. */
static struct {
	uintptr_t bias;
	const void *headers;
} seen[4096];
static size_t seen_count;
static unsigned long long seen_closed;

/* What is in place of the call of a function that is left out; no compiler writes this. */
static const uint8_t left_out[PATCH_LENGTH] = {0x0f, 0x1f, 0x44, 0x00, 0x7f};

/* ---- exclusion ---------------------------------------------------------------------------------- */

/*
 * One or two bytes of code, at once. The kernel interrupts all processors that run this program when it takes
 * back the right to write: they see it before the next step.
 */
static bool write_code(uintptr_t place, uint16_t value, size_t length)
{
	uintptr_t page = place & ~(uintptr_t)4095, limit = place + length;

	if (mprotect((void *)page, limit - page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return false;
	if (length == 1)
		__atomic_store_n((uint8_t *)place, (uint8_t)value, __ATOMIC_SEQ_CST);
	else
		__atomic_store_n((uint16_t *)place, value, __ATOMIC_SEQ_CST);
	mprotect((void *)page, limit - page, PROT_READ | PROT_EXEC);
	return true;
}

/*
 * Other threads see the call, or a jump over the rest of it, and then one instruction that does nothing. Where the
 * jump were in two cache lines, they might see the half of it: there the call becomes a comparison, of one byte
 * that differs; what it leaves in the flags is of no interest at the beginning of a function.
 */
static bool unpatch(uintptr_t place)
{
	bool good = false;

	while (atomic_flag_test_and_set(&patch_lock))
		;
	if (*(volatile uint8_t *)place == 0xe8) {
		if (place % 64 == 63) {
			good = write_code(place, 0xa9, 1);
		} else {
			good = write_code(place, 0x03eb, 2);
			if (good && write_code(place + 2, 0x0044, 2) &&
			    write_code(place + 3, 0x7f00, 2))
				write_code(place, 0x1f0f, 2);
		}
	}
	atomic_flag_clear(&patch_lock);
	return good;
}

static void report_excluded(const struct trace_header *header, uintptr_t place)
{
	char name[4096], line[64];
	int file, length;

	snprintf(name, sizeof name, "%s/excluded-%d-%llx", session_folder, header->pid,
		 (unsigned long long)header->process);
	length = snprintf(line, sizeof line, "%llx %llx\n", (unsigned long long)place,
			  (unsigned long long)(trace_now() - trace_session->base));
	file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (file >= 0) {
		if (length > 0 && (size_t)length < sizeof line &&
		    write(file, line, (size_t)length) < 0)
			errno = 0;
		close(file);
	}
}

/* The time that this thread had a processor, in ticks: on a busy machine, and while it waits, it takes longer by the clock. */
static uint64_t own_time(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * trace_session->second +
	       (uint64_t)now.tv_nsec / 1000 * trace_session->second / 1000000;
}

/* Whether the calls of a node cost more than they are worth. */
static bool is_too_costly(const struct thread *thread, const struct trace_node *node)
{
	uint64_t mean = node->calls ? node->inclusive / node->calls : 0, spent;

	if (trace_session->exclude_below && node->calls >= trace_session->exclude_after &&
	    mean < trace_session->exclude_below)
		return true;
	if (!trace_session->exclude_share || node->calls < SEVERAL)
		return false;
	/* Pages of records are touched for the first time. */
	spent = (thread->header->order + 4 * thread->header->record_count) * IN_PLACE *
		trace_session->pair;
	return spent >
	       trace_session->exclude_least + own_time() / 1000 * trace_session->exclude_share;
}

/* The function that is called now is one of those that are called often. */
static void check_costs(struct thread *thread, const struct trace_node *node)
{
	uintptr_t place = node->function;

	thread->check_at = thread->header->order + CHECKED;
	/* Our own is called often to see what that costs. */
	if (place != (uintptr_t)hooks_nothing && is_too_costly(thread, node) && unpatch(place))
		report_excluded(thread->header, place);
}

/* ---- entries and returns ------------------------------------------------------------------------ */

static struct hooks *make_hooks(void)
{
	struct hooks *hooks = mmap(NULL, sizeof *hooks, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_attr_t attributes;
	void *start;
	size_t size;

	if (hooks == MAP_FAILED)
		return NULL;
	hooks->busy = true; /* what is called here is not traced */
	trace_hooks = hooks;
	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
			hooks->stack_start = (uintptr_t)start;
			hooks->stack_limit = (uintptr_t)start + size;
		}
		pthread_attr_destroy(&attributes);
	}
	hooks->busy = false;
	return hooks;
}

static bool on_own_stack(const struct hooks *hooks, uintptr_t slot)
{
	return slot - hooks->stack_start < hooks->stack_limit - hooks->stack_start;
}

/* The traced calls from a depth on are over. */
static void leave_from(struct thread *thread, uint32_t depth, uint64_t end)
{
	while (thread && depth && thread->header->depth >= depth)
		trace_leave(thread, end);
}

/* A long jump or an exception went past the ends of calls further up the stack. */
static void drop_left(struct thread *thread, struct hooks *hooks, uintptr_t slot, uint64_t end)
{
	while (hooks->count) {
		const struct hook *hook = &hooks->items[hooks->count - 1];
		bool tail_call =
			hook->slot == slot && *(const uintptr_t *)slot == (uintptr_t)hooks_return;

		if (hook->slot > slot || tail_call || !on_own_stack(hooks, slot) ||
		    !on_own_stack(hooks, hook->slot))
			break;
		leave_from(thread, hook->depth, end);
		hooks->count--;
	}
}

static int64_t read_size(uintptr_t place, const uint64_t *arguments)
{
	const struct trace_selected *wanted = NULL;
	const void *at;
	uint64_t value;

	for (size_t i = 0; i < sized_count && !wanted; i++)
		if (sized[i].place == place)
			wanted = sized[i].selected;
	if (!wanted)
		return TRACE_NO_SIZE;
	value = arguments[wanted->argument - 1];
	if (wanted->memory) {
		at = (const void *)(uintptr_t)(value + (uint64_t)wanted->offset);
		value = 0;
		/* The program is about to use it, too. */
		if (at)
			memcpy(&value, at, wanted->bytes);
	}
	return wanted->bytes == 4 ? (int32_t)value : (int64_t)value;
}

void hooks_enter_slowly(uintptr_t *slot, uintptr_t place, const uint64_t *arguments)
{
	struct hooks *hooks = trace_hooks ? trace_hooks : make_hooks();
	struct thread *thread = trace_current;
	struct hook *hook;
	int error = errno;

	if (!hooks || hooks->busy)
		return;
	hooks->busy = true;
	if (!thread)
		thread = trace_enter_thread();
	if (thread && !thread->busy) {
		drop_left(thread, hooks, (uintptr_t)slot, trace_now());
		thread->deep = 0;
		if (hooks->count == HOOKS_LIMIT) {
			thread->header->deep++;
		} else if (trace_enter(thread, place)) {
			if (trace_session->sized)
				thread->top->size = read_size(place, arguments);
			hook = &hooks->items[hooks->count++];
			*hook = (struct hook){(uintptr_t)slot, *slot, thread->header->depth};
			*slot = (uintptr_t)hooks_return;
		}
		thread->deep = 0;
	}
	hooks->busy = false;
	errno = error;
}

/* The place of a hook in the list; what lies above it on the same stack was left. */
static uint32_t find_hook(const struct hooks *hooks, uintptr_t slot)
{
	uint32_t i = hooks->count;

	while (i && hooks->items[i - 1].slot != slot)
		i--;
	if (!i)
		__builtin_trap(); /* nobody knows where to return to */
	return i - 1;
}

uintptr_t hooks_leave_slowly(uintptr_t *slot, uintptr_t unused, const uint64_t *arguments)
{
	struct hooks *hooks = trace_hooks;
	struct thread *thread = trace_current;
	uint32_t place = find_hook(hooks, (uintptr_t)slot), kept = place;
	struct hook hook = hooks->items[place];
	const struct trace_node *node = NULL;
	int error = errno;

	(void)unused;
	(void)arguments;
	hooks->busy = true;
	if (thread && hook.depth && thread->header->depth >= hook.depth) {
		node = &thread->nodes[thread->frames[hook.depth].node];
		leave_from(thread, hook.depth, trace_now());
	}
	for (uint32_t i = place + 1; i < hooks->count; i++)
		if (!on_own_stack(hooks, hook.slot) || !on_own_stack(hooks, hooks->items[i].slot))
			hooks->items[kept++] = hooks->items[i];
	hooks->count = kept;
	if (node && thread->header->order >= thread->check_at)
		check_costs(thread, node);
	hooks->busy = false;
	errno = error;
	return hook.back;
}

/* ---- unwinding ---------------------------------------------------------------------------------- */

void patch_restore(void) HIDDEN;
void patch_replace(void) HIDDEN;

/* Exceptions find their way by return addresses: they get the program's. */
void patch_restore(void)
{
	struct hooks *hooks = trace_hooks;

	for (uint32_t i = hooks ? hooks->count : 0; i-- > 0;) {
		uintptr_t *slot = (uintptr_t *)hooks->items[i].slot;

		if (*slot == (uintptr_t)hooks_return)
			*slot = hooks->items[i].back;
	}
}

/* After an exception was caught: calls that are still open end with us again. */
void patch_replace(void)
{
	struct hooks *hooks = trace_hooks;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!hooks || !on_own_stack(hooks, here))
		return;
	drop_left(trace_current, hooks, here, trace_now());
	for (uint32_t i = 0; i < hooks->count; i++) {
		uintptr_t *slot = (uintptr_t *)hooks->items[i].slot;

		if (*slot == hooks->items[i].back)
			*slot = (uintptr_t)hooks_return;
	}
}

void patch_in_child(void)
{
	struct hooks *hooks = trace_hooks;

	for (uint32_t i = 0; hooks && i < hooks->count; i++)
		hooks->items[i].depth = 0;
	atomic_flag_clear(&patch_lock);
}

/* ---- patching ----------------------------------------------------------------------------------- */

static bool is_nothing(const uint8_t *code, size_t length)
{
	while (length && (*code == 0x66 || *code == 0x2e))
		code++, length--;
	return (length == 1 && *code == 0x90) || (length > 2 && code[0] == 0x0f && code[1] == 0x1f);
}

/* How long the instructions at a place are that do nothing and have room for a call; 0 = there is none. */
static size_t room_of(const uint8_t *code)
{
	size_t at = 0;

	while (at < PATCH_LENGTH) {
		struct decoded decoded = decode_instruction(code + at, 16);

		if (!is_nothing(code + at, decoded.length))
			return 0;
		at += decoded.length;
	}
	return at;
}

static const struct trace_selected *find_selected(const struct patching *patching, uintptr_t place)
{
	uint64_t address = place - patching->bias;

	for (size_t i = 0; i < patching->selected_count; i++) {
		const struct trace_selected *item = &patching->selected[i];

		/* Between the function's beginning and the room there may be an endbr64. */
		if (item->device == patching->device && item->inode == patching->inode &&
		    address - item->address <= 4)
			return item;
	}
	return NULL;
}

static void patch_place(uintptr_t place, size_t room, uintptr_t stub)
{
	uint8_t *code = (uint8_t *)place;
	int32_t distance = (int32_t)(stub - (place + PATCH_LENGTH));

	code[0] = 0xe8;
	memcpy(code + 1, &distance, sizeof distance);
	/* The rest of an instruction that was longer. */
	memset(code + PATCH_LENGTH, 0x90, room - PATCH_LENGTH);
}

/* A jump to hooks_entry that calls from the module reach. */
static uintptr_t make_stub(uintptr_t module)
{
	static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
	uintptr_t target = (uintptr_t)hooks_entry;

	for (uintptr_t distance = 1 << 20; distance < NEAR; distance += 1 << 20) {
		uint8_t *page = mmap((void *)((module & ~(uintptr_t)4095) - distance), 4096,
				     PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (page == MAP_FAILED)
			continue;
		memcpy(page, jump, sizeof jump);
		memcpy(page + sizeof jump, &target, sizeof target);
		mprotect(page, 4096, PROT_READ | PROT_EXEC);
		return (uintptr_t)page;
	}
	return 0;
}

static bool only_nothing(uintptr_t place, uintptr_t limit)
{
	while (place < limit) {
		struct decoded decoded = decode_instruction((const uint8_t *)place, 16);

		if (!is_nothing((const uint8_t *)place, decoded.length))
			return false;
		place += decoded.length;
	}
	return place == limit;
}

/*
 * -fpatchable-function-entry=N,M leaves M of the N bytes before the function: calls do not come by there, and
 * the table has the beginning of all. Where the function begins is what unwinding knows.
 */
static uintptr_t entry_of(const struct patching *patching, uintptr_t place)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t low = 0, high = patching->start_count;
	uintptr_t start;

	/* The first start after the place, less an endbr64. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		start = patching->starts_base + (uintptr_t)(intptr_t)patching->starts[middle][0];
		if (start + sizeof endbr64 < place)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == patching->start_count)
		return place;
	start = patching->starts_base + (uintptr_t)(intptr_t)patching->starts[low][0];
	/* Far away, or after code: the function is one without such a table. */
	if (start <= place || start - place >= LEAD || !only_nothing(place, start))
		return place;
	return memcmp((const void *)start, endbr64, sizeof endbr64) == 0 ? start + sizeof endbr64
									 : start;
}

static void patch_entry(const struct patching *patching, uintptr_t place, uintptr_t stub)
{
	const struct trace_selected *selected = NULL;
	size_t room;

	place = entry_of(patching, place);
	room = room_of((const uint8_t *)place);
	if (!room || memcmp((const void *)place, left_out, sizeof left_out) == 0)
		return;
	if (patching->selected) {
		selected = find_selected(patching, place);
		if (!selected)
			return;
		if (selected->argument && sized_count < sizeof sized / sizeof *sized) {
			sized[sized_count].place = place;
			sized[sized_count++].selected = selected;
		}
	}
	patch_place(place, room, stub);
}

static void patch_segment(const struct patching *patching, const ElfW(Phdr) * segment,
			  uintptr_t stub)
{
	uintptr_t start = patching->bias + segment->p_vaddr, limit = start + segment->p_memsz;
	uintptr_t page = start & ~(uintptr_t)4095;

	if (mprotect((void *)page, limit - page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return;
	for (size_t i = 0; i < patching->count; i++)
		if (patching->entries[i] >= start && patching->entries[i] + PATCH_LENGTH <= limit)
			patch_entry(patching, patching->entries[i], stub);
	mprotect((void *)page, limit - page, PROT_READ | PROT_EXEC);
}

/* The table of places, which only the section headers have; `memory` is the whole file. */
static bool find_table(struct patching *patching, const char *memory, size_t size)
{
	const ElfW(Ehdr) *header = (const void *)memory;
	const ElfW(Shdr) * sections;
	uint64_t names;

	if (size < sizeof *header || memcmp(memory, ELFMAG, SELFMAG) != 0 ||
	    header->e_shoff > size || header->e_shentsize != sizeof *sections ||
	    header->e_shnum > (size - header->e_shoff) / sizeof *sections ||
	    header->e_shstrndx >= header->e_shnum)
		return false;
	sections = (const void *)(memory + header->e_shoff);
	names = sections[header->e_shstrndx].sh_offset;
	for (size_t i = 0; i < header->e_shnum; i++) {
		uint64_t at = names + sections[i].sh_name;

		if (at > size || size - at < sizeof "__patchable_function_entries" ||
		    strcmp(memory + at, "__patchable_function_entries") != 0)
			continue;
		patching->entries = (uintptr_t *)(patching->bias + sections[i].sh_addr);
		patching->count = sections[i].sh_size / sizeof *patching->entries;
		return patching->count > 0;
	}
	return false;
}

static bool open_module(struct patching *patching, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	void *memory = MAP_FAILED;
	struct stat facts;
	bool good = false;

	if (file < 0)
		return false;
	if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
		memory = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	if (memory == MAP_FAILED)
		return false;
	patching->device = facts.st_dev;
	patching->inode = facts.st_ino;
	good = find_table(patching, memory, (size_t)facts.st_size);
	munmap(memory, (size_t)facts.st_size);
	return good;
}

static bool is_new(const struct dl_phdr_info *info)
{
	if (info->dlpi_subs != seen_closed)
		seen_count = 0;
	seen_closed = info->dlpi_subs;
	for (size_t i = 0; i < seen_count; i++)
		if (seen[i].bias == info->dlpi_addr && seen[i].headers == info->dlpi_phdr)
			return false;
	if (seen_count < sizeof seen / sizeof *seen) {
		seen[seen_count].bias = info->dlpi_addr;
		seen[seen_count++].headers = info->dlpi_phdr;
	}
	return true;
}

/* The table that unwinding searches (.eh_frame_hdr), in the form that linkers write. */
static void find_starts(struct patching *patching, const struct dl_phdr_info *info)
{
	static const uint8_t form[] = {1, 0x1b, 0x03, 0x3b};

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uint8_t *header = (const void *)(info->dlpi_addr + segment->p_vaddr);
		uint32_t count;

		if (segment->p_type != PT_GNU_EH_FRAME || segment->p_memsz < 12 ||
		    memcmp(header, form, sizeof form) != 0)
			continue;
		memcpy(&count, header + 8, sizeof count);
		if (count > (segment->p_memsz - 12) / sizeof *patching->starts)
			continue;
		patching->starts = (const void *)(header + 12);
		patching->start_count = count;
		patching->starts_base = (uintptr_t)header;
	}
}

static int patch_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct patching patching = {
		.selected = data, .selected_count = chosen_count, .bias = info->dlpi_addr};
	const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	uintptr_t stub;

	(void)size;
	if (!is_new(info) || !open_module(&patching, path))
		return 0;
	find_starts(&patching, info);
	stub = make_stub(patching.entries[0]);
	for (int i = 0; stub && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			patch_segment(&patching, &info->dlpi_phdr[i], stub);
	return 0;
}

void patch_more(void)
{
	struct hooks *hooks = trace_hooks ? trace_hooks : make_hooks();
	int error = errno;

	if (!hooks || hooks->busy)
		return;
	/* Handlers of signals must not wait for the lock here. */
	hooks->busy = true;
	while (atomic_flag_test_and_set(&patch_lock))
		;
	dl_iterate_phdr(patch_module, chosen);
	atomic_flag_clear(&patch_lock);
	hooks->busy = false;
	errno = error;
}

static void read_selected(const char *folder)
{
	char name[4096];
	struct stat facts;
	void *memory;
	int file;

	snprintf(name, sizeof name, "%s/selected", folder);
	file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return;
	if (fstat(file, &facts) == 0 && facts.st_size >= (off_t)sizeof *chosen) {
		memory = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
		if (memory != MAP_FAILED) {
			chosen = memory;
			chosen_count = (size_t)facts.st_size / sizeof *chosen;
		}
	}
	close(file);
}

/* What a call takes, with the replaced return address. */
static void measure(void)
{
	uint64_t least = UINT64_MAX;

	for (int round = 0; round < 20; round++) {
		uint64_t start = trace_now();

		for (int i = 0; i < 100; i++)
			hooks_nothing();
		start = trace_now() - start;
		least = start < least ? start : least;
	}
	trace_session->pair = least / 100;
	if (trace_current)
		trace_session->inner = trace_current->nodes[1].shortest;
}

void patch_start(const char *folder)
{
	uint64_t limit = trace_session->claimed;
	bool first = trace_session->pair == 0;

	session_folder = folder;
	if (first) {
		trace_session->claimed = trace_session->limit; /* none of it is recorded */
		measure();
		trace_forget();
		trace_session->claimed = limit;
	}
	read_selected(folder);
	patch_more();
}

#endif
