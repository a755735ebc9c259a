profile 3 one.perf
git init -q . && git commit -q --allow-empty -m one && "$PERUN" init >out 2>&1
"$PERUN" add one.perf >out 2>&1
"$PERUN" @NAME@ | grep -q one.perf || fail 'the profile is not listed'
refused "$PERUN" @NAME@ --count 0
