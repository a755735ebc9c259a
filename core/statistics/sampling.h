/* SPDX-License-Identifier: BSD-3-Clause */
/* How counts of samples of a profiler vary though nothing changed. Internal. */
#ifndef PERUN_CORE_STATISTICS_SAMPLING_H
#define PERUN_CORE_STATISTICS_SAMPLING_H

/* Times the variance of a Poisson process where profiles show none themselves. */
#define SAMPLES_DISPERSION 2
/* By how much the costs of functions differ from one profile to the next, as a share. */
#define SAMPLES_WANDERING 0.07

#endif
