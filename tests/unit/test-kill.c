/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands killed at every system call that writes, and a disk that is full from any of them on. */
#include <dirent.h>
#include <time.h>

#include <perun/format.h>
#include <perun/json.h>

#include "tests/unit/store-help.h"
#include "tests/unit/trace-help.h"

#define COUNT_LIMIT 2000 /* more calls than any scenario has */
#define INDEX       "objects/01/23456789abcdef0123456789abcdef01234567" /* of MINOR */

/* What a scenario does to the store "s", and what must hold afterwards. */
struct scenario {
	const char *name;
	void (*prepare)(struct perun_store *store); /* the old state */
	int (*change)(struct perun_store *store);
	/* 0 = the old state, 1 = the new one, -1 = neither (and said so). */
	int (*state)(struct perun_store *store);
	unsigned step; /* every how many calls it is killed; 1 = at each; a tenth in a long test */
	unsigned end; /* from here on, where things are put in place, at every tenth; 0 = nowhere */
	bool undone;  /* on a full disk no object stays */
};

static void write_profile(const char *path, int number)
{
	struct timespec times[2] = {{1700000000 + number, 0}, {1700000000 + number, 0}};

	help_profile(path, number);
	utimensat(AT_FDCWD, path, times, 0);
}

static int add_files(struct perun_store *store, const char *const *paths, size_t count)
{
	static const struct perun_add_options move = {.struct_size = sizeof move, .move = true};

	return perun_store_add(help_ctx, store, MINOR, paths, count, &move, NULL);
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static size_t count_entries(struct perun_store *store)
{
	struct perun_entries entries;
	size_t count;

	if (perun_store_entries(help_ctx, store, MINOR, &entries)) {
		CHECK_FAIL("%s", help_error());
		return 9999;
	}
	count = entries.count;
	perun_entries_free(&entries);
	return count;
}

/* ---- add ------------------------------------------------------------------------------------- */

static void prepare_add(struct perun_store *store)
{
	const char *old = "old.perf";

	write_profile(old, 1);
	write_profile("new.perf", 2);
	CHECK_INT(add_files(store, &old, 1), PERUN_OK);
}

static int change_add(struct perun_store *store)
{
	const char *new = "new.perf";

	return add_files(store, &new, 1);
}

static int state_add(struct perun_store *store)
{
	size_t count = count_entries(store);

	/* The file goes last. */
	CHECK(count == 2 || exists("new.perf"));
	CHECK(count == 1 || count == 2);
	return count == 2;
}

/* The first profile of a minor version: there is no index before. */
static void prepare_first(struct perun_store *store)
{
	(void)store;
	write_profile("new.perf", 2);
}

static int state_first(struct perun_store *store)
{
	size_t count = count_entries(store);

	CHECK(count == 1 || exists("new.perf"));
	CHECK(count <= 1);
	return count == 1;
}

/* ---- many ------------------------------------------------------------------------------------ */

#define MANY 18 /* more than are flushed one by one */

static void prepare_many(struct perun_store *store)
{
	(void)store;
	for (int i = 0; i < MANY; i++) {
		char *path = perun_format("many-%02d.perf", i);

		write_profile(path, 10 + i);
		perun_free(path);
	}
}

static int change_many(struct perun_store *store)
{
	char names[MANY][16];
	const char *paths[MANY];

	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof names[i], "many-%02d.perf", i);
		paths[i] = names[i];
	}
	return add_files(store, paths, MANY);
}

static int state_many(struct perun_store *store)
{
	size_t count = count_entries(store);

	CHECK(count == 0 || count == MANY);
	for (int i = 0; i < MANY && count == 0; i++) {
		char path[16];

		snprintf(path, sizeof path, "many-%02d.perf", i);
		CHECK(exists(path));
	}
	return count == MANY;
}

/* ---- hundreds -------------------------------------------------------------------------------- */

/* So many that objects are put in their place at once. Each file is given again and again. */
#define HUNDREDS    540
#define DIRECTORIES 256

/* A file in each directory of objects. */
static void fill_directories(const char *name, const void *data, size_t size)
{
	for (unsigned i = 0; i < DIRECTORIES; i++) {
		char path[100];

		snprintf(path, sizeof path, "s/.perun/objects/%02x", i);
		mkdir(path, 0777);
		snprintf(path, sizeof path, "s/.perun/objects/%02x/%s", i, name);
		help_write(path, data, size);
	}
}

