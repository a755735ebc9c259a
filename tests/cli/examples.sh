# SPDX-License-Identifier: BSD-3-Clause
# doc/examples: the cells of the notebook and the queries of the dashboard, on a database of this program.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'needs Python 3'
new_repo
perun init >/dev/null 2>&1
run perun query 'SELECT 1'
[ "$status" -ne 4 ] || skip_all 'built without SQLite'

# Twenty-four commits over two years, slower from the twelfth on.
noise=(0 31 12 47 25 8 39 19 44 3 28 15 36 22 41 6 33 10 27 45 17 2 38 20)
for i in $(seq 0 23); do
	export GIT_COMMITTER_DATE="$((2022 + i / 12))-$(printf %02d $((i % 12 + 1)))-05T12:00:00 +0000"
	git commit -q --allow-empty -m "commit $i"
	level=$((i < 12 ? 100 : 150))
	printf '{"results": [{"command": "prog", "mean": %s, "stddev": 0.5, "median": %s, "user": 1, "system": 0.1, "min": %s, "max": %s, "times": [%s, %s, %s]}]}\n' \
		$level.${noise[i]} $level.${noise[i]} $level $((level + 1)) $level $level.${noise[i]} $((level + 1)) >times.json
	perun import times.json >/dev/null
done
expect_status 0 perun export perun.sqlite
examples=$top_srcdir/doc/examples

# ---- the dashboard ----
python3 - "$examples/grafana.json" >result 2>&1 <<'PYTHON'
import json, re, sqlite3, sys
dashboard = json.load(open(sys.argv[1]))
database = sqlite3.connect("file:perun.sqlite?mode=ro", uri=True)
# As Grafana puts values in: quoted for SQL, milliseconds.
values = {"${metric:sqlstring}": None, "${machine:sqlstring}": None, "$__from": "1640995200000", "$__to": "1767225600000"}
def ask(sql):
    for name, value in values.items():
        sql = sql.replace(name, value or "?")
    assert "$" not in sql and "?" not in sql, sql
    cursor = database.execute(sql)
    return [column[0] for column in cursor.description], cursor.fetchall()
for variable in dashboard["templating"]["list"]:
    found = [row[0] for row in ask(variable["query"])[1]]
    choice = next((value for value in found if "real" in value), found[0])
    values["${%s:sqlstring}" % variable["name"]] = "'" + choice.replace("'", "''") + "'"
for panel in dashboard["panels"]:
    for target in panel["targets"]:
        assert target["queryText"] == target["rawQueryText"], panel["title"]
        columns, rows = ask(target["queryText"])
        if target["queryType"] == "time series":
            assert columns[:2] == ["time", "metric"] and rows == sorted(rows, key=lambda row: row[0]), panel["title"]
        print(panel["title"], len(rows), rows[0][0] if panel["type"] == "stat" else "")
PYTHON
expect_text 'Medians 24 
Slower commits 1 1
Changes 1 
Newest values 1 
Spread of repeats 24 ' "$(cat result)" 'the queries of the dashboard'

# ---- the notebook ----
python3 - "$examples/history.ipynb" >notebook.py <<'PYTHON'
import json, sys
notebook = json.load(open(sys.argv[1]))
assert notebook["nbformat"] == 4 and len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
for cell in notebook["cells"]:
    if cell["cell_type"] == "code":
        assert not cell["outputs"] and cell["execution_count"] is None, "a notebook is kept without what it printed"
        if "matplotlib" not in cell["metadata"].get("tags", []):
            print("".join(cell["source"]))
PYTHON
check 'the notebook has cells' grep -q read_sql notebook.py
printf 'print(table.shape[0], round(table.iloc[-1, 0]), len(changes), round(changes["relative"].iloc[0], 1), spread.iloc[0] > 0, round((now["median"] / before["median"]).dropna().max(), 1))\n' >>notebook.py
for python in python3 /usr/bin/python3 ''; do
	[ -z "$python" ] || ! "$python" -c 'import pandas' 2>/dev/null || break
done
if [ -n "$python" ]; then
	expect_text '24 150 1 0.5 True 1.5' "$("$python" notebook.py 2>&1 | tail -n 3)" 'pandas runs its cells'
	cp perun.sqlite ../elsewhere.sqlite
	rm perun.sqlite
	expect_text '24 150 1 0.5 True 1.5' "$(PERUN_DATABASE=../elsewhere.sqlite "$python" notebook.py 2>&1 | tail -n 3)" 'also elsewhere'
else
	skip 'needs pandas'
fi
finish
