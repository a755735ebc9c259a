/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: how experiments of Extra-P 3.0 are recognized. */
#include <string.h>

#include "extrap3.h"
#include "formats/common/plugin.h"

/* After the order of bytes and the length of this text. */
static const struct perun_magic magic[] = {{.bytes = "EXTRAP_EXPERIMENT", .size = 17, .offset = 6},
					   {.size = 0}};

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && probe->size >= 23 &&
			       memcmp((const char *)probe->data + 6, magic[0].bytes, 17) == 0
		       ? 100
		       : 0;
}

FORMAT_PLUGIN(extrap3, "extrap3", "binary experiments of Extra-P 3.0", NULL, .magic = magic,
	      .probe = probe_format, .read = extrap3_read);