/* Another program makes the directories meanwhile: they cannot be put in their place as a whole. */
static void prepare_foreign(struct perun_store *store)
{
	prepare_many(store);
	fill_directories("note.txt", "x", 1);
}

/* Directories that have objects already; here it is the index of a version without profiles. */
static void prepare_used(struct perun_store *store)
{
	struct perun_entries none = {0};
	struct perun_buffer index = {0};

	prepare_many(store);
	perun_index_encode(&none, &index);
	fill_directories("00000000000000000000000000000000000000", index.data, index.length);
	perun_buffer_free(&index);
}

static int change_hundreds(struct perun_store *store)
{
	char names[MANY][16];
	const char *paths[HUNDREDS];

	for (int i = 0; i < MANY; i++)
		snprintf(names[i], sizeof names[i], "many-%02d.perf", i);
	for (int i = 0; i < HUNDREDS; i++)
		paths[i] = names[i % MANY];
	return add_files(store, paths, HUNDREDS);
}

/* ---- rm -------------------------------------------------------------------------------------- */

static void prepare_remove(struct perun_store *store)
{
	static const char *const paths[] = {"a.perf", "b.perf"};

	write_profile("a.perf", 1);
	write_profile("b.perf", 2);
	CHECK_INT(add_files(store, paths, 2), PERUN_OK);
}

static int change_remove(struct perun_store *store)
{
	struct perun_entries entries;
	int status = perun_store_entries(help_ctx, store, MINOR, &entries);

	if (!status && entries.count == 2) {
		const struct perun_entry *first = perun_entries_at(&entries, 0);

		status = perun_store_remove(help_ctx, store, MINOR, &first, 1);
	}
	perun_entries_free(&entries);
	return status;
}

static int state_remove(struct perun_store *store)
{
	size_t count = count_entries(store);

	CHECK(count == 1 || count == 2);
	return count == 1;
}

/* ---- others ---------------------------------------------------------------------------------- */

static void prepare_nothing(struct perun_store *store)
{
	(void)store;
}

static void prepare_pending(struct perun_store *store)
{
	(void)store;
	write_profile("p.perf", 3);
}

static int change_pending(struct perun_store *store)
{
	struct perun_profile *profile = NULL;
	char *path = NULL;
	int status;

	status = perun_read_profile_file(help_ctx, "p.perf", &profile);
	if (!status)
		status = perun_store_save_pending(help_ctx, store, profile, "saved", &path);
	perun_profile_unref(profile);
	perun_free(path);
	return status;
}

static int state_pending(struct perun_store *store)
{
	struct perun_entries entries;
	size_t count;

	if (perun_store_pending(help_ctx, store, &entries)) {
		CHECK_FAIL("%s", help_error());
		return -1;
	}
	count = entries.count;
	if (count == 1)
		CHECK_STR(entries.items[0].workload, "w");
	perun_entries_free(&entries);
	/* A second try saves under another name. */
	return count >= 1;
}

static int change_settings(struct perun_store *store)
{
	return perun_config_set(help_ctx, store, PERUN_CONFIG_LOCAL, "a.b", "c");
}

static int state_settings(struct perun_store *store)
{
	char *url = NULL, *value = NULL;
	int new;

	CHECK_INT(perun_config_get(help_ctx, store, PERUN_CONFIG_LOCAL, "vcs.url", &url), 0);
	CHECK_STR(url, "..");
	CHECK_INT(perun_config_get(help_ctx, store, PERUN_CONFIG_LOCAL, "a.b", &value), 0);
	new = value != NULL;
	perun_free(url);
	perun_free(value);
	return new;
}

/* ---- the harness ----------------------------------------------------------------------------- */

/* The store is opened in the child, as a command would. */
static int run_change(void *data)
{
	const struct scenario *scenario = data;
	struct perun_store *store;
	int status = perun_store_open(help_ctx, "s", &store);

	if (!status) {
		status = scenario->change(store);
		perun_store_close(store);
	}
	if (status && !strstr(help_error(), "No space left on device"))
		return 77;
	return status;
}

