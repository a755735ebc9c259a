/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library to preload into perun, which records what it does to files, and lets one of its calls fail.
 *
 * PERUN_FAULTS names a file of a struct plan, which all processes of a run share. Calls are counted that concern
 * files below the plan's root, or allocations; the chosen one fails. In PERUN_FAULTS.log is a line for each change:
 *
 *	C INODE PATH            a file was created          D INODE PATH     a directory was made
 *	W INODE OFFSET TIME HEX bytes were written          U PATH           a name was removed
 *	T INODE SIZE TIME       a file was cut off          R FROM<tab>TO    a name was changed
 *	F INODE                 a file or directory was flushed              S  everything was
 *
 * faults.py reads these. Only calls through the C library's functions are seen; it compares the end with what
 * the log says.
 */
/* open() and open64() are both defined here, so the headers must not make one an alias of the other. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FAULT_EXPORT __attribute__((visibility("default")))

enum fault {
	FAULT_NONE,
	FAULT_ALLOCATION,
	FAULT_EIO,
	FAULT_ENOSPC,
	FAULT_SHORT,
	FAULT_EINTR,
	FAULT_KILL
};

struct plan {
	atomic_uint lock;
	uint32_t fault;
	uint64_t target;        /* which call, from 1 */
	_Atomic uint64_t count; /* calls so far */
	uint32_t fired, record;
	char root[PATH_MAX];
};

static struct plan *plan;
static int log_file = -1;
static __thread bool inside; /* what the library itself calls is neither counted nor recorded */

/* ---- the start ------------------------------------------------------------------------------- */

/* Other programs that a run starts are left alone. */
static bool is_perun(void)
{
	const char *name = program_invocation_short_name;

	return strcmp(name, "perun") == 0 || strcmp(name, "lt-perun") == 0;
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("PERUN_FAULTS");
	char log_path[PATH_MAX];
	int file;
	void *memory;

	if (!path || !is_perun() || (file = open(path, O_RDWR | O_CLOEXEC)) < 0)
		return;
	memory = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	snprintf(log_path, sizeof log_path, "%s.log", path);
	log_file = open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (log_file >= 0) /* out of the way of those who close small numbers */
		log_file = fcntl(log_file, F_DUPFD_CLOEXEC, 500);
	if (memory != MAP_FAILED)
		plan = memory;
}

