/* SPDX-License-Identifier: BSD-3-Clause */
/* core/context: causes, losses, memory, buffers, printable text, parallel loops, workers. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/context/context.h"
#include "perun/lib/version.h"
#include "tests/unit/check.h"

TEST(test_causes)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	CHECK_STR(perun_ctx_error(ctx), NULL);
	CHECK_INT(perun_fail(ctx, PERUN_INPUT, "line %d: expected ','", 12), PERUN_INPUT);
	CHECK_INT(perun_fail(ctx, PERUN_OK, "cannot add x.perf"), PERUN_INPUT);
	CHECK_STR(perun_ctx_error(ctx), "cannot add x.perf: line 12: expected ','");
	CHECK_INT(perun_ctx_status(ctx), PERUN_INPUT);
	CHECK_INT(perun_ctx_causes(ctx), 2);
	CHECK_STR(perun_ctx_cause(ctx, 0), "line 12: expected ','");
	CHECK_STR(perun_ctx_cause(ctx, 1), "cannot add x.perf");
	CHECK_STR(perun_ctx_cause(ctx, 2), NULL);
	CHECK_INT(perun_fail(ctx, PERUN_MISSING, "outer"), PERUN_MISSING);
	perun_ctx_clear(ctx);
	CHECK_STR(perun_ctx_error(ctx), NULL);
	CHECK_INT(perun_ctx_status(ctx), PERUN_OK);
	perun_fail_errno(ctx, PERUN_INPUT, ENOENT, "x%c", 'y');
	CHECK_STR(perun_ctx_error(ctx), "xy: No such file or directory");
	perun_ctx_clear(ctx);
	CHECK_INT(perun_fail_empty(ctx, "results of x"), PERUN_INPUT);
	CHECK_STR(perun_ctx_error(ctx), "there is no measurement in it; expected results of x");
	CHECK(perun_ctx_is_empty(ctx));
	perun_ctx_clear(ctx);
	CHECK(!perun_ctx_is_empty(ctx));
	perun_fail(ctx, PERUN_INPUT, "another");
	perun_fail_empty(ctx, NULL);
	CHECK(!perun_ctx_is_empty(ctx));
	perun_ctx_clear(ctx);
	CHECK_INT(perun_fail_empty(NULL, NULL), PERUN_INPUT);
	perun_fail(ctx, PERUN_INPUT, "two\nlines\n");
	CHECK_STR(perun_ctx_error(ctx), "two lines");
	perun_ctx_free(ctx);
	CHECK_INT(perun_fail(NULL, PERUN_USAGE, "dropped"), PERUN_USAGE);
}

TEST(test_losses)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	uint64_t count;

	perun_lost(ctx, "labels", 4);
	perun_lost(ctx, "models", 1);
	perun_lost(ctx, "labels", 2);
	perun_lost(ctx, "nothing", 0);
	CHECK_INT(perun_ctx_losses(ctx), 2);
	CHECK_STR(perun_ctx_loss(ctx, 0, &count), "labels");
	CHECK_INT(count, 6);
	CHECK_STR(perun_ctx_loss(ctx, 1, &count), "models");
	CHECK_STR(perun_ctx_loss(ctx, 2, &count), NULL);
	perun_ctx_clear_losses(ctx);
	CHECK_INT(perun_ctx_losses(ctx), 0);
	perun_ctx_free(ctx);
}

struct seen {
	char warning[64];
	char note[64];
	uint64_t done;
	bool stop;
};

static void keep_warning(void *data, const char *message)
{
	snprintf(((struct seen *)data)->warning, sizeof(((struct seen *)data)->warning), "%s",
		 message);
}

static void keep_note(void *data, const char *message)
{
	snprintf(((struct seen *)data)->note, sizeof(((struct seen *)data)->note), "%s", message);
}

static void keep_progress(void *data, const char *what, uint64_t done, uint64_t total)
{
	(void)what;
	(void)total;
	((struct seen *)data)->done = done;
}

static bool keep_cancelled(void *data)
{
	return ((struct seen *)data)->stop;
}

static bool answer(void *data, const char *question)
{
	(void)data;
	return strcmp(question, "Use x.perf?") == 0;
}

static int ask_in_parallel(struct perun_ctx *ctx, size_t i, void *data)
{
	((bool *)data)[i] = perun_confirm(ctx, "Use %s?", "x.perf");
	return PERUN_OK;
}

TEST(test_handlers)
{
	struct seen seen = {"", "", 0, false};
	struct perun_handlers handlers = {sizeof handlers, &seen,          keep_warning, keep_note,
					  keep_progress,   keep_cancelled, answer};
	bool answers[2] = {true, true};
	struct perun_ctx *ctx = perun_ctx_new(&handlers);

	perun_warn(ctx, "odd %s", "thing");
	CHECK_STR(seen.warning, "odd thing");
	perun_note(ctx, "dropped %d", 12);
	CHECK_STR(seen.note, "dropped 12");
	perun_progress(ctx, "rows", 7, 9);
	CHECK_INT(seen.done, 7);
	CHECK(!perun_cancelled(ctx));
	seen.stop = true;
	CHECK(perun_cancelled(ctx));
	CHECK(perun_confirm(ctx, "Use %s?", "x.perf"));
	CHECK(!perun_confirm(ctx, "Use %s?", "y.perf"));
	seen.stop = false;
	perun_parallel_for(ctx, 2, ask_in_parallel, answers);
	CHECK(!answers[0] && !answers[1]);
	perun_ctx_free(ctx);
	ctx = perun_ctx_new(NULL);
	perun_warn(ctx, "nobody listens");
	CHECK(!perun_confirm(ctx, "nobody answers"));
	CHECK(!perun_cancelled(ctx));
	perun_ctx_free(ctx);
}

TEST(test_hold)
{
	struct seen seen = {"", "", 0, false};
	struct perun_handlers handlers = {sizeof handlers, &seen,          keep_warning, keep_note,
					  keep_progress,   keep_cancelled, answer};
	struct perun_ctx *ctx = perun_ctx_new(&handlers);

	CHECK(!perun_ctx_hold(ctx));
	CHECK(perun_ctx_hold(ctx));
	perun_warn(ctx, "of what fails");
	perun_note(ctx, "of what fails");
	CHECK_STR(seen.warning, "");
	perun_ctx_release(ctx, false);
	CHECK_STR(seen.warning, "");
	CHECK_STR(seen.note, "");
	CHECK(!perun_ctx_hold(ctx));
	perun_warn(ctx, "line 2");
	perun_note(ctx, "dropped 1");
	perun_ctx_release(ctx, true);
	CHECK_STR(seen.warning, "line 2");
	CHECK_STR(seen.note, "dropped 1");
	perun_warn(ctx, "line 3");
	CHECK_STR(seen.warning, "line 3");
	CHECK_INT(perun_ctx_warnings(ctx), 3);
	perun_ctx_hold(ctx);
	for (int i = 0; i < 1001; i++)
		perun_warn(ctx, "line %d", i);
	CHECK_STR(seen.warning, "line 1000");
	perun_ctx_free(ctx);
}

TEST(test_memory)
{
	char *text = perun_strndup("abcdef", 3);
	int *numbers = NULL;
	size_t count = 0, capacity = 0;

	CHECK_STR(text, "abc");
	perun_free(text);
	CHECK(perun_strdup(NULL) == NULL);
	text = perun_format("%d-%s", 4, "x");
	CHECK_STR(text, "4-x");
	perun_free(text);
	for (int i = 0; i < 100; i++) {
		PERUN_GROW(numbers, count, capacity);
		numbers[count++] = i;
	}
	CHECK_INT(numbers[99], 99);
	perun_free(numbers);
	numbers = perun_alloc_zero(0, 8);
	CHECK(numbers != NULL);
	perun_free(numbers);
}

TEST(test_buffer)
{
	struct perun_buffer buffer = {0};
	char *text;

	text = perun_buffer_take(&buffer);
	CHECK_STR(text, "");
	perun_free(text);
	for (int i = 0; i < 1000; i++)
		perun_buffer_printf(&buffer, "%d,", i);
	CHECK_INT(buffer.length, 10 * 2 + 90 * 3 + 900 * 4);
	CHECK_INT(strlen(buffer.data), buffer.length);
	perun_buffer_clear(&buffer);
	perun_buffer_add(&buffer, "a\0b", 3);
	perun_buffer_add_char(&buffer, 'c');
	CHECK_INT(buffer.length, 4);
	CHECK(memcmp(buffer.data, "a\0bc", 5) == 0);
	memcpy(perun_buffer_reserve(&buffer, 100), "xyz", 3);
	buffer.length += 3;
	perun_buffer_add_text(&buffer, "!");
	CHECK_STR(buffer.data + 2, "bcxyz!");
	perun_buffer_free(&buffer);
	CHECK(buffer.data == NULL && buffer.capacity == 0);
}

static void check_printable(const char *text, const char *expected)
{
	char *printable = perun_printable(text);

	CHECK_STR(printable, expected);
	perun_free(printable);
}

static void check_format(size_t size, const char *format, ...) PERUN_PRINTF(2, 3);
static void check_format(size_t size, const char *format, ...)
{
	char text[64], expected[64];
	int length, expected_length;
	va_list args;

	memset(text, 'x', sizeof text);
	memset(expected, 'x', sizeof expected);
	va_start(args, format);
	length = perun_vsnprintf(text, size, format, args);
	va_end(args);
	CHECK(length < (int)sizeof text);
	va_start(args, format);
	expected_length = vsnprintf(expected, size, format, args);
	va_end(args);
	CHECK(expected_length < (int)sizeof expected);
	CHECK_INT(length, expected_length);
	CHECK(memcmp(text, expected, sizeof text) == 0);
}

/* What is printed here and what the C library prints. */
TEST(test_formats)
{
	check_format(64, "%s", "");
	check_format(64, "a%sb%sc", "1", "22");
	check_format(64, "%d %d %d %d", 0, -1, INT_MAX, INT_MIN);
	check_format(64, "%u-%u%zu", 0u, UINT_MAX, SIZE_MAX);
	check_format(64, "%lld %lld %llu", LLONG_MIN, LLONG_MAX, ULLONG_MAX);
	check_format(64, "%ld %lu", 1L, 2UL);
	check_format(5, "a%sb", "12345");
	check_format(3, "a%sb", "1");
	check_format(4, "a%sb", "1");
	check_format(1, "%d", 12);
	check_format(0, "%s", "text");
	check_format(64, "100%% of %s", "it");
	check_format(64, "%5d|%-5s|%.2f|%c|%x|%lld", 7, "a", 0.125, 'c', 255u, -1LL);
}

