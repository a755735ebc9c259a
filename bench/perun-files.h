/* SPDX-License-Identifier: BSD-3-Clause */
/* Large Perun profiles for the benchmarks. */
#ifndef PERUN_BENCH_PERUN_FILES_H
#define PERUN_BENCH_PERUN_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* Rows as the memory collector writes them: about `size` bytes, indented or one row a line. */
void bench_write_rows(FILE *file, long size, bool compact);
/* 40 types with long arrays, as the trace collectors give. */
void bench_write_columns(FILE *file, long size);
/* The stored form of a memory profile: a type for each allocation. */
void bench_write_types(FILE *file, long size);

#endif
