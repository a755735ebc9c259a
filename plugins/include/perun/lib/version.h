/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The growing part of the interface: the headers of perun/lib/. Unlike those of perun/, which keep their
 * meaning and their layout within a major version of the interface (perun/plugin.h), these may change in
 * any release, and PERUN_LIB_VERSION with them. Who uses them is built for one version of libperun: the symbols of
 * these headers carry it (PERUN_LIB_1), so a program for another one is refused by the dynamic linker. So a struct of
 * these headers whose size is not its first member has a fixed layout within one PERUN_LIB_VERSION.
 * Threads: any thread may ask.
 */
#ifndef PERUN_LIB_VERSION_H
#define PERUN_LIB_VERSION_H

#include <perun/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows by one with each release that changes a function or a struct of these headers. */
#define PERUN_LIB_VERSION 1

/* The version of the library at hand: a program that was built for another one should not go on. */
PERUN_EXPORT unsigned perun_lib_version(void);

#ifdef __cplusplus
}
#endif
#endif
