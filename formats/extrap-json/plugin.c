/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: how Extra-P's JSON is recognized. */
#include <string.h>

#include "formats/common/plugin.h"
#include "extrap-json.h"

static int probe_format(const struct perun_probe *probe)
{
	const char *text = probe->data;
	size_t i = 0;

	while (i < probe->size && memchr(" \t\r\n", text[i], 4))
		i++;
	if (probe->directory || i == probe->size || text[i] != '{')
		return 0;
	if (probe_has(probe, "\"parameters\"") && probe_has(probe, "\"measurements\""))
		return probe_has(probe, "\"point\"") || probe_has(probe, "\"callpath_id\"") ? 93
											    : 70;
	return probe_has(probe, "\"callpaths\"") && probe_has(probe, "\"coordinates\"") ? 90 : 0;
}

static const char *const marks[] = {"\"measurements\"", "\"coordinates\"", NULL};

FORMAT_PLUGIN(extrap_json, "extrap-json", "Extra-P's JSON", NULL, .patterns = "*.json",
	      .contains = marks, .probe = probe_format, .read = extrapjson_read,
	      .write = extrapjson_write);
