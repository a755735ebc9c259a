/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading results of benchmarks in XML with expat: errors, depth, attributes. For plugins with expat. */
#ifndef PERUN_FORMATS_COMMON_BENCHMARK_XML_H
#define PERUN_FORMATS_COMMON_BENCHMARK_XML_H

#include <stdlib.h>
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/xml-feed.h"

struct benchmark_xml {
	struct perun_ctx *ctx;
	struct perun_builder *builder; /* where the plugin needs it */
	struct benchmark *benchmark;
	XML_Parser parser;
	size_t depth;
	int status;
	void *data; /* the plugin's own */
};

#define BENCHMARK_XML_DEPTH 200

static inline void benchmark_xml_fail(struct benchmark_xml *xml, const char *expected,
				      const char *found)
{
	if (!xml->status)
		xml->status = perun_fail(
			xml->ctx, PERUN_INPUT, "line %lu, column %lu: expected %s, found %s%s%s",
			XML_GetCurrentLineNumber(xml->parser),
			XML_GetCurrentColumnNumber(xml->parser) + 1, expected,
			found ? "'" : "nothing", found ? found : "", found ? "'" : "");
	XML_StopParser(xml->parser, XML_FALSE);
}

/* A number of an attribute; false: said, the parser stops. Commas between thousands are allowed. */
static inline bool benchmark_xml_number(struct benchmark_xml *xml, const char *text,
					const char *expected, double *number)
{
	char digits[64], *end = digits;
	size_t length = 0;

	for (const char *c = text ? text : ""; *c && length + 1 < sizeof digits; c++) {
		if (*c != ',')
			digits[length++] = *c;
	}
	digits[length] = '\0';
	*number = perun_strtod(digits, &end);
	if (length && !*end)
		return true;
	benchmark_xml_fail(xml, expected, text);
	return false;
}

/* Entities of a document type may grow without bounds; results need none. */
static inline void benchmark_xml_doctype(void *data, const char *name, const char *system,
					 const char *public_id, int internal)
{
	(void)name;
	(void)system;
	(void)public_id;
	(void)internal;
	benchmark_xml_fail(data, "a document without a document type", "<!DOCTYPE");
}

/* Parse the whole input; the handlers get `xml`. */
static inline int benchmark_xml_parse(struct benchmark_xml *xml, struct perun_input *input,
				      XML_StartElementHandler start, XML_EndElementHandler end)
{
	xml->parser = XML_ParserCreate(NULL);
	if (!xml->parser)
		return perun_fail(xml->ctx, PERUN_MISSING, "cannot make an XML parser");
	XML_SetUserData(xml->parser, xml);
	XML_SetElementHandler(xml->parser, start, end);
	XML_SetStartDoctypeDeclHandler(xml->parser, benchmark_xml_doctype);
	if (!xml_feed(xml->ctx, input, xml->parser, &xml->status) && !xml->status)
		benchmark_xml_fail(xml, "XML", XML_ErrorString(XML_GetErrorCode(xml->parser)));
	XML_ParserFree(xml->parser);
	return xml->status;
}

#endif
