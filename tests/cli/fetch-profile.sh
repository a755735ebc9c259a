#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# perun fetch-profile: profiles of a program that answers by HTTP.
. "${top_srcdir:-.}/tests/cli/lib.sh"
run perun plugin list command
case $out in *fetch-profile*) ;; *) skip_all 'this build has no libcurl' ;; esac
command -v python3 >/dev/null || skip_all 'needs python3'

printf 'main;work 30\nmain;rest 10\n' >stacks.txt
perun convert stacks.txt cpu.pb.gz >/dev/null
cat >serve.py <<'PYTHON'
import http.server, sys
profile, asked = open("cpu.pb.gz", "rb").read(), open("asked", "a", buffering=1)
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        asked.write(self.path + "\n")
        path = self.path.split("?")[0]
        if path.endswith("/none"): self.answer(404, b"Unknown profile\nsecond line\n")
        elif path.endswith("/moved"): self.answer(302, Location="/debug/pprof/heap")
        elif path.endswith("/file"): self.answer(302, Location="file:///etc/passwd")
        elif path.endswith("/garbage"): self.answer(200, b"\x00garbage")
        elif path.endswith("/short"): self.answer(200, profile[:20], **{"Content-Length": str(len(profile))})
        elif path.endswith("/down") and len(open("asked").read().splitlines()) % 2: self.answer(503)
        else: self.answer(200, profile)
    def log_message(self, *words): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open("port", "w").write(str(server.server_port))
server.serve_forever()
PYTHON
command python3 -S serve.py &
server=$!
trap 'kill $server 2>/dev/null; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
for i in $(seq 100); do [ -s port ] && break; sleep 0.1; done
here=$PWD
port=$(cat port)
address=127.0.0.1:$port
new_repo && perun init >/dev/null
# asked: the last request.
asked() { tail -n 1 "$here/asked"; }

expect_status 0 perun fetch-profile "$address"
expect_out 'registered with '
expect_out "profile of $address"
expect_text /debug/pprof/profile "$(asked)" 'a host and a port: processor time'
expect_status 0 perun fetch-profile --seconds 2 "http://user:secret@$address/debug/pprof/"
expect_no_out secret
expect_text '/debug/pprof/profile?seconds=2' "$(asked)"
expect_status 0 perun fetch-profile "http://$address/debug/pprof/heap?gc=1" --label service=api --json
expect_out '"name": "heap"'
expect_out "\"instance\": \"$address\""
expect_text '/debug/pprof/heap?gc=1' "$(asked)"
expect_status 0 perun fetch-profile "http://$address/debug/pprof/moved" --seconds 5
expect_text /debug/pprof/heap "$(asked)" 'it follows to another page'

expect_status 0 perun status
expect_out heap
expect_no_out secret
expect_status 0 perun show --label service=api --label "instance=$address" top
expect_out work

before=$(find .perun/objects -type f | sort)
expect_status 3 perun fetch-profile "$address/debug/pprof/none"
expect_one_line
expect_err 'the server answers with status 404: Unknown profile'
expect_status 3 perun fetch-profile "$address/debug/pprof/garbage"
expect_one_line
expect_status 3 perun fetch-profile "$address/debug/pprof/short"
expect_one_line
expect_status 3 perun fetch-profile "$address/file"
expect_one_line
expect_status 3 perun fetch-profile 127.0.0.1:1
expect_one_line
expect_status 2 perun fetch-profile ftp://localhost/x
expect_err 'expected http or https, not ftp'
expect_status 2 perun fetch-profile 'http://a b/'
expect_one_line
expect_status 2 perun fetch-profile --seconds 5 "$address/debug/pprof/profile?seconds=120"
expect_err '--seconds and the address both say for how long'
expect_status 2 perun fetch-profile "$address" --count 2
expect_err '--count is for --every'
expect_status 2 perun fetch-profile "$address" --label service
expect_err 'label service: expected KEY=VALUE'
expect_text "$before" "$(find .perun/objects -type f | sort)" 'nothing of these was stored'

expect_status 2 perun fetch-profile "$address" --every 0
expect_status 3 perun fetch-profile 127.0.0.1:1 --every 0.01 --count 2
expect_err 'nothing was stored: 127.0.0.1:1 never answered'

# Again and again: what does not answer now is asked later.
expect_status 0 perun fetch-profile "$address/down" --every 0.01 --count 2
expect_err 'the server answers with status 503'
expect_out "down of $address"
"$PERUN" fetch-profile "$address/again" --every 0.01 >"$work/again" 2>&1 &
again=$!
for i in $(seq 100); do [ "$(grep -c registered "$work/again")" -ge 2 ] && break; sleep 0.1; done
kill -INT $again 2>/dev/null
wait $again
expect_text 0 $? 'interrupted: what was stored stays'
expect_status 0 perun fsck
expect_text '' "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'perun-fetch-*' -user "$(id -u)" -newer "$here/port")" 'no temporary folder is left'
finish
