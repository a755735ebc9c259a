/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of the nodes of trees in which each names its caller. */
#include "formats/common/stacks.h"

void stacks_nodes_begin(struct stacks_nodes *nodes, size_t count)
{
	perun_free(nodes->paths);
	nodes->paths = perun_alloc_zero(count, sizeof *nodes->paths);
	nodes->count = count;
}

void stacks_nodes_free(struct stacks_nodes *nodes)
{
	perun_free(nodes->paths);
	perun_free(nodes->walked);
}

int stacks_nodes_path(struct stacks_nodes *nodes, size_t node, perun_id *path)
{
	size_t count = 0, at = node;
	int status = PERUN_OK;

	while (!status && at != STACKS_NO_NODE && !nodes->paths[at]) {
		if (count == nodes->count)
			return perun_fail(nodes->ctx, PERUN_INPUT,
					  "a stack frame is its own caller");
		nodes->location(nodes->data, at);
		PERUN_GROW(nodes->walked, count, nodes->room);
		nodes->walked[count++] = at;
		status = nodes->caller(nodes->data, at, &at);
	}
	if (status)
		return status;
	*path = at == STACKS_NO_NODE ? PERUN_NO_ID : nodes->paths[at] + STACKS_NEW_PATH;
	while (count-- > 0) {
		perun_id location = nodes->location(nodes->data, nodes->walked[count]);

		if (location != PERUN_NO_ID)
			*path = perun_builder_path(nodes->builder, *path, location);
		nodes->paths[nodes->walked[count]] = *path - STACKS_NEW_PATH;
	}
	return PERUN_OK;
}