static void *next_function(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* The function of that name which would be called without this library. */
#define NEXT(name)                                      \
	static __typeof__(&name) next;                  \
	if (!next) {                                    \
		bool was = inside;                      \
		inside = true;                          \
		*(void **)&next = next_function(#name); \
		inside = was;                           \
	}

/* ---- deciding -------------------------------------------------------------------------------- */

static bool is_chosen(void)
{
	if (atomic_fetch_add(&plan->count, 1) + 1 != plan->target)
		return false;
	plan->fired = 1;
	return true;
}

enum call { CALL_OPEN, CALL_READ, CALL_WRITE, CALL_FLUSH, CALL_NAME };

/* The errno that a call is to fail with, 0 = none. `*shorter`: it is to do less than it could. */
static int decide(enum call call, bool *shorter)
{
	static const bool possible[][CALL_NAME + 1] = {
		[FAULT_EIO] = {true, true, true, true, true},
		[FAULT_ENOSPC] = {true, false, true, true, true},
		[FAULT_SHORT] = {false, true, true, false, false},
		[FAULT_EINTR] = {false, true, true, false, false},
		[FAULT_KILL] = {true, true, true, true, true},
	};
	static const int errors[] = {
		[FAULT_EIO] = EIO, [FAULT_ENOSPC] = ENOSPC, [FAULT_EINTR] = EINTR};

	if (plan->fault < FAULT_EIO || !possible[plan->fault][call] || !is_chosen())
		return 0;
	if (plan->fault == FAULT_KILL)
		kill(getpid(), SIGKILL);
	if (plan->fault == FAULT_SHORT && shorter)
		*shorter = true;
	return plan->fault == FAULT_SHORT ? 0 : errors[plan->fault];
}

/* ---- places ---------------------------------------------------------------------------------- */

static bool below_root(const char *path)
{
	size_t length = strlen(plan->root);

	return strncmp(path, plan->root, length) == 0 && (!path[length] || path[length] == '/');
}

static bool path_of_file(int file, char out[PATH_MAX])
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	length = readlink(link, out, PATH_MAX - 1);
	out[length > 0 ? length : 0] = '\0';
	return length > 0 && below_root(out);
}

/* The whole path, not normalized; whether it may be below the root. */
static bool path_at(int directory, const char *path, char out[PATH_MAX])
{
	char base[PATH_MAX];
	int length;

	if (!plan || inside || !path)
		return false;
	if (path[0] == '/')
		base[0] = '\0';
	else if (directory == AT_FDCWD ? !getcwd(base, sizeof base)
				       : !path_of_file(directory, base))
		return false;
	length = snprintf(out, PATH_MAX, "%s%s%s", base, *base ? "/" : "", path);
	return length < PATH_MAX && below_root(out);
}

static bool is_watched(int file, char path[PATH_MAX])
{
	return plan && !inside && file > 2 && path_of_file(file, path);
}

/* ---- recording ------------------------------------------------------------------------------- */

static void begin(void)
{
	inside = true;
	while (atomic_exchange(&plan->lock, 1))
		usleep(10);
}

static void end(void)
{
	atomic_store(&plan->lock, 0);
	inside = false;
}

static void put(const void *text, size_t length)
{
	for (const char *at = text; length > 0;) {
		ssize_t count = syscall(SYS_write, log_file, at, length);

		if (count <= 0)
			return;
		at += count;
		length -= (size_t)count;
	}
}

__attribute__((format(printf, 1, 2))) static void record(const char *format, ...)
{
	char line[3 * PATH_MAX];
	va_list args;
	int length;

	if (!plan->record)
		return;
	va_start(args, format);
	length = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (length > 0)
		put(line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

static struct stat info_of(int file)
{
	struct stat info = {0};

	fstat(file, &info);
	return info;
}

static long long time_of(const struct stat *info)
{
	return (long long)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec;
}

static void record_write(int file, off_t offset, const void *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const struct stat info = info_of(file);
	const unsigned char *bytes = data;
	char hex[4096];

	record("W %ju %jd %lld ", (uintmax_t)info.st_ino, (intmax_t)offset, time_of(&info));
	for (size_t at = 0; at < size && plan->record;) {
		size_t length = 0;

		for (; length < sizeof hex && at < size; at++) {
			hex[length++] = digits[bytes[at] >> 4];
			hex[length++] = digits[bytes[at] & 15];
		}
		put(hex, length);
	}
	record("\n");
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Opens by `system call`, whose mode or structure is `extra`. */
static int open_watched(const char *path, int flags, long (*call)(void *), void *arguments)
{
	struct stat before, after;
	bool existed;
	int error = decide(CALL_OPEN, NULL), file;

	if (error) {
		errno = error;
		return -1;
	}
	begin();
	existed = lstat(path, &before) == 0;
	file = (int)call(arguments);
	error = errno;
	if (file >= 0 && fstat(file, &after) == 0 && flags & O_CREAT && !existed)
		record("C %ju %s\n", (uintmax_t)after.st_ino, path);
	else if (file >= 0 && flags & O_TRUNC && before.st_size > 0)
		record("T %ju 0 %lld\n", (uintmax_t)after.st_ino, time_of(&after));
	end();
	errno = error;
	return file;
}

struct opening {
	long number;
	long arguments[6];
};

static long by_number(void *data)
{
	const struct opening *opening = data;
	const long *a = opening->arguments;

	return syscall(opening->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int open_any(int directory, const char *path, int flags, mode_t mode)
{
	struct opening opening = {SYS_openat, {directory, (long)path, flags, mode, 0, 0}};
	char whole[PATH_MAX];

	if (!path_at(directory, path, whole))
		return (int)by_number(&opening);
	return open_watched(whole, flags, by_number, &opening);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN_FUNCTION(name, parameters, directory)             \
	FAULT_EXPORT int name parameters                       \
	{                                                      \
		va_list args;                                  \
		mode_t mode;                                   \
                                                               \
		va_start(args, flags);                         \
		mode = mode_of(flags, args);                   \
		va_end(args);                                  \
		return open_any(directory, path, flags, mode); \
	}

OPEN_FUNCTION(open, (const char *path, int flags, ...), AT_FDCWD)
OPEN_FUNCTION(open64, (const char *path, int flags, ...), AT_FDCWD)
OPEN_FUNCTION(openat, (int directory, const char *path, int flags, ...), directory)
OPEN_FUNCTION(openat64, (int directory, const char *path, int flags, ...), directory)

/* openat2() has no function of its own. Its structure begins with 64 bits of flags. */
FAULT_EXPORT long syscall(long number, ...)
{
	struct opening opening = {.number = number};
	char whole[PATH_MAX];
	va_list args;
	NEXT(syscall)

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		opening.arguments[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_openat2 &&
	    path_at((int)opening.arguments[0], (const char *)opening.arguments[1], whole)) {
		uint64_t flags;

		memcpy(&flags, (const void *)opening.arguments[2], sizeof flags);
		return open_watched(whole, (int)flags, by_number, &opening);
	}
	return next(number, opening.arguments[0], opening.arguments[1], opening.arguments[2],
		    opening.arguments[3], opening.arguments[4], opening.arguments[5]);
}

/* ---- reading and writing --------------------------------------------------------------------- */

/* Decide about a call on a file: false = it fails, with errno. The size may become less. */
static bool may(enum call call, int file, size_t *size)
{
	char path[PATH_MAX];
	bool shorter = false;
	int error;

	if (!is_watched(file, path))
		return true;
	error = decide(call, &shorter);
	if (shorter && *size > 1)
		*size /= 2;
	errno = error ? error : errno;
	return !error;
}

FAULT_EXPORT ssize_t read(int file, void *data, size_t size)
{
	NEXT(read)
	return may(CALL_READ, file, &size) ? next(file, data, size) : -1;
}

FAULT_EXPORT ssize_t pread(int file, void *data, size_t size, off_t offset)
{
	NEXT(pread)
	return may(CALL_READ, file, &size) ? next(file, data, size, offset) : -1;
}

FAULT_EXPORT ssize_t pread64(int file, void *data, size_t size, off64_t offset)
{
	NEXT(pread64)
	return may(CALL_READ, file, &size) ? next(file, data, size, offset) : -1;
}

static ssize_t write_any(int file, const void *data, size_t size, off_t offset, bool at_offset)
{
	char path[PATH_MAX];
	bool watched = is_watched(file, path);
	ssize_t count;

	if (!may(CALL_WRITE, file, &size))
		return -1;
	if (watched)
		begin();
	if (!at_offset && watched)
		offset = fcntl(file, F_GETFL) & O_APPEND ? info_of(file).st_size
							 : lseek(file, 0, SEEK_CUR);
	count = at_offset ? syscall(SYS_pwrite64, file, data, size, offset)
			  : syscall(SYS_write, file, data, size);
	if (watched) {
		int error = errno;

		if (count > 0)
			record_write(file, offset, data, (size_t)count);
		end();
		errno = error;
	}
	return count;
}

FAULT_EXPORT ssize_t write(int file, const void *data, size_t size)
{
	return write_any(file, data, size, 0, false);
}

FAULT_EXPORT ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
	return write_any(file, data, size, offset, true);
}

FAULT_EXPORT ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset)
{
	return write_any(file, data, size, offset, true);
}

FAULT_EXPORT int ftruncate(int file, off_t size)
{
	char path[PATH_MAX];
	size_t none = 0;
	int result;
	NEXT(ftruncate)

	if (!is_watched(file, path))
		return next(file, size);
	if (!may(CALL_WRITE, file, &none))
		return -1;
	begin();
	result = next(file, size);
	if (result == 0) {
		struct stat info = info_of(file);

		record("T %ju %jd %lld\n", (uintmax_t)info.st_ino, (intmax_t)size, time_of(&info));
	}
	end();
	return result;
}

FAULT_EXPORT int ftruncate64(int file, off64_t size)
{
	return ftruncate(file, size);
}

/* ---- flushing -------------------------------------------------------------------------------- */

static int flush_any(int file, const char *line, int (*next)(int))
{
	char path[PATH_MAX];
	size_t none = 0;
	int result;

	if (!is_watched(file, path))
		return next(file);
	if (!may(CALL_FLUSH, file, &none))
		return -1;
	begin();
	result = next(file);
	if (result == 0)
		record(line, (uintmax_t)info_of(file).st_ino);
	end();
	return result;
}

FAULT_EXPORT int fsync(int file)
{
	NEXT(fsync)
	return flush_any(file, "F %ju\n", next);
}

FAULT_EXPORT int fdatasync(int file)
{
	NEXT(fdatasync)
	return flush_any(file, "F %ju\n", next);
}

FAULT_EXPORT int syncfs(int file)
{
	NEXT(syncfs)
	return flush_any(file, "S %ju\n", next);
}

/* ---- names ----------------------------------------------------------------------------------- */

static int rename_any(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
	char whole_from[PATH_MAX], whole_to[PATH_MAX];
	bool watched = path_at(from_at, from, whole_from) && path_at(to_at, to, whole_to);
	int error = watched ? decide(CALL_NAME, NULL) : 0, result;

	if (error) {
		errno = error;
		return -1;
	}
	if (watched)
		begin();
	result = (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
	if (watched) {
		error = errno;
		if (result == 0)
			record("R %s\t%s\n", whole_from, whole_to);
		end();
		errno = error;
	}
	return result;
}

FAULT_EXPORT int rename(const char *from, const char *to)
{
	return rename_any(AT_FDCWD, from, AT_FDCWD, to, 0);
}

FAULT_EXPORT int renameat(int from_at, const char *from, int to_at, const char *to)
{
	return rename_any(from_at, from, to_at, to, 0);
}

FAULT_EXPORT int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
	return rename_any(from_at, from, to_at, to, flags);
}

static int remove_any(int at, const char *path, int flags)
{
	char whole[PATH_MAX];
	bool watched = path_at(at, path, whole);
	int error = watched ? decide(CALL_NAME, NULL) : 0, result;

	if (error) {
		errno = error;
		return -1;
	}
	if (watched)
		begin();
	result = (int)syscall(SYS_unlinkat, at, path, flags);
	if (watched) {
		error = errno;
		if (result == 0)
			record("U %s\n", whole);
		end();
		errno = error;
	}
	return result;
}

FAULT_EXPORT int unlink(const char *path)
{
	return remove_any(AT_FDCWD, path, 0);
}

FAULT_EXPORT int rmdir(const char *path)
{
	return remove_any(AT_FDCWD, path, AT_REMOVEDIR);
}

FAULT_EXPORT int unlinkat(int at, const char *path, int flags)
{
	return remove_any(at, path, flags);
}

FAULT_EXPORT int mkdirat(int at, const char *path, mode_t mode)
{
	char whole[PATH_MAX];
	bool watched = path_at(at, path, whole);
	int error = watched ? decide(CALL_NAME, NULL) : 0, result;

	if (error) {
		errno = error;
		return -1;
	}
	if (watched)
		begin();
	result = (int)syscall(SYS_mkdirat, at, path, mode);
	if (watched) {
		struct stat info = {0};

		error = errno;
		if (result == 0 && stat(whole, &info) == 0)
			record("D %ju %s\n", (uintmax_t)info.st_ino, whole);
		end();
		errno = error;
	}
	return result;
}

FAULT_EXPORT int mkdir(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}

/* ---- memory ---------------------------------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/*
 * Whether perun's own code asks, plugins included, or a library that it gives its data to. Some others crash without
 * memory (libgit2), or allocate thousands of times when they start.
 */
static bool is_ours(const void *caller)
{
	static const char *const ours[] = {"perun",   "libperun",
					   "libyaml", "libz.",    "libpcre2"};
	Dl_info info;
	const char *name;
	bool found;

	inside = true;
	found = dladdr(caller, &info) != 0 && info.dli_fname;
	inside = false;
	if (!found)
		return false;
	name = strrchr(info.dli_fname, '/');
	name = name ? name + 1 : info.dli_fname;
	found = false;
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		found |= strncmp(name, ours[i], strlen(ours[i])) == 0;
	return found;
}

static bool has_memory(const void *caller)
{
	if (!plan || inside || plan->fault != FAULT_ALLOCATION || !is_ours(caller) || !is_chosen())
		return true;
	errno = ENOMEM;
	return false;
}

FAULT_EXPORT void *malloc(size_t size)
{
	return has_memory(__builtin_return_address(0)) ? __libc_malloc(size) : NULL;
}

FAULT_EXPORT void *calloc(size_t count, size_t size)
{
	return has_memory(__builtin_return_address(0)) ? __libc_calloc(count, size) : NULL;
}

FAULT_EXPORT void *realloc(void *memory, size_t size)
{
	return has_memory(__builtin_return_address(0)) ? __libc_realloc(memory, size) : NULL;
}

FAULT_EXPORT int posix_memalign(void **memory, size_t alignment, size_t size)
{
	if (!has_memory(__builtin_return_address(0)))
		return ENOMEM;
	*memory = __libc_memalign(alignment, size);
	return *memory ? 0 : ENOMEM;
}
