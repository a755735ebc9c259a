# Hostile places: stores, clones and directories of others, against every command.
hostile_tests = \
	tests/hostile/commands.sh \
	tests/hostile/cost.sh \
	tests/hostile/detect.sh \
	tests/hostile/escapes.sh \
	tests/hostile/links.sh \
	tests/hostile/memory.sh \
	tests/hostile/owner.sh \
	tests/hostile/serve.sh \
	tests/hostile/trust.sh
cli_tests += $(hostile_tests)
EXTRA_DIST += tests/hostile/lib.sh tests/hostile/costly.py tests/hostile/escapes.py tests/hostile/memory.py \
	tests/hostile/signals.py
