# SPDX-License-Identifier: BSD-3-Clause
# Each sentence of the specification of AFPerf with MUST, MUST NOT, SHOULD or MAY has cases here, named
# as in the table of doc/afperf.md; so have the specification's own examples, corrected.
. "${top_srcdir:-.}/tests/cli/lib.sh"

header='# AFPerf v1     '
run_info='RunInfo,0,nanoseconds,1000.5,1.0.0,1,sim,2.0,'
type_info='MeasurementType,0,1,100,energy,double,count,Energy,More'
region='RegionStart,10,1,5,step,
RegionStop,20,5'
covered=

# write_file LINE...: the header and the lines.
write_file() { { printf '%s\n' "$header"; printf '%b\n' "$@"; } >case.afperf; }

# valid SENTENCE WHAT LINE...: no violation; warnings may be.
valid() {
	local sentence=$1 what=$2
	shift 2
	covered="$covered $sentence"
	write_file "$@"
	run perun afperf check case.afperf
	check "$sentence: $what" test "$status$out" = 0
}

# violates SENTENCE LINE-NUMBER WHAT LINE...: a violation of that line.
violates() {
	local sentence=$1 line=$2 what=$3
	shift 3
	covered="$covered $sentence"
	write_file "$@"
	run perun afperf check case.afperf
	check "$sentence: $what" test "$status" -eq 3
	check "$sentence: $what: the line" grep -q "^case.afperf: line $line[:,]" "$work/.result/stdout"
	run perun afperf info case.afperf
	check "$sentence: $what: refused" test "$status$out" = 3
}

# warns SENTENCE TEXT LINE...: a warning on standard error, and no violation.
warns() {
	local sentence=$1 text=$2
	shift 2
	covered="$covered $sentence"
	write_file "$@"
	run perun afperf check case.afperf
	check "$sentence: a warning, no violation" test "$status$out" = 0
	check "$sentence: it says: $text" grep -q "$text" "$work/.result/stderr"
}

# has SENTENCE WHAT TEXT ARGUMENT...: the command on the last case prints it.
has() {
	local sentence=$1 what=$2 text=$3
	shift 3
	covered="$covered $sentence"
	run perun afperf "$@" case.afperf
	check "$sentence: $what" grep -q -e "$text" "$work/.result/stdout"
}

# ---- the file ---------------------------------------------------------------------------------------

violates version-checked 2 'another major version in RunInfo' \
	'RunInfo,0,nanoseconds,1000.5,2.0.0,1,sim,2.0,'
violates version-checked 2 'no version' 'RunInfo,0,nanoseconds,1000.5,1.0,1,sim,2.0,'
valid later-minor 'unknown records and fields of a later minor version' \
	'RunInfo,0,nanoseconds,1000.5,1.7.2,1,sim,2.0,,new' 'Fresh,1,2' '17,3' "$region,new"
has later-minor 'they are counted' '"ignored_records": 2' info --json
has later-minor 'they are counted' '"ignored_fields": 2' info --json
violates later-minor 3 'a later patch version brings no records' \
	'RunInfo,0,nanoseconds,1000.5,1.0.9,1,sim,2.0,' 'Fresh,1,2'
violates later-minor 4 'fields of a run of this version, beside one of a later' \
	'RunInfo,0,nanoseconds,1000.5,1.7.2,1,sim,2.0,' 'RunInfo,0,nanoseconds,1000.5,1.0.0,2,sim,2.0,' \
	'RegionStart,10,2,5,step,,new'

valid utf-8 'characters of all lengths' "$run_info" 'RegionStart,10,1,5,h\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80,'
violates utf-8 3 'a lone byte' "$run_info" 'RegionStart,10,1,5,\xFF,'
violates utf-8 3 'an overlong form' "$run_info" 'RegionStart,10,1,5,\xC0\xAF,'
violates utf-8 3 'a surrogate' "$run_info" 'RegionStart,10,1,5,\xED\xA0\x80,'
violates utf-8 3 'in a comment' "$run_info" '# \xE9'
violates utf-8 4 'in the second line of a quoted field' "$run_info" '# good' 'RegionStart,10,1,5,"a\n\xFF",'
printf '\357\273\277%s\n' "$header" >case.afperf
expect_status 3 perun afperf check case.afperf
expect_out 'byte order mark'

