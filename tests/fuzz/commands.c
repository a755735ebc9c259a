/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a store, of its repository and of a site, and words of command lines, as whole commands read them. */
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/context.h>
#include <perun/lib/program.h>

#include "tests/fuzz/place.h"

/* cli/base/main.c's main(). */
int perun_main(int argc, char **argv);

__attribute__((weak)) void __sanitizer_set_report_fd(void *file);

/* ---- commands -------------------------------------------------------------------------------- */

/* What the command prints goes nowhere, unless FUZZ_OUTPUT is set. */
static int screen[2] = {-1, -1};

static void hide_output(void)
{
	int nowhere;

	if (getenv("FUZZ_OUTPUT"))
		return;
	nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		if (screen[i] < 0)
			screen[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 10);
		dup2(nowhere, i + 1);
	}
	close(nowhere);
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(uintptr_t)screen[1]);
}

static void show_output(void)
{
	fflush(NULL);
	for (int i = 0; i < 2 && screen[i] >= 0; i++)
		dup2(screen[i], i + 1);
}

/* A word that is % is replaced. Returns the exit code. */
static int run_line(const char *line, char *replacement)
{
	struct perun_words words = {0};
	char *argv[64] = {"perun"};
	int code, argc = 1;

	MUST(perun_split_words(NULL, line, &words) == PERUN_OK);
	for (size_t i = 0; i < words.count; i++)
		argv[argc++] = strcmp(words.items[i], "%") ? (char *)words.items[i] : replacement;
	hide_output();
	code = perun_main(argc, argv);
	show_output();
	perun_words_free(&words);
	return code;
}

/* ---- the place ------------------------------------------------------------------------------- */

static void write_file(const char *path, const void *data, size_t size)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	MUST(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0);
}

static void add_version(int number)
{
	char *text = perun_format(
		"{\"header\": {\"type\": \"time\", \"cmd\": \"app\", \"workload\": \"w\", "
		"\"units\": {\"time\": \"s\"}}, \"collector_info\": {\"name\": \"time\", "
		"\"params\": {}}, \"postprocessors\": [], \"resources\": {\"x#0\": {\"amount\": "
		"[%d, 2]}}, \"resource_type_map\": {\"x#0\": {\"type\": \"time\", \"uid\": "
		"\"x\"}}, "
		"\"models\": []}",
		number);

	MUST(system("git commit -q --allow-empty -m change") == 0);
	write_file("x.perf", text, strlen(text));
	MUST(run_line("add x.perf", NULL) == 0);
	perun_free(text);
}

/* A run that is killed leaves its plan and what it measured. */
static void leave_run(void)
{
	int state;
	pid_t child;

	write_file("stop", "", 0);
	child = fork();
	if (child == 0) {
		run_line("run " FUZZ_RUN, NULL);
		_exit(0);
	}
	MUST(child > 0 && waitpid(child, &state, 0) == child && WIFSIGNALED(state));
	MUST(unlink("stop") == 0);
}

/* A repository with a store, its caches, a site and an interrupted run, as the current directory. */
static void make_place(void)
{
	static const char *const environment[] = {"GIT_AUTHOR_NAME",     "a",
						  "GIT_AUTHOR_EMAIL",    "a",
						  "GIT_AUTHOR_DATE",     "2020-01-01T00:00Z",
						  "GIT_COMMITTER_NAME",  "a",
						  "GIT_COMMITTER_EMAIL", "a",
						  "GIT_COMMITTER_DATE",  "2020-01-01T00:00Z",
						  "GIT_CONFIG_GLOBAL",   "/dev/null"};
	static const char experiment[] =
		"PARAMETER p\nPARAMETER q\nPOINTS (1 1) (2 1) (4 1) (8 1) (16 1) "
		"(1 2) (1 4) (1 8) (1 16)\nREGION r\nMETRIC m\n"
		"DATA 1\nDATA 2\nDATA 4\nDATA 8\nDATA 16\n"
		"DATA 3\nDATA 9\nDATA 27\nDATA 81\n";
	const char *place = fuzz_folder();

	for (size_t i = 0; i < sizeof environment / sizeof *environment; i += 2)
		setenv(environment[i], environment[i + 1], 1);
	setenv("PERUN_CONFIG_DIR", place, 1);
	setenv("XDG_STATE_HOME", place, 1);
	setenv("HOME", place, 1);
	setenv("TMPDIR", place, 1); /* what the killed run leaves */
	MUST(chdir(place) == 0 && mkdir("work", 0777) == 0 && chdir("work") == 0);
	MUST(run_line("init --vcs-type git", NULL) == 0);
	for (int i = 1; i <= 3; i++)
		add_version(i);
	mkdir(".git/perun-exports", 0777);
	write_file("points.txt", experiment, sizeof experiment - 1);
	MUST(run_line("history time", NULL) == 0 && run_line("site out", NULL) == 0);
	leave_run();
}

