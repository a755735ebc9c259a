/* SPDX-License-Identifier: BSD-3-Clause */
/* Giving a whole input to expat: blocks, errors, attributes. For plugins with expat. */
#ifndef PERUN_FORMATS_COMMON_XML_FEED_H
#define PERUN_FORMATS_COMMON_XML_FEED_H

#include <string.h>

#include <expat.h>

#include <perun/format.h>

/* A tag with its attributes, a comment: expat keeps it as a whole, and takes eight times as much for many attributes. */
enum { XML_LONGEST_TOKEN = 1 << 20 };

/* Bytes of the token that has no end yet, `at` bytes of the input having been given. */
static inline size_t xml_open_bytes(XML_Parser parser, size_t at)
{
	XML_Index token = XML_GetCurrentByteIndex(parser);

	return token >= 0 && (size_t)token <= at ? at - (size_t)token : at;
}

/*
 * The size of the next block. Expat up to 2.5 reads a token from its start again whenever a block ends within it, so blocks grow
 * with a token that has no end yet: the work stays linear.
 */
static inline size_t xml_block_size(XML_Parser parser, size_t at)
{
	const size_t least = 65536, open = xml_open_bytes(parser, at);

	return open < least ? least : open;
}

/* PERUN_INPUT where a token has no end yet and is too long. */
static inline int xml_check_token(struct perun_ctx *ctx, XML_Parser parser, size_t at)
{
	if (xml_open_bytes(parser, at) <= XML_LONGEST_TOKEN)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "line %lu, column %lu: expected the end of a tag within %d bytes",
			  XML_GetCurrentLineNumber(parser), XML_GetCurrentColumnNumber(parser) + 1,
			  XML_LONGEST_TOKEN);
}

/* Until the end, or until a handler sets `*status`; errors of reading become that. False: expat has an error. */
static inline bool xml_feed(struct perun_ctx *ctx, struct perun_input *input, XML_Parser parser,
			    int *status)
{
	bool good = true, ended = false;

	for (size_t at = 0; good && !*status && !ended;) {
		size_t size = xml_block_size(parser, at), filled = 0, got = 1;
		char *block = XML_GetBuffer(parser, (int)size);

		while (block && !*status && got && filled < size) {
			*status = perun_input_read(ctx, input, block + filled, size - filled, &got);
			filled += *status ? 0 : got;
		}
		if (*status)
			break;
		at += filled;
		ended = filled < size;
		good = block && XML_ParseBuffer(parser, (int)filled, ended) == XML_STATUS_OK;
		if (good && !*status && !ended)
			*status = xml_check_token(ctx, parser, at);
	}
	return good;
}

/* The first error, and where it is; the parser stops. */
static inline void xml_fail(struct perun_ctx *ctx, XML_Parser parser, int *status,
			    const char *message)
{
	if (!*status)
		*status = perun_fail(ctx, PERUN_INPUT, "line %lu, column %lu: %s",
				     XML_GetCurrentLineNumber(parser),
				     XML_GetCurrentColumnNumber(parser) + 1, message);
	XML_StopParser(parser, XML_FALSE);
}

/* NULL = the element does not have it. */
static inline const char *xml_attribute(const char **attributes, const char *name)
{
	for (; attributes[0]; attributes += 2) {
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	}
	return NULL;
}

#endif
