/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What perun fuzz and a program that counts its own edges say to each other: for the library that is linked into such
 * programs, and for whoever writes another one for his language. Of the growing part of the interface: see
 * perun/lib/version.h.
 *
 * The program finds PERUN_FUZZ="MEMORY,CONTROL,STATUS" in its environment: three open files. MEMORY is to be mapped,
 * PERUN_FUZZ_MEMORY bytes, shared; it begins with a struct perun_fuzz_head, which the program fills but for
 * `input_size`. Then it writes PERUN_FUZZ_HELLO to STATUS. For each byte that it reads from CONTROL it runs once and
 * writes to STATUS its number of process (int64_t), before, and a struct perun_fuzz_done, after; the counters
 * are 0 when it begins. Either each run is a child of the process that said hello; the input is then where the command
 * line says. Or it is the process itself (`persistent`), and the input is `input_size` bytes at PERUN_FUZZ_INPUT. When
 * CONTROL ends the program ends.
 * Threads: one of the program talks; counters may lose counts when several count at once.
 */
#ifndef PERUN_LIB_FUZZ_RUNTIME_H
#define PERUN_LIB_FUZZ_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PERUN_FUZZ_VARIABLE "PERUN_FUZZ"
#define PERUN_FUZZ_HELLO    0x31465550 /* int32_t */
enum { PERUN_FUZZ_MODULES = 60000, PERUN_FUZZ_MAX_EDGES = 1 << 20, PERUN_FUZZ_MAX_INPUT = 1 << 24 };

struct perun_fuzz_head {
	uint64_t edges; /* counters in use; they begin at PERUN_FUZZ_COUNTS */
	uint64_t input_size;
	uint32_t persistent;
	uint32_t hashed; /* edges share counters: how many the program has is not known */
	/* Lines "FIRST END BIAS PATH" (hexadecimal): which addresses are of which file, and what to take off. */
	char modules[PERUN_FUZZ_MODULES];
};

/* Offsets in the memory. Places: where in the process each edge is (uint64_t), 0 = it was never met. */
#define PERUN_FUZZ_COUNTS 65536
#define PERUN_FUZZ_PLACES (PERUN_FUZZ_COUNTS + 8 * PERUN_FUZZ_MAX_EDGES)
#define PERUN_FUZZ_INPUT  (PERUN_FUZZ_PLACES + 8 * PERUN_FUZZ_MAX_EDGES)
#define PERUN_FUZZ_MEMORY (PERUN_FUZZ_INPUT + PERUN_FUZZ_MAX_INPUT)

struct perun_fuzz_done {
	int32_t wait_status; /* as of waitpid(); 0 of a persistent run */
	uint32_t reserved;
	uint64_t nanoseconds; /* processor time */
};

#ifdef __cplusplus
}
#endif
#endif