valid blank-records 'empty ones, blanks and tabs, CRLF' '' ' \t ' '\r' "$run_info" '  \r'
has blank-records 'the run is there' '"id": 1' info --json
valid comments 'whatever quotes they hold' '# "' "$run_info" '#RunInfo,bad"'

valid header-first 'nothing but the header'
printf '%s' "$header" >case.afperf
expect_status 0 perun afperf check case.afperf
for other in '# AFPerf v1' '# AFPerf v1    ' '# AFPerf v1      ' '# AFPerf v10    ' '#AFPerf v1      ' \
	'# AFPerf v2     ' ' # AFPerf v1    ' '# afperf v1     '; do
	printf '%s\n%s\n' "$other" "$run_info" >case.afperf
	run perun afperf check case.afperf
	check "header-first: not '$other'" test "$status" -eq 3
done
valid header-repeated 'between records' "$run_info" "$header" "$region" "$header" '# AFPerf version 2 is to come'
violates header-repeated 3 'another one' "$run_info" '# AFPerf v2     '
violates header-repeated 3 'not padded' "$run_info" '# AFPerf v1'
valid header-repeated 'inside quotes it is none' "$run_info" 'RegionStart,10,1,5,"a\n# AFPerf v2     \n",'
valid versions-vary 'minor and patch versions of runs' "$run_info" "$header" \
	'RunInfo,0,nanoseconds,1000.5,1.2.3,2,sim,2.0,'

write_file "$run_info"
cp case.afperf container.afperf
sed -i 's/v1/v2/' case.afperf
covered="$covered append-compatible"
expect_status 3 perun afperf append container.afperf case.afperf
check 'append-compatible: nothing was appended' test "$(wc -l <container.afperf)" -eq 2
write_file 'RunInfo,0,nanoseconds,1000.5,1.0.0,2,sim,2.0,'
expect_status 0 perun afperf append container.afperf case.afperf
check 'append-compatible: the header of each is before its records' \
	test "$(grep -c '^# AFPerf v1     $' container.afperf)" -eq 2
valid header-boundary 'what is before it is of the block before' "$run_info" \
	'RegionStart,10,1,,a,' "$header" 'RegionStop,20,'
violates header-boundary 6 'blocks do not go on behind it' "$run_info" "$type_info" \
	'RegionStart,10,1,,a,' "$header" 'RegionPoint,10,,100,1'

# ---- numbers ----------------------------------------------------------------------------------------

valid integers 'decimal and hexadecimal' 'RunInfo,0x11223344,nanoseconds,1000.5,1.0.0,0XfF,sim,2.0,' \
	'RegionStart,0x11223345,255,0x5,step,' 'RegionStop,+287454022,5'
has integers 'they are the same numbers' '"start": 287454020' info --json
violates integers 3 'octal' "$run_info" 'RegionStart,010,1,5,step,'
violates integers 3 'hexadecimal without digits' "$run_info" 'RegionStart,0x,1,5,step,'
violates integers 3 'hexadecimal without a prefix' "$run_info" 'RegionStart,1f,1,5,step,'
violates integers 3 'text behind' "$run_info" 'RegionStart,10 ns,1,5,step,'
violates integers 3 'beyond 2^63 - 1' "$run_info" 'RegionStart,9223372036854775808,1,5,step,'
valid integers 'up to 2^63 - 1' "$run_info" 'RegionStart,9223372036854775807,1,5,step,'
violates ids-64-bit 3 'beyond 64 bits' "$run_info" 'RegionStart,10,1,18446744073709551616,step,'
violates ids-64-bit 3 'negative' "$run_info" 'RegionStart,10,1,-5,step,'
valid ids-64-bit 'the greatest' 'RunInfo,0,nanoseconds,1000.5,1.0.0,0xffffffffffffffff,sim,2.0,'
has ids-64-bit 'it is printed exactly' '"id": 18446744073709551615,*$' info --json
violates timestamps 3 'negative' "$run_info" 'RegionStart,-1,1,5,step,'
violates timestamps 3 'blank' "$run_info" 'RegionStart,,1,5,step,'

