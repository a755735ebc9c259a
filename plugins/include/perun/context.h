/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every part of Perun leans on: status codes, the context that collects errors, memory.
 * Threads: a context belongs to one thread at a time; the other functions may be called on any.
 */
#ifndef PERUN_CONTEXT_H
#define PERUN_CONTEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Words of ownership, used in every header:
 *   borrow     the pointer is valid during the call only (or as long as the named owner lives)
 *   ref/unref  the object counts its users; whoever refs it unrefs it
 *   intern     the thing is copied into an owner (a profile, say) and lives as long as that
 *   take       the callee becomes the owner and frees it
 * Without a word: arguments are borrowed, results are owned by the object they were asked of.
 */

#define PERUN_EXPORT __attribute__((visibility("default")))
#if defined(__GNUC__)
#define PERUN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PERUN_PRINTF(text, first)
#endif

/* The result of every function that can fail; also the exit code of the command (docs: perun(1)). */
enum perun_status {
	PERUN_OK = 0,
	PERUN_DEGRADED = 1,     /* a check found a degradation; not an error */
	PERUN_USAGE = 2,        /* wrong use: unknown option, bad tag, value out of range */
	PERUN_INPUT = 3,        /* a problem with the input or the store, a failed read or write */
	PERUN_MISSING = 4,      /* a part that the system lacks: a plugin, a library, a tool */
	PERUN_NOT_COMPARED = 5, /* a check had nothing to compare; no verdict, so no success */
	PERUN_CANCELLED = 130   /* the user interrupted */
};

/*
 * A context belongs to one thread at a time. It carries the chain of causes of an error, warnings,
 * progress and cancellation. Whoever runs the program makes it; plugins borrow it.
 */
struct perun_ctx;

/* How a context reaches the outside. Any function may be NULL. `data` is passed back. */
struct perun_handlers {
	uint32_t struct_size;
	void *data;
	/* One line without newline. */
	void (*warn)(void *data, const char *message);
	/* Something worth knowing about a work well done: "dropped 12 of 40 rows: ...". */
	void (*note)(void *data, const char *message);
	/* `done` of `total` units of `what`; total 0 = unknown; done == total ends the item. */
	void (*progress)(void *data, const char *what, uint64_t done, uint64_t total);
	/* Polled by long work; true = stop with PERUN_CANCELLED. */
	bool (*cancelled)(void *data);
	/* A question of one line, "Use x.perf?"; true = yes. Asked on the thread of the context alone. */
	bool (*confirm)(void *data, const char *question);
};

/* A new context; free it with perun_ctx_free(). `handlers` is copied and may be NULL. */
PERUN_EXPORT struct perun_ctx *perun_ctx_new(const struct perun_handlers *handlers);
PERUN_EXPORT void perun_ctx_free(struct perun_ctx *ctx);

/*
 * Say that something failed, and return `status` so that callers can `return perun_fail(...)`.
 * The first call names the innermost cause; each outer layer that calls it again puts its own words
 * before: "cannot add x.perf: line 12, column 7: expected ','". The status of the innermost cause
 * is kept when an outer layer passes PERUN_OK as status; the status that holds is returned.
 * `ctx` may be NULL (the message is dropped).
 */
PERUN_EXPORT int perun_fail(struct perun_ctx *ctx, int status, const char *format, ...)
	PERUN_PRINTF(3, 4);
PERUN_EXPORT int perun_fail_va(struct perun_ctx *ctx, int status, const char *format, va_list args)
	PERUN_PRINTF(3, 0);

/* perun_fail() with ": " and the text of errno value `error` added. */
PERUN_EXPORT int perun_fail_errno(struct perun_ctx *ctx, int status, int error, const char *format,
				  ...) PERUN_PRINTF(4, 5);

/*
 * An input is as it should be and holds no measurement, as where all benchmarks failed: fails with PERUN_INPUT.
 * `expected`: "results of hyperfine", may be NULL. The second: whether that is what failed.
 */
PERUN_EXPORT int perun_fail_empty(struct perun_ctx *ctx, const char *expected);
PERUN_EXPORT bool perun_ctx_is_empty(const struct perun_ctx *ctx);

