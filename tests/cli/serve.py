# SPDX-License-Identifier: BSD-3-Clause
"""serve.py PLAIN GUARDED STORE PAIR: asks the servers whose addresses are in these files, and prints TAP.
serve.py --kill SERVER PID: sends profiles and kills it among them."""

import base64
import concurrent.futures
import http.client
import json
import os
import re
import resource
import signal
import socket
import sys
import time
from urllib.parse import quote

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
from webdriver import Tap

tap = Tap()
TOKEN = "0123456789abcdef-token"
ELSEWHERE = {"Authorization": "Bearer " + TOKEN}


def port_of(file):
    """The port of a server, as soon as it listens."""
    for _ in range(400):
        with open(file) as text:
            found = re.search(r"http://[^ ]*:(\d+)/[^ ]* ", text.read())
        if found:
            return int(found.group(1))
        time.sleep(0.05)
    sys.exit(2)


def ask(port, path, headers=None, method="GET", body=b""):
    """The status and the body."""
    headers = dict(headers or {})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(method, path, skip_host="Host" in headers)
    if method == "POST":
        headers.setdefault("Content-Length", str(len(body)))
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    try:
        connection.send(body)
    except OSError:
        pass
    answer = connection.getresponse()
    return answer.status, answer.read()


def document(port, path):
    return json.loads(ask(port, "/api/" + path)[1])


def code(expected, what, *arguments, **more):
    tap.equal(ask(*arguments, **more)[0], expected, what)


def send_until_killed(port, process):
    """Send profiles side by side, kill the server among them, and print the checksums of those it acknowledged."""
    kept = []

    def one(number):
        try:
            status, body = ask(port, f"/api/profiles?commit=HEAD&name={number}.folded", ELSEWHERE, "POST", f"main;f{number} {number + 1}\n".encode())
        except (OSError, http.client.HTTPException):
            return
        if status == 201:
            kept.append(json.loads(body)["checksum"])
        if len(kept) == 10:
            os.kill(process, signal.SIGKILL)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(60)))
    print("\n".join(kept))


if sys.argv[1] == "--kill":
    send_until_killed(port_of(sys.argv[2]), int(sys.argv[3]))
    sys.exit(0)

# ---- answers ----------------------------------------------------------------------------------------

plain = port_of(sys.argv[1])
status, page = ask(plain, "/")
tap.ok(status == 200 and page.startswith(b"<!DOCTYPE html>"), "the page")
about = document(plain, "about")
tap.equal([about["title"], about["metric"], about["all"], [m["name"] for m in about["metrics"]]],
          ["cpu.pb", "cpu", 1000, ["cpu", "samples"]], "what there is")
tap.equal([(r["name"], r["self"], r["total"]) for r in document(plain, "top?sort=total")["rows"][:2]],
          [("main", 0, 990), ("work", 700, 900)], "functions")
top = document(plain, "top?focus=work&hide=main&label=" + quote("service=web"))
tap.equal((top["total"], [(r["name"], r["total"]) for r in top["rows"]]), (200, [("parse", 200), ("work", 200)]), "filters")
top = document(plain, "top?metric=samples&label=" + quote("bytes>100"))
tap.equal((top["metric"], top["total"]), ("samples", 1), "a label that is a number, another metric")
tap.equal([(l["key"], [(v["value"], v["sum"]) for v in l["values"]]) for l in document(plain, "labels")["labels"]],
          [("service", [("api", 700), ("web", 290)]), ("bytes", [(64, 700), (4096, 200)])], "labels")
tree = document(plain, "tree")
tap.equal((sum(tree["own"]), tree["frame"][0], len(tree["parent"])), (1000, -2, 6), "the tree")
tree = document(plain, "tree?root-label=service")
tap.equal(sorted(tree["frames"][f][0] for f, p in zip(tree["frame"], tree["parent"]) if f >= 0 and p == 0),
          ["<unknown>", "api", "web"], "grouped by a label")
tree = document(plain, "tree?function=work&inverted=1")
tap.equal((sum(tree["own"]), len(tree["parent"])), (900, 3), "callers of a function")
peek = document(plain, "peek?function=work")
tap.equal([(c["name"], c["value"]) for c in peek["callers"] + peek["callees"]], [("main", 900), ("parse", 200)],
          "callers and callees")
