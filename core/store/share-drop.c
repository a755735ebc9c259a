/* SPDX-License-Identifier: BSD-3-Clause */
/* Generations of what a store sent: the profiles of a month, which leave a remote together. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/context/structs.h"
#include "core/store/share.h"

/* ---- names ------------------------------------------------------------------------------------- */

char *share_generation(const char *writer, int64_t time)
{
	const time_t seconds = (time_t)time;
	char month[16];
	struct tm parts;

	gmtime_r(&seconds, &parts);
	if (!strftime(month, sizeof month, "%Y%m", &parts))
		*month = '\0';
	return perun_format("%s-%s", writer, month);
}

/* "-YYYYMM" at the end of a name, or NULL. The last word of a writer's own name is longer. */
static const char *month_of(const char *generation)
{
	const char *dash = strrchr(generation, '-');

	return dash && dash != generation && strlen(dash + 1) == SHARE_MONTH_SIZE &&
			       strspn(dash + 1, "0123456789") == SHARE_MONTH_SIZE
		       ? dash
		       : NULL;
}

void share_writer_of(const char *generation, char writer[SHARE_WRITER_SIZE])
{
	const char *month = month_of(generation);
	size_t length = month ? (size_t)(month - generation) : strlen(generation);

	(void)snprintf(writer, SHARE_WRITER_SIZE, "%.*s", (int)length, generation);
}

bool share_is_own(const char *own, const char *generation)
{
	char writer[SHARE_WRITER_SIZE];

	share_writer_of(generation, writer);
	return own && strcmp(own, writer) == 0;
}

int64_t share_generation_end(const char *generation)
{
	const char *month = month_of(generation);
	struct tm parts = {.tm_mday = 1};
	unsigned year, number;

	if (!month || sscanf(month + 1, "%4u%2u", &year, &number) != 2 || year < 1970 || !number ||
	    number > 12)
		return 0;
	parts.tm_year = (int)year - 1900;
	parts.tm_mon = (int)number; /* counted from 0: the month after */
	return (int64_t)timegm(&parts);
}

/* ---- dropping ---------------------------------------------------------------------------------- */

struct old {
	const char *own;
	int64_t before;
	char **names;
	size_t count, capacity;
};

static int find_old(void *data, struct perun_ctx *ctx, const char *remote, const char *writer,
		    const char *state)
{
	struct old *old = data;
	int64_t end = share_generation_end(writer);

	(void)ctx;
	(void)remote;
	(void)state;
	if (!end || end > old->before || !share_is_own(old->own, writer))
		return PERUN_OK;
	PERUN_GROW(old->names, old->count, old->capacity);
	old->names[old->count++] = perun_strdup(writer);
	return PERUN_OK;
}

int perun_share_drop(struct perun_ctx *ctx, struct perun_store *store,
		     const struct perun_share_drop_options *given, perun_share_drop_visit *visit,
		     void *data)
{
	struct perun_share_drop_options options = {0};
	struct perun_vcs *vcs = NULL;
	struct old old = {0};
	char *own = NULL;
	int lock = -1, status;

	PERUN_STRUCT_TAKE(&options, given);
	old.before = (int64_t)time(NULL) - options.older_than;
	status = share_lock(ctx, store, &lock);
	if (!status)
		status = perun_store_vcs(ctx, store, &vcs);
	if (!status)
		status = share_writer(ctx, store, false, &own);
	old.own = own;
	if (!status)
		status = perun_vcs_share_list(ctx, vcs, options.remote, find_old, &old);
	for (size_t i = 0; !status && i < old.count; i++) {
		status = perun_cancelled(ctx) ? PERUN_CANCELLED : PERUN_OK;
		if (!status && !options.dry_run)
			status = perun_vcs_share_drop(ctx, vcs, options.remote, old.names[i]);
		if (!status && visit)
			visit(data, old.names[i]);
	}
	for (size_t i = 0; i < old.count; i++)
		perun_free(old.names[i]);
	perun_free(old.names);
	perun_free(own);
	if (lock >= 0)
		close(lock);
	return status;
}
