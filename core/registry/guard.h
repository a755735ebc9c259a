/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls into plugins. Every call is made between enter and leave, so that what a plugin returns is
 * checked, and a crash or an exit inside it names the plugin and its file.
 */
#ifndef PERUN_CORE_REGISTRY_GUARD_H
#define PERUN_CORE_REGISTRY_GUARD_H

#include <sys/types.h>

#include <perun/plugin.h>

/* A call that is under way; lives on the caller's stack, members are private. */
struct perun_plugin_call {
	const char *kind, *name, *file;
	const struct perun_plugin_call *outer; /* the call that this one was made from, or NULL */
	struct perun_ctx *ctx;
	size_t causes; /* of `ctx` when the call began */
	pid_t process;
	bool may_degrade;
};

/* Begin a call of a plugin from the registry. `ctx` is what the plugin gets, or NULL. */
PERUN_EXPORT void perun_plugin_enter(struct perun_plugin_call *call, struct perun_ctx *ctx,
				     const struct perun_plugin *plugin);
/*
 * End it, with the status that the plugin returned; gives the status that holds. An unknown one, a
 * failure without a reason in `ctx`, and PERUN_DEGRADED from anything but a check or a command become PERUN_INPUT:
 * "view bad returned 77 without a reason".
 */
PERUN_EXPORT int perun_plugin_leave(struct perun_plugin_call *call, int status);
/* End a call that returns no status. */
PERUN_EXPORT void perun_plugin_return(struct perun_plugin_call *call);

/* An operation that returns a status, as one expression. */
#define PERUN_PLUGIN_CALL(CTX, PLUGIN, EXPRESSION)           \
	__extension__({                                      \
		struct perun_plugin_call call_;              \
		perun_plugin_enter(&call_, (CTX), (PLUGIN)); \
		perun_plugin_leave(&call_, (EXPRESSION));    \
	})
/* One that returns nothing. */
#define PERUN_PLUGIN_CALL_VOID(PLUGIN, EXPRESSION)          \
	do {                                                \
		struct perun_plugin_call call_;             \
		perun_plugin_enter(&call_, NULL, (PLUGIN)); \
		(EXPRESSION);                               \
		perun_plugin_return(&call_);                \
	} while (0)

/*
 * For programs, once at the start: a SIGSEGV, SIGBUS, SIGFPE, SIGABRT or SIGILL inside a plugin writes
 * one line with the plugin and its file to standard error, then does what it did before; exit() inside a
 * plugin writes such a line and ends with PERUN_INPUT.
 */
PERUN_EXPORT void perun_plugin_report_crashes(void);

/* Loading a file is a call, too: of a plugin that is not known yet. The texts are borrowed. */
void plugin_enter_file(struct perun_plugin_call *call, const char *kind, const char *name,
		       const char *file);
/* A plugin that was loaded: `file` and the addresses of its code, for messages; kept for ever. */
void plugin_remember(const struct perun_plugin *plugin, const char *file);

/* For threads that work for another one: the call that thread is in, and being in it as well. */
const struct perun_plugin_call *plugin_current_call(void);
/* That of the calling thread, else that of any other one; NULL = no plugin is at work. */
const struct perun_plugin_call *plugin_any_call(void);
void plugin_inherit_call(const struct perun_plugin_call *call);

#endif
