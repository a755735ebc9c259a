/* SPDX-License-Identifier: BSD-3-Clause */
/* The context: chains of causes, warnings, losses, progress and cancellation. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context/context.h"
#include "core/context/structs.h"
#include "core/context/hash.h"

struct perun_ctx *perun_ctx_new(const struct perun_handlers *handlers)
{
	struct perun_ctx *ctx = perun_alloc_zero(1, sizeof *ctx);

	PERUN_STRUCT_TAKE(&ctx->handlers, handlers);
	return ctx;
}

void perun_ctx_free(struct perun_ctx *ctx)
{
	if (!ctx)
		return;
	perun_ctx_clear(ctx);
	perun_ctx_clear_losses(ctx);
	perun_ctx_release(ctx, false);
	perun_free(ctx->causes);
	perun_free(ctx->losses);
	perun_free(ctx->loss_slots);
	perun_free(ctx);
}

/* Takes `cause`. */
static int add_cause(struct perun_ctx *ctx, int status, char *cause)
{
	char *chain;

	if (ctx->chain)
		chain = perun_format("%s: %s", cause, ctx->chain);
	else
		chain = perun_strdup(cause);
	perun_free(ctx->chain);
	ctx->chain = chain;
	PERUN_GROW(ctx->causes, ctx->cause_count, ctx->cause_capacity);
	ctx->causes[ctx->cause_count++] = cause;
	if (status != PERUN_OK)
		ctx->status = status;
	return ctx->status;
}

/* A cause is one line, whatever a library or a file name put into it. */
static char *one_line(char *text)
{
	for (char *c = text; *c; c++) {
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	}
	for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	return text;
}

int perun_fail_va(struct perun_ctx *ctx, int status, const char *format, va_list args)
{
	if (!ctx)
		return status;
	return add_cause(ctx, status, one_line(perun_vformat(format, args)));
}

int perun_fail(struct perun_ctx *ctx, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	status = perun_fail_va(ctx, status, format, args);
	va_end(args);
	return status;
}

int perun_fail_errno(struct perun_ctx *ctx, int status, int error, const char *format, ...)
{
	va_list args;
	char *text, buffer[256];

	if (!ctx)
		return status;
	va_start(args, format);
	text = perun_vformat(format, args);
	va_end(args);
	status = add_cause(ctx, status,
			   one_line(perun_format(
				   "%s: %s", text,
				   /* The system's text is about loops; mostly it is a link that is
				       * not followed. */
				   error == ELOOP ? "a symbolic link is in the way"
						  : strerror_r(error, buffer, sizeof buffer))));
	perun_free(text);
	return status;
}

int perun_fail_empty(struct perun_ctx *ctx, const char *expected)
{
	if (ctx && !ctx->chain)
		ctx->empty = true;
	return perun_fail(ctx, PERUN_INPUT, "there is no measurement in it%s%s",
			  expected ? "; expected " : "", expected ? expected : "");
}

bool perun_ctx_is_empty(const struct perun_ctx *ctx)
{
	return ctx && ctx->empty;
}

const char *perun_ctx_error(const struct perun_ctx *ctx)
{
	return ctx ? ctx->chain : NULL;
}

int perun_ctx_status(const struct perun_ctx *ctx)
{
	return ctx ? ctx->status : PERUN_OK;
}

size_t perun_ctx_causes(const struct perun_ctx *ctx)
{
	return ctx ? ctx->cause_count : 0;
}

const char *perun_ctx_cause(const struct perun_ctx *ctx, size_t i)
{
	return i < perun_ctx_causes(ctx) ? ctx->causes[i] : NULL;
}

void perun_ctx_clear(struct perun_ctx *ctx)
{
	if (!ctx)
		return;
	for (size_t i = 0; i < ctx->cause_count; i++)
		perun_free(ctx->causes[i]);
	ctx->cause_count = 0;
	perun_free(ctx->chain);
	ctx->chain = NULL;
	ctx->status = PERUN_OK;
	ctx->empty = false;
}

bool perun_ctx_is_heard(const struct perun_ctx *ctx)
{
	return ctx && (ctx->handlers.warn || ctx->parallel);
}

uint64_t perun_ctx_messages(const struct perun_ctx *ctx)
{
	return ctx->messages + ctx->loss_count;
}

/* The handlers have a line; takes it. */
static void say(struct perun_ctx *ctx, char *text, bool note)
{
	if (ctx->parallel) {
		perun_parallel_say(ctx->parallel, ctx->iteration, text, note);
		return;
	}
	(note ? ctx->handlers.note : ctx->handlers.warn)(ctx->handlers.data, text);
	perun_free(text);
}

/* Takes the text. */
static void say_or_hold(struct perun_ctx *ctx, char *text, bool note)
{
	enum { MAX_HELD = 1000 };

	if (ctx->holding && ctx->held_count == MAX_HELD)
		perun_ctx_release(ctx, true);
	if (!ctx->holding) {
		say(ctx, text, note);
		return;
	}
	PERUN_GROW(ctx->held, ctx->held_count, ctx->held_room);
	ctx->held[ctx->held_count++] = (struct perun_held){.text = text, .note = note};
}

bool perun_ctx_hold(struct perun_ctx *ctx)
{
	bool before = ctx && ctx->holding;

	if (ctx)
		ctx->holding = true;
	return before;
}

