# SPDX-License-Identifier: BSD-3-Clause
# The site of a store in a browser: from the disk, and served.
. "${top_srcdir:-.}/tests/cli/lib.sh"

browser=$top_srcdir/tests/browser
absent=$(PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 -c 'import webdriver; print(webdriver.missing())') ||
	skip_all 'Python 3 is missing'
[ -z "$absent" ] || skip_all "$absent is missing"

# 700 versions: more than fit into one file of data.
git init -q repo && git -C repo commit -q --allow-empty -m root && (cd repo && perun init >/dev/null) || exit 1
git -C repo update-ref -d HEAD
python3 "$top_srcdir/bench/site-store.py" repo 700 6 5 || exit 1
cd repo || exit 1
python3 - <<'PYTHON' || exit 1
import json
evil = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
resources = [{"amount": 100 + 10 * i, "uid": uid, "type": "memory", "subtype": "malloc"}
             for i, uid in enumerate(("main", evil, "free"))]
json.dump({"header": {"type": "memory", "cmd": "./app", "workload": evil, "units": {"memory": "B"}},
           "collector_info": {"name": "memory", "params": {}}, "postprocessors": [],
           "global": {"time": "0.0", "resources": resources}}, open("evil.perf", "w"))
PYTHON
evil='<img src=x onerror=alert(1)></script><script>alert(2)</script>'
export GIT_AUTHOR_NAME="$evil"
at='2040-01-01T00:00:00 +0000' && export GIT_AUTHOR_DATE=$at GIT_COMMITTER_DATE=$at
git commit -q --allow-empty -m "subject $evil" -m "body $evil" || exit 1
perun add evil.perf >/dev/null || exit 1
cd .. || exit 1
(cd repo && perun site ../site --title "Project $evil" >/dev/null) || exit 1
(cd repo && exec "$PERUN" site --serve --port 0 >../served) &
server=$!
trap 'kill "$server" 2>/dev/null; chmod -R u+w "$work"; rm -rf "$work"' EXIT
for _ in $(seq 100); do grep -q http: served && break; sleep 0.1; done
SITE_HEAD=$(git -C repo rev-parse HEAD) SITE_ADDRESS=$(sed -n 's|\(http://[^ ]*\)/ .*|\1|p' served) \
	PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 "$browser/site.py"
