/* SPDX-License-Identifier: BSD-3-Clause */
/* What distinguishes classes of machines. Internal. */
#ifndef PERUN_CORE_JOB_MACHINE_CLASS_H
#define PERUN_CORE_JOB_MACHINE_CLASS_H

#include <perun/machine.h>

/* All that perun_machine_difference() and perun_machine_name() ask of a profile, as one text; the caller frees it. */
char *perun_machine_facts(const struct perun_profile *profile);

#endif
