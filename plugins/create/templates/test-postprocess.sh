profile 3 one.perf
git init -q . && git commit -q --allow-empty -m one && "$PERUN" init >out 2>&1
"$PERUN" postprocessby one.perf @NAME@ --factor 2 >out 2>&1 || fail "$(cat out)"
"$PERUN" show 0@p raw | tr -d ' \n' | grep -q '"amount":\[6' || fail 'the amount is not twice as large'
refused "$PERUN" postprocessby one.perf @NAME@ --factor -1
