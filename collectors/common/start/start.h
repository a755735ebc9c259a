/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun-start and who runs it say to each other. */
#ifndef PERUN_COLLECTORS_START_H
#define PERUN_COLLECTORS_START_H

#include <stdint.h>

/*
 * perun-start SOCKET INPUT OUTPUT ERROR FOLDER PROCESSOR PRELOAD COUNT [NAME=VALUE]... PROGRAM [ARG]...
 *
 * SOCKET is a descriptor of one that keeps messages apart. For each START_NOW and START_HELD (one byte) it makes a child
 * of its own parent, until the other end is closed. The child opens the three files as its standard ones, goes to FOLDER
 * (empty = it stays), onto PROCESSOR (-1 = any), and becomes the program, with PRELOAD (empty = nothing) before what
 * LD_PRELOAD says and COUNT variables added. One of START_HELD reports START_MADE before and waits for START_NOW.
 */
enum start_request { START_NOW = 'n', START_HELD = 'h' };
enum start_subject { START_MADE, START_RUNS, START_FAILED };

struct start_report {
	int32_t subject;
	int32_t process; /* the child, which is to be waited for; not above 0 = there is none */
	int32_t reason;  /* failed: errno */
	int32_t switches; /* runs: how often it gave up the processor before, which is no part of the program */
	uint64_t time; /* runs: collectors_clock(0) just before */
};

#endif
