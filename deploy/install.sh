#!/bin/sh
# Installs the package with the drivers of PostgreSQL and Redis, without development packages: install.sh <assent.tgz> <folder>
# Nobody but its owner can write to the folder afterwards, and everybody can read it.
set -eu
package=$1
into=$2
mkdir -p "$into"
cd "$into"
printf '{ "private": true }\n' > package.json
npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error \
  "$package" pg@8.23.1 @redis/client@6.3.1
chmod -R a+rX,go-w "$into"
