/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frames of the profilers themselves, by what a profile measures. Such profiles do not say it; pprof
 * hides these frames by default, and a profile that was converted has to say the same.
 */
#include <string.h>

#include "legacy.h"

static const char allocators[] =
	"calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|"
	"pvalloc|valloc|realloc|tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|"
	"tc_free|tc_memalign|tc_posix_memalign|tc_pvalloc|tc_valloc|tc_realloc|"
	"tc_new|tc_delete|tc_newarray|tc_deletearray|tc_new_nothrow|"
	"tc_newarray_nothrow|malloc_zone_malloc|malloc_zone_calloc|"
	"malloc_zone_valloc|malloc_zone_realloc|malloc_zone_memalign|"
	"malloc_zone_free|runtime\\..*|BaseArena::.*|(::)?do_malloc_no_errno|"
	"(::)?do_malloc_pages|(::)?do_malloc|DoSampledAllocation|"
	"MallocedMemBlock::MallocedMemBlock|_M_allocate|__builtin_(vec_)?delete|"
	"__builtin_(vec_)?new|__gnu_cxx::new_allocator::allocate|__libc_malloc|"
	"__malloc_alloc_template::allocate|allocate|cpp_alloc|"
	"operator new(\\[\\])?|simple_alloc::allocate";
static const char runtime_callers[] = "runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*";
static const char locks[] =
	"RecordLockProfileData|(base::)?RecordLockProfileData.*|"
	"(base::)?SubmitMutexProfileData.*|(base::)?SubmitSpinLockProfileData.*|"
	"(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*|"
	"(base::Mutex::)?UnlockSlow.*|(base::Mutex::)?ReaderUnlock.*|"
	"(base::MutexLock::)?~MutexLock.*|(Mutex::)?AwaitCommon.*|"
	"(Mutex::)?Unlock.*|(Mutex::)?UnlockSlow.*|(Mutex::)?ReaderUnlock.*|"
	"(MutexLock::)?~MutexLock.*|(SpinLock::)?Unlock.*|"
	"(SpinLock::)?SlowUnlock.*|(SpinLockHolder::)?~SpinLockHolder.*";
static const char signal_handlers[] =
	"ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|"
	"__pthread_sighandler|__restore";

/* Whether the types are those that are listed, in this order. */
static bool has_types(const struct legacy_profile *profile, const char *const *types, size_t count)
{
	if (profile->type_count != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(profile->types[i], types[i]) != 0)
			return false;
	}
	return true;
}

void legacy_machinery(const struct legacy_profile *profile, const char **drop, const char **keep)
{
	static const char *const heap[] = {"objects", "space"};
	static const char *const used[] = {"inuse_objects", "inuse_space"};
	static const char *const all[] = {"alloc_objects", "alloc_space", "inuse_objects",
					  "inuse_space"};
	static const char *const waiting[] = {"contentions", "delay"};

	*keep = NULL;
	if (has_types(profile, heap, 2) || has_types(profile, used, 2) ||
	    has_types(profile, all, 4)) {
		*drop = allocators;
		*keep = runtime_callers;
	} else if (has_types(profile, waiting, 2)) {
		*drop = locks;
	} else {
		*drop = signal_handlers;
	}
}
