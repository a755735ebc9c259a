/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a file is a profile.proto, from its first bytes. */
#include <fnmatch.h>

#include "reading.h"

/* How the fields of a profile look that comes from any of the known writers. */
struct looks {
	unsigned messages; /* fields 1 to 6, whose bytes are a message or a text */
	unsigned others;   /* other known fields */
	bool strings;      /* the string table was seen, and its first string is empty */
	bool unknown;
};

static bool looks_like_message(const struct pprof_field *field, const struct pprof_schema *schema)
{
	struct pprof_message message = {
		.schema = schema, .at = field->data, .end = field->data + field->value};

	while (message.at < message.end) {
		uint64_t tag, value;

		message.at = protobuf_varint(message.at, message.end, &tag);
		if (!message.at || tag >> 3 == 0 || tag >> 3 >= schema->count)
			return false;
		if ((tag & 7) != PROTOBUF_VARINT && (tag & 7) != PROTOBUF_BYTES)
			return false;
		message.at = protobuf_varint(message.at, message.end, &value);
		if (!message.at)
			return false;
		if ((tag & 7) == PROTOBUF_BYTES) {
			if (value > (uint64_t)(message.end - message.at))
				return false;
			message.at += value;
		}
	}
	return true;
}

/* False when this is not a profile. `*at` becomes NULL when the rest is not there. */
static bool look_at_field(const unsigned char **at, const unsigned char *end, struct looks *looks)
{
	static const struct pprof_field_type value_type[] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
	static const struct pprof_schema value_type_schema = {"", 3, value_type};
	const struct pprof_schema *schemas[] = {NULL,
						&value_type_schema,
						&pprof_sample_schema,
						&pprof_mapping_schema,
						&pprof_location_schema,
						&pprof_function_schema};
	struct pprof_field field = {0};
	uint64_t tag;

	*at = protobuf_varint(*at, end, &tag);
	if (!*at)
		return true;
	*at = protobuf_varint(*at, end, &field.value);
	if (!*at)
		return true;
	if (tag >> 3 == 0 || tag >> 3 >= PPROF_FIELDS) {
		looks->unknown = true;
		return false;
	}
	if ((tag & 7) == PROTOBUF_VARINT) {
		looks->others++;
		return tag >> 3 >= 7 && tag >> 3 != PPROF_PERIOD_TYPE;
	}
	if ((tag & 7) != PROTOBUF_BYTES)
		return false;
	field.data = *at;
	if (field.value > (uint64_t)(end - *at)) {
		*at = NULL;
		return true;
	}
	*at += field.value;
	if (tag >> 3 == 6 && !looks->strings) {
		looks->strings = true;
		return field.value == 0;
	}
	looks->messages++;
	if (tag >> 3 < 6)
		return looks_like_message(&field, schemas[tag >> 3]);
	return tag >> 3 == 6 || tag >> 3 == PPROF_PERIOD_TYPE || tag >> 3 == PPROF_COMMENT;
}

/* Text, also as UTF-16 with its mark: other tools name theirs *.prof as well. */
static bool is_text(const struct perun_probe *probe)
{
	const unsigned char *bytes = probe->data;

	if (probe->size >= 2 &&
	    (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
		return true;
	for (size_t i = 0; i < probe->size && i < 512; i++) {
		if (bytes[i] < ' ' && !strchr("\t\n\f\r", bytes[i]))
			return false;
	}
	return true;
}

int pprof_probe(const struct perun_probe *probe)
{
	const unsigned char *at = probe->data, *end;
	struct looks looks = {0};
	bool named = fnmatch("*.pb.gz", probe->name, 0) == 0 ||
		     fnmatch("*.pprof", probe->name, 0) == 0 ||
		     fnmatch("*.prof", probe->name, 0) == 0 || fnmatch("*.pb", probe->name, 0) == 0;
	bool good = true;

	if (probe->directory)
		return 0;
	if (probe->size == 0)
		return named ? 5 : 0;
	end = at + probe->size;
	for (unsigned i = 0; good && at && at < end && i < 100; i++)
		good = look_at_field(&at, end, &looks);
	/* Ends within a field, though nothing follows. */
	if (good && !at && probe->whole)
		good = false;
	/* Python's cProfile and others have that name for theirs, too. */
	if (!good && looks.messages == 0 && fnmatch("*.prof", probe->name, 0) == 0)
		return 0;
	if (!good) /* so that the error of a damaged profile is reported */
		return named && !is_text(probe) ? 20 + (looks.messages > 1 ? 40 : 0)
		       : looks.messages > 3     ? 15
						: 0;
	if (looks.messages >= 2)
		return 90;
	return looks.messages ? 60 + (named ? 20 : 0) : named ? 30 : 0;
}