valid floats 'all that strtod takes' "$run_info" "$type_info" \
	'RunPoint,0,1,100,.5,100,5.,100,1e3,100,0x1p-3,100, 7 ,100,+1,100,007'
has floats 'their sum' '"sum": 1020.625' reduce --json
violates floats 4 'text behind' "$run_info" "$type_info" 'RunPoint,0,1,100,1.5x'
violates floats 4 'a decimal comma' "$run_info" "$type_info" 'RunPoint,0,1,100,"0,5"'
valid infinities 'infinity and not-a-number' "$run_info" "$type_info" \
	'RunPoint,0,1,100,inf,100,-INFINITY,100,nan,100,NAN(1)'
has infinities 'NaN counts' '"count": 4' reduce --json
has infinities 'NaN makes the other numbers null' '"sum": null' reduce --json

# ---- records ----------------------------------------------------------------------------------------

valid record-type 'by name and by number' "$run_info" '5,10,1,5,step,' '0x6,20,5'
violates record-type 3 'unknown' "$run_info" 'Regionstart,10,1,5,step,'
violates record-type 3 'reserved' "$run_info" '0,1'
violates record-type 3 'blank' "$run_info" ',10'
violates record-type 3 'too few fields' "$run_info" 'RegionStart,10,1,5,step'
violates record-type 3 'too many fields' "$run_info" 'RegionStart,10,1,5,step,,more'
violates record-type 4 'half a pair' "$run_info" "$type_info" 'RunPoint,0,1,100,1,100'

violates raw-id 6 'of a run that a raw RegionAggregate must not have' "$run_info" "$type_info" \
	"$region" 'RegionAggregate,20,10,1,,100,4'
valid raw-id 'of the region' "$run_info" "$type_info" "$region" 'RegionAggregate,20,10,5,,100,4'
violates raw-section-id 4 'of a run that a raw SectionAggregate must not have' "$run_info" "$type_info" \
	'SectionAggregate,20,10,1,1,,100,4'
valid raw-section-id 'of the section' "$run_info" "$type_info" 'SectionInfo,,1,7,io,' \
	'SectionStart,10,7,1' 'SectionStop,20,7,1' 'SectionAggregate,20,10,7,1,,100,4'
valid aggregation-type 'of a processed record, with the id of the run' "$run_info" "$type_info" \
	'RunAggregate,20,10,1,mean,100,4' 'RegionAggregate,20,10,1,sum,100,4' \
	'SectionAggregate,20,10,1,,maximum,100,4'
has aggregation-type 'it is no raw value' '"rows": \[\]' reduce --json
valid aggregation-type 'of a processed record without id' "$run_info" "$type_info" \
	'RegionAggregate,20,10,,sum,100,4'
has aggregation-type 'it is no raw value' '"rows": \[\]' reduce --json
valid aggregation-type 'blank: a raw record' "$run_info" "$type_info" 'RunAggregate,20,10,1,,100,4'
has aggregation-type 'it is a raw value' '"count": 1' reduce --json
violates aggregate-times 4 'an end before its start' "$run_info" "$type_info" 'RunAggregate,5,9,1,,100,1'

valid block-order 'stops by time, values by block' "$run_info" "$type_info" 'RegionStop,50,' \
	'RegionPoint,50,,100,8' 'RegionStart,10,1,,b,' 'RegionPoint,10,,100,2' 'RegionStart,0,1,,a,' \
	'RegionStop,20,'
has block-order 'the long one' '"sum": 5e-08' reduce --json
violates block-order 5 'a stop of nothing' "$run_info" 'RegionStart,10,1,,b,' 'RegionStop,20,' \
	'RegionStop,30,'