files = document(plain, "source?function=work")["files"]
tap.equal([(f["path"], f["found"], [l for l in f["lines"] if l[2]]) for f in files],
          [("src/app.c", True, [[4, 700, 900, "{ return parse(); }"]])], "source with costs")
files = document(plain, "source?function=parse")["files"]
tap.equal((files[0]["found"], files[0]["lines"]), (False, [[1, 200, 200, ""]]), "no file outside is read")
files = document(plain, "source?function=" + quote("<img src=x onerror=alert(1)></script>"))["files"]
tap.equal(files[0]["found"], False, "nor by steps upwards")
status, left = ask(plain, "/api/profile?format=collapsed&focus=work")
tap.equal((status, sorted(left.split(b"\n"))), (200, [b"", b"main;work 700", b"main;work;parse 200"]), "a download of what is left")

# ---- two selections -----------------------------------------------------------------------------------

pair, base = port_of(sys.argv[4]), "base-profile=" + quote("old one.pb")
with open(sys.argv[4]) as text:
    tap.ok("/?base-profile=old%20one.pb shows" in text.read(), "the address has what it is compared with")
tree = document(pair, "tree?" + base)
frames = [tree["frames"][f][0] if f >= 0 else "all" for f in tree["frame"]]
tap.equal({n: (a, b) for n, a, b in zip(frames, tree["own"], tree["base"]) if a != b},
          {"main": (0, 30), "work": (700, 400), "parse": (200, 0), "scan": (0, 200), "<img src=x onerror=alert(1)></script>": (90, 0)},
          "boxes of both sides")
tap.equal((tree["total"], tree["base_total"], sum(tree["own"]), sum(tree["base"])), (1000, 640, 1000, 640), "and their sums")
top = document(pair, "top?" + base)
tap.equal([(r["name"], r["self"] - r["base_self"], r["total"] - r["base_total"]) for r in top["rows"]][:3],
          [("work", 300, 300), ("parse", 200, 200), ("scan", -200, -200)], "what changed most comes first")
top = document(pair, "top?normalize=1&sort=total&" + base)
tap.equal([(r["name"], r["total"] - r["base_total"]) for r in top["rows"]][:2], [("scan", -312.5), ("parse", 200)],
          "as if both had the same total")
top = document(pair, "top?normalize=1&focus=work&" + base)
tap.equal((top["total"], top["base_total"]), (900, 937.5), "which is that of all samples, whatever a filter leaves")
peek = document(pair, "peek?function=work&" + base)
tap.equal((peek["value"], peek["base"], [(c["name"], c["value"], c["base"]) for c in peek["callees"]]),
          (900, 600, [("parse", 200, 0), ("scan", 0, 200)]), "callees of both sides")
top = document(pair, "top?focus=work&label=service%3Dweb&base-label=service%3Dapi")
tap.equal((top["total"], top["base_total"], top["base_all"], [(r["name"], r["self"], r["base_self"]) for r in top["rows"]]),
          (200, 700, 1000, [("work", 0, 700), ("parse", 200, 0), ("main", 0, 0)]), "samples of one profile by labels")
top = document(pair, "top?label=service%3Dweb&base-label=service%3Dapi&" + base)
tap.equal((top["total"], top["base_total"]), (290, 400), "and of two")
tap.equal([l["key"] for l in document(pair, "labels?" + base)["labels"]], ["service", "bytes"], "no label of our own is shown")
tap.equal(sorted(ask(pair, "/api/profile?format=collapsed&focus=work&" + base)[1].split()), sorted(b"main;work 700 main;work;parse 200".split()),
          "a download is of the selection alone")
tap.equal(document(pair, "top")["total"], 1000, "without a base")
code(422, "files that were not named are no base", pair, "/api/top?base-profile=src/app.c")

# ---- refusals ---------------------------------------------------------------------------------------

for wrong in ("top?focus=(", "top?by=colour", "top?metric=heap", "peek", "peek?function=absent", "source?function=absent",
              "profile?format=absent", "profile?format=cube", "top?profile=/etc/passwd", "top?profile=src/app.c", "top?where=x"):
    status, body = ask(plain, "/api/" + wrong)
    tap.ok(status in (400, 422) and json.loads(body)["error"], "wrong: " + wrong, status, body)
