# Pages with charts in a browser: what lies below the mouse, zoom, legend, sliders, dark and light.
. "${top_srcdir:-.}/tests/cli/lib.sh"

browser=$top_srcdir/tests/browser
absent=$(PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 -c 'import webdriver; print(webdriver.missing())') ||
	skip_all 'Python 3 is missing'
[ -z "$absent" ] || skip_all "$absent is missing"

{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\nREGION main->solve\n'
	for p in 4 8 16 32 64; do echo "DATA $((10 + 3 * p)) $((12 + 3 * p))"; done
	printf 'REGION main-><script>alert(1)</script>\n'
	for p in 4 8 16 32 64; do echo "DATA $((p * p / 8))"; done
} >one.txt
{
	printf 'PARAMETER p\nPARAMETER n\nPOINTS'
	for p in 2 4 8 16 32; do for n in 10 20 30 40 50; do printf ' ( %s %s )' $p $n; done; done
	printf '\nMETRIC time\nREGION solve\n'
	for p in 2 4 8 16 32; do for n in 10 20 30 40 50; do echo "DATA $((7 + p * n))"; done; done
} >two.txt
perun show -o one.html one.txt scaling --at p=128 || exit 1
perun show -o two.html two.txt scaling || exit 1
PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 "$browser/charts.py"
