profile 3 one.perf
profile 6 two.perf
code=0
"$PERUN" check profiles --method @NAME@ one.perf two.perf >out 2>&1 || code=$?
[ "$code" = 1 ] || fail "exit code $code instead of 1 for twice the amount: $(cat out)"
code=0
"$PERUN" check --params 'threshold: 2' profiles --method @NAME@ one.perf two.perf >out 2>&1 || code=$?
[ "$code" = 0 ] || fail "exit code $code with a threshold above the change: $(cat out)"
refused "$PERUN" check --params 'threshold: -1' profiles --method @NAME@ one.perf two.perf
