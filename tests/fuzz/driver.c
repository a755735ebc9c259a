/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz target without libFuzzer: over files, and over changed copies of them. */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * fuzz-X [-n ROUNDS] [-s SEED] [-t SECONDS] [FILE-OR-DIRECTORY...]
 *
 * Each file is run as it is, then changed ones until ROUNDS or SECONDS are over: always the same for
 * the same SEED. Without options from the environment: FUZZ_ROUNDS, FUZZ_SEED and FUZZ_SECONDS, and
 * without files those of the target's folder below $top_srcdir/tests/fuzz/corpus. What ends the
 * program, or takes longer than TIME_LIMIT, is left in ./fuzz-X.crash. Prints TAP. A target links this and
 * defines LLVMFuzzerTestOneInput(); with clang -fsanitize=fuzzer it goes without this file.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TIME_LIMIT 20    /* seconds for one input */
#define LARGEST    65536 /* bytes of a changed input */
#define ROUNDS     20000 /* unless told */
#define SECONDS    2     /* unless told */

struct seed {
	uint8_t *data;
	size_t size;
};

static struct seed *seeds;
static size_t seed_count;
static uint64_t state;
static const uint8_t *current;
static size_t current_size;
static char crash_path[256];

/* ---- The input that crashes ------------------------------------------------------------------ */

static void save_current(void)
{
	FILE *file = fopen(crash_path, "wb");

	if (file != NULL) {
		fwrite(current, 1, current_size, file);
		fclose(file);
	}
}

static void on_signal(int number)
{
	save_current();
	signal(number, SIG_DFL);
	raise(number);
}

/* Sanitizers end the program in their own way. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void catch_crashes(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
	size_t i;

	if (__sanitizer_set_death_callback != NULL)
		__sanitizer_set_death_callback(save_current);
	for (i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], on_signal);
}

static void run(const uint8_t *data, size_t size)
{
	/* A copy of its own, so that a sanitizer sees every read behind its end. */
	uint8_t *copy = malloc(size > 0 ? size : 1);

	if (copy == NULL)
		abort();
	if (size > 0)
		memcpy(copy, data, size);
	current = copy;
	current_size = size;
	alarm(TIME_LIMIT);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

static void add_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct seed seed = {0};
	struct stat status;

	if (file == NULL || fstat(fileno(file), &status) != 0) {
		perror(path);
		exit(3);
	}
	seed.data = malloc((size_t)status.st_size + 1);
	seeds = realloc(seeds, (seed_count + 1) * sizeof *seeds);
	if (seed.data == NULL || seeds == NULL)
		abort();
	seed.size = fread(seed.data, 1, (size_t)status.st_size, file);
	fclose(file);
	seeds[seed_count++] = seed;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void add_path(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_visible, alphasort), i;

	if (count < 0) {
		add_file(path);
		return;
	}
	for (i = 0; i < count; i++) {
		char child[4096];

		snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
		add_path(child);
		free(entries[i]);
	}
	free(entries);
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* splitmix64 (S. Vigna), reduced to less than `limit`. */
static size_t pick(size_t limit)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return limit > 0 ? (size_t)(z % limit) : 0;
}

/* Put `count` bytes from `from` in the place of `removed` bytes at `place`. */
static size_t splice(uint8_t *data, size_t size, size_t place, size_t removed, const uint8_t *from,
		     size_t count)
{
	if (removed > size - place)
		removed = size - place;
	if (size - removed + count > LARGEST)
		return size;
	memmove(data + place + count, data + place + removed, size - place - removed);
	if (count > 0)
		memcpy(data + place, from, count);
	return size - removed + count;
}

static size_t change(uint8_t *data, size_t size)
{
	static const uint8_t odd[] = {0,   1,   0x7f, 0x80, 0xff, ' ', '\n', '"', '\\',
				      '0', '9', '-',  '.',  'e',  ',', ':',  ';', '/',
				      '%', '{', '}',  '[',  ']',  '(', ')',  '<'};
	const struct seed *other = &seeds[pick(seed_count)];
	size_t place = pick(size + 1), count, from;
	uint8_t piece[64], byte;

	switch (pick(7)) {
	case 0: /* one bit */
		if (place < size)
			data[place] ^= (uint8_t)(1 << pick(8));
		return size;
	case 1: /* one byte */
		if (place < size)
			data[place] = (uint8_t)pick(256);
		return size;
	case 2: /* one byte more */
		byte = odd[pick(sizeof odd)];
		return splice(data, size, place, pick(2), &byte, 1);
	case 3: /* some bytes away */
		return splice(data, size, place, 1 + pick(pick(8) == 0 ? size : 8), NULL, 0);
	case 4: /* a piece doubled */
		count = size - place < sizeof piece ? size - place : sizeof piece;
		count = pick(count + 1);
		memcpy(piece, data + place, count);
		return splice(data, size, pick(size + 1), 0, piece, count);
	case 5: /* the end of another one, or a piece of it */
		from = pick(other->size + 1);
		count = pick(other->size - from + 1);
		return splice(data, size, place, pick(2) == 0 ? size : pick(16), other->data + from,
			      count);
	default: /* cut off */
		return pick(4) == 0 ? place : size;
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Returns how many there were. */
static unsigned long run_changed(unsigned long rounds, double seconds)
{
	uint8_t *data = malloc(LARGEST);
	double end = now() + seconds;
	unsigned long done = 0;

	if (data == NULL)
		abort();
	for (; done < rounds && seed_count > 0 && now() < end; done++) {
		const struct seed *seed = &seeds[pick(seed_count)];
		size_t size = seed->size < LARGEST ? seed->size : LARGEST, changes = 1 + pick(6);

		memcpy(data, seed->data, size);
		for (; changes > 0; changes--)
			size = change(data, size);
		run(data, size);
	}
	free(data);
	return done;
}

/* ---- The command line ------------------------------------------------------------------------ */

static unsigned long from_environment(const char *name, unsigned long standard)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? strtoul(value, NULL, 10) : standard;
}

/* Take the inputs; without paths those in the folder X of the target fuzz-X. */
static void begin(const char *program, char **paths)
{
	const char *base = strrchr(program, '/'), *top = getenv("top_srcdir");
	char path[4096];

	base = base != NULL ? base + 1 : program;
	snprintf(crash_path, sizeof crash_path, "%s.crash", base);
	base += strncmp(base, "fuzz-", 5) == 0 ? 5 : 0;
	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", top != NULL ? top : ".", base);
	if (*paths == NULL)
		add_path(path);
	for (; *paths != NULL; paths++)
		add_path(*paths);
	catch_crashes();
}

int main(int argc, char **argv)
{
	unsigned long rounds = from_environment("FUZZ_ROUNDS", ROUNDS);
	unsigned long seconds = from_environment("FUZZ_SECONDS", SECONDS);
	size_t i;
	int option;

	state = from_environment("FUZZ_SEED", 1);
	while ((option = getopt(argc, argv, "n:s:t:")) != -1) {
		if (option == 'n')
			rounds = strtoul(optarg, NULL, 10);
		else if (option == 's')
			state = strtoull(optarg, NULL, 10);
		else if (option == 't')
			seconds = strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	begin(argv[0], argv + optind);
	printf("1..2\n");
	for (i = 0; i < seed_count; i++)
		run(seeds[i].data, seeds[i].size);
	printf("ok 1 - %zu inputs\n", seed_count);
	fflush(stdout);
	printf("ok 2 - %lu changed inputs\n", run_changed(rounds, (double)seconds));
	for (i = 0; i < seed_count; i++)
		free(seeds[i].data);
	free(seeds);
	return 0;
}
