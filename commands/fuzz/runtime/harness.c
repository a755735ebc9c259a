/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main() of a program that has LLVMFuzzerTestOneInput() instead: for perun fuzz one process for all inputs; without
 * it the program runs once with each file of its command line, or with its standard input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands/fuzz/runtime/runtime.h"

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) __attribute__((weak));
extern int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

/* In memory of just its size, so that a sanitizer sees what is read beyond it. */
static void run_input(const char *input, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, input, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static uint64_t processor_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int serve(void)
{
	int64_t number = getpid();

	while (fuzz_runtime_asked()) {
		struct perun_fuzz_done done = {0};
		uint64_t start = processor_time();

		if (!fuzz_runtime_say(&number, sizeof number))
			return 1;
		run_input(fuzz_runtime.input, fuzz_runtime.head->input_size);
		done.nanoseconds = processor_time() - start;
		if (!fuzz_runtime_say(&done, sizeof done))
			return 1;
	}
	return 0;
}

static int run_file(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	size_t size = 0, capacity = 1 << 16, got;
	char *text = malloc(capacity);

	if (!file || !text) {
		perror(path);
		free(text);
		return 1;
	}
	while ((got = fread(text + size, 1, capacity - size, file)) > 0) {
		size += got;
		if (size == capacity && !(text = realloc(text, capacity *= 2)))
			abort();
	}
	if (file != stdin)
		fclose(file);
	run_input(text, size);
	free(text);
	return 0;
}

int fuzz_runtime_main(int argc, char **argv)
{
	int failed = 0;

	if (!LLVMFuzzerTestOneInput) {
		fputs("this program has neither main() nor LLVMFuzzerTestOneInput()\n", stderr);
		return 1;
	}
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	if (fuzz_runtime.head)
		return serve();
	if (argc < 2)
		return run_file("-");
	for (int i = 1; i < argc; i++)
		failed |= run_file(argv[i]);
	return failed;
}

/* Of programs that have none. */
int main(int argc, char **argv) __attribute__((weak, alias("fuzz_runtime_main")));
