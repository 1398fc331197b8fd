#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0; see LICENSE.
#
# Checks a release: its checksums, what is in it, that its settings and pages are those of the sources, that its script
# can be read by bash, and that no link of its pages leads nowhere. Needs GNU tar, sha256sum and a JDK.
#
#   check-tarball.sh <tarball>
set -euo pipefail
tarball=$(readlink -f "$1")
root=$(cd "$(dirname "$0")/../../../.." && pwd)
name=$(basename "$tarball" .tar.gz)
version=${name#dayu-}
work=$(mktemp -d "${TMPDIR:-/tmp}/dayu-check.XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() { echo "$tarball: $*" >&2; exit 1; }

cd "$(dirname "$tarball")"
sha256sum -c --quiet "$(basename "$tarball").sha256"
tar -xzf "$tarball" -C "$work"
[ "$(ls "$work")" = "$name" ] || fail "not one directory $name: $(ls "$work")"
cd "$work/$name"
sha256sum -c --quiet SHA256SUMS
diff <(find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort) <(awk '{print $2}' SHA256SUMS) ||
  fail "SHA256SUMS does not name each file"

expected="LICENSE NOTICE README.md SHA256SUMS conf docs lib shellprofile.d sim try"
[ "$(LC_ALL=C ls | xargs)" = "$expected" ] || fail "expected $expected, found $(LC_ALL=C ls | xargs)"
[ "$(ls lib | xargs)" = "dayu-datanode-$version.jar dayu-namenode-$version.jar" ] || fail "lib has $(ls lib | xargs)"
diff -r conf "$root/conf" || fail "conf is not that of the sources"
diff <(ls docs) <(ls "$root/docs") || fail "docs are not those of the sources"
diff shellprofile.d/dayu.sh "$root/dayu-namenode/dist/src/shellprofile.d/dayu.sh"
bash -n shellprofile.d/dayu.sh
diff -r try "$root/dayu-namenode/dist/src/try" || fail "try is not that of the sources"
for script in try/*.sh; do bash -n "$script"; done
[ "$(ls sim | xargs)" = dayu-sim.jar ] || fail "sim has $(ls sim | xargs)"
for daemon in datanode namenode; do
  jar tf "lib/dayu-$daemon-$version.jar" > "$work/$daemon"
  if grep -E 'Test\.class|IT\.class|/harness/|junit' "$work/$daemon"; then fail "the $daemon's jar has tests"; fi
done
for class in io/dayu/namenode/DayuNameNodePlugin io/dayu/cli/DayuCommand; do
  grep -qx "$class.class" "$work/namenode" || fail "no $class"
done
grep -qx io/dayu/datanode/DayuDataNodePlugin.class "$work/datanode" || fail "no io/dayu/datanode/DayuDataNodePlugin"

for page in README.md docs/*.md; do
  links=$(grep -oE '\]\([^)# ]+' "$page" | cut -c3- | grep -vE '^https?:' || true)
  for link in $links; do
    [ -e "$(dirname "$page")/$link" ] || fail "$page links to $link, which is not in the release"
  done
done
echo "$name: $(wc -l < SHA256SUMS) files, checksums, contents and links are right"
