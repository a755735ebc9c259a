#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# charts.sh [PERUN]: draws the charts of README.md anew.
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