TEST(test_printable)
{
	check_printable("plain", "plain");
	check_printable("\033[31mred\033[0m", "red");
	check_printable("\033]0;title\007x", "x");
	check_printable("\033]8;;http://x\033\\link", "link");
	check_printable("\033(Bx\033", "x");
	check_printable("a\nb\tc\001d\177e", "a b cde");
	check_printable("h\xc3\xa9", "h\xc3\xa9");
	check_printable("\xc2\x9b"
			"31mx",
			"31mx");
	check_printable("\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd");
	check_printable("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_printable("a\xe2\x80\xae"
			"b",
			"ab");
}

static int square(struct perun_ctx *ctx, size_t i, void *data)
{
	if (i % 10 == 3)
		perun_lost(ctx, "threes", 1);
	if (i == 77 || i == 78)
		return data ? PERUN_OK : perun_fail(ctx, PERUN_INPUT, "bad item %zu", i);
	if (data)
		((uint64_t *)data)[i] = i * i;
	return PERUN_OK;
}

TEST(test_parallel)
{
	static uint64_t results[1000];

	for (int threads = 1; threads <= 9; threads += 4) {
		struct perun_ctx *ctx = perun_ctx_new(NULL);
		char text[8];
		uint64_t count;

		snprintf(text, sizeof text, "%d", threads);
		setenv("PERUN_THREADS", text, 1);
		CHECK_INT(perun_parallel_for(ctx, 1000, square, results), PERUN_OK);
		CHECK_INT(results[999], 999 * 999);
		perun_ctx_loss(ctx, 0, &count);
		CHECK_INT(count, 100);
		perun_ctx_clear_losses(ctx);
		CHECK_INT(perun_parallel_for(ctx, 1000, square, NULL), PERUN_INPUT);
		CHECK_STR(perun_ctx_error(ctx), "bad item 77");
		perun_ctx_loss(ctx, 0, &count);
		CHECK_INT(count, 8);
		perun_ctx_free(ctx);
	}
	unsetenv("PERUN_THREADS");
	CHECK_INT(perun_parallel_for(NULL, 0, square, NULL), PERUN_OK);
	CHECK_INT(perun_parallel_for(NULL, 100, square, NULL), PERUN_INPUT);
}

