/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of addresses, from the files that a recording names, where they are the same files still. */
#ifndef PERF_DATA_NAMES_H
#define PERF_DATA_NAMES_H

#include "collectors/common/cfi.h"
#include "processes.h"

struct perfdata_names;

/* Both are borrowed until perfdata_names_free(). */
struct perfdata_names *perfdata_names_new(const struct perfdata *file,
					  struct perun_builder *builder);
void perfdata_names_free(struct perfdata_names *names);
/* The program that was recorded: the first mapping of a profile is it. */
void perfdata_name_main(struct perfdata_names *names, const struct perfdata_processes *processes);
/* The location of an address; `map` is what is there, or NULL. */
perun_id perfdata_location(struct perfdata_names *names, const struct perfdata_processes *processes,
			   const struct perfdata_map *map, uint64_t address);
/* The rule for unwinding at a return address. */
struct cfi_rule perfdata_rule_at(struct perfdata_names *names,
				 const struct perfdata_processes *processes,
				 const struct perfdata_map *map, uint64_t back);

#endif
