# Pages in a headless Chromium; skipped where there is none.
EXTRA_DIST += tests/browser/webdriver.py tests/browser/flamegraph.py tests/browser/flamegraph-stacks.py
cli_tests += tests/browser/flamegraph.sh
EXTRA_DIST += tests/browser/charts.py
cli_tests += tests/browser/charts.sh
EXTRA_DIST += tests/browser/memory.py
cli_tests += tests/browser/memory.sh
EXTRA_DIST += tests/browser/site.py
cli_tests += tests/browser/site.sh
EXTRA_DIST += tests/browser/timeline.py
cli_tests += tests/browser/timeline.sh
cli_tests += tests/browser/firefox.sh
EXTRA_DIST += tests/browser/firefox.py