violates block-order 4 'values of no block' "$run_info" "$type_info" 'RegionPoint,10,,100,2'

violates registered 6 'a type of another run' "$run_info" "$type_info" \
	'RunInfo,0,nanoseconds,1000.5,1.0.0,2,sim,2.0,' 'RunPoint,0,1,100,1' 'RunPoint,0,2,100,1'
valid registered 'behind its values' 'RunPoint,0,1,100,1' "$type_info" "$run_info"
violates registered 3 'for a run that is not there' "$run_info" \
	'MeasurementType,0,2,100,energy,double,count,Energy,More'

valid bool '0 and 1' "$run_info" 'MeasurementType,0,1,4,b,bool,flag,,' 'RunPoint,0,1,4,0,4,1'
for value in true 2 01 ''; do
	violates bool 4 "not '$value'" "$run_info" 'MeasurementType,0,1,4,b,bool,flag,,' "RunPoint,0,1,4,$value"
done
violates datatype 3 'unknown' "$run_info" 'MeasurementType,0,1,4,b,float,count,,'
violates datatype 4 'an int32 out of range' "$run_info" 'MeasurementType,0,1,4,b,int32,count,,' \
	'RunPoint,0,1,4,2147483648'
violates datatype 3 'a value before the last definition' "$run_info" 'RunPoint,0,1,4,0.5' \
	'MeasurementType,0,1,4,b,int64,count,,'

violates units-given 3 'none' "$run_info" 'MeasurementType,0,1,4,b,double,,,'
warns units-usual 'is neither "text" nor "count"' "$run_info" 'MeasurementType,0,1,4,b,double,furlong,,'
violates units-text 3 'of a number' "$run_info" 'MeasurementType,0,1,4,b,int64,text,,'
valid units-text 'of a string' "$run_info" 'MeasurementType,0,1,4,b,string,text,,'
violates units-count 3 'of a string' "$run_info" 'MeasurementType,0,1,4,b,string,count,,'
violates units-count 3 'of a bool' "$run_info" 'MeasurementType,0,1,4,b,bool,count,,'
for unit in s ms us '\xC2\xB5s' '\xCE\xBCs' ns; do
	valid units-time "$unit" "$run_info" "MeasurementType,0,1,4,b,double,$unit,,"
	check "units-time: $unit is usual" test -z "$err"
done
for unit in sec seconds nanoseconds minutes S; do
	violates units-time 3 "$unit" "$run_info" "MeasurementType,0,1,4,b,double,$unit,,"
done
for unit in B kB MB KiB GiB bit kbit Mibit; do
	valid units-data "$unit" "$run_info" "MeasurementType,0,1,4,b,int64,$unit,,"
	check "units-data: $unit is usual" test -z "$err"
done
for unit in bytes KB mb kib Bytes bits; do
	violates units-data 3 "$unit" "$run_info" "MeasurementType,0,1,4,b,int64,$unit,,"
done

valid pauses 'partly, fully, several, overlapping' 'RunInfo,0,seconds,1000.5,1.0.0,1,sim,2.0,' \
	'RegionStart,10,1,5,step,' 'RegionStop,20,5' 'PauseResume,12,8,1' 'PauseResume,16,14,1' \
	'PauseResume,17,15,1' 'PauseResume,40,19,1'
has pauses 'they are shown' 'pauses  *4, together 28 s' info
has pauses 'not deducted' '"sum": 10.0' reduce --json
has pauses 'deducted' '"sum": 4.0' reduce --json --deduct-pauses

# ---- order of times ---------------------------------------------------------------------------------

violates nesting 4 'regions that cross' "$run_info" 'RegionStart,0,1,1,a,' 'RegionStart,5,1,2,b,' \
	'RegionStop,10,1' 'RegionStop,15,2'
valid nesting 'in one another, and side by side' "$run_info" 'RegionStart,0,1,1,a,' \
	'RegionStart,0,1,2,b,' 'RegionStop,10,2' 'RegionStart,10,1,3,c,' 'RegionStop,10,3' 'RegionStop,15,1'
