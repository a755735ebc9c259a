git init -q . && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two
"$PERUN" init --vcs-type @NAME@ --vcs-path . >out 2>&1 || fail "$(cat out)"
profile 3 one.perf
"$PERUN" add -m HEAD~1 one.perf >out 2>&1 || fail "$(cat out)"
"$PERUN" log --short >out 2>&1 || fail "$(cat out)"
grep -q two out || fail 'the newest version is not in the log'
refused "$PERUN" log none-of-this-name
