/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins until the changing functions of the store are there: those go before these weak ones. */
#include <perun/store.h>

#define WEAK __attribute__((weak))

static int missing(struct perun_ctx *ctx)
{
	return perun_fail(ctx, PERUN_MISSING, "this part is not built yet");
}

WEAK int perun_store_add(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			 const char *const *paths, size_t count,
			 const struct perun_add_options *options, struct perun_added **results)
{
	(void)store, (void)minor, (void)paths, (void)count, (void)options, (void)results;
	return missing(ctx);
}

WEAK void perun_added_free(struct perun_added *results, size_t count)
{
	(void)results, (void)count;
}

WEAK int perun_store_remove(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			    const struct perun_entry *entries, size_t count)
{
	(void)store, (void)minor, (void)entries, (void)count;
	return missing(ctx);
}

WEAK int perun_store_fsck(struct perun_ctx *ctx, struct perun_store *store, bool adopt,
			  perun_fsck_visit *visit, void *data, uint64_t *checked)
{
	(void)store, (void)adopt, (void)visit, (void)data, (void)checked;
	return missing(ctx);
}

WEAK int perun_store_gc(struct perun_ctx *ctx, struct perun_store *store,
			const struct perun_gc_options *options,
			void (*visit)(void *data, const char *path, uint64_t size), void *data)
{
	(void)store, (void)options, (void)visit, (void)data;
	return missing(ctx);
}
