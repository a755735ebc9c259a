/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz target without libFuzzer: over files, and over changed copies of them. */
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/registry.h>

#include "tests/fuzz/fuzz.h"

/*
 * fuzz [-n ROUNDS] [-s SEED] [-t SECONDS] [TARGET [FILE-OR-DIRECTORY...]]
 * fuzz -l
 *
 * Without a target all, each in a process of its own; -l lists them with their dictionaries. Each file is run
 * as it is, then ROUNDS changed ones, or until SECONDS are over: always the same for the same SEED. Without
 * options from the environment: FUZZ_ROUNDS, FUZZ_SEED and FUZZ_SECONDS, and without files those of the
 * target's folder below $top_srcdir/tests/fuzz/corpus. What ends the program, or exceeds its budget
 * (fuzz_run()), is left in ./fuzz-TARGET.crash. Prints TAP. libFuzzer takes the place of this file.
 */

#define LARGEST 65536 /* bytes of a changed input */
/* Without options or variables: rounds of a target, and of one that runs whole commands. */
#define ROUNDS         1000
#define COMMAND_ROUNDS 10

struct seed {
	uint8_t *data;
	size_t size;
};

static struct seed *seeds;
static size_t seed_count;
static const struct fuzz_target *current_target;
static uint64_t state;
static const uint8_t *current;
static size_t current_size;
static char crash_path[4096];

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
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	size_t i;

	if (__sanitizer_set_death_callback != NULL)
		__sanitizer_set_death_callback(save_current);
	for (i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], on_signal);
}