/* The whole chain as one line, or NULL when nothing failed. Borrowed until the next perun_fail(). */
PERUN_EXPORT const char *perun_ctx_error(const struct perun_ctx *ctx);
/* The status of the failure, PERUN_OK when nothing failed. */
PERUN_EXPORT int perun_ctx_status(const struct perun_ctx *ctx);
/* The number of causes, and cause i (0 = innermost); borrowed like the whole chain. */
PERUN_EXPORT size_t perun_ctx_causes(const struct perun_ctx *ctx);
PERUN_EXPORT const char *perun_ctx_cause(const struct perun_ctx *ctx, size_t i);
/* Forget the failure: the caller dealt with it. */
PERUN_EXPORT void perun_ctx_clear(struct perun_ctx *ctx);

/* Report something that does not stop the work. One line, no newline. */
PERUN_EXPORT void perun_warn(struct perun_ctx *ctx, const char *format, ...) PERUN_PRINTF(2, 3);
/* How many warnings were reported so far, heard or not. */
PERUN_EXPORT size_t perun_ctx_warnings(const struct perun_ctx *ctx);

/* Report something that is not a warning. One line, no newline. */
PERUN_EXPORT void perun_note(struct perun_ctx *ctx, const char *format, ...) PERUN_PRINTF(2, 3);

/*
 * A writer reports what its format cannot hold: "labels", 1204. The host collects it, and prints it or
 * (with --strict) fails before the output is put in its place. Same `what`: counts add up.
 */
PERUN_EXPORT void perun_lost(struct perun_ctx *ctx, const char *what, uint64_t count);
/* The number of kinds of loss so far; loss i: its words (borrowed) and `*count`. Cleared by _clear. */
PERUN_EXPORT size_t perun_ctx_losses(const struct perun_ctx *ctx);
PERUN_EXPORT const char *perun_ctx_loss(const struct perun_ctx *ctx, size_t i, uint64_t *count);
PERUN_EXPORT void perun_ctx_clear_losses(struct perun_ctx *ctx);

/* Report progress; cheap enough to be called every few thousand rows. */
PERUN_EXPORT void perun_progress(struct perun_ctx *ctx, const char *what, uint64_t done,
				 uint64_t total);
/* Whether the user asked to stop; long loops poll it and return PERUN_CANCELLED. */
PERUN_EXPORT bool perun_cancelled(struct perun_ctx *ctx);
/* Ask the user; true = yes. False when nobody can answer, and in perun_parallel_for(). */
PERUN_EXPORT bool perun_confirm(struct perun_ctx *ctx, const char *format, ...) PERUN_PRINTF(2, 3);

/*
 * Calls body(child, i, data) for every i in [0, count), in any order, on as many threads as there
 * are processors (or PERUN_THREADS). `child` is a context of the calling thread: failures and losses
 * are merged into `ctx` in the order of i, so that the outcome is the same for any number of threads.
 * Stops early after a failure. Returns the status of the failure with the lowest i, else PERUN_OK.
 */
PERUN_EXPORT int perun_parallel_for(struct perun_ctx *ctx, size_t count,
				    int (*body)(struct perun_ctx *ctx, size_t i, void *data),
				    void *data);

/*
 * A thread that does one job after the other, beside the caller's and in the order in which they are given. With one
 * processor alone (or PERUN_THREADS=1) there is none: jobs are done where they are given. A worker belongs to one thread.
 */
struct perun_worker;
/* work(job, data) does a job; at most `room`, one or more, are not done yet when perun_worker_give() returns. */
PERUN_EXPORT struct perun_worker *perun_worker_new(size_t room, void (*work)(void *job, void *data),
						   void *data);
/* What the job points to is the worker's until it is done: until `room` more were given, or _wait() or _free() returned. */
PERUN_EXPORT void perun_worker_give(struct perun_worker *worker, void *job);
/* Until all jobs are done. */
PERUN_EXPORT void perun_worker_wait(struct perun_worker *worker);
/* The same; NULL does nothing. */
PERUN_EXPORT void perun_worker_free(struct perun_worker *worker);

/*
 * Memory. These never return NULL: when the system has none left they end the program, as
 * perun_on_out_of_memory() says.
 * Sizes that come from input are checked against a limit before they get here.
 * perun_free() frees what they returned; a host and a plugin may use different C libraries, so
 * memory that crosses the border is always freed with perun_free().
 */
