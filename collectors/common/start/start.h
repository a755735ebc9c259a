/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun-start and who runs it say to each other. */
#ifndef PERUN_COLLECTORS_START_H
#define PERUN_COLLECTORS_START_H

#include <stdint.h>

/*
 * perun-start REPORT GATE PRELOAD COUNT [NAME=VALUE]... PROGRAM [ARG]...
 *
 * REPORT and GATE are descriptors. It makes a child of its own parent, reports START_MADE and ends. The child waits until
 * the other end of GATE is closed, reports START_RUNS, and becomes the program, with PRELOAD (empty = nothing) before what
 * LD_PRELOAD says and COUNT variables added. REPORT is closed then; before, START_FAILED says why it could not.
 */
enum start_subject { START_MADE, START_RUNS, START_FAILED };

struct start_report {
	int32_t subject;
	int32_t number; /* made: the child; failed: errno */
	uint64_t time;  /* runs: collectors_clock(0) */
};

#endif