static void run(const uint8_t *data, size_t size)
{
	/* A copy of its own, so that a sanitizer sees every read past its end. */
	uint8_t *copy = malloc(size > 0 ? size : 1);

	if (copy == NULL)
		abort();
	if (size > 0)
		memcpy(copy, data, size);
	current = copy;
	current_size = size;
	fuzz_run(current_target, copy, size);
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

/* ---- Dictionaries ---------------------------------------------------------------------------- */

static struct seed *words;
static size_t word_count;

/* A line of libFuzzer's: name="text", with \\xHH, \\\\ and \\" in the text. */
static void add_word(const char *line)
{
	const char *at = strchr(line, '"'), *end = at ? strrchr(line, '"') : NULL;
	struct seed word = {0};

	if (*line == '#' || !at || at == end)
		return;
	word.data = malloc((size_t)(end - at));
	words = realloc(words, (word_count + 1) * sizeof *words);
	if (word.data == NULL || words == NULL)
		abort();
	for (at++; at < end; at++) {
		char hex[3] = {0};

		if (*at == '\\' && at[1] == 'x' && end - at >= 4) {
			memcpy(hex, at + 2, 2);
			word.data[word.size++] = (uint8_t)strtoul(hex, NULL, 16);
			at += 3;
			continue;
		}
		at += *at == '\\' && at + 1 < end;
		word.data[word.size++] = (uint8_t)*at;
	}
	words[word_count++] = word;
}

static void add_dictionary(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[1024];

	while (file && fgets(line, sizeof line, file))
		add_word(line);
	if (file)
		fclose(file);
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

	switch (pick(word_count > 0 ? 9 : 7)) {
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
	case 6: /* cut off */
		return pick(4) == 0 ? place : size;
	default: /* a word of the format, perhaps in the place of others */
		other = &words[pick(word_count)];
		return splice(data, size, place, pick(2) == 0 ? 0 : pick(12), other->data,
			      other->size);
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

/* Take the inputs; without paths those in the target's folder. */
static void begin(const struct fuzz_target *target, char **paths)
{
	const char *top = getenv("top_srcdir");
	char path[4096], place[2048];

	current_target = target;
	/* Some targets change to another directory. */
	snprintf(crash_path, sizeof crash_path, "%s/fuzz-%s.crash",
		 getcwd(place, sizeof place) ? place : ".", target->name);
	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", top ? top : ".", target->name);
	if (*paths == NULL)
		add_path(path);
	for (; *paths != NULL; paths++)
		add_path(*paths);
	snprintf(path, sizeof path, "%s/tests/fuzz/dictionaries/%s.dict", top ? top : ".",
		 fuzz_dictionary(target));
	add_dictionary(path);
	catch_crashes();
}

static void free_seeds(struct seed *list, size_t count)
{
	while (count > 0)
		free(list[--count].data);
	free(list);
}

/* Prints two lines of TAP, numbered from `number`. */
static void run_target(const struct fuzz_target *target, char **paths, unsigned number,
		       unsigned long rounds, unsigned long seconds)
{
	if (rounds == 0)
		rounds = fuzz_runs_commands(target) ? COMMAND_ROUNDS : ROUNDS;
	if (!fuzz_has(target)) {
		printf("ok %u - %s # SKIP not in this build\nok %u - %s # SKIP\n", number,
		       target->name, number + 1, target->name);
		return;
	}
	begin(target, paths);
	for (size_t i = 0; i < seed_count; i++)
		run(seeds[i].data, seeds[i].size);
	printf("ok %u - %s: %zu inputs\n", number, target->name, seed_count);
	fflush(stdout);
	printf("ok %u - %s: %lu changed inputs\n", number + 1, target->name,
	       run_changed(rounds, (double)seconds));
	free_seeds(seeds, seed_count);
	free_seeds(words, word_count);
}

/* Each in a process of its own, so that one that crashes ends no other. Returns the exit code. */
/* Whoever adds a format adds a target. */
static bool has_words(const struct fuzz_target *target)
{
	const char *top = getenv("top_srcdir");
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/tests/fuzz/dictionaries/%s.dict", top ? top : ".",
		 fuzz_dictionary(target));
	return access(path, R_OK) == 0;
}

static bool check_readers(void)
{
	size_t count;
	const struct perun_plugin_info *all = perun_registry_list(NULL, &count);
	bool good = true;

	for (size_t i = 0; i < count; i++) {
		if (all[i].kind == PERUN_KIND_FORMAT && !fuzz_find_target(all[i].name)) {
			printf("# format %s: a line in tests/fuzz/fuzz.c is missing\n",
			       all[i].name);
			good = false;
		}
	}
	for (const struct fuzz_target *target = fuzz_targets; target->name; target++) {
		if (!has_words(target)) {
			printf("# %s: tests/fuzz/dictionaries/%s.dict is missing\n", target->name,
			       fuzz_dictionary(target));
			good = false;
		}
	}
	return good;
}

static int run_all(unsigned long rounds, unsigned long seconds)
{
	unsigned count = 0, number = 1;
	char *none[] = {NULL};
	int state, code = 0;

	while (fuzz_targets[count].name)
		count++;
	printf("1..%u\n", 2 * count + 1);
	for (const struct fuzz_target *target = fuzz_targets; target->name; target++, number += 2) {
		pid_t child;

		fflush(stdout);
		child = fork();
		if (child == 0) {
			run_target(target, none, number, rounds, seconds);
			exit(0);
		}
		if (child < 0 || waitpid(child, &state, 0) != child)
			return 3;
		if (state != 0) {
			printf("not ok %u - %s, see fuzz-%s.crash\n", number + 1, target->name,
			       target->name);
			code = 1;
		}
	}
	if (check_readers()) {
		printf("ok %u - each format has a target, and each target a dictionary\n", number);
		return code;
	}
	printf("not ok %u - each format has a target, and each target a dictionary\n", number);
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long rounds = from_environment("FUZZ_ROUNDS", 0);
	unsigned long seconds = from_environment("FUZZ_SECONDS", ULONG_MAX);
	const struct fuzz_target *target;
	int option;

	state = from_environment("FUZZ_SEED", 1);
	while ((option = getopt(argc, argv, "ln:s:t:")) != -1) {
		if (option == 'l')
			return fuzz_list();
		else if (option == 'n')
			rounds = strtoul(optarg, NULL, 10);
		else if (option == 's')
			state = strtoull(optarg, NULL, 10);
		else if (option == 't')
			seconds = strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	if (!argv[optind])
		return run_all(rounds, seconds);
	target = fuzz_find_target(argv[optind]);
	if (!target) {
		fprintf(stderr, "fuzz: unknown target %s (fuzz -l lists them)\n", argv[optind]);
		return 2;
	}
	printf("1..2\n");
	run_target(target, argv + optind + 1, 1, rounds, seconds);
	return 0;
}