code(404, "nothing else", plain, "/absent")
code(405, "other methods", plain, "/", method="OPTIONS")
code(405, "nothing can be changed", plain, "/api/top", method="POST", body=b"x")
code(403, "another name", plain, "/", {"Host": "evil.example:80"})
code(403, "another port", plain, "/", {"Host": "127.0.0.1:1"})
code(403, "another address", plain, "/", {"Host": f"10.0.0.1:{plain}"})
tap.equal(ask(plain, "/" + 40000 * "a")[0] // 100, 4, "a long request")

# ---- connections that send half a request -------------------------------------------------------------

MANY = 500
resource.setrlimit(resource.RLIMIT_NOFILE, (min(2 * MANY, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
                                            resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def slowest():
    """Of ten requests, in seconds."""
    times = []
    for _ in range(10):
        start = time.monotonic()
        document(plain, "top")
        times.append(time.monotonic() - start)
    return max(times)


alone = slowest()
halves = []
for _ in range(MANY):
    halves.append(socket.create_connection(("127.0.0.1", plain), timeout=20))
    halves[-1].sendall(b"GET /api/top HTTP/1.1\r\nHost: 127.0.0.1")
among = slowest()
# Each would wait for seconds if it waited for one of them; a busy machine needs some time of its own.
tap.ok(among < 1 + 10 * alone, f"{MANY} of them delay no other request", alone, among)
for half in halves:
    half.close()

# ---- the token --------------------------------------------------------------------------------------

guarded = port_of(sys.argv[2])
code(401, "no token", guarded, "/")
code(401, "another one", guarded, "/api/top", {"Authorization": "Bearer " + TOKEN[:-1] + "m"})
code(401, "a part of it", guarded, "/api/top", {"Authorization": "Bearer " + TOKEN[:-1]})
code(200, "the token", guarded, "/api/top", ELSEWHERE)
password = base64.b64encode(("me:" + TOKEN).encode()).decode()
code(200, "as a password", guarded, "/api/top", {"Authorization": "Basic " + password})
code(200, "the name of a proxy", guarded, "/api/top", {"Host": "perun.example", **ELSEWHERE})
code(403, "no other name", guarded, "/api/top", {"Host": "other.example", **ELSEWHERE})
for name, value in (("Origin", "http://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site")):
    code(403, f"nothing is changed from elsewhere: {name} {value}", guarded, "/api/top", {name: value, **ELSEWHERE}, method="POST",
         body=b"x")
code(401, "nor without the token", guarded, "/api/top", method="POST", body=b"x")
code(413, "nor is too much read", guarded, "/api/top", {"Content-Length": "99999999999", **ELSEWHERE}, method="POST", body=b"x")

# ---- profiles that are sent ---------------------------------------------------------------------------


def send(port, arguments, body, **headers):
    status, answer = ask(port, "/api/profiles?" + arguments, {**ELSEWHERE, **headers}, "POST", body)
    return status, json.loads(answer)


with open("cpu.pb", "rb") as file:
    sample = file.read()
status, answer = send(guarded, "commit=HEAD&name=sent.pb&label=service:api&label=region:eu:1", sample)
tap.equal((status, answer.get("already")), (201, False), "a profile is stored")
time.sleep(1.1)  # a second later too
status, again = send(guarded, "commit=HEAD&name=sent.pb&label=service:api&label=region:eu:1", sample)
tap.equal((status, again), (201, {**answer, "already": True}), "once, however often it is sent")
for arguments, body, what in (("", b"no profile", "what has no format"), ("", sample[:50], "a part of one"),
                              ("commit=absent", sample, "an absent version"), ("label=x", sample, "a wrong label"),
                              ("name=../x", sample, "a name that is a path"), ("", b"", "nothing")):
    status, answer = send(guarded, arguments, body)
    tap.ok(status in (400, 422) and answer["error"], "refused: " + what, status, answer)

# ---- profiles of the store --------------------------------------------------------------------------

store = port_of(sys.argv[3])
tap.equal(document(store, "top")["total"], 2000, "those of a version, what was sent meanwhile as well")
tap.equal(document(store, "top?profile=0@i&profile=0@i")["total"], 2000, "and their sum")
tap.finish()
