/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls into plugins: which one is under way in each thread, and what its status means. */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/options.h>
#include <perun/vcs.h>

#include "core/context/context.h"
#include "core/registry/crash.h"
#include "core/registry/guard.h"

/* Read by signal handlers: nothing may be allocated when it is first touched. */
static _Thread_local const struct perun_plugin_call *current
	__attribute__((tls_model("initial-exec")));

/* Of all threads: for those that a plugin starts by itself. */
static _Atomic(const struct perun_plugin_call *) first;

const struct perun_plugin_call *plugin_current_call(void)
{
	return current;
}

const struct perun_plugin_call *plugin_any_call(void)
{
	return current ? current : atomic_load(&first);
}

/* Threads that work for another one are in the call that it is in. */
static const void *current_call(void)
{
	return current;
}

static void inherit_call(const void *call)
{
	current = call;
	if (call)
		plugin_crash_prepare_thread();
}

static void begin(struct perun_plugin_call *call)
{
	call->outer = current;
	call->process = getpid();
	current = call;
	if (!call->outer && !atomic_load(&first))
		atomic_store(&first, call);
	perun_threads_take_over(current_call, inherit_call);
	plugin_crash_prepare_thread();
}

void plugin_enter_file(struct perun_plugin_call *call, const char *kind, const char *name,
		       const char *file)
{
	*call = (struct perun_plugin_call){.kind = kind, .name = name, .file = file};
	begin(call);
}

void perun_plugin_enter(struct perun_plugin_call *call, struct perun_ctx *ctx,
			const struct perun_plugin *plugin)
{
	*call = (struct perun_plugin_call){.kind = perun_kind_name(plugin->kind),
					   .name = plugin->name,
					   .file = plugin_crash_file(plugin),
					   .ctx = ctx,
					   .causes = perun_ctx_causes(ctx),
					   .may_degrade = plugin->kind == PERUN_KIND_CHECK ||
							  plugin->kind == PERUN_KIND_COMMAND};
	begin(call);
}

void perun_plugin_return(struct perun_plugin_call *call)
{
	if (atomic_load(&first) == call)
		atomic_store(&first, NULL);
	current = call->outer;
}

static bool is_known(const struct perun_plugin_call *call, int status)
{
	switch (status) {
	case PERUN_OK:
	case PERUN_USAGE:
	case PERUN_INPUT:
	case PERUN_MISSING:
	case PERUN_CANCELLED:
	case PERUN_STOP:
		return true;
	default:
		/* Verdicts, and that there is none. */
		return (status == PERUN_DEGRADED || status == PERUN_NOT_COMPARED) &&
		       call->may_degrade;
	}
}

static bool needs_reason(const struct perun_plugin_call *call, int status)
{
	if (status == PERUN_CANCELLED)
		return !perun_cancelled(call->ctx);
	return status != PERUN_OK && status != PERUN_STOP && status != PERUN_DEGRADED;
}

int perun_plugin_leave(struct perun_plugin_call *call, int status)
{
	bool known, reason;

	perun_plugin_return(call);
	if (status == PERUN_OK)
		status = perun_options_check(call->ctx);
	known = is_known(call, status);
	if (known && !needs_reason(call, status))
		return status;
	/* Without a context nothing can be said, nor can the plugin have said it. */
	reason = !call->ctx || perun_ctx_causes(call->ctx) > call->causes;
	if (known && reason) {
		/* What it gave the context may not be a status at all. */
		if (call->ctx && !is_known(call, call->ctx->status))
			call->ctx->status = status;
		return status;
	}
	return perun_fail(call->ctx, PERUN_INPUT, "%s %s returned %d%s", call->kind, call->name,
			  status, reason ? "" : " without a reason");
}