static void clean(void)
{
	DIR *directory = opendir(".");
	struct dirent *entry;

	nftw("s", help_remove, 16, FTW_DEPTH | FTW_PHYS);
	while ((entry = readdir(directory))) {
		if (strstr(entry->d_name, ".perf"))
			unlink(entry->d_name);
	}
	closedir(directory);
}

/* Whether a file (or directory, but not for "") whose name begins so lies somewhere below a directory. */
static bool has_file(const char *path, const char *prefix)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (directory && (entry = readdir(directory))) {
		char inner[600];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
		found |= (entry->d_type != DT_DIR || prefix[0]) &&
			 strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
		found |= entry->d_type == DT_DIR && has_file(inner, prefix);
	}
	if (directory)
		closedir(directory);
	return found;
}

static bool has_leftovers(const char *path)
{
	return has_file(path, ".new-");
}

static void check_whole(struct perun_store *store, const char *when, unsigned at)
{
	uint64_t checked;

	if (perun_store_fsck(help_ctx, store, false, NULL, NULL, &checked))
		CHECK_FAIL("%s %u: %s", when, at, help_error());
}

static int find_event(const struct trace *trace, char kind, const char *end_of_path)
{
	for (unsigned i = 0; i < trace->count; i++) {
		const char *path = trace->events[i].path;
		size_t length = strlen(path), wanted = strlen(end_of_path);

		if (trace->events[i].kind == kind && length >= wanted &&
		    strcmp(path + length - wanted, end_of_path) == 0)
			return (int)i;
	}
	return -1;
}

/* What must hold after the command ended in any way, and after it is given once more. */
static void check_after(const struct scenario *scenario, const struct trace *trace)
{
	struct perun_store *store;
	int state;

	if (perun_store_open(help_ctx, "s", &store)) {
		CHECK_FAIL("open after %u: %s", trace->at, help_error());
		return;
	}
	check_whole(store, "after call", trace->at);
	state = scenario->state(store);
	if (!trace->killed)
		CHECK(state == (trace->status == PERUN_OK) || trace->status == PERUN_INPUT);
	if (trace->action == TRACE_FULL)
		CHECK(!has_leftovers("s"));
	/* Nor what was put in its place at once, before the index was to be. */
	if (trace->action == TRACE_FULL && scenario->undone && state == 0 &&
	    find_event(trace, 'r', INDEX) < 0)
		CHECK(!has_file("s/.perun/objects", ""));
	if (state == 0 || has_leftovers("s")) {
		if (scenario->change(store))
			CHECK_FAIL("again after %u: %s", trace->at, help_error());
		CHECK_INT(scenario->state(store), 1);
		check_whole(store, "again after call", trace->at);
	}
	CHECK(!has_leftovers("s"));
	perun_store_close(store);
}

static void run_scenario(const struct scenario *scenario, enum trace_action action)
{
	bool done = false;
	unsigned at, step = scenario->step;

	if (getenv("PERUN_LONG"))
		step = (step + 9) / 10;
	for (at = 1; at < COUNT_LIMIT && !done && !check_bad; at += step) {
		struct trace trace = {.action = action, .at = at};
		struct perun_store *store;

		clean();
		store = help_store("s");
		scenario->prepare(store);
		perun_store_close(store);
		trace_run(&trace, run_change, (void *)scenario);
		if (trace.unsupported) {
			free(trace.events);
			SKIP("ptrace is not allowed here");
		}
		if (!trace.killed && trace.status == 77)
			CHECK_FAIL("%s, call %u: the error is not the full disk", scenario->name,
				   at);
		check_after(scenario, &trace);
		done = trace.count < at;
		if (scenario->end && at < scenario->end && at + step > scenario->end)
			step = scenario->end - at;
		else if (scenario->end && at == scenario->end)
			step = 10;
		free(trace.events);
	}
	CHECK(done || check_bad);
	if (check_bad)
		printf("# %s failed at call %u\n", scenario->name, at - step);
}