PERUN_EXPORT void *perun_alloc(size_t size);
PERUN_EXPORT void *perun_alloc_zero(size_t count, size_t size); /* checks count * size */
PERUN_EXPORT void *perun_realloc(void *memory, size_t size);
PERUN_EXPORT void *perun_realloc_array(void *memory, size_t count, size_t size);
PERUN_EXPORT void perun_free(void *memory);
PERUN_EXPORT char *perun_strdup(const char *text); /* NULL gives NULL */
PERUN_EXPORT char *perun_strndup(const char *text, size_t length);
PERUN_EXPORT char *perun_format(const char *format, ...) PERUN_PRINTF(1, 2); /* asprintf */
PERUN_EXPORT char *perun_vformat(const char *format, va_list args) PERUN_PRINTF(1, 0);
PERUN_EXPORT void *perun_memdup(const void *memory, size_t size);

/*
 * snprintf() and strtod() as in the C locale, whatever locale the program or thread has set: numbers in files,
 * options and reports are the same everywhere. All functions here that format do so.
 */
PERUN_EXPORT int perun_snprintf(char *text, size_t size, const char *format, ...)
	PERUN_PRINTF(3, 4);
PERUN_EXPORT int perun_vsnprintf(char *text, size_t size, const char *format, va_list args)
	PERUN_PRINTF(3, 0);
PERUN_EXPORT double perun_strtod(const char *text, char **end);

/*
 * What a program does when the system has no memory left, for all its threads: `handler` ends the
 * program, without allocating. It gets the name of the input that its thread reads, or NULL. Without a
 * handler, or when it returns, one line is printed and the program aborts.
 */
typedef void perun_memory_handler(const char *reading);
PERUN_EXPORT void perun_on_out_of_memory(perun_memory_handler *handler);
/*
 * Delete the temporary files of outputs that are being written: for a program that ends at once, in a
 * signal handler or without memory.
 */
PERUN_EXPORT void perun_unlink_leftovers(void);

/*
 * Grow an array for one element more: PERUN_GROW(array, count, capacity) leaves room for
 * array[count]; capacity doubles.
 */
#define PERUN_GROW(array, count, capacity)                                                   \
	do {                                                                                 \
		if ((count) >= (capacity)) {                                                 \
			(capacity) = (capacity) ? (capacity)*2 : 8;                          \
			(array) = perun_realloc_array((array), (capacity), sizeof *(array)); \
		}                                                                            \
	} while (0)

/* A growing byte string; {0} is an empty one. `data` is NUL-terminated once anything was added. Its layout is fixed. */
struct perun_buffer {
	char *data;
	size_t length, capacity;
};
PERUN_EXPORT void perun_buffer_add(struct perun_buffer *buffer, const void *data, size_t length);
PERUN_EXPORT void perun_buffer_add_text(struct perun_buffer *buffer, const char *text);
PERUN_EXPORT void perun_buffer_add_char(struct perun_buffer *buffer, char c);
PERUN_EXPORT void perun_buffer_printf(struct perun_buffer *buffer, const char *format, ...)
	PERUN_PRINTF(2, 3);
/* Make room for `length` more bytes and return where they go; add what was written to `length`. */
PERUN_EXPORT char *perun_buffer_reserve(struct perun_buffer *buffer, size_t length);
PERUN_EXPORT void perun_buffer_clear(struct perun_buffer *buffer); /* length 0, memory kept */
PERUN_EXPORT void perun_buffer_free(struct perun_buffer *buffer);
/* Give up the text ("" if empty): the caller frees it with perun_free(); the buffer is {0} again. */
PERUN_EXPORT char *perun_buffer_take(struct perun_buffer *buffer);

/*
 * Expand to "name" with control characters and escape sequences stripped, so that text from a
 * profile or a repository cannot drive a terminal. Valid UTF-8 is kept; a bad byte becomes U+FFFD.
 * Owned by the caller.
 */
PERUN_EXPORT char *perun_printable(const char *text);

/* The version of the library, "1.2.3". */
PERUN_EXPORT const char *perun_version(void);

/*
 * The directory NAME of what is remembered for the user, $XDG_STATE_HOME/perun/NAME or that below
 * ~/.local/state, made if need be. NULL when there is none that only this user can write. The caller frees it.
 */
PERUN_EXPORT char *perun_state_directory(const char *name);

#ifdef __cplusplus
}
#endif
#endif