struct said {
	int count, last;
	bool in_order;
};

static void hear(void *data, const char *message)
{
	struct said *said = data;
	int number = atoi(message + strcspn(message, "0123456789"));

	said->in_order = said->in_order && number >= said->last;
	said->last = number;
	said->count++;
}

/* Two lines each, the first ones by the slowest. */
static int speak(struct perun_ctx *ctx, size_t i, void *data)
{
	const size_t *failing = data;

	perun_warn(ctx, "warning %zu", i);
	usleep(i % 4 == 0 ? 300 : 10);
	perun_note(ctx, "note %zu", i);
	return failing && i >= *failing ? perun_fail(ctx, PERUN_INPUT, "bad item %zu", i)
					: PERUN_OK;
}

TEST(test_messages_of_threads)
{
	struct said said = {.in_order = true};
	struct perun_ctx *ctx =
		perun_ctx_new(&(struct perun_handlers){.struct_size = sizeof(struct perun_handlers),
						       .warn = hear,
						       .note = hear,
						       .data = &said});
	size_t failing = 50;

	setenv("PERUN_THREADS", "5", 1);
	CHECK_INT(perun_parallel_for(ctx, 200, speak, NULL), PERUN_OK);
	CHECK_INT(said.count, 400);
	CHECK(said.in_order);
	said = (struct said){.in_order = true};
	CHECK_INT(perun_parallel_for(ctx, 200, speak, &failing), PERUN_INPUT);
	CHECK_INT(said.count, 102);
	CHECK(said.in_order);
	unsetenv("PERUN_THREADS");
	perun_ctx_free(ctx);
}

