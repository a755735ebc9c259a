# One line for each scenario, sorted (git merges lines that are added here at once).
EXTRA_DIST += tests/cli/lib.sh tests/store/python-store.py
EXTRA_DIST += tests/cli/cli-lib.sh tests/cli/vcs-lib.sh

cli_tests += tests/cli/vcs-git-export.sh
cli_tests += tests/cli/vcs-git-history.sh
cli_tests += tests/cli/vcs-git-kill.sh
cli_tests += tests/cli/vcs-git-places.sh
cli_tests += tests/cli/vcs-git-state.sh
cli_tests += tests/cli/json-keys.sh
cli_tests += tests/cli/manuals.sh
cli_tests += tests/cli/newcomer.sh
cli_tests += tests/cli/readme.sh
cli_tests += tests/cli/demo.sh
cli_tests += tests/cli/third-party.sh
cli_tests += tests/cli/version.sh
cli_tests += tests/cli/cli-init.sh
cli_tests += tests/cli/cli-usage.sh
cli_tests += tests/cli/cli-config.sh
cli_tests += tests/cli/views.sh
cli_tests += tests/cli/cli-check.sh
cli_tests += tests/cli/cli-collect.sh
cli_tests += tests/cli/cli-files.sh
cli_tests += tests/cli/cli-status-log.sh
cli_tests += tests/cli/cli-add-rm.sh
cli_tests += tests/cli/store-python.sh
cli_tests += tests/cli/cli-terminal.sh
cli_tests += tests/cli/store-attachment.sh
