# SPDX-License-Identifier: BSD-3-Clause
# perun site --serve: connections that send nothing, or read nothing, keep nobody else waiting; what is served lies in
# the site.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
command -v python3 >/dev/null || skip_all 'needs Python 3'

new_repo
perun init >/dev/null
measured_commit 1 1
site=.perun/cache/site
"$PERUN" site --serve 0 >served 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 300); do grep -q http: served && break; sleep 0.1; done
port=$(sed -n 's|http://127.0.0.1:\([0-9]*\)/.*|\1|p' served)
check 'it listens' [ -n "$port" ]

# ask PATH: the status and the first line of the body.
ask() {
	python3 - "$port" "$1" <<'PYTHON'
import http.client, sys
c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
c.request("GET", sys.argv[2])
r = c.getresponse()
print(r.status, r.read().split(b"\n")[0].decode(errors="replace")[:60])
PYTHON
}
expect_text '200 <!DOCTYPE html>' "$(ask /)" 'a page is served'

# What another request takes beside N connections of a KIND: in tenths of seconds, the worst of three.
beside() {
	python3 - "$port" "$1" "$2" <<'PYTHON'
import http.client, resource, socket, sys, time
port, count, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096) if hard > 0 else 4096, hard))
idle = []
for i in range(count):
    s = socket.socket()
    s.settimeout(20)
    s.connect(("127.0.0.1", port))
    if kind == "half":
        s.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % port)
    elif kind == "deaf":
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        s.sendall(b"GET /site.js HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
    idle.append(s)
worst = 0
for i in range(3):
    start = time.monotonic()
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    c.request("GET", "/index.html")
    assert c.getresponse().status == 200
    worst = max(worst, time.monotonic() - start)
print("%d" % (worst * 10))
PYTHON
}
# A second is what a loaded machine may need for a request at all.
quick() { [ -n "$1" ] && [ "$1" -lt 10 ]; }
for kind in silent half; do
	for count in 80 500; do
		took=$(beside "$count" "$kind")
		check "$count $kind connections delay nobody ($took tenths of a second)" quick "$took"
	done
done
took=$(beside 40 deaf)
check "40 that do not read delay nobody ($took tenths of a second)" quick "$took"
# Whoever sends nothing is dropped.
expect_text dropped "$(python3 - "$port" <<'PYTHON'
import socket, sys
s = socket.socket()
s.settimeout(15)
s.connect(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"GET /")
print("dropped" if s.recv(1) == b"" else "answered")
PYTHON
)" 'half a request is dropped after some seconds'

# What is served lies in the site.
mkdir "$work/outside" && echo secret >"$work/outside/page.html"
ln -s "$work/outside" "$site/view"
ln -s "$work/outside/page.html" "$site/linked.html"
mv "$site/metric" "$work/outside/metric" && ln -s "$work/outside/metric" "$site/metric"
mkfifo "$site/pipe.html"
metric=$(ls "$work/outside/metric" | head -n 1)
for path in /view/page.html /linked.html "/metric/$metric" /pipe.html; do
	expect_text 404 "$(ask "$path" | cut -d ' ' -f 1)" "$path is not served"
done
before=$(cd "$work/outside" && find . -type f -exec sha256sum {} + | sort)
measured_commit 2 2
check 'something is served still' [ -n "$(ask /)" ]
expect_text "$before" "$(cd "$work/outside" && find . -type f -exec sha256sum {} + | sort)" 'nothing outside changes'
kill -INT "$server"
wait "$server"
finish
