#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0; see LICENSE.
#
# Makes the release of the jars that were packed: dayu-<version>.tar.gz and its checksum. The same jars give the same bytes.
# Needs GNU tar, gzip and sha256sum. Called by `mvn -Pdist package`.
#
#   make-tarball.sh <version> <time of all files> <directory for the result>
set -euo pipefail
version=$1
time=$2
target=$3
root=$(cd "$(dirname "$0")/../../../.." && pwd)
name="dayu-$version"

rm -rf "${target:?}/$name" "$target/$name.tar.gz" "$target/$name.tar.gz.sha256"
mkdir -p "$target/$name/lib" "$target/$name/shellprofile.d" "$target/$name/sim"
cp "$root/dayu-namenode/target/dayu-namenode-$version.jar" "$root/dayu-datanode/target/dayu-datanode-$version.jar" "$target/$name/lib/"
cp "$root/dayu-namenode/dist/src/shellprofile.d/dayu.sh" "$target/$name/shellprofile.d/"
cp "$root/dayu-sim/target/dayu-sim.jar" "$target/$name/sim/"
cp -r "$root/dayu-namenode/dist/src/try" "$root/conf" "$root/docs" "$target/$name/"
cp "$root/README.md" "$root/LICENSE" "$root/NOTICE" "$target/$name/"
# Links to the sources, which are not in the release, keep their text only.
sed -i -E 's,\[([^]]*)\]\((\.\./)?(dayu-|\.github/)[^)]*\),\1,g' "$target/$name/README.md" "$target/$name"/docs/*.md

cd "$target/$name"
find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum > SHA256SUMS
cd ..
find "$name" -type d -exec chmod 755 {} +
find "$name" -type f -exec chmod 644 {} +
tar --sort=name --mtime="$time" --owner=0 --group=0 --numeric-owner --format=ustar -cf - "$name" | gzip -9n > "$name.tar.gz"
sha256sum "$name.tar.gz" > "$name.tar.gz.sha256"
rm -rf "${target:?}/$name"
echo "Made $target/$name.tar.gz"
