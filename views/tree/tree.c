/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `tree`: the call tree with what each call costs. */
#include <config.h>

#include "views/common/tree.h"

static const struct perun_option tree_options[] = {VIEWS_DATA_OPTIONS, VIEWS_TREE_OPTIONS, {0}};

VIEWS_TREE_PLUGIN(tree, "the call tree with what each call costs");
