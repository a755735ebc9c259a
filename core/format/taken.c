/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files of a directory were opened, and an archive of them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/format/input.h"
#include "core/format/taken.h"

#define COPY_SIZE ((size_t)64 * 1024)

void perun_input_take(struct perun_input *input, struct perun_taken *taken)
{
	input->taken = taken;
}

void perun_taken_free(struct perun_taken *taken)
{
	for (size_t i = 0; i < taken->count; i++)
		perun_free(taken->files[i].path);
	perun_free(taken->files);
	*taken = (struct perun_taken){0};
}

/* As an archive holds it. */
static int64_t seconds_of(const struct stat *info)
{
	int64_t seconds = (int64_t)info->st_mtim.tv_sec;

	if (seconds < 0)
		return 0;
	return seconds < PERUN_ARCHIVE_LATEST ? seconds : PERUN_ARCHIVE_LATEST;
}

int64_t perun_input_modified(struct perun_input *input)
{
	struct stat info;

	if (input->taken_at) {
		input->taken->files[input->taken_at - 1].used = true;
		input->taken->files[input->taken_at - 1].timed = true;
	}
	if (input->kind == PERUN_INPUT_FILE && fstat(input->raw.fd, &info) == 0)
		return seconds_of(&info);
	return input->modified;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct perun_taken_file *)a)->path,
		      ((const struct perun_taken_file *)b)->path);
}

/* In the order of their paths, each of them once, those that were used. */
static void sort_files(struct perun_taken *taken)
{
	struct perun_taken_file *files = taken->files;
	size_t count = 0;

	if (taken->count)
		qsort(files, taken->count, sizeof *files, compare_paths);
	for (size_t i = 0; i < taken->count; i++) {
		if (count && strcmp(files[count - 1].path, files[i].path) == 0) {
			files[count - 1].timed |= files[i].timed;
			perun_free(files[i].path);
		} else if (!files[i].used) {
			perun_free(files[i].path);
		} else {
			files[count++] = files[i];
		}
	}
	taken->count = count;
}

/* The state of a packing. */
struct packing {
	struct perun_ctx *ctx;
	int (*sink)(void *data, const void *bytes, size_t size);
	void *data;
	char *block; /* COPY_SIZE bytes */
};

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
	       one->st_size == other->st_size && one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
	       one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

static int check_same(struct packing *packing, int fd, const struct perun_taken_file *file)
{
	struct stat now;

	if (fstat(fd, &now) == 0 && is_same(&now, &file->info))
		return PERUN_OK;
	return perun_fail(packing->ctx, PERUN_INPUT, "%s changed while it was read", file->path);
}

static int add_zeros(struct packing *packing, size_t count)
{
	static const char zeros[PERUN_ARCHIVE_END];

	return count ? packing->sink(packing->data, zeros, count) : PERUN_OK;
}

static int pack_header(struct packing *packing, const struct perun_taken_file *file)
{
	struct perun_buffer header = {0};
	int status;

	perun_archive_header(&header, file->path, (uint64_t)file->info.st_size,
			     file->timed ? seconds_of(&file->info) : 0);
	status = packing->sink(packing->data, header.data, header.length);
	perun_buffer_free(&header);
	return status;
}

static int pack_bytes(struct packing *packing, int fd, const struct perun_taken_file *file)
{
	uint64_t left = (uint64_t)file->info.st_size;
	int status = PERUN_OK;

	while (left && !status) {
		ssize_t got = read(fd, packing->block, left < COPY_SIZE ? (size_t)left : COPY_SIZE);

		if (perun_cancelled(packing->ctx))
			return perun_fail(packing->ctx, PERUN_CANCELLED, "interrupted");
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return perun_fail_errno(packing->ctx, PERUN_INPUT, errno, "cannot read %s",
						file->path);
		if (got == 0) /* it is shorter now */
			break;
		status = packing->sink(packing->data, packing->block, (size_t)got);
		left -= (size_t)got;
	}
	return status;
}

static int pack_file(struct packing *packing, int directory, const struct perun_taken_file *file)
{
	int fd = openat(directory, file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int status;

	if (fd < 0)
		return perun_fail_errno(packing->ctx, PERUN_INPUT, errno, "cannot open %s",
					file->path);
	status = check_same(packing, fd, file);
	if (!status)
		status = pack_header(packing, file);
	if (!status)
		status = pack_bytes(packing, fd, file);
	if (!status)
		status = check_same(packing, fd, file);
	close(fd);
	return status ? status
		      : add_zeros(packing, perun_archive_padding((uint64_t)file->info.st_size));
}

int perun_taken_pack(struct perun_ctx *ctx, int directory, struct perun_taken *taken,
		     int (*sink)(void *data, const void *bytes, size_t size), void *data)
{
	struct packing packing = {ctx, sink, data, perun_alloc(COPY_SIZE)};
	int status = PERUN_OK;

	sort_files(taken);
	if (taken->count > PERUN_ARCHIVE_FILES)
		status = perun_fail(ctx, PERUN_INPUT, "more than %zu of its files were read",
				    PERUN_ARCHIVE_FILES);
	for (size_t i = 0; !status && i < taken->count; i++) {
		if (strlen(taken->files[i].path) > PERUN_ARCHIVE_PATH)
			status = perun_fail(ctx, PERUN_INPUT, "the path %s is too long",
					    taken->files[i].path);
		else
			status = pack_file(&packing, directory, &taken->files[i]);
	}
	if (!status)
		status = add_zeros(&packing, PERUN_ARCHIVE_END);
	perun_free(packing.block);
	return status;
}
