#!/bin/sh
# Makes the package of this checkout: pack.sh <folder for assent.tgz>
set -eu
into=$1
mkdir -p "$into"
packed=$(npm pack --silent --ignore-scripts --pack-destination "$into" | tail -n 1)
mv "$into/$packed" "$into/assent.tgz"
