git init -q . && git commit -q --allow-empty -m one && "$PERUN" init >out 2>&1
"$PERUN" collect -c true @NAME@ --repeat 2 >out 2>&1 || fail "$(cat out)"
"$PERUN" show 0@p raw >out || fail 'there is no profile'
refused "$PERUN" collect -c true @NAME@ --repeat 0
