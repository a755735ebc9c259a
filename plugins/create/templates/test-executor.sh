git init -q . && git commit -q --allow-empty -m one && "$PERUN" init >out 2>&1
measure() { "$PERUN" run --executor @NAME@ "$@" -m HEAD job -b true -w 1 -w 2 -c time -cp time '{repeat: 1, warmup: 0}'; }
measure --executor-params 'nice: 1' --wait >out 2>&1 || fail "$(cat out)"
grep -q '^2 profiles registered' out || fail "$(cat out)"
refused measure --executor-params 'nice: 20'
