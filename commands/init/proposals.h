/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun init --detect proposes, for people and programs. */
#ifndef PERUN_COMMANDS_INIT_PROPOSALS_H
#define PERUN_COMMANDS_INIT_PROPOSALS_H

#include <perun/command.h>
#include <perun/lib/detect.h>

/* What became of the proposals. */
enum init_proposed {
	INIT_PROPOSED, /* they are in the configuration */
	INIT_TRIED,    /* the same, built and tried before */
	INIT_EXISTED   /* nothing: there was a configuration, which stays */
};

void init_print_proposals(const struct perun_command_call *call,
			  const struct perun_detection *detected, enum init_proposed what);
/* The caller's. */
struct perun_json *init_proposals_json(const struct perun_detection *detected);

#endif
