/* SPDX-License-Identifier: BSD-3-Clause */
/* What is kept of the store between two runs: the values of versions, a file for each block of them. */
#include <config.h>

#include <string.h>

#include "cli/site/site.h"

/* The bytes are as they lie in memory: other machines read the store anew. */
#define MAGIC    "perun-values 1\n"
#define CHECKSUM 40

static uint64_t stamp(void)
{
	uint64_t hash = site_hash_text(SITE_FORM, perun_version());

	return site_hash(hash, &(double){1.5}, sizeof(double));
}

static size_t block_count(const struct site *site)
{
	return (site->line + SITE_BLOCK - 1) / SITE_BLOCK + 1;
}

/* The versions of a block; the last one is that of versions that are not on the line. */
static void block_range(const struct site *site, size_t block, size_t *from, size_t *end)
{
	*from = block * SITE_BLOCK;
	*end = *from + SITE_BLOCK;
	if (block + 1 == block_count(site)) {
		*from = site->line;
		*end = site->count;
	} else if (*end > site->line) {
		*end = site->line;
	}
}

static char *block_path(const struct site *site, size_t block)
{
	return block + 1 == block_count(site) ? perun_strdup(SITE_STATE "/values-other")
					      : perun_format(SITE_STATE "/values-%zu", block);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
	const char *at, *end;
	bool bad;
};

static const void *take(struct reader *reader, size_t size)
{
	const char *at = reader->at;

	if (reader->bad || size > (size_t)(reader->end - at)) {
		reader->bad = true;
		return NULL;
	}
	reader->at += size;
	return at;
}

static uint32_t take_number(struct reader *reader)
{
	const void *at = take(reader, sizeof(uint32_t));
	uint32_t number = 0;

	if (at)
		memcpy(&number, at, sizeof number);
	return number;
}

/* A text with its end. */
static char *take_text(struct reader *reader)
{
	uint32_t size = take_number(reader);
	const char *at = take(reader, (size_t)size + 1);

	if (at && at[size] != '\0')
		reader->bad = true;
	return (char *)(at && !reader->bad ? at : "");
}

static uint32_t *take_strands(struct site *site, struct reader *reader, uint32_t *count)
{
	uint32_t *strands;

	*count = take_number(reader);
	if (*count > (size_t)(reader->end - reader->at) / 6)
		reader->bad = true;
	if (reader->bad)
		return NULL;
	strands = perun_alloc(((size_t)*count + 1) * sizeof *strands);
	for (uint32_t i = 0; i < *count; i++) {
		struct site_strand strand = {0};

		/* Initializers would be evaluated in any order. */
		strand.cmd = take_text(reader);
		strand.workload = take_text(reader);
		strand.machine = take_text(reader);
		strand.metric = take_text(reader);
		strand.unit = take_text(reader);
		strand.location = take_text(reader);
		strand.better = (enum perun_direction)take_number(reader);
		if (reader->bad)
			break;
		strands[i] = site_strand(site, &strand);
	}
	return strands;
}

static int compare_values(const uint32_t *strands, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (strands[i - 1] >= strands[i])
			return 1;
	}
	return 0;
}

static void take_version(struct reader *reader, const uint32_t *strands, uint32_t strand_count,
			 struct site_version *version)
{
	const char *checksum = take(reader, CHECKSUM);
	const void *key = take(reader, sizeof version->key);
	uint32_t count = take_number(reader), repeats = take_number(reader);
	const char *numbers = take(reader, count * sizeof(uint32_t));
	const char *starts = take(reader, ((size_t)count + 1) * sizeof(uint32_t));
	const char *medians = take(reader, count * sizeof(double));
	const char *values = take(reader, repeats * sizeof(double));
	struct site_values *to = &version->values;

	if (reader->bad || memcmp(key, &version->key, sizeof version->key) != 0 ||
	    memcmp(checksum, version->info->checksum, CHECKSUM) != 0)
		return;
	site_values_free(to);
	to->strands = perun_memdup(numbers, ((size_t)count + 1) * sizeof(uint32_t));
	to->starts = perun_memdup(starts, ((size_t)count + 1) * sizeof(uint32_t));
	to->medians = perun_memdup(medians, count * sizeof(double));
	to->repeats = perun_memdup(values, repeats * sizeof(double));
	to->count = count;
	version->read = to->starts[count] == repeats && to->starts[0] == 0;
	for (uint32_t k = 0; k < count; k++) {
		version->read &= to->strands[k] < strand_count && to->starts[k] < to->starts[k + 1];
		to->strands[k] = to->strands[k] < strand_count ? strands[to->strands[k]] : 0;
	}
	/* Strands may have got other numbers; then the order is made anew by reading the store. */
	if (!version->read || compare_values(to->strands, count) != 0) {
		site_values_free(to);
		version->read = false;
	}
}