/* ---- inputs ---------------------------------------------------------------------------------- */

enum { PATCH = 0xfe };

/*
 * The file that the input becomes. An input that begins with PATCH changes the file that was there: two bytes
 * say where and one what is written, as often as there are.
 */
static void put_input(const char *path, const struct perun_buffer *valid, const uint8_t *data,
		      size_t size)
{
	struct perun_buffer bytes = {0};

	if (size == 0 || data[0] != PATCH) {
		write_file(path, data, size);
		return;
	}
	perun_buffer_add(&bytes, valid->data, valid->length);
	for (size_t i = 1; i + 3 <= size && bytes.length; i += 3)
		bytes.data[(data[i] | data[i + 1] << 8) % bytes.length] = (char)data[i + 2];
	write_file(path, bytes.data, bytes.length);
	perun_buffer_free(&bytes);
}

static void read_valid(const char *path, struct perun_buffer *valid)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		return;
	valid->length = fread(perun_buffer_reserve(valid, 65536), 1, 65536, file);
	fclose(file);
}

/* The first that a pattern matches, or itself; never freed. */
static char *find_file(const char *pattern)
{
	glob_t found = {0};
	char *path =
		perun_strdup(glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathv[0] : pattern);

	globfree(&found);
	return path;
}

static void run_lines(const char *commands, char *word)
{
	char *lines = perun_strdup(commands), *rest = lines, *line;

	while ((line = strsep(&rest, ";"))) {
		int code = run_line(line, word);

		if (code < 0 || code > 4) {
			fprintf(stderr, "fuzz: perun %s exited with %d\n", line, code);
			abort();
		}
	}
	fuzz_empty(".perun/jobs");
	perun_free(lines);
}

/* The argument: "PATTERN: COMMAND; COMMAND...", the pattern of the file that is the input; "" = it is the word %. */
void fuzz_command(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	static struct perun_buffer valid;
	static char *path;
	const char *commands = strstr(target->argument, ": ") + 2;
	char *pattern = perun_strndup(target->argument, (size_t)(commands - 2 - target->argument));
	char *word = perun_strndup((const char *)data, size);

	if (!path)
		make_place();
	/* Of many runs the oldest are removed. */
	if (!path || (*path && access(path, F_OK) != 0)) {
		perun_free(path);
		path = find_file(pattern);
		valid.length = 0;
		read_valid(path, &valid);
	}
	if (*path)
		put_input(path, &valid, data, size);
	/* What begins with - is an option, and could be --output. */
	if (*path || *word != '-')
		run_lines(commands, word);
	perun_free(word);
	perun_free(pattern);
}

/* Git keeps whatever hash-object is given, as it keeps what a clone brings. */
void fuzz_commit(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	static bool made;

	if (!made)
		make_place();
	made = true;
	write_file("commit", data, size);
	MUST(system("git hash-object -w --literally -t commit commit >.git/refs/heads/fuzzed") ==
	     0);
	run_lines(target->argument, NULL);
}
