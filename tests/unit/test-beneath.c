/* SPDX-License-Identifier: BSD-3-Clause */
/* Files below a directory: by openat2() and by the walk, the same is refused. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "tests/unit/check.h"

static int root;
static char place[] = "/tmp/perun-beneath-XXXXXX";

static void write_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	REQUIRE(fd >= 0 && write(fd, "kept", 4) == 4);
	close(fd);
}

/* place/in is the root; what lies beside it is outside. */
static void set_up(void)
{
	REQUIRE(mkdtemp(place) && chdir(place) == 0);
	REQUIRE(mkdir("out", 0777) == 0 && mkdir("in", 0777) == 0 && mkdir("in/a", 0777) == 0 &&
		mkdir("in/a/b", 0777) == 0);
	write_file("out/file");
	write_file("in/a/b/file");
	REQUIRE(symlink("../out", "in/link") == 0 && symlink("../../../out", "in/a/b/link") == 0 &&
		symlink("../../../out/file", "in/a/b/last") == 0 &&
		symlink("../../../out/new", "in/a/b/dangling") == 0 &&
		symlink("a", "in/inside") == 0);
	root = open("in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE(root >= 0);
}

static void check_open(int (*open_file)(int, const char *, int, mode_t))
{
	static const struct {
		const char *path;
		int flags, error;
	} cases[] = {{"a/b/file", O_RDONLY, 0},
		     {"./a//b/./file", O_RDONLY, 0},
		     {"a/b/", O_RDONLY | O_DIRECTORY, 0},
		     {"a/b", O_PATH | O_DIRECTORY, 0},
		     {".", O_RDONLY | O_DIRECTORY, 0},
		     {"a/b/none", O_RDONLY, ENOENT},
		     {"a/b/file/x", O_RDONLY, ENOTDIR},
		     {"", O_RDONLY, ENOENT},
		     {"link/file", O_RDONLY, ELOOP},
		     {"link", O_RDONLY | O_DIRECTORY, ELOOP},
		     {"link", O_PATH, ELOOP},
		     {"inside/b/file", O_RDONLY, ELOOP},
		     {"a/b/link/file", O_RDONLY, ELOOP},
		     {"a/b/link/new", O_WRONLY | O_CREAT, ELOOP},
		     {"a/b/last", O_WRONLY | O_TRUNC, ELOOP},
		     {"a/b/dangling", O_WRONLY | O_CREAT, ELOOP},
		     {"..", O_RDONLY | O_DIRECTORY, EXDEV},
		     {"a/../../out/file", O_RDONLY, EXDEV},
		     {"a/b/../../../out/file", O_RDONLY, EXDEV},
		     {"/etc/passwd", O_RDONLY, EXDEV}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int fd = open_file(root, cases[i].path, cases[i].flags, 0666);
		int error = fd < 0 ? errno : 0;

		if (error != cases[i].error)
			CHECK_FAIL("%s: %s, expected %s", cases[i].path, strerror(error),
				   strerror(cases[i].error));
		if (fd >= 0)
			close(fd);
	}
}

TEST(test_open)
{
	int fd;

	check_open(perun_beneath_open);
	check_open(perun_beneath_walk);
	fd = perun_beneath_walk(root, "a/made", O_WRONLY | O_CREAT | O_EXCL, 0600);
	CHECK(fd >= 0);
	close(fd);
	CHECK(access("in/a/made", F_OK) == 0 && unlink("in/a/made") == 0);
}

TEST(test_change)
{
	struct stat info;

	CHECK(perun_beneath_make_directory(root, "a/new", 0777) == 0);
	CHECK(perun_beneath_make_directory(root, "a/new", 0777) != 0 && errno == EEXIST);
	CHECK(perun_beneath_ensure_directory(root, "a/new", 0777) == 0);
	CHECK(perun_beneath_make_directory(root, "link/new", 0777) != 0 && errno == ELOOP);
	CHECK(perun_beneath_ensure_directory(root, "link", 0777) != 0 && errno == ELOOP);
	CHECK(perun_beneath_rename(root, "a/b/file", "a/new/file", 0) == 0);
	CHECK(perun_beneath_rename(root, "a/new/file", "a/new/other", RENAME_NOREPLACE) == 0);
	CHECK(perun_beneath_rename(root, "a/new/other", "a/b/file", 0) == 0);
	CHECK(perun_beneath_rename(root, "a/b/file", "link/file", 0) != 0 && errno == ELOOP);
	CHECK(perun_beneath_rename(root, "link/file", "a/b/file", 0) != 0 && errno == ELOOP);
	CHECK(perun_beneath_unlink(root, "link/file", 0) != 0 && errno == ELOOP);
	CHECK(perun_beneath_unlink(root, "a/../../out/file", 0) != 0 && errno == EXDEV);
	CHECK(perun_beneath_stat(root, "a/b/link/file", &info) != 0 && errno == ELOOP);
	CHECK(perun_beneath_stat(root, "link", &info) == 0 && S_ISLNK(info.st_mode));
	CHECK(access("out/file", F_OK) == 0 && access("in/a/b/file", F_OK) == 0);
}

/* A file that is written in place must not be another's. */
TEST(test_own)
{
	int fd = perun_beneath_open_own(root, "lock", O_CREAT);

	CHECK(fd >= 0);
	close(fd);
	REQUIRE(link("out/file", "in/hard") == 0 && mkfifo("in/pipe", 0666) == 0);
	CHECK(perun_beneath_open_own(root, "hard", 0) < 0 && errno == EPERM);
	CHECK(perun_beneath_open_own(root, "pipe", 0) < 0 && errno == EPERM);
	unlink("in/hard");
	CHECK(perun_beneath_open_own(root, "a/b/last", 0) < 0 && errno == ELOOP);
}

TEST(test_tree)
{
	char name[8192] = "in/deep";

	/* Deeper than there are descriptors for it, and with a link and a directory that nobody may write. */
	REQUIRE(mkdir("in/deep", 0777) == 0 && symlink("../../out", "in/deep/link") == 0);
	for (int i = 0; i < 300; i++) {
		strcat(name, "/d");
		REQUIRE(mkdir(name, 0777) == 0);
	}
	strcat(name, "/link");
	REQUIRE(symlink("/tmp", name) == 0);
	REQUIRE(mkdir("in/deep/closed", 0777) == 0);
	write_file("in/deep/closed/file");
	chmod("in/deep/closed", 0);
	CHECK(perun_beneath_remove_tree(root, "link/file") != 0 && errno == ELOOP);
	CHECK(perun_beneath_remove_tree(root, "deep") == 0);
	CHECK(access("in/deep", F_OK) != 0);
	CHECK(perun_beneath_remove_tree(root, "deep") == 0);
	/* A link is removed, what it leads to is not. */
	CHECK(perun_beneath_remove_tree(root, "link") == 0);
	CHECK(access("out/file", F_OK) == 0);
}

TEST(test_paths)
{
	struct stat info;
	int fd, other;

	REQUIRE(mkdir("project", 0777) == 0 && mkdir("project/.perun", 0777) == 0 &&
		symlink("../../out", "project/.perun/jobs") == 0 && symlink("out", "mine") == 0 &&
		mkdir("clone", 0777) == 0 && symlink("../out", "clone/.perun") == 0);
	/* One's own links lead on; those below .perun do not, nor does .perun itself. */
	fd = perun_path_open("mine/file", O_RDONLY, 0);
	CHECK(fd >= 0);
	close(fd);
	CHECK(perun_path_open("project/.perun/jobs/file", O_RDONLY, 0) < 0 && errno == ELOOP);
	CHECK(perun_path_open("clone/.perun/file", O_RDONLY, 0) < 0 && errno == ELOOP);
	CHECK(perun_path_open("clone/.perun/.", O_RDONLY, 0) < 0 && errno == ELOOP);
	CHECK(perun_path_unlink("project/.perun/jobs/file") != 0 && errno == ELOOP);
	CHECK(perun_path_rename("project/.perun/jobs/file", "project/.perun/x") != 0);
	CHECK(perun_path_remove_tree("project/.perun/jobs/.") != 0);
	CHECK(perun_path_stat("project/.perun/jobs", &info) == 0 && S_ISLNK(info.st_mode));
	CHECK(perun_path_stat("mine", &info) == 0 && S_ISDIR(info.st_mode));
	CHECK(access("out/file", F_OK) == 0);
	/* A lock is on the file that has the name. */
	fd = perun_path_open_locked("project/.perun/lock", O_CREAT, LOCK_EX);
	CHECK(fd >= 0);
	CHECK(perun_path_open_locked("project/.perun/lock", 0, LOCK_SH) < 0 &&
	      errno == EWOULDBLOCK);
	CHECK(perun_path_unlink("project/.perun/lock") == 0);
	other = perun_path_open_locked("project/.perun/lock", O_CREAT, LOCK_EX);
	CHECK(other >= 0);
	close(fd);
	close(other);
}

static void *wait_for_lock(void *data)
{
	*(int *)data = perun_beneath_open_locked(root, "waited", O_CREAT, LOCK_EX);
	return NULL;
}

/* Who waited for a lock that was removed meanwhile gets the one that has the name now. */
TEST(test_waiting)
{
	int first = perun_beneath_open_locked(root, "waited", O_CREAT, LOCK_EX), second, got = -1;
	struct stat removed, there, locked;
	pthread_t thread;

	REQUIRE(first >= 0 && fstat(first, &removed) == 0);
	REQUIRE(pthread_create(&thread, NULL, wait_for_lock, &got) == 0);
	usleep(50000);
	CHECK(perun_beneath_unlink(root, "waited", 0) == 0);
	second = perun_beneath_open_locked(root, "waited", O_CREAT, LOCK_EX);
	close(first);
	usleep(50000);
	close(second);
	pthread_join(thread, NULL);
	CHECK(got >= 0 && fstat(got, &locked) == 0 && fstatat(root, "waited", &there, 0) == 0);
	CHECK(locked.st_ino == there.st_ino && locked.st_ino != removed.st_ino);
	close(got);
}

int main(void)
{
	set_up();
	check_all();
	close(root);
	CHECK(chdir("/") == 0 && perun_path_remove_tree(place) == 0);
	return check_done();
}
