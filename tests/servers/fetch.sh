#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# fetch.sh DIR: the servers that are newer than this distribution's, from its later suites, without
# touching the system. What is there afterwards is DIR/bin/redis-8.0, DIR/bin/valkey-9.1 and the like,
# each named after the version that it says of itself; prints these. A suite's versions move, so a
# name that a test wants may be missing: the test then fails, and says so.
#
# The mirror is the one that apt uses here. The packages and all that they depend on are unpacked into
# a folder for each suite, and run with the loader and the libraries from there.
set -euo pipefail
readonly suites=(trixie sid)
readonly packages=(redis-tools valkey-tools)
[[ $# == 1 ]] || { echo 'usage: fetch.sh DIR' >&2; exit 64; }
mkdir -p "$1/bin"
dir=$(cd "$1" && pwd)
readonly dir

die() { echo "fetch.sh: $*" >&2; exit 69; }

mirror=$(apt-get indextargets --format '$(SITE)' | grep -m 1 '/debian/\?$') ||
  die 'apt knows no mirror of Debian'

# of_suite SUITE COMMAND...: apt-get with that suite alone, and as if nothing was installed.
of_suite() {
  local state="$dir/$1/apt"
  mkdir -p "$state"/{lists,archives}/partial
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" \
    >"$state/sources.list"
  : >"$state/status"
  shift
  apt-get -qq -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=- \
    -o Dir::State="$state" -o Dir::State::Lists="$state/lists" -o Dir::State::Status="$state/status" \
    -o Dir::Cache::Archives="$state/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o APT::Sandbox::User=root "$@"
}

# program SUITE NAME FILE: a script that runs it as NAME, which tells the server from the checker of
# dump files, the same program; installed under its version.
program() {
  local tree="$dir/$1/tree" loader libraries version
  loader=$(find "$tree" -name 'ld-linux-*.so.*' | head -n 1)
  libraries=$(dirname "$(find "$tree" -name 'libc.so.6' | head -n 1)")
  [[ -n $loader && -f $tree/usr/bin/$3 ]] || die "$1 has no $3"
  cat >"$dir/bin/new" <<SCRIPT
#!/bin/sh
exec '$loader' --library-path '$libraries' --argv0 $2 '$tree/usr/bin/$3' "\$@"
SCRIPT
  chmod +x "$dir/bin/new"
  version=$("$dir/bin/new" --version | sed -nE 's/.* v=([0-9]+\.[0-9]+)\.([0-9]+).*/\1 \1.\2/p')
  [[ -n $version ]] || die "$3 of $1 does not say its version"
  local name="${2%-server}-${version% *}"
  mv "$dir/bin/new" "$dir/bin/$name"
  echo "$name: ${2%-server} ${version#* }, of $1"
}

for suite in "${suites[@]}"; do
  if [[ ! -d $dir/$suite/tree ]]; then
    of_suite "$suite" update || die "the suite $suite cannot be read"
    of_suite "$suite" -y --no-install-recommends --download-only install "${packages[@]}" ||
      die "${packages[*]} of $suite cannot be had"
    rm -rf "$dir/$suite/unpacked"
    mkdir "$dir/$suite/unpacked"
    for deb in "$dir/$suite"/apt/archives/*.deb; do dpkg-deb -x "$deb" "$dir/$suite/unpacked"; done
    mv "$dir/$suite/unpacked" "$dir/$suite/tree"
    rm -rf "$dir/$suite/apt"
  fi
  program "$suite" redis-server redis-check-rdb
  program "$suite" valkey-server valkey-check-rdb
done