/* ---- a worker ---- */

struct jobs {
	size_t *numbers[4];
	size_t done, wrong;
};

/* Jobs come in their order, and nobody has changed what they point to. */
static void do_job(void *job, void *data)
{
	struct jobs *jobs = data;
	const size_t *numbers = job;

	for (size_t i = 0; i < 100; i++)
		jobs->wrong += numbers[i] != jobs->done;
	jobs->done++;
}

static void give_jobs(size_t room)
{
	struct jobs jobs = {.done = 0};
	struct perun_worker *worker = perun_worker_new(room, do_job, &jobs);

	for (size_t i = 0; i < 4; i++)
		jobs.numbers[i] = perun_alloc(100 * sizeof **jobs.numbers);
	for (size_t job = 0; job < 10000; job++) {
		size_t *numbers = jobs.numbers[job % (room + 1)];

		for (size_t i = 0; i < 100; i++)
			numbers[i] = job;
		perun_worker_give(worker, numbers);
		if (job % 1000 == 999) {
			perun_worker_wait(worker);
			CHECK_INT(jobs.done, job + 1);
		}
	}
	perun_worker_give(worker, memset(jobs.numbers[0], 0, 100 * sizeof **jobs.numbers));
	perun_worker_free(worker);
	CHECK_INT(jobs.done, 10001);
	CHECK_INT(jobs.wrong, 100); /* of the last one alone */
	for (size_t i = 0; i < 4; i++)
		perun_free(jobs.numbers[i]);
}

TEST(test_worker)
{
	for (size_t room = 1; room < 4; room++) {
		give_jobs(room);
		setenv("PERUN_THREADS", "1", 1);
		give_jobs(room);
		unsetenv("PERUN_THREADS");
	}
	perun_worker_free(perun_worker_new(1, do_job, NULL));
	perun_worker_free(NULL);
}

/* ---- the end of memory ----------------------------------------------------------------------------- */

static int end_said; /* where */

/* Slow, so that others come meanwhile. */
static void end_slowly(const char *reading)
{
	(void)reading;
	if (write(end_said, "x", 1) != 1)
		_exit(1);
	usleep(50000);
	_exit(3);
}

static void *have_no_memory(void *data)
{
	(void)data;
	perun_out_of_memory();
}

static _Noreturn void end_in_threads(void)
{
	pthread_t threads[4];

	alarm(20);
	perun_on_out_of_memory(end_slowly);
	for (size_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, have_no_memory, NULL);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	_exit(1);
}

/* One thread of several without memory says so, and its status is that of the process. */
TEST(test_one_end)
{
	char said[8];
	int ends[2], status = 0;
	pid_t child;

	CHECK_INT(pipe(ends), 0);
	end_said = ends[1];
	child = fork();
	if (child == 0)
		end_in_threads();
	close(ends[1]);
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	CHECK_INT(read(ends[0], said, sizeof said), 1);
	close(ends[0]);
}

CHECK_MAIN(, )
