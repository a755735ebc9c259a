/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the store share: a store in a temporary directory, files, objects. */
#ifndef PERUN_TESTS_UNIT_STORE_HELP_H
#define PERUN_TESTS_UNIT_STORE_HELP_H

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "core/store/store.h"
#include "tests/unit/check.h"

#define MINOR "0123456789abcdef0123456789abcdef01234567"

static char help_directory[200];
static struct perun_ctx *help_ctx;
static char help_warnings[4096];

static void help_warn(void *data, const char *message)
{
	size_t used = strlen(help_warnings);

	(void)data;
	snprintf(help_warnings + used, sizeof help_warnings - used, "%s\n", message);
}

static int help_remove(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info, (void)kind, (void)place;
	return remove(path);
}

static void help_clean(void)
{
	if (help_directory[0])
		nftw(help_directory, help_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* A directory that is removed at the end, which becomes the current one. Once per program. */
static void help_begin(void)
{
	struct perun_handlers handlers = {.struct_size = sizeof handlers, .warn = help_warn};

	const char *place = getenv("TMPDIR");

	/* In memory where that is possible: what is flushed to a real disk takes its time. */
	if (!place || !place[0])
		place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(help_directory, sizeof help_directory, "%s/perun-store-XXXXXX", place);
	if (!mkdtemp(help_directory) || chdir(help_directory) != 0)
		abort();
	setenv("PERUN_CONFIG_DIR", help_directory, 1);
	setenv("XDG_STATE_HOME", help_directory, 1);
	help_ctx = perun_ctx_new(&handlers);
}

static void help_end(void)
{
	perun_ctx_free(help_ctx);
	help_clean();
}

/* A new store in the directory of a name below the temporary one. */
static struct perun_store *help_store(const char *name)
{
	struct perun_store *store;

	if (perun_store_init(help_ctx, name, "vcs:\n  type: git\n  url: ..\n", &store))
		CHECK_FAIL("init: %s", perun_ctx_error(help_ctx));
	return store;
}

/* The error of the last failure, which is forgotten by this. */
__attribute__((unused)) static const char *help_error(void)
{
	static char text[1024];

	snprintf(text, sizeof text, "%s",
		 perun_ctx_error(help_ctx) ? perun_ctx_error(help_ctx) : "");
	perun_ctx_clear(help_ctx);
	return text;
}

__attribute__((unused)) static void help_write(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		CHECK_FAIL("cannot write %s", path);
	close(fd);
}

__attribute__((unused)) static void help_text(const char *path, const char *text)
{
	help_write(path, text, strlen(text));
}

/* The whole of a file, NUL-terminated; freed with free(). NULL when there is none. */
__attribute__((unused)) static char *help_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *data = malloc(1 << 22);

	if (!file) {
		free(data);
		return NULL;
	}
	*size = fread(data, 1, (1 << 22) - 1, file);
	data[*size] = '\0';
	fclose(file);
	return data;
}

/* "STORE/objects/xx/yyyy" + suffix, in a static buffer. */
__attribute__((unused)) static const char *
help_object_path(const struct perun_store *store, const char *checksum, const char *suffix)
{
	static char path[4][300];
	static int next;
	char relative[PERUN_OBJECT_PATH_SIZE];

	next = (next + 1) % 4;
	perun_object_path(checksum, suffix, relative);
	snprintf(path[next], sizeof path[next], "%s/%s", perun_store_path(store), relative);
	return path[next];
}

/* Store bytes as an object, as the Python program would. */
__attribute__((unused)) static void help_object(struct perun_store *store, const void *raw,
						size_t size, char checksum[PERUN_CHECKSUM_SIZE])
{
	uLongf packed_size = compressBound(size);
	Bytef *packed = malloc(packed_size);
	char directory[300];

	perun_sha_of(raw, size, checksum);
	snprintf(directory, sizeof directory, "%s/objects/%.2s", perun_store_path(store), checksum);
	mkdir(directory, 0777);
	compress(packed, &packed_size, raw, size);
	help_write(help_object_path(store, checksum, ""), packed, packed_size);
	free(packed);
}

/* An object of a profile: header and body. */
__attribute__((unused)) static void help_profile_object(struct perun_store *store, const char *type,
							const char *body,
							char checksum[PERUN_CHECKSUM_SIZE])
{
	char raw[65536];
	size_t head;

	snprintf(raw, sizeof raw, "profile %s %zu", type, strlen(body));
	head = strlen(raw) + 1;
	strcpy(raw + head, body);
	help_object(store, raw, head + strlen(body), checksum);
}

/* A profile of one resource with that amount, in a file. */
__attribute__((unused)) static void help_profile(const char *path, int number)
{
	char *text = perun_format("{\"header\": {\"type\": \"time\", \"cmd\": \"app\", "
				  "\"workload\": \"w\", \"units\": "
				  "{}}, \"collector_info\": {\"name\": \"time\", \"params\": {}}, "
				  "\"postprocessors\": "
				  "[], \"resources\": {\"x#0\": {\"amount\": [%d]}}, "
				  "\"resource_type_map\": {\"x#0\": "
				  "{\"type\": \"time\", \"uid\": \"x\"}}, \"models\": []}",
				  number);

	help_text(path, text);
	perun_free(text);
}

#endif
