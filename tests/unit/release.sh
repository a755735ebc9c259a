#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What .ci/sign writes is verified by gpg and sha256sum, and they notice a changed byte; .ci/release asks for the key first.
. "${top_srcdir:-.}/tests/cli/lib.sh"
[ -x "$top_srcdir/.ci/sign" ] || skip_all 'not in the archive: .ci'
command -v gpg >/dev/null || skip_all 'needs gpg'
top=$(realpath "$top_srcdir")
# The path of gpg-agent's socket may have no more than 107 bytes.
GNUPGHOME=$(mktemp -d /tmp/gnupg.XXXXXX)
export GNUPGHOME
trap 'gpgconf --kill all; rm -rf "$GNUPGHOME" "$work"' EXIT
gpg --batch --quiet --passphrase '' --quick-generate-key 'Release <release@example.org>' default default never 2>log ||
	skip_all "gpg makes no key: $(head -n 1 log)"

mkdir folder && echo tarball >folder/perun-1.2.3.tar.xz && echo news >folder/NEWS-1.2.3
expect_status 0 "$top/.ci/sign" --ready release@example.org
expect_status 0 "$top/.ci/sign" folder release@example.org
expect_text 'NEWS-1.2.3 perun-1.2.3.tar.xz' "$(sed 's/.* //' folder/SHA256SUMS | paste -sd ' ')" 'files with checksums'
cd folder || exit 1
expect_status 0 gpg --batch --verify SHA256SUMS.asc SHA256SUMS
expect_status 0 gpg --batch --verify perun-1.2.3.tar.xz.asc perun-1.2.3.tar.xz
expect_status 0 sha256sum -c SHA256SUMS
echo more >>perun-1.2.3.tar.xz
expect_status 1 gpg --batch --verify perun-1.2.3.tar.xz.asc perun-1.2.3.tar.xz
expect_status 1 sha256sum -c SHA256SUMS
cd .. || exit 1
# Without a key no signature of another time stays.
expect_status 0 "$top/.ci/sign" folder
check 'no old signature' test -z "$(ls folder/*.asc 2>/dev/null)"
expect_status 0 sh -c 'cd folder && sha256sum -c SHA256SUMS'
expect_status 1 "$top/.ci/sign" folder nobody@example.org
expect_status 1 "$top/.ci/sign" --ready nobody@example.org
expect_err 'sign: gpg has no secret key of nobody@example.org'
expect_one_line
if [ -e "$top/.git" ]; then
	expect_status 1 env TRY=yes SIGN=nobody@example.org "$top/.ci/release" "$PWD/made"
	expect_err 'sign: gpg has no secret key of nobody@example.org'
	check 'nothing is made' test ! -e made
fi
finish
