/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins of kind `postprocess`: from a profile to a profile.
 * Threads: the host makes all calls of an instance on one thread.
 */
#ifndef PERUN_POSTPROCESS_H
#define PERUN_POSTPROCESS_H

#include <perun/plugin.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Order of calls: open, before, run, after, teardown, close. teardown always runs once before() was
 * called. Only run is required: nothing is done in place of before, after and teardown. The host records the postprocessor with its
 * options in the document's `postprocessors` after run() succeeded.
 */
struct perun_postprocess_ops {
	PERUN_INSTANCE_OPS;
	int (*before)(void *instance, struct perun_ctx *ctx, struct perun_profile *profile);
	/*
	 * Change `builder`, which starts as perun_builder_from(profile). `profile` is the input
	 * (borrow). What the user should know (rows dropped and why) goes through perun_note().
	 */
	int (*run)(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
		   struct perun_builder *builder);
	int (*after)(void *instance, struct perun_ctx *ctx, struct perun_profile *profile);
	void (*teardown)(void *instance, struct perun_ctx *ctx, int status);
	/*
	 * Change what is recorded of the options: `params` has those that were given or have defaults, by
	 * their names with underscores. Called after run() succeeded. Fallback: they are recorded as they are.
	 */
	void (*describe)(void *instance, struct perun_json *params);
};

/*
 * Apply one postprocessor: `name` may be "moving-average" with a `subcommand` or NULL (its first).
 * `arguments` are command-line words for its options ("-s", "3"), NULL-terminated. For hosts.
 * `*result` is a new reference.
 */
PERUN_EXPORT int perun_postprocess(struct perun_ctx *ctx, struct perun_profile *profile,
				   const char *name, const char *subcommand,
				   const char *const *arguments, struct perun_profile **result);

#ifdef __cplusplus
}
#endif
#endif