static void load_block(struct site *site, size_t block, struct perun_buffer *data)
{
	size_t from, end, magic = sizeof MAGIC - 1;
	char *path = block_path(site, block);
	struct reader reader = {.bad = true};
	uint32_t *strands, strand_count = 0;
	uint64_t sum;

	block_range(site, block, &from, &end);
	if (site_read_file(NULL, site->directory, path, data) == PERUN_OK &&
	    data->length > magic + sizeof sum && memcmp(data->data, MAGIC, magic) == 0) {
		memcpy(&sum, data->data + magic, sizeof sum);
		reader = (struct reader){data->data + magic + sizeof sum, data->data + data->length,
					 sum != site_hash(stamp(), data->data + magic + sizeof sum,
							  data->length - magic - sizeof sum)};
	}
	strands = reader.bad ? NULL : take_strands(site, &reader, &strand_count);
	for (uint32_t left = reader.bad ? 0 : take_number(&reader);
	     left > 0 && from < end && !reader.bad; left--)
		take_version(&reader, strands, strand_count, &site->versions[from++]);
	perun_free(strands);
	perun_free(path);
}

void site_cache_load(struct site *site)
{
	struct perun_buffer data = {0};

	for (size_t block = 0; block < block_count(site); block++)
		load_block(site, block, &data);
	perun_buffer_free(&data);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void add_number(struct perun_buffer *out, uint32_t number)
{
	perun_buffer_add(out, &number, sizeof number);
}

static void add_text(struct perun_buffer *out, const char *text)
{
	add_number(out, (uint32_t)strlen(text));
	perun_buffer_add(out, text, strlen(text) + 1);
}

/* Those of the block, in ascending order; `numbers`: of each strand its place among them. */
static void add_strands(struct perun_buffer *out, const struct site *site, size_t from, size_t end,
			uint32_t *numbers)
{
	uint32_t count = 0;

	memset(numbers, 0xff, site->strand_count * sizeof *numbers);
	for (size_t i = from; i < end; i++) {
		for (size_t k = 0; k < site->versions[i].values.count; k++)
			numbers[site->versions[i].values.strands[k]] = 0;
	}
	for (size_t s = 0; s < site->strand_count; s++) {
		if (numbers[s] == 0)
			numbers[s] = count++;
	}
	add_number(out, count);
	for (size_t s = 0; s < site->strand_count; s++) {
		const struct site_strand *strand = &site->strands[s];

		if (numbers[s] == UINT32_MAX)
			continue;
		add_text(out, strand->cmd);
		add_text(out, strand->workload);
		add_text(out, strand->machine);
		add_text(out, strand->metric);
		add_text(out, strand->unit);
		add_text(out, strand->location);
		add_number(out, (uint32_t)strand->better);
	}
}

static void add_version(struct perun_buffer *out, const struct site_version *version,
			const uint32_t *numbers)
{
	const struct site_values *values = &version->values;
	uint32_t repeats = values->count ? values->starts[values->count] : 0, zero = 0;
	uint64_t key = version->read ? version->key : 0;

	perun_buffer_add(out, version->info->checksum, CHECKSUM);
	perun_buffer_add(out, &key, sizeof key);
	add_number(out, (uint32_t)values->count);
	add_number(out, repeats);
	for (size_t k = 0; k < values->count; k++)
		add_number(out, numbers[values->strands[k]]);
	perun_buffer_add(out, values->starts ? values->starts : &zero,
			 (values->count + 1) * sizeof *values->starts);
	if (values->count) {
		perun_buffer_add(out, values->medians, values->count * sizeof *values->medians);
		perun_buffer_add(out, values->repeats, repeats * sizeof *values->repeats);
	}
}

static int save_block(struct site *site, size_t block, uint32_t *numbers)
{
	uint64_t key = stamp(), sum = 0;
	char *path = block_path(site, block);
	size_t from, end, magic = sizeof MAGIC - 1 + sizeof sum;
	struct perun_buffer out = {0};
	int status = PERUN_OK;

	block_range(site, block, &from, &end);
	for (size_t i = from; i < end; i++) {
		const struct site_version *version = &site->versions[i];

		if (strlen(version->info->checksum) != CHECKSUM)
			goto out;
		key = site_hash_text(key, version->info->checksum);
		key = site_hash(key, &version->key, sizeof version->key);
		key = site_hash(key, &(bool){version->read || !version->key}, sizeof(bool));
	}
	key |= 1;
	if (from == end || site_is_current(site->files, path, key))
		goto out;
	perun_buffer_add(&out, MAGIC, sizeof MAGIC - 1);
	perun_buffer_add(&out, &sum, sizeof sum);
	add_strands(&out, site, from, end, numbers);
	add_number(&out, (uint32_t)(end - from));
	for (size_t i = from; i < end; i++)
		add_version(&out, &site->versions[i], numbers);
	sum = site_hash(stamp(), out.data + magic, out.length - magic);
	memcpy(out.data + magic - sizeof sum, &sum, sizeof sum);
	status = site_write(site->cli->ctx, site->files, path, key, out.data, out.length);
out:
	perun_buffer_free(&out);
	perun_free(path);
	return status;
}

int site_cache_save(struct site *site)
{
	uint32_t *numbers = perun_alloc((site->strand_count + 1) * sizeof *numbers);
	int status = PERUN_OK;

	for (size_t block = 0; !status && block < block_count(site); block++)
		status = save_block(site, block, numbers);
	perun_free(numbers);
	return status;
}