static const struct scenario scenarios[] = {
	{"add", prepare_add, change_add, state_add, 1, 0, false},
	{"first add", prepare_first, change_add, state_first, 1, 0, false},
	{"add many", prepare_many, change_many, state_many, 4, 0, false},
	{"rm", prepare_remove, change_remove, state_remove, 1, 0, false},
	{"save pending", prepare_pending, change_pending, state_pending, 1, 0, false},
	{"settings", prepare_nothing, change_settings, state_settings, 1, 0, false},
};
static const struct scenario hundreds[] = {
	{"add hundreds", prepare_many, change_hundreds, state_many, 199, 572, true},
	{"add hundreds beside another", prepare_foreign, change_hundreds, state_many, 331, 575,
	 false},
	{"add hundreds more", prepare_used, change_hundreds, state_many, 499, 0, false},
};
#define SCENARIOS (sizeof scenarios / sizeof *scenarios)
#define LARGE     (sizeof hundreds / sizeof *hundreds)

TEST(test_kill)
{
	for (size_t i = 0; i < SCENARIOS && !check_bad && !check_skipped; i++)
		run_scenario(&scenarios[i], TRACE_KILL);
	for (size_t i = 0; i < LARGE && !check_bad && !check_skipped; i++)
		run_scenario(&hundreds[i], TRACE_KILL);
}

TEST(test_full_disk)
{
#ifndef __x86_64__
	SKIP("system calls are made to fail on x86-64 only");
#endif
	for (size_t i = 0; i < SCENARIOS && !check_bad && !check_skipped; i++)
		run_scenario(&scenarios[i], TRACE_FULL);
	for (size_t i = 0; i < LARGE && !check_bad && !check_skipped; i++)
		run_scenario(&hundreds[i], TRACE_FULL);
}

/* ---- the order of an add --------------------------------------------------------------------- */

static int last_before(const struct trace *trace, unsigned end, const char *kinds)
{
	for (unsigned i = end; i-- > 0;) {
		if (strchr(kinds, trace->events[i].kind))
			return (int)i;
	}
	return -1;
}

/*
 * What a power cut needs: everything written is flushed before the index is renamed, so are the names
 * of the objects, and the index is flushed before the source file goes.
 */
TEST(test_order)
{
	struct trace trace = {.action = TRACE_COUNT};
	struct perun_store *store;
	int index, unlinked;

	clean();
	store = help_store("s");
	prepare_add(store);
	perun_store_close(store);
	trace_run(&trace, run_change, (void *)&scenarios[0]);
	if (trace.unsupported)
		SKIP("ptrace is not allowed here");
	index = find_event(&trace, 'r', INDEX);
	unlinked = find_event(&trace, 'u', "new.perf");
	REQUIRE(index > 0 && unlinked > index);
	/* The index is the last to be renamed. */
	for (unsigned i = (unsigned)index + 1; i < trace.count; i++)
		CHECK(trace.events[i].kind != 'r');
	CHECK(last_before(&trace, (unsigned)index, "f") >
	      last_before(&trace, (unsigned)index, "wr"));
	CHECK(last_before(&trace, (unsigned)unlinked, "f") > index);
	/* And the temporary files before any rename. */
	unsigned first = 0;
	while (trace.events[first].kind != 'r')
		first++;
	CHECK(last_before(&trace, first, "f") > last_before(&trace, first, "w"));
	free(trace.events);
}

/* Hundreds of objects are in their place before they are flushed, but not before an index names them. */
TEST(test_order_of_hundreds)
{
	struct trace trace = {.action = TRACE_COUNT};
	struct perun_store *store;
	int sums, index, unlinked;

	clean();
	store = help_store("s");
	prepare_many(store);
	perun_store_close(store);
	trace_run(&trace, run_change, (void *)&hundreds[0]);
	if (trace.unsupported)
		SKIP("ptrace is not allowed here");
	/* Of an index that was not there: nothing reads them before it is. */
	sums = find_event(&trace, 'o', INDEX ".sum");
	CHECK_INT(find_event(&trace, 'r', INDEX ".sum"), -1);
	index = find_event(&trace, 'r', INDEX);
	unlinked = find_event(&trace, 'u', ".perf");
	REQUIRE(sums > 0 && index > sums && unlinked > index);
	CHECK(last_before(&trace, (unsigned)index, "f") >
	      last_before(&trace, (unsigned)index, "wrd"));
	CHECK(last_before(&trace, (unsigned)unlinked, "f") > index);
	free(trace.events);
}

CHECK_MAIN(help_begin(), help_end())
