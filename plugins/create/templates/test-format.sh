printf '3.5 main\n4.5 f\n' >lines.@NAME@
"$PERUN" convert --to @NAME@ lines.@NAME@ again.@NAME@ || fail 'the file is not read'
cmp lines.@NAME@ again.@NAME@ || fail 'what was written is not what was read'
"$PERUN" convert --to perun lines.@NAME@ stored.perf || fail 'the profile cannot be stored'
echo 'no number' >bad.@NAME@
! "$PERUN" show bad.@NAME@ raw >out 2>&1 || fail 'a bad line is read'
grep -q 'line 1' out || fail 'the message does not name the line'
refused "$PERUN" convert --to @NAME@ -o longest-name=0 lines.@NAME@ again.@NAME@
