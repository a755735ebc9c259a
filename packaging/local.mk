# What other systems build packages with, and what continuous integration runs: see doc/ci.md.
cidir = $(datadir)/perun/ci
dist_ci_SCRIPTS = packaging/ci/measure.sh
EXTRA_DIST += action.yml packaging/ci/gitlab.yml packaging/container/Containerfile packaging/guix/perun.scm packaging/rpm/perun.spec packaging/rpm/perun.rpmlintrc
EXTRA_DIST += tests/tools/act.py
