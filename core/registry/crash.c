/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A crash or exit() inside a plugin: one line that names it. The handlers call nothing but what
 * signal-safety(7) lists, run on a stack of their own, and leave the end to what was there before them.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/registry/calls.h"
#include "core/registry/crash.h"

static const struct {
	int number;
	const char *words;
} crashes[] = {{SIGSEGV, "segmentation fault"},
	       {SIGBUS, "bus error"},
	       {SIGFPE, "arithmetic error"},
	       {SIGABRT, "aborted"},
	       {SIGILL, "illegal instruction"}};
enum { CRASHES = sizeof crashes / sizeof *crashes, MIN_STACK = 64 << 10 };

/* A loaded plugin; a list that only grows, so that handlers can walk it at any moment. */
struct module {
	const struct perun_plugin *plugin;
	char *file;
	uintptr_t start, end; /* of its code; 0 when linked in */
	struct module *next;
};

static struct {
	_Atomic(struct module *) modules;
	atomic_bool installed;
	atomic_flag reported;
	struct sigaction before[CRASHES];
	pthread_key_t stacks; /* frees the stacks of threads that end */
	size_t stack_size;
} state = {.reported = ATOMIC_FLAG_INIT};

/* ---- which plugin ---------------------------------------------------------------------------- */

struct search {
	uintptr_t inside; /* an address of the module */
	uintptr_t start, end;
};

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	uintptr_t start = UINTPTR_MAX, end = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		start = from < start ? from : start;
		end = from + segment->p_memsz > end ? from + segment->p_memsz : end;
	}
	if (search->inside < start || search->inside >= end)
		return 0;
	search->start = start;
	search->end = end;
	return 1;
}

void plugin_remember(const struct perun_plugin *plugin, const char *file)
{
	struct module *module = perun_alloc_zero(1, sizeof *module);
	struct search search = {.inside = (uintptr_t)plugin->ops};

	module->plugin = plugin;
	module->file = perun_strdup(file);
	if (*file && plugin->ops)
		dl_iterate_phdr(find_code, &search);
	module->start = search.start;
	module->end = search.end;
	module->next = atomic_load(&state.modules);
	while (!atomic_compare_exchange_weak(&state.modules, &module->next, module))
		;
}

const char *plugin_crash_file(const struct perun_plugin *plugin)
{
	const struct module *module = atomic_load(&state.modules);

	while (module && module->plugin != plugin)
		module = module->next;
	return module ? module->file : "";
}

/* ---- the line -------------------------------------------------------------------------------- */

struct line {
	char text[1024];
	size_t length;
};

/* Room for the end of the line stays; nothing in a name can steer a terminal. */
static void add(struct line *line, const char *text)
{
	for (; *text && line->length < sizeof line->text - 64; text++) {
		unsigned char c = (unsigned char)*text;

		line->text[line->length++] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
}

static void write_line(const char *kind, const char *name, const char *file, const char *what,
		       const char *why)
{
	struct line line = {.length = 0};
	ssize_t written;

	add(&line, "perun: ");
	add(&line, kind ? kind : "plugin");
	add(&line, " ");
	add(&line, name ? name : "?");
	add(&line, " (");
	add(&line, file && *file ? file : "linked into the program");
	add(&line, ") ");
	for (; *what; what++)
		line.text[line.length++] = *what;
	for (; *why; why++)
		line.text[line.length++] = *why;
	line.text[line.length++] = '\n';
	written = write(STDERR_FILENO, line.text, line.length);
	(void)written;
}

/* ---- crashes --------------------------------------------------------------------------------- */

static uintptr_t instruction_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)context->uc_mcontext.pc;
#else
	(void)context;
	return 0;
#endif
}

/* The call that the thread is in; for a thread that a plugin started by itself, whose code it runs. */
static void report(const char *why, const ucontext_t *context)
{
	const struct perun_plugin_call *call = plugin_current_call();
	const struct module *module = atomic_load(&state.modules);
	uintptr_t at = instruction_of(context);

	if (call) {
		write_line(call->kind, call->name, call->file, "crashed: ", why);
		return;
	}
	while (module && (at < module->start || at >= module->end))
		module = module->next;
	if (module)
		write_line(perun_kind_name(module->plugin->kind), module->plugin->name,
			   module->file, "crashed: ", why);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	size_t i = 0;

	while (crashes[i].number != number)
		i++;
	if (!atomic_flag_test_and_set(&state.reported))
		report(crashes[i].words, context);
	/* A fault happens again on return; what was sent (raise, abort, kill) has to be sent again. */
	sigaction(number, &state.before[i], NULL);
	if (info->si_code <= 0)
		raise(number);
}

static void free_stack(void *stack)
{
	const stack_t none = {.ss_flags = SS_DISABLE};

	sigaltstack(&none, NULL);
	munmap(stack, state.stack_size);
}

void plugin_crash_prepare_thread(void)
{
	static _Thread_local bool prepared __attribute__((tls_model("initial-exec")));
	stack_t stack = {.ss_flags = 0};

	if (prepared || !atomic_load(&state.installed))
		return;
	prepared = true;
	if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE))
		return; /* it has one (a sanitizer's) */
	stack = (stack_t){.ss_size = state.stack_size};
	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack.ss_sp == MAP_FAILED)
		return;
	if (sigaltstack(&stack, NULL) != 0 || pthread_setspecific(state.stacks, stack.ss_sp) != 0)
		free_stack(stack.ss_sp);
}

/* ---- exit ------------------------------------------------------------------------------------ */

static void on_exit_inside(void)
{
	const struct perun_plugin_call *call = plugin_any_call();

	/* Not in a child that a plugin forked. */
	if (!call || call->process != getpid())
		return;
	write_line(call->kind, call->name, call->file, "called exit(), which no plugin may", "");
	_exit(PERUN_INPUT);
}

void perun_plugin_report_crashes(void)
{
	struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	long size = sysconf(_SC_SIGSTKSZ);

	if (atomic_exchange(&state.installed, true) ||
	    pthread_key_create(&state.stacks, free_stack) != 0)
		return;
	state.stack_size = size > MIN_STACK ? (size_t)size : MIN_STACK;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < CRASHES; i++)
		sigaction(crashes[i].number, &action, &state.before[i]);
	atexit(on_exit_inside);
}
