/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the unwinder and of threads, which look at return addresses: before they do, those that we
 * replaced are put back. Programs call these in place of the libraries' own.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unwind.h>

#include "collectors/trace/runtime/hooks.h"

#if defined(__x86_64__)

void patch_restore(void) HIDDEN;
void patch_replace(void) HIDDEN;

EXPORT void *__cxa_begin_catch(void *exception);

/* The library's own function; without it nothing can go on. */
static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

EXPORT _Unwind_Reason_Code _Unwind_RaiseException(struct _Unwind_Exception *exception)
{
	_Unwind_Reason_Code (*real)(struct _Unwind_Exception *) = next("_Unwind_RaiseException");

	patch_restore();
	return real(exception);
}

EXPORT void _Unwind_Resume(struct _Unwind_Exception *exception)
{
	void (*real)(struct _Unwind_Exception *) = next("_Unwind_Resume");

	patch_restore();
	real(exception);
	abort();
}

EXPORT _Unwind_Reason_Code _Unwind_Resume_or_Rethrow(struct _Unwind_Exception *exception)
{
	_Unwind_Reason_Code (*real)(struct _Unwind_Exception *) = next("_Unwind_Resume_or_Rethrow");

	patch_restore();
	return real(exception);
}

EXPORT _Unwind_Reason_Code _Unwind_ForcedUnwind(struct _Unwind_Exception *exception,
						_Unwind_Stop_Fn stop, void *data)
{
	_Unwind_Reason_Code (*real)(struct _Unwind_Exception *, _Unwind_Stop_Fn, void *) =
		next("_Unwind_ForcedUnwind");

	patch_restore();
	return real(exception, stop, data);
}

EXPORT void *__cxa_begin_catch(void *exception)
{
	void *(*real)(void *) = next("__cxa_begin_catch");

	patch_replace();
	return real(exception);
}

EXPORT void pthread_exit(void *result)
{
	void (*real)(void *) __attribute__((noreturn)) = next("pthread_exit");

	patch_restore();
	real(result);
}

#endif
