/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of C++ without what they are long of. */
#ifndef PERUN_COMMANDS_CODE_SHORT_NAME_H
#define PERUN_COMMANDS_CODE_SHORT_NAME_H

#include <stdbool.h>

/*
 * A demangled name without its return type and parameters, nor those of the functions it is in, and without arguments of
 * templates unless they are wanted; a hash of Rust goes, too. "void a::f<int>(int)::{lambda(int)#1}::operator()(int) const"
 * is "a::f::{lambda(int)#1}::operator()". The caller frees it with perun_free().
 */
char *shorten_name(const char *name, bool templates);

#endif