void perun_ctx_release(struct perun_ctx *ctx, bool report)
{
	if (!ctx)
		return;
	ctx->holding = false;
	for (size_t i = 0; i < ctx->held_count; i++) {
		if (report)
			say(ctx, ctx->held[i].text, ctx->held[i].note);
		else
			perun_free(ctx->held[i].text);
	}
	perun_free(ctx->held);
	ctx->held = NULL;
	ctx->held_count = ctx->held_room = 0;
}

void perun_warn(struct perun_ctx *ctx, const char *format, ...)
{
	va_list args;
	char *text;

	if (ctx && ctx->muted)
		return;
	if (ctx && !ctx->parallel)
		ctx->warning_count++;
	if (ctx)
		ctx->messages++;
	if (!perun_ctx_is_heard(ctx))
		return;
	va_start(args, format);
	text = one_line(perun_vformat(format, args));
	va_end(args);
	say_or_hold(ctx, text, false);
}

bool perun_ctx_mute(struct perun_ctx *ctx, bool muted)
{
	bool before = ctx && ctx->muted;

	if (ctx)
		ctx->muted = muted;
	return before;
}

size_t perun_ctx_warnings(const struct perun_ctx *ctx)
{
	return ctx ? ctx->warning_count : 0;
}

void perun_note(struct perun_ctx *ctx, const char *format, ...)
{
	va_list args;
	char *text;

	if (ctx && ctx->muted)
		return;
	if (ctx)
		ctx->messages++;
	if (!ctx || (!ctx->handlers.note && !ctx->parallel))
		return;
	va_start(args, format);
	text = one_line(perun_vformat(format, args));
	va_end(args);
	say_or_hold(ctx, text, true);
}

/* The slot of a kind of loss, or the free one where it goes. Files name kinds: there may be many. */
static uint32_t *loss_slot(const struct perun_ctx *ctx, const char *what)
{
	size_t mask = ctx->loss_slot_count - 1;
	size_t slot = perun_hash_bytes(what, strlen(what), (uintptr_t)ctx) & mask;

	while (ctx->loss_slots[slot] &&
	       strcmp(ctx->losses[ctx->loss_slots[slot] - 1].what, what) != 0)
		slot = (slot + 1) & mask;
	return &ctx->loss_slots[slot];
}

static void grow_loss_slots(struct perun_ctx *ctx)
{
	if ((ctx->loss_count + 1) * 2 <= ctx->loss_slot_count)
		return;
	ctx->loss_slot_count = ctx->loss_slot_count ? ctx->loss_slot_count * 2 : 16;
	perun_free(ctx->loss_slots);
	ctx->loss_slots = perun_alloc_zero(ctx->loss_slot_count, sizeof *ctx->loss_slots);
	for (size_t i = 0; i < ctx->loss_count; i++)
		*loss_slot(ctx, ctx->losses[i].what) = (uint32_t)i + 1;
}

void perun_lost(struct perun_ctx *ctx, const char *what, uint64_t count)
{
	uint32_t *slot;

	if (!ctx || count == 0)
		return;
	grow_loss_slots(ctx);
	slot = loss_slot(ctx, what);
	if (!*slot) {
		PERUN_GROW(ctx->losses, ctx->loss_count, ctx->loss_capacity);
		ctx->losses[ctx->loss_count++] = (struct perun_loss){perun_strdup(what), 0};
		*slot = (uint32_t)ctx->loss_count;
	}
	ctx->losses[*slot - 1].count += count;
}

size_t perun_ctx_losses(const struct perun_ctx *ctx)
{
	return ctx ? ctx->loss_count : 0;
}

const char *perun_ctx_loss(const struct perun_ctx *ctx, size_t i, uint64_t *count)
{
	if (i >= perun_ctx_losses(ctx))
		return NULL;
	if (count)
		*count = ctx->losses[i].count;
	return ctx->losses[i].what;
}

void perun_ctx_clear_losses(struct perun_ctx *ctx)
{
	if (!ctx)
		return;
	for (size_t i = 0; i < ctx->loss_count; i++)
		perun_free(ctx->losses[i].what);
	ctx->loss_count = 0;
	perun_free(ctx->loss_slots);
	ctx->loss_slots = NULL;
	ctx->loss_slot_count = 0;
}

void perun_progress(struct perun_ctx *ctx, const char *what, uint64_t done, uint64_t total)
{
	if (!ctx)
		return;
	if (ctx->parallel)
		perun_parallel_progress(ctx->parallel, what, done, total);
	else if (ctx->handlers.progress)
		ctx->handlers.progress(ctx->handlers.data, what, done, total);
}

bool perun_cancelled(struct perun_ctx *ctx)
{
	if (!ctx)
		return false;
	if (ctx->parallel)
		return perun_parallel_cancelled(ctx->parallel);
	return ctx->handlers.cancelled && ctx->handlers.cancelled(ctx->handlers.data);
}

bool perun_confirm(struct perun_ctx *ctx, const char *format, ...)
{
	va_list args;
	char *text;
	bool yes;

	if (!ctx || ctx->parallel || !ctx->handlers.confirm)
		return false;
	va_start(args, format);
	text = perun_vformat(format, args);
	va_end(args);
	yes = ctx->handlers.confirm(ctx->handlers.data, text);
	perun_free(text);
	return yes;
}
