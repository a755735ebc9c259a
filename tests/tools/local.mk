# Programs that test scripts call.
check_PROGRAMS += tests/tools/format-pairs
check_PROGRAMS += tests/tools/history-facts
check_PROGRAMS += tests/tools/kill-at
check_PROGRAMS += tests/tools/vcs-drive
EXTRA_DIST += tests/tools/hpctoolkit.py tests/tools/perf-data.py tests/tools/perfetto.py tests/tools/restored.py

tests_tools_kill_at_SOURCES = tests/tools/kill-at.c
tests_tools_kill_at_LDADD =
tests_tools_vcs_drive_SOURCES = tests/tools/vcs-drive.c
tests_tools_vcs_drive_LDADD = $(linked_plugins) $(LDADD)
tests_tools_history_facts_SOURCES = tests/tools/history-facts.c
tests_tools_history_facts_LDADD = $(linked_plugins) $(LDADD)
tests_tools_format_pairs_SOURCES = tests/tools/format-pairs.c
tests_tools_format_pairs_LDADD = $(linked_plugins) $(LDADD)
