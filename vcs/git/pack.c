/* SPDX-License-Identifier: BSD-3-Clause */
/* Commits in packs, by indexes of version 2 (gitformat-pack(5)). Deltas, which commits seldom are, are not resolved. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plain.h"

enum { FANOUT = 256, HEAD = 8, TRAILER = 20, ID = GIT_OID_RAWSZ, COMMIT = 1 };

struct bytes {
	const unsigned char *data; /* NULL: not mapped */
	size_t size;
};

struct pack {
	char *path; /* of the pack */
	struct bytes index, pack;
	uint32_t count;
	bool bad; /* the pack cannot be read */
};

struct gitvcs_packs {
	struct pack *packs;
	size_t count, capacity;
};

static uint32_t number(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static struct bytes map(const char *path)
{
	struct bytes bytes = {0};
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
		void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (data != MAP_FAILED)
			bytes = (struct bytes){data, (size_t)status.st_size};
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

static void unmap(struct bytes bytes)
{
	if (bytes.data)
		munmap((void *)bytes.data, bytes.size);
}

/* Magic bytes and version, 256 counts, then ids, checksums of 4 bytes and offsets, and two trailers. */
static bool is_index(struct pack *pack)
{
	static const unsigned char head[HEAD] = {0xff, 't', 'O', 'c', 0, 0, 0, 2};
	const size_t least = HEAD + FANOUT * 4 + 2 * TRAILER;

	if (!pack->index.data || pack->index.size < least ||
	    memcmp(pack->index.data, head, HEAD) != 0)
		return false;
	pack->count = number(pack->index.data + HEAD + (FANOUT - 1) * 4);
	return (pack->index.size - least) / (ID + 8) >= pack->count;
}

struct gitvcs_packs *gitvcs_packs_open(const char *git_dir)
{
	struct gitvcs_packs *packs = perun_alloc_zero(1, sizeof *packs);
	char *directory = perun_format("%s/objects/pack", git_dir);
	DIR *listing = opendir(directory);
	struct dirent *entry;

	while (listing && (entry = readdir(listing))) {
		size_t length = strlen(entry->d_name);
		struct pack pack = {0};
		char *index;

		if (length <= 4 || strcmp(entry->d_name + length - 4, ".idx") != 0)
			continue;
		index = perun_format("%s/%s", directory, entry->d_name);
		pack.index = map(index);
		if (is_index(&pack)) {
			pack.path = perun_format("%s/%.*s.pack", directory, (int)length - 4,
						 entry->d_name);
			PERUN_GROW(packs->packs, packs->count, packs->capacity);
			packs->packs[packs->count++] = pack;
		} else {
			unmap(pack.index);
		}
		perun_free(index);
	}
	if (listing)
		closedir(listing);
	perun_free(directory);
	return packs;
}

void gitvcs_packs_free(struct gitvcs_packs *packs)
{
	if (!packs)
		return;
	for (size_t i = 0; i < packs->count; i++) {
		unmap(packs->packs[i].index);
		unmap(packs->packs[i].pack);
		perun_free(packs->packs[i].path);
	}
	perun_free(packs->packs);
	perun_free(packs);
}

/* Where the object is in the pack; false when the pack does not have it. */
static bool find_offset(const struct pack *pack, const git_oid *id, uint64_t *offset)
{
	const unsigned char *fanout = pack->index.data + HEAD, *ids = fanout + FANOUT * 4;
	const unsigned char *offsets = ids + (size_t)pack->count * (ID + 4);
	const unsigned char *large = offsets + (size_t)pack->count * 4;
	uint32_t low = id->id[0] ? number(fanout + (id->id[0] - 1) * 4) : 0;
	uint32_t high = number(fanout + id->id[0] * 4), place;

	if (high > pack->count)
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = memcmp(id->id, ids + (size_t)middle * ID, ID);

		if (order == 0) {
			place = number(offsets + (size_t)middle * 4);
			if (!(place & 0x80000000)) {
				*offset = place;
				return true;
			}
			large += (size_t)(place & 0x7fffffff) * 8;
			if (large + 8 > pack->index.data + pack->index.size - 2 * TRAILER)
				return false;
			*offset = (uint64_t)number(large) << 32 | number(large + 4);
			return true;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

/* The header of an object: its type, and its size in groups of bits, the lowest first. */
static bool parse_object(const struct pack *pack, uint64_t offset, const unsigned char **bytes,
			 size_t *available, uint64_t *size)
{
	const unsigned char *p, *end = pack->pack.data + pack->pack.size - TRAILER;
	unsigned shift = 4;

	if (offset < 12 || offset >= pack->pack.size - TRAILER)
		return false;
	p = pack->pack.data + offset;
	if ((*p >> 4 & 7) != COMMIT)
		return false;
	*size = *p & 15;
	while (*p++ & 0x80) {
		if (p >= end || shift > 46)
			return false;
		*size |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
	}
	*bytes = p;
	*available = (size_t)(end - p);
	return true;
}

bool gitvcs_packs_find(struct gitvcs_packs *packs, const git_oid *id, const unsigned char **bytes,
		       size_t *available, uint64_t *size)
{
	for (size_t i = 0; i < packs->count; i++) {
		struct pack *pack = &packs->packs[i];
		uint64_t offset;

		if (pack->bad || !find_offset(pack, id, &offset))
			continue;
		if (!pack->pack.data) {
			pack->pack = map(pack->path);
			pack->bad = pack->pack.size < 12 + TRAILER ||
				    memcmp(pack->pack.data, "PACK\0\0\0\2", 8) != 0;
		}
		if (!pack->bad && parse_object(pack, offset, bytes, available, size))
			return true;
	}
	return false;
}
