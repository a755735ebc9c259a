profile 3 one.perf
"$PERUN" show one.perf @NAME@ >out || fail 'the profile is not shown'
grep -q '3 main' out || fail 'the row is not there'
refused "$PERUN" show one.perf @NAME@ --count 0
