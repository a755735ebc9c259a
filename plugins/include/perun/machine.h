/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What profiles say of the machine they were measured on.
 * Threads: any thread may call these.
 */
#ifndef PERUN_MACHINE_H
#define PERUN_MACHINE_H

#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Why two profiles are of different classes of machines, so that their measurements should not be
 * compared: "processor 'A' and 'B'", printable, in the order of the arguments. A class is the
 * architecture, the system, the model and the number of processors, the size of memory (within a
 * quarter) and what virtualizes it; of imported files also the host, the build and the toolchain; only what both profiles say counts. NULL = they can be compared.
 * Caller frees it.
 */
PERUN_EXPORT char *perun_machine_difference(const struct perun_profile *one,
					    const struct perun_profile *other);
/*
 * What a person calls the class: "AMD EPYC, 2 processors, 24 GiB, KVM", as far as the profile says; "" when
 * it says nothing. The memory is rounded, so that machines of one class have one name. Printable; the caller
 * frees it.
 */
PERUN_EXPORT char *perun_machine_name(const struct perun_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
