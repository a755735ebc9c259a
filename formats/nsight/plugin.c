/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: directories of points that hold databases. */
#include "nsight.h"

static int probe_format(const struct perun_probe *probe)
{
	size_t points = 0;

	for (size_t i = 0; probe->directory && i < probe->entry_count; i++) {
		struct perun_point_name point;

		if (perun_point_name_parse(NULL, probe->entries[i], &point) == PERUN_OK)
			points++;
		perun_point_name_clear(&point);
	}
	if (points < 2 || points * 2 < probe->entry_count)
		return 0;
	return probe->inner_count && perun_probe_may_have(probe, ".sqlite") ? 60 : 0;
}

static const struct perun_format_ops ops = {
	.probe = probe_format,
	.read = nsight_read,
};

PERUN_PLUGIN(format, nsight) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "nsight",
			  "directories of databases of Nsight Systems with Extra-Prof"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(ops),
};
