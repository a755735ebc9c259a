/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of all that an answer follows from. */
#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/context.h>

#include "core/history/verdict-key.h"

bool perun_verdict_key_add_file(struct perun_hash *hash, const char *path)
{
	struct stat info;
	uint64_t numbers[5];

	if (stat(path, &info) != 0)
		return false;
	numbers[0] = (uint64_t)info.st_size;
	numbers[1] = (uint64_t)info.st_ino;
	numbers[2] = (uint64_t)info.st_dev;
	numbers[3] = (uint64_t)info.st_mtim.tv_sec;
	numbers[4] = (uint64_t)info.st_mtim.tv_nsec;
	perun_verdict_key_add_text(hash, path);
	perun_hash_add(hash, numbers, sizeof numbers);
	return true;
}

bool perun_verdict_key_start(struct perun_hash *hash)
{
	Dl_info library;

	perun_sha256_start(hash);
	perun_verdict_key_add_text(hash, perun_version());
	/* Linked into a program, it is that program's file, whose name may be a relative one. */
	return dladdr(perun_version(), &library) && library.dli_fname &&
	       perun_verdict_key_add_file(hash, strchr(library.dli_fname, '/') ? library.dli_fname
									       : "/proc/self/exe");
}

void perun_verdict_key_add_text(struct perun_hash *hash, const char *text)
{
	uint64_t size = text ? strlen(text) + 1 : 0;

	perun_hash_add(hash, &size, sizeof size);
	if (text)
		perun_hash_add(hash, text, size);
}

void perun_verdict_key_end(struct perun_hash *hash, char key[PERUN_VERDICT_KEY_SIZE])
{
	perun_hash_end_text(hash, key, PERUN_SHA256_BYTES);
}
