/* SPDX-License-Identifier: BSD-3-Clause */
/* What one input may cost. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <perun/format.h>

#include "tests/fuzz/fuzz.h"

enum { SECONDS = 2, SLOWER = 5 /* with sanitizers */, MIN_MEMORY = 256 << 20, TIMES = 64 };

/* Sanitizers have hooks into every allocation; without them the peak of the process is what is known. */
__attribute__((weak)) int
__sanitizer_install_malloc_and_free_hooks(void (*on_alloc)(const volatile void *, size_t),
					  void (*on_free)(const volatile void *));
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void *memory);

static int64_t used, peak;

static void on_alloc(const volatile void *memory, size_t size)
{
	int64_t now = __atomic_add_fetch(&used, (int64_t)size, __ATOMIC_RELAXED);

	(void)memory;
	if (now > peak)
		peak = now;
}

static void on_free(const volatile void *memory)
{
	if (memory)
		__atomic_sub_fetch(&used, (int64_t)__sanitizer_get_allocated_size(memory),
				   __ATOMIC_RELAXED);
}

static void on_time(int number)
{
	static const char text[] = "fuzz: the input takes more than its time\n";
	ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);

	(void)number, (void)ignored;
	abort();
}

static bool has_hooks(void)
{
	return __sanitizer_install_malloc_and_free_hooks && __sanitizer_get_allocated_size;
}

static void set_timer(time_t seconds)
{
	const struct itimerval time = {.it_value = {.tv_sec = seconds}};

	setitimer(ITIMER_PROF, &time, NULL);
}

/* Bytes; of the process without hooks, where what was once used stays. */
static int64_t peak_memory(void)
{
	struct rusage usage;

	if (has_hooks())
		return peak;
	getrusage(RUSAGE_SELF, &usage);
	return (int64_t)usage.ru_maxrss * 1024;
}

static void begin(void)
{
	static bool begun;

	if (!begun) {
		signal(SIGPROF, on_time);
		if (has_hooks())
			__sanitizer_install_malloc_and_free_hooks(on_alloc, on_free);
	}
	begun = true;
}

/* How many bytes there are once gzip and the like are undone. */
static size_t decompressed(const uint8_t *data, size_t size)
{
	struct perun_input *input = perun_input_from_memory("size", data, size);
	static char room[65536];
	size_t got = 1, all = 0;

	while (got && perun_input_read(NULL, input, room, sizeof room, &got) == PERUN_OK)
		all += got;
	perun_input_close(input);
	return all > size ? all : size;
}

void fuzz_run(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	int64_t before, more;

	begin();
	peak = used;
	before = peak_memory();
	set_timer(has_hooks() ? SECONDS * SLOWER : SECONDS);
	if (target->run)
		target->run(data, size);
	else
		target->read(target, data, size);
	set_timer(0);
	more = peak_memory() - before;
	if (more > MIN_MEMORY && (uint64_t)more / TIMES > decompressed(data, size)) {
		fprintf(stderr, "fuzz: %s takes %lld MB for an input of %zu bytes\n", target->name,
			(long long)more >> 20, size);
		abort();
	}
}
