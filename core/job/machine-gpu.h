/* SPDX-License-Identifier: BSD-3-Clause */
/* The graphics processors of this machine. */
#ifndef PERUN_CORE_JOB_MACHINE_GPU_H
#define PERUN_CORE_JOB_MACHINE_GPU_H

/*
 * "2 x NVIDIA A100-SXM4-40GB, AMD Instinct MI210": what drivers say below `root` (""). "none" = there are none, NULL = it is not
 * known. The caller frees it.
 */
char *machine_gpus(const char *root);

#endif
