#!/usr/bin/env bash
# Packs a build as a Debian package for the release that it was built on. Units are there but not
# enabled: they need a model, which /etc/parterre names.
# usage: scripts/deb.sh BUILD PACKAGE    e.g. build build/parterre_0.1.0-1_amd64.deb
# $DEBFULLNAME and $DEBEMAIL name who answers for the package.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/package_facts.sh

build=$1
package=$(realpath --canonicalize-missing "$2")
maintainer="${DEBFULLNAME:-The maintainers of Parterre} <${DEBEMAIL:-maintainers@parterre.invalid}>"
version=$(cached "$build" CMAKE_PROJECT_VERSION)
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
root=$staging/root
umask 022

DESTDIR=$root cmake --install "$build" --prefix /usr --strip >/dev/null
doc=$root/usr/share/doc/parterre
mkdir -p "$root"/{DEBIAN,lib/systemd,etc/parterre} "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/lib/systemd/system" "$root/lib/systemd/system"
mv "$root/usr/share/zsh/site-functions/_parterre" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/lib/systemd" "$root/usr/lib" "$root/usr/share/zsh/site-functions"
install -m 640 deploy/systemd/*.env "$root/etc/parterre/"
rm "$doc"/examples/systemd/*.env "$doc/LICENSE"
rmdir "$doc/examples/systemd"
gzip -9n "$root"/usr/share/man/man1/*.1
gzip -9nc "$doc/CHANGELOG.md" >"$doc/changelog.gz"
rm "$doc/CHANGELOG.md"
gzip -9n >"$doc/changelog.Debian.gz" <<END
parterre ($version-1) bookworm; urgency=medium

  * Version $version: its changes stand in changelog.gz.

 -- $maintainer  $(date --utc --rfc-email --date="@${SOURCE_DATE_EPOCH:-$(date +%s)}")
END

# Libraries that it depends on come with licences of their own.
cat >"$doc/copyright" <<END
Parterre, a server for text embeddings and reranking.
Copyright 2026 the authors of Parterre.

Licensed under the Apache License, Version 2.0, whose full text is in
/usr/share/common-licenses/Apache-2.0 on Debian systems.

The program has in it what these Debian packages, which are headers alone, are made of.
END
for headers in "${header_packages[@]}"; do
  printf '\n==== %s ====\n\n' "$headers"
  cat "/usr/share/doc/$headers/copyright"
done >>"$doc/copyright"
mkdir -p "$root/usr/share/lintian/overrides"
cat >"$root/usr/share/lintian/overrides/parterre" <<END
# They may come to hold keys.
parterre: non-standard-file-perm 0640 != 0644 [etc/parterre/*.env]
# It is not uploaded to Debian.
parterre: initial-upload-closes-no-bugs *
END

# dpkg-shlibdeps reads debian/control, of which these lines are all that it wants.
mkdir "$staging/debian"
printf 'Source: parterre\n\nPackage: parterre\nArchitecture: amd64\n' >"$staging/debian/control"
libraries=$(cd "$staging" && dpkg-shlibdeps -O -e"$root/usr/bin/parterre" |
  sed -n 's/^shlibs:Depends=//p')
[[ -n $libraries ]] || { echo "deb.sh: dpkg-shlibdeps names no library" >&2; exit 1; }

cat >"$root/DEBIAN/control" <<END
Package: parterre
Version: $version-1
Architecture: amd64
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)
Depends: $libraries
Recommends: ca-certificates
Section: net
Priority: optional
Description: server for text embeddings and reranking
 Parterre serves embeddings and reranking over HTTP, as OpenAI's, Cohere's and
 other clients ask for them, from models in Hugging Face's formats. It runs them
 on x86-64 processors with AVX2, in one process or as a gateway before any
 number of inference servers. This package has no support for GPUs.
END
(cd "$root" && find etc -type f -printf '/%p\n' | sort) >"$root/DEBIAN/conffiles"
(cd "$root" && find usr lib -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
for script in postinst prerm postrm; do
  install -m 755 "deploy/debian/$script" "$root/DEBIAN/$script"
done
find "$root" -type d -exec chmod 755 {} +
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package: $(stat --format=%s "$package") bytes"
