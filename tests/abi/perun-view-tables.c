/* SPDX-License-Identifier: BSD-3-Clause */
/* A view with an option that no table may have. */
#include "tests/abi/view.h"

static const struct perun_option options[] = {{.name = "Large", .help = "has a bad name"}, {0}};

SHOW_NOTHING
DEFINE_VIEW(tables, "misbehaves", NULL, PERUN_PLUGIN_OPTIONS(options));
