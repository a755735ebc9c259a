# The pages of the view flamegraph in a browser: search, zoom, views, keys, names that are no markup.
. "${top_srcdir:-.}/tests/cli/lib.sh"

browser=$top_srcdir/tests/browser
absent=$(PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 -c 'import webdriver; print(webdriver.missing())') ||
	skip_all 'Python 3 is missing'
[ -z "$absent" ] || skip_all "$absent is missing"

python3 "$browser/flamegraph-stacks.py" 20000 1500 >one.perf || exit 1
python3 "$browser/flamegraph-stacks.py" 20000 1500 changed >two.perf || exit 1
python3 "$browser/flamegraph-stacks.py" 150000 150000 >large.perf || exit 1
for file in one.html one.svg sandwich.svg; do
	options=
	[ $file = one.html ] || options='--title <i>&\u202e"'
	[ $file != sandwich.svg ] || options='--sandwich <script>alert(1)</script>'
	# shellcheck disable=SC2086
	perun show -o $file one.perf flamegraph $options || exit 1
done
for kind in package module name own; do
	perun show -o color-$kind.svg one.perf flamegraph --color $kind --minimum-width 0.5 || exit 1
done
perun show -o diff.html one.perf two.perf flamegraph || exit 1
perun show -o diff.svg one.perf two.perf flamegraph || exit 1
perun show -o one.json one.perf flamegraph || exit 1
perun show -o diff.json one.perf two.perf flamegraph || exit 1
perun show -o callers.json one.perf flamegraph --callers || exit 1
perun show -o inner.json one.perf flamegraph --sandwich '<script>alert(1)</script>' || exit 1
perun show -o large.html large.perf flamegraph || exit 1
perun show -o small.html one.perf flamegraph --minimum-share 0.005 || exit 1
perun show -o small.json one.perf flamegraph --minimum-share 0.005 || exit 1
rm large.perf
PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 "$browser/flamegraph.py"
