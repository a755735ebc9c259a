/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of measurements: numpy's arrays one after the other, and where each begins. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extrap-experiment.h"

static const char values_mark[16] = "Extra-P VALUES";
static const char index_mark[16] = "Extra-P INDEX";
static const char array_mark[8] = "\x93NUMPY\x01";
enum { ARRAY_HEAD = 128 }; /* bytes, so that numbers are aligned */

static uint64_t little_endian(const unsigned char *bytes, unsigned size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | bytes[size];
	return value;
}

/* The heading is the text of a Python dictionary: its numbers' type, and the length of the list. */
static bool parse_heading(const char *heading, bool *integers, size_t *count)
{
	const char *type = strstr(heading, "'descr': '"), *shape = strstr(heading, "'shape': (");
	char *end;

	if (!type || !shape || !strstr(heading, "'fortran_order': False"))
		return false;
	type += strlen("'descr': '");
	if (strncmp(type, "<f8'", 4) != 0 && strncmp(type, "<i8'", 4) != 0)
		return false;
	*integers = type[1] == 'i';
	shape += strlen("'shape': (");
	if (*shape == ')') {
		*count = 1;
		return true;
	}
	*count = strtoul(shape, &end, 10);
	return end > shape && strncmp(end, ",)", 2) == 0;
}

static bool parse_array(const unsigned char *data, size_t size, double **values, size_t *count)
{
	char heading[256];
	size_t length;
	bool integers;

	if (size < 10 || memcmp(data, array_mark, 7) != 0)
		return false;
	length = (size_t)little_endian(data + 8, 2);
	if (length >= sizeof heading || length > size - 10)
		return false;
	memcpy(heading, data + 10, length);
	heading[length] = '\0';
	if (!parse_heading(heading, &integers, count))
		return false;
	data += 10 + length;
	if (*count == 0 || *count > (size - 10 - length) / 8)
		return false;
	*values = perun_alloc(*count * sizeof **values);
	for (size_t i = 0; i < *count; i++) {
		uint64_t bits = little_endian(data + 8 * i, 8);

		if (integers)
			(*values)[i] = (double)(int64_t)bits;
		else
			memcpy(&(*values)[i], &bits, sizeof bits);
	}
	return true;
}

bool extrapexperiment_values(const struct extrapexperiment_archive *archive, uint64_t chunk,
			     uint64_t index, double **values, size_t *count)
{
	const struct extrapexperiment_member *arrays, *places;
	char name[40];
	uint64_t listed, start;

	snprintf(name, sizeof name, "values/%" PRIu64 ".vals", chunk);
	arrays = extrapexperiment_find(archive, name);
	snprintf(name, sizeof name, "values/%" PRIu64 ".indx", chunk);
	places = extrapexperiment_find(archive, name);
	if (!arrays || !places || places->size < 24 || memcmp(places->data, index_mark, 16) != 0)
		return false;
	listed = little_endian(places->data + 16, 8);
	if (index >= listed || index >= (places->size - 24) / 8)
		return false;
	start = little_endian(places->data + 24 + 8 * index, 8);
	if (start >= arrays->size)
		return false;
	return parse_array(arrays->data + start, arrays->size - start, values, count);
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void add_number(struct perun_buffer *out, uint64_t number, unsigned size)
{
	for (; size > 0; size--, number >>= 8)
		perun_buffer_add_char(out, (char)(number & 0xff));
}

static void add_array(struct perun_buffer *out, const double *values, size_t count)
{
	size_t end;

	perun_buffer_add(out, array_mark, 8);
	add_number(out, ARRAY_HEAD - 10, 2);
	end = out->length + ARRAY_HEAD - 10 - 1;
	perun_buffer_printf(out, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu,), }",
			    count);
	while (out->length < end)
		perun_buffer_add_char(out, ' ');
	perun_buffer_add_char(out, '\n');
	for (size_t i = 0; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, &values[i], sizeof bits);
		add_number(out, bits, 8);
	}
}

void extrapexperiment_pack(const struct perun_repetitions *repetitions, size_t measurements,
			   struct perun_buffer *values, struct perun_buffer *index)
{
	perun_buffer_add(values, values_mark, sizeof values_mark);
	perun_buffer_add(index, index_mark, sizeof index_mark);
	add_number(index, measurements, 8);
	for (size_t i = 0; i < measurements; i++) {
		add_number(index, values->length, 8);
		add_array(values, repetitions->values + repetitions->starts[i],
			  repetitions->starts[i + 1] - repetitions->starts[i]);
	}
}
