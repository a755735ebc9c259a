/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of Rust as its legacy mangling writes them, after a tool took the outer layer off: "$LT$" is "<", ".." is
 * "::", the last part is a hash (https://doc.rust-lang.org/rustc/symbol-mangling/legacy.html).
 */
#include <string.h>

#include "stacks.h"

enum { HASH = 19 }; /* "::h" and 16 digits */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool ends_in_hash(const char *name, size_t length)
{
	if (length <= HASH || memcmp(name + length - HASH, "::h", 3) != 0)
		return false;
	for (size_t i = length - 16; i < length; i++)
		if (!is_hex(name[i]))
			return false;
	return true;
}

/* " (.llvm.123)" or ".llvm.123" at the end, which clones of a function have. */
static size_t without_clone(const char *name, size_t length)
{
	const char *clone = memmem(name, length, ".llvm.", 6);
	size_t end = clone ? (size_t)(clone - name) : length;

	while (clone && end && (name[end - 1] == '(' || name[end - 1] == ' '))
		end--;
	return end;
}

/* "$LT$" and the like at `name`; the bytes taken, 0 = none. */
static size_t take_escape(struct perun_buffer *out, const char *name, size_t length)
{
	static const struct {
		const char *code;
		char c;
	} codes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
		     {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
	unsigned value = 0;
	size_t at = 2;

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		size_t size = strlen(codes[i].code);

		if (size <= length && memcmp(name, codes[i].code, size) == 0) {
			perun_buffer_add_char(out, codes[i].c);
			return size;
		}
	}
	if (length < 4 || name[1] != 'u')
		return 0;
	while (at < length && at < 6 && is_hex(name[at])) {
		value = value * 16 +
			(unsigned)(name[at] <= '9' ? name[at] - '0' : name[at] - 'a' + 10);
		at++;
	}
	if (at == 2 || at == length || name[at] != '$' || value < 0x20 || value > 0x7e)
		return 0;
	perun_buffer_add_char(out, (char)value);
	return at + 1;
}

void stacks_add_rust_name(struct perun_buffer *out, const char *name, size_t length)
{
	size_t end = without_clone(name, length), at = 0, taken;

	if (!ends_in_hash(name, end)) {
		perun_buffer_add(out, name, length);
		return;
	}
	end -= HASH;
	if (end > 1 && name[0] == '_' && name[1] == '$')
		at = 1;
	while (at < end) {
		if (name[at] == '$' && (taken = take_escape(out, name + at, end - at)) > 0) {
			at += taken;
		} else if (name[at] == '.' && at + 1 < end && name[at + 1] == '.') {
			perun_buffer_add_text(out, "::");
			at += 2;
		} else {
			perun_buffer_add_char(out, name[at++]);
		}
	}
}
