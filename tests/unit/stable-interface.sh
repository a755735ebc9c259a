#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The library keeps what the last release promised (doc/releases.md), as .ci/abi compares it; and that comparison notices each
# thing that is not kept, on a small library with a stable and a growing part.
. "${top_srcdir:-.}/tests/cli/lib.sh"
abi=$top_srcdir/.ci/abi
[ -x "$abi" ] || skip_all 'not in the archive: .ci'
run "$abi"
[ "$status" -ne 4 ] || skip_all "$err"
check 'what was built against the last release runs' test "$status" = 0
[ "$status" = 0 ] || diag "$out" 'if this is wanted: .ci/abi --describe | xz -9e >tests/abi/stable.abi.xz'

mkdir headers
cat >headers/small.h <<'C'
#include <stddef.h>
enum small_status { SMALL_OK = 0, SMALL_BAD = 3 };
struct small_hidden;
struct small_options {
	size_t struct_size;
	int first;
	void (*second)(int);
};
/* No function takes it. */
struct small_ops {
	int (*run)(int);
};
int small_open(struct small_hidden **hidden, const struct small_options *options);
enum small_status small_close(struct small_hidden *hidden);
C
cat >small.c <<'C'
#include "headers/small.h"
struct small_growing { int a; };
struct small_hidden { int b; };
int small_open(struct small_hidden **hidden, const struct small_options *options) { *hidden = 0; return options->first; }
enum small_status small_close(struct small_hidden *hidden) { return hidden ? SMALL_OK : SMALL_BAD; }
int small_grows(struct small_growing *growing) { return growing->a; }
C
cat >small.map <<'MAP'
PERUN_1.0 { global: small_open; small_close; local: *; };
PERUN_LIB_1 { global: small_grows; };
MAP
build() { # DIRECTORY
	# shellcheck disable=SC2086 # words
	${CC:-cc} -w -g -shared -fPIC -Wl,--version-script="$1/small.map" -Wl,-soname,libsmall.so.1 -o "$1/libsmall.so" "$1/small.c"
}
copy() {
	rm -rf changed && mkdir changed && cp -r headers small.c small.map changed/
}
export HEADERS=$PWD/headers
copy && build changed && "$abi" --describe changed/libsmall.so >small.abi
check 'the stable part is described' grep -q "name='small_open'" small.abi
check 'the growing part is not' test -z "$(grep small_grows small.abi)"
check 'nor is what no header shows' test -z "$(grep "name='b'" small.abi)"

# compared STATUS WHAT FILE EDIT [FILE EDIT]...: the library with edits of sed.
compared() {
	local wanted=$1 what=$2
	shift 2
	copy
	while [ $# -gt 1 ]; do sed -i "$2" "changed/$1"; shift 2; done
	build changed
	HEADERS=$PWD/changed/headers run "$abi" changed/libsmall.so small.abi
	check "$what: status $wanted" test "$status" -eq "$wanted" || diag "$out$err"
}
compared 0 'the same' small.c ''
compared 1 'a function is gone' small.c '/^enum small_status small_close/d' small.map 's/small_close;//'
compared 1 'a function moves to the growing part' small.map 's/small_close;//; s/small_grows;/& small_close;/'
compared 1 'a function takes another type' headers/small.h 's/\*hidden);/*hidden, int more);/' \
	small.c 's/small_close(struct small_hidden \*hidden)/small_close(struct small_hidden *hidden, int more)/'
compared 1 'a function returns another type' headers/small.h 's/^int small_open/long small_open/' small.c 's/^int small_open/long small_open/'
compared 1 'a member is put in the middle' headers/small.h 's/int first;/& long between;/'
compared 1 'a member is gone' headers/small.h '/int first;/d' small.c 's/options->first/0/'
compared 1 'two members change their places' headers/small.h '/int first;/d; s/void (\*second)(int);/& int first;/'
compared 1 'a member is wider' headers/small.h 's/int first/long first/'
compared 1 'an operation takes another argument' headers/small.h 's/(\*second)(int)/(*second)(long)/'
compared 1 'one in a table that no function takes' headers/small.h 's/(\*run)(int)/(*run)(long)/'
compared 0 'such a table grows' headers/small.h 's/(\*run)(int);/& int (*more)(int);/'
compared 1 'one is gone and another one comes at the end' headers/small.h 's/int first;/long first;/; s/^};/int third; };/'
compared 1 'an enumerator has another value' headers/small.h 's/SMALL_BAD = 3/SMALL_BAD = 4/'
compared 0 'a member comes at the end' headers/small.h 's/^	void (\*second)(int);/& int third;/'
compared 0 'an enumerator comes' headers/small.h 's/SMALL_BAD = 3/&, SMALL_WORSE = 4/'
compared 0 'a function comes' small.c '$a int small_more(void) { return 1; }' small.map 's/small_close;/& small_more;/'
compared 0 'the growing part changes' small.c 's/int a;/long z; &/' small.map 's/PERUN_LIB_1/PERUN_LIB_2/'
compared 0 'what no header shows changes' small.c 's/int b;/long z; &/'
finish
