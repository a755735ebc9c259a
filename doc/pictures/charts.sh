#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# charts.sh [PERUN]: draws the charts of README.md again.
set -eu
cd "$(dirname "$0")"
perun=${1:-../../perun}
{
	echo 'PARAMETER p'
	echo 'POINTS 4 8 16 32 64'
	echo 'METRIC time'
	echo 'REGION main->solve'
	printf 'DATA %s\n' '2.31 2.27 2.40' '2.84 2.90 2.79' '3.61 3.70 3.52' '5.33 5.16 5.41' '8.70 8.92 8.55'
	echo 'REGION main->exchange'
	printf 'DATA %s\n' '0.11 0.14 0.12' '0.38 0.33 0.36' '1.21 1.33 1.27' '4.55 4.21 4.39' '16.2 15.4 15.9'
	echo 'REGION main->init'
	printf 'DATA %s\n' '3.02 2.98 3.05' '3.01 3.07 2.99' '2.97 3.04 3.01' '3.06 3.00 2.98' '3.03 2.99 3.04'
} >example.extrap
"$perun" show -o scaling.svg example.extrap scaling --at p=256 --title 'What dominates at 256 processes?' --height 330
rm example.extrap

# A simulation: four steps of two nested regions, reading and kernels beside them, a pause.
{
	echo '# AFPerf v1     '
	echo 'RunInfo,0,milliseconds,1639527663.5,1.0.0,1,mission,2.9,'
	echo 'MeasurementType,0,1,1,memory,double,MiB,,'
	echo 'MeasurementType,0,1,2,load,double,count,,'
	echo 'RegionStart,0,1,1,simulation,'
	for i in 0 1 2 3; do
		start=$((i * 240 + 10 + i * 3))
		echo "RegionStart,$start,1,1$i,step,"
		echo "RegionStart,$((start + 4)),1,2$i,exchange halo,"
		echo "RegionStop,$((start + 40 + i * 12)),2$i"
		echo "RegionStart,$((start + 44 + i * 12)),1,3$i,solve,"
		echo "RegionStart,$((start + 60 + i * 12)),1,4$i,assemble,"
		echo "RegionStop,$((start + 110 + i * 9)),4$i"
		echo "RegionStop,$((start + 210)),3$i"
		echo "RegionStop,$((start + 220)),1$i"
	done
	echo 'RegionStop,1000,1'
	echo 'SectionInfo,0,1,1,read,'
	echo 'SectionInfo,0,1,2,kernels,'
	for i in 0 1 2 3 4 5 6; do
		echo "SectionStart,$((i * 130 + 20)),1,$i"
		echo "SectionStop,$((i * 130 + 70 + i % 3 * 60)),1,$i"
		echo "SectionStart,$((i * 140 + 30)),2,$i"
		echo "SectionStop,$((i * 140 + 75 + i % 4 * 40)),2,$i"
	done
	echo 'PauseResume,560,500,1'
	for i in $(seq 0 40); do
		echo "RunPoint,$((i * 25)),1,1,$((120 + i * 3 + i * 7 % 11)),2,$((i * 37 % 9 + 1))"
	done
} >mission.afperf
"$perun" show -o timeline.svg mission.afperf timeline
rm mission.afperf
