/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which plugins there are, loading them, and calling them.
 * Of the growing part of the interface: see perun/lib/version.h.
 * Any thread may call these; what they give lives as long as the process.
 */
#ifndef PERUN_LIB_REGISTRY_H
#define PERUN_LIB_REGISTRY_H

#include <sys/types.h>

#include <perun/format.h>
#include <perun/lib/version.h>
#include <perun/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of a plugin without loading it, from its .plugin text (or from itself). */
struct perun_plugin_info {
	enum perun_kind kind;
	const char *name, *summary;
	const char *file;                /* path of the .so; "" when linked in */
	const char *const *patterns;     /* format: file name patterns, NULL-terminated; or NULL */
	const struct perun_magic *magic; /* format: ends with size 0; or NULL */
	const char *const *contains;     /* format: texts, NULL-terminated; or NULL */
	bool reads_directories;          /* format: with `contains` */
	const char *const *aliases;      /* check: short names, NULL-terminated; or NULL */
	const char *const *commands;     /* names and summaries in turn, NULL-terminated; or NULL */
	bool linked_in;
	const char *problem;           /* why it cannot be used, or NULL */
	const char *version, *license; /* NULL = not known */
	unsigned abi_major, abi_minor; /* of the interface it was built for */
	/*
	 * It has no .plugin text and was not opened: of these members only the kind, the name and the
	 * file are known. perun_registry_describe() opens it.
	 */
	bool undescribed;
	/* Other files of this kind and name, that are not used; NULL-terminated, or NULL. */
	const char *const *shadowed;
};

/* Whether two names of plugins are equal: underscores are dashes. */
PERUN_EXPORT bool perun_same_name(const char *one, const char *other);
/*
 * All plugins found on the search path, sorted by kind and name; of several with one name the first
 * on the path. Found once per process. Owned by the registry.
 */
PERUN_EXPORT const struct perun_plugin_info *perun_registry_list(struct perun_ctx *ctx,
								 size_t *count);
/*
 * The next plugin of this list that brings commands, NULL after the last one; `*at` is 0 at first. What the other ones say
 * is not read for it: a start that needs a command looks at no more.
 */
PERUN_EXPORT const struct perun_plugin_info *
perun_registry_next_with_commands(struct perun_ctx *ctx, size_t *at);
/*
 * Open the plugins that have no .plugin text, so that the list says all of them. For commands that are
 * about plugins, at their start: what perun_registry_list() gave before changes.
 */
PERUN_EXPORT void perun_registry_describe(struct perun_ctx *ctx);
/* One by name (dashes or underscores, check aliases too); NULL when there is none. */
PERUN_EXPORT const struct perun_plugin_info *
perun_registry_find(struct perun_ctx *ctx, enum perun_kind kind, const char *name);
/*
 * The plugin that brings a command, NULL when none does. Plugins without a .plugin text are opened and
 * asked when no text names the command.
 */
PERUN_EXPORT const struct perun_plugin_info *perun_registry_find_command(struct perun_ctx *ctx,
									 const char *command);

/*
 * Load a plugin: its struct, with what an older one lacks zeroed. PERUN_MISSING when there is none
 * ("no collector called tme; did you mean time? installed are: memory, time"), or it cannot be
 * loaded or its tables are wrong (with the true reason). Loaded once; never unloaded. Safe to call from several threads.
 * Its tables of options, subcommands and commands are in the layouts of this host.
 */
PERUN_EXPORT int perun_registry_load(struct perun_ctx *ctx, enum perun_kind kind, const char *name,
				     const struct perun_plugin **plugin);
/*
 * When a plugin, or for PERUN_KIND_COMMAND a command, is not installed: PERUN_MISSING and which package brings it, by the
 * table of whoever packaged Perun (configure --with-plugin-packages); PERUN_OK when that has none.
 */
PERUN_EXPORT int perun_registry_packaged(struct perun_ctx *ctx, enum perun_kind kind,
					 const char *name);
/*
 * Load a file called perun-KIND-NAME.so that is on no search path, with the same checks. PERUN_USAGE when it is not
 * called so. The plugin is not in the list, and stays loaded.
 */
PERUN_EXPORT int perun_registry_load_file(struct perun_ctx *ctx, const char *file,
					  const struct perun_plugin **plugin);
/*
 * The operations of a loaded plugin, copied into `ops` (of `size` bytes, sizeof of the host's
 * struct): members that an older plugin lacks are zero.
 */
PERUN_EXPORT void perun_plugin_ops(const struct perun_plugin *plugin, void *ops, size_t size);

/* What `perun plugin check` finds wrong in a plugin's tables; PERUN_OK when nothing. */
PERUN_EXPORT int perun_plugin_validate(struct perun_ctx *ctx, const struct perun_plugin *plugin);
/*
 * All that `perun plugin check` looks at: that the plugin loads with every symbol bound, that its tables
 * are valid, and that the .plugin text beside it says what they say (PERUN_INPUT if not).
 */
PERUN_EXPORT int perun_registry_check(struct perun_ctx *ctx, enum perun_kind kind,
				      const char *name);
/* Append the .plugin text generated from a plugin's tables. */
PERUN_EXPORT void perun_plugin_describe(const struct perun_plugin *plugin,
					struct perun_buffer *text);

/* ---- calling ---------------------------------------------------------------------------------- */

/*
 * Calls into plugins. Every call is made between enter and leave, so that what a plugin returns is
 * checked, and a crash or an exit inside it names the plugin and its file.
 */

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

#ifdef __cplusplus
}
#endif
#endif
