# SPDX-License-Identifier: MIT
# usage: run.sh BUILD-FOLDER C-COMPILER VERSION
# An installed l2r must be usable by pkg-config (shared and static) and by CMake, from a prefix of any name. Nothing is
# written to the build folder, which may be somebody else's.
set -euo pipefail
build=$1 cc=$2 version=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

expect() { # expect WHAT ACTUAL WANTED
  if [[ $2 != "$3" ]]; then
    echo "$1: got \"$2\", expected \"$3\"" >&2
    exit 1
  fi
}

# What `cmake --install` does, but that the list of installed files goes to the temporary folder.
sed "s|file(WRITE \"$build/|file(WRITE \"$work/|" "$build/cmake_install.cmake" >"$work/install.cmake"
cmake -DCMAKE_INSTALL_PREFIX="$work/first" -P "$work/install.cmake" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/moved" # nothing may remember where it was installed first
prefix=$work/moved
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$prefix/lib/$("$cc" -print-multiarch)/pkgconfig
eval "libdir=$(pkg-config --variable=libdir l2r)" # pkg-config quotes blanks for a shell

expect "pkg-config --modversion" "$(pkg-config --modversion l2r)" "$version"
eval "cflags=($(pkg-config --cflags l2r)) libs=($(pkg-config --libs l2r))"
"$cc" "${cflags[@]}" "$here/consumer/consumer.c" -o "$work/shared" "${libs[@]}"
expect "shared by pkg-config" "$("$work/shared")" "$version"

# The archive instead of the shared library: everything that `--static` names, except l2r itself.
others=$(pkg-config --static --libs-only-l l2r | sed 's/-ll2r//')
"$cc" "${cflags[@]}" "$here/consumer/consumer.c" -o "$work/static" "$libdir/libl2r.a" $others
expect "static by pkg-config" "$("$work/static")" "$version"

# Examples are compiled from where they are installed, one against both libraries, and run without any path being set.
docs=$prefix/share/doc/l2r
for example in "$docs"/examples/*.c; do
  name=$(basename "$example" .c)
  "$cc" "${cflags[@]}" "$example" -o "$work/$name" "${libs[@]}" -lm -lpthread
done
c++ "${cflags[@]}" "$docs/examples/arrays.cpp" -o "$work/arrays" "${libs[@]}" && "$work/arrays" >/dev/null
"$cc" "${cflags[@]}" "$docs/examples/train.c" -o "$work/train-static" "$libdir/libl2r.a" $others
for way in train train-static; do
  env -u LD_LIBRARY_PATH "$work/$way" motif:train=12,valid=6,test=6 >"$work/log" || { cat "$work/log"; exit 1; }
  grep -q '^test accuracy' "$work/log" || { cat "$work/log"; exit 1; }
done
for file in "$docs/LICENSE" "$docs/api/index.html" "$prefix/share/man/man1/l2r.1" "$prefix/share/man/man3/l2r.3" \
  "$prefix/share/bash-completion/completions/l2r"; do
  [[ -s $file ]] || { echo "not installed: $file" >&2; exit 1; }
done
bash -n "$prefix/share/bash-completion/completions/l2r"
if command -v groff >/dev/null; then # a page with a mistake makes it complain
  for page in man1/l2r.1 man3/l2r.3; do
    expect "complaints about $page" "$(groff -K utf8 -man -Tutf8 -ww "$prefix/share/man/$page" 2>&1 >/dev/null)" ""
  done
fi
# soname 1, and every symbol in the node of the first version.
major=${version%%.*}
readelf -d "$libdir/libl2r.so" | grep -q "SONAME.*libl2r.so.$major\]"
expect "symbols without a version" "$(nm -D --defined-only --with-symbol-versions "$libdir/libl2r.so" |
  grep ' l2r_' | grep -vc "@@L2R_$major$" || true)" "0"

cmake -S "$here/consumer" -B "$work/cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" &&
  cmake --build "$work/cmake" >>"$work/log" || { cat "$work/log"; exit 1; }
expect "CMake package" "$("$work/cmake/consumer")" "$version"

# What the shared library exports is what the public headers declare, no more and no less.
declared=$(cat "$prefix"/include/l2r/*.h | tr '\n' ' ' | grep -oE 'L2R_API [^;(]*\(' |
  sed -nE 's/.*[ *](l2r_[a-z0-9_]+)\($/\1/p' | sort)
exported=$(nm -D --defined-only "$libdir/libl2r.so" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | sort)
if [[ $declared != "$exported" ]]; then
  echo "symbols of the header (<) and of libl2r.so (>) differ:" >&2
  diff <(echo "$declared") <(echo "$exported") >&2 || true
  exit 1
fi

if [[ -x $prefix/bin/l2r ]]; then
  [[ $("$prefix/bin/l2r" version) == *"$version"* ]]
  # The program must find its modules from where it is now, and say which one is missing. Loading them is left to first
  # use: the program itself knows nothing of their libraries.
  cd "$work"
  "$prefix/bin/l2r" train --data motif:train=12,valid=6,test=6 --hidden 4 --layers 2 --epochs 1 --out run >log 2>&1 ||
    { cat log; exit 1; }
  explain() { "$prefix/bin/l2r" explain run --graph 0 --draw --out "$1" >log 2>&1; }
  explain why || { cat log; exit 1; }
  expect "a drawing as PNG" "$(head -c 4 why/graph-0.png | tail -c 3)" "PNG"
  rm "$libdir/l2r/l2r_draw.so"
  if explain again; then expect "a drawing without its module" made refused; fi
  grep -q "this needs the module l2r_draw.so" log || { cat log; exit 1; }
  heavy=$(readelf -d "$prefix/bin/l2r" | grep -c -E 'NEEDED.*(rsvg|curl|RDKit)' || true)
  expect "large libraries that the program starts with" "$heavy" "0"
  # docs/licences.md promises it.
  gpl=$(ldd "$prefix/bin/l2r" "$libdir"/l2r/*.so | grep -c -E 'lib(igraph|glpk|readline|gsl|fftw3)' || true)
  expect "libraries under the GPL" "$gpl" "0"
fi
echo "install: program, header, libraries, pkg-config and CMake package work"