valid nesting 'sections may overlap' "$run_info" 'SectionInfo,,1,7,io,' 'SectionStart,0,7,1' \
	'SectionStart,5,7,2' 'SectionStop,10,7,1' 'SectionStop,15,7,2'
violates nesting 4 'an end before its start' "$run_info" 'RegionStart,10,1,1,a,' 'RegionStop,5,1'
violates nesting 3 'a stop without a start' "$run_info" 'RegionStop,5,1'
warns nesting 'never stopped' "$run_info" 'RegionStart,10,1,1,a,'

# ---- the examples -----------------------------------------------------------------------------------

# As they should be; what was wrong with them is reported in doc/afperf.md.
valid examples 'all of them' \
	'RunInfo,0x11223344,nanoseconds,1639527663.713,1.0.0,0xbad0bad0,mission,2.9.0.21.12.13-g123456789ab,' \
	'MeasurementType,123456700,0xbad0bad0,0xabe,Execution Time,int64,ns,System execution,Some further elaboration on nuances of measured mechanism' \
	'MeasurementType,123456700,0xbad0bad0,0xcccddd,load,double,count,,' \
	'MeasurementType,123456700,0xbad0bad0,0xeeeeffff,work,double,count,,' \
	'PauseResume,123456750,123456700,0xbad0bad0' \
	'RegionAggregate,123456788,123456784,0xaaaa0000,summation,0xcccddd,0.531' \
	'RegionPoint,123456789,0xaaaa0000,0xcccddd,0.531,0xeeeeffff,3.445e7' \
	'RegionStart,12345678,0xbad0bad0,0xaaaa0000,rudimentary FooBar frobbing,platform=F15_ABC;component=sensor_XYZ' \
	'RegionStop,12345679,0xaaaa0000' \
	'RunAggregate,123456786,123456780,0xbad0bad0,mean,0xcccddd,0.531' \
	'RunPoint,123456786,0xbad0bad0,0xcccddd,0.531' \
	'SectionInfo,,0xbad0bad0,0x99887766,fancy FooBar frobbing,platform=F15_DEF;component=sensor_RST' \
	'SectionStart,0xbbbb0000,0x99887766,34' \
	'SectionAggregate,123456788,123456784,0x99887766,34,maximum,0xcccddd,0.531' \
	'SectionPoint,123456789,0x99887766,34,0xcccddd,0.531' \
	'SectionStop,0xbbbb0005,0x99887766,34'
violates examples 3 'RegionStart without a run id' "$run_info" \
	'RegionStart,12345678,0xaaaa0000,rudimentary FooBar frobbing,platform=F15_ABC;component=sensor_XYZ'
violates examples 3 'SectionInfo without a timestamp' "$run_info" \
	'SectionInfo,1,0x99887766,fancy FooBar frobbing,platform=F15_DEF;component=sensor_RST'
violates examples 4 'SectionStart with a label' "$run_info" 'SectionInfo,,1,0x99887766,fancy FooBar frobbing,' \
	'SectionStart,0xbbbb0000,0x99887766,34,fancy FooBar frobbing'
violates examples 3 'nanoseconds as units' "$run_info" \
	'MeasurementType,123456700,1,0xabe,Execution Time,int64,nanoseconds,System execution,More'
valid examples 'several pairs in RunPoint' "$run_info" "$type_info" 'RunPoint,1,1,100,1,100,2'

# ---- the table --------------------------------------------------------------------------------------

table=$top_srcdir/doc/afperf.md
for name in $(sed -n 's/^| .* | `\([a-z0-9-]*\)` *|$/\1/p' "$table" | sort -u); do
	case " $covered " in
	*" $name "*) ok "the table's $name has cases" ;;
	*) not_ok "the table's $name has cases" ;;
	esac
done
for name in $(printf '%s\n' $covered | sort -u); do
	check "$name is in the table" grep -q "| \`$name\` *|\$" "$table"
done

finish
