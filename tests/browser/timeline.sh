# SPDX-License-Identifier: BSD-3-Clause
# The page of a timeline in a browser: what lies below the mouse, zooming, moving, finding, a hostile name.
. "${top_srcdir:-.}/tests/cli/lib.sh"

browser=$top_srcdir/tests/browser
absent=$(PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 -c 'import webdriver; print(webdriver.missing())') ||
	skip_all 'Python 3 is missing'
[ -z "$absent" ] || skip_all "$absent is missing"

{
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,0,milliseconds,1000.5,1.0.0,1,sim,2.0,' \
		'MeasurementType,0,1,7,memory,double,MiB,,' \
		'RegionStart,0,1,1,f</script><script>alert(1)</script>,' \
		'RegionStart,10,1,2,inner,' 'RegionStop,40,2' 'RegionStop,100,1' 'SectionInfo,0,1,5,io,'
	for i in $(seq 1000); do
		printf 'SectionStart,%d.,5,%d\nSectionStop,%d,5,%d\n' $((i / 20 + 40)) "$i" $((i / 20 + 40)) "$i" | tr -d .
	done
	printf '%s\n' 'PauseResume,30,20,1' 'RunPoint,10,1,7,3' 'RunPoint,60,1,7,8'
} >sim.afperf
perun show -o timeline.html sim.afperf timeline || exit 1
PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 "$browser/timeline.py"
