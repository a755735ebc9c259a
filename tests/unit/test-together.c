/* SPDX-License-Identifier: BSD-3-Clause */
/* Several processes at one store at once. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include <perun/json.h>

#include "tests/unit/store-help.h"

#define PROCESSES 16
#define EACH      5
#define AGAIN     110 /* so often a file is given to one command */

/* Each process adds some profiles, one command for each. */
static int add_some(int process)
{
	struct perun_store *store;
	int status = perun_store_open(help_ctx, "together", &store);

	for (int i = 0; i < EACH && !status; i++) {
		char *name = perun_format("p%02d-%d.perf", process, i);
		const char *path = name;

		help_profile(name, process * EACH + i);
		status = perun_store_add(help_ctx, store, MINOR, &path, 1, NULL, NULL);
		perun_free(name);
	}
	perun_store_close(store);
	return status;
}

/* All of them with one command that is given hundreds of files, so that it adds them its other way. */
static int add_hundreds(int process)
{
	struct perun_store *store;
	int status = perun_store_open(help_ctx, "together", &store);
	char names[EACH][20];
	const char *paths[EACH * AGAIN];

	for (int i = 0; i < EACH * AGAIN; i++) {
		if (i < EACH) {
			snprintf(names[i], sizeof names[i], "p%02d-%d.perf", process, i);
			help_profile(names[i], process * EACH + i);
		}
		paths[i] = names[i % EACH];
	}
	if (!status)
		status = perun_store_add(help_ctx, store, MINOR, paths, EACH * AGAIN, NULL, NULL);
	perun_store_close(store);
	return status;
}

TEST(test_together)
{
	struct perun_store *store = help_store("together");
	struct perun_entries entries = {0};
	uint64_t checked;
	pid_t processes[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		processes[i] = fork();
		if (processes[i] == 0)
			_exit(i % 4 ? add_some(i) : add_hundreds(i));
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		waitpid(processes[i], &status, 0);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		/* Reading at the same time never sees anything but whole indexes. */
		if (perun_store_entries(help_ctx, store, MINOR, &entries))
			CHECK_FAIL("%s", help_error());
		perun_entries_free(&entries);
	}
	CHECK_INT(perun_store_entries(help_ctx, store, MINOR, &entries), PERUN_OK);
	CHECK_INT(entries.count, PROCESSES * EACH);
	perun_entries_free(&entries);
	CHECK_STR(help_warnings, "");
	CHECK_INT(perun_store_fsck(help_ctx, store, false, NULL, NULL, &checked), PERUN_OK);
	CHECK_INT(checked, PROCESSES * EACH + 2);
	perun_store_close(store);
}

/* A holder that is killed leaves no lock; one that lives is named. */
TEST(test_lock)
{
	struct perun_store *store = help_store("lock");
	struct perun_transaction *transaction;
	int ready[2], status, lock;
	bool died;
	char byte;
	pid_t child;

	REQUIRE(pipe(ready) == 0);
	child = fork();
	if (child == 0) {
		struct perun_store *own;

		if (perun_store_open(help_ctx, "lock", &own) ||
		    perun_lock(help_ctx, own, "add", &lock, &died) || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	REQUIRE(read(ready[0], &byte, 1) == 1);
	perun_config_set_runtime(help_ctx, store, "store.lock_timeout", "0");
	CHECK_INT(perun_transaction_begin(help_ctx, store, "rm", &transaction), PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "is in use by perun add (process ");
	help_text("lock/.perun/objects/.new-1-1", "left");
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	CHECK_INT(perun_transaction_begin(help_ctx, store, "rm", &transaction), PERUN_OK);
	CHECK(access("lock/.perun/objects/.new-1-1", F_OK) == 0); /* not where we write */
	perun_transaction_end(transaction);
	close(ready[0]);
	close(ready[1]);
	perun_store_close(store);
}

/* Waiting is reported, and ends when the lock is free. */
TEST(test_waiting)
{
	struct perun_store *store = help_store("waiting");
	const struct timespec while_held = {1, 300000000};
	struct perun_transaction *transaction = NULL;
	int ready[2], status, lock;
	bool died;
	char byte;
	pid_t child;

	REQUIRE(pipe(ready) == 0);
	child = fork();
	if (child == 0) {
		struct perun_store *own;

		if (perun_store_open(help_ctx, "waiting", &own) ||
		    perun_lock(help_ctx, own, "add", &lock, &died) || write(ready[1], "x", 1) != 1)
			_exit(1);
		nanosleep(&while_held, NULL);
		_exit(0);
	}
	REQUIRE(read(ready[0], &byte, 1) == 1);
	help_warnings[0] = '\0';
	CHECK_INT(perun_transaction_begin(help_ctx, store, "rm", &transaction), PERUN_OK);
	CHECK_CONTAINS(help_warnings, "waiting for perun add (process ");
	perun_transaction_end(transaction);
	waitpid(child, &status, 0);
	close(ready[0]);
	close(ready[1]);
	perun_store_close(store);
}

CHECK_MAIN(help_begin(), help_end())
