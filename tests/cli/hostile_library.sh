# SPDX-License-Identifier: MIT
# A library in the current folder is never loaded: the program and its modules have no run path that leads there.
source "$(dirname "$0")/expect.bash"

build=$(dirname "$l2r")
for file in "$l2r" "$build"/modules/*.so "$build"/libl2r.so; do
    [[ -e $file ]] || continue
    path=$(readelf -d "$file" | sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]/\2/p')
    [[ -z $path || :$path: != *:[!/\$]* ]] || fail "$file: the run path '$path' has an empty or relative part"
done

# Every library that the program or a module needs, as a file in the current folder that says when it is loaded.
cat >shout.c <<'C'
#include <unistd.h>
__attribute__((constructor)) static void shout(void) { (void)!write(2, "LOADED\n", 7); _exit(99); }
C
${CC:-cc} -shared -fPIC -o shout.so shout.c 2>cc.log || { cat cc.log; exit 77; }
for name in $(readelf -d "$l2r" "$build"/modules/*.so | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | sort -u) \
    l2r_draw.so l2r_chem.so l2r_fetch.so l2r_mpi.so; do
    cp shout.so "$name"
done
run "$l2r" train --data "$tiny" "${small[@]}" --out run --quiet
expect_code 0
run "$l2r" explain run --limit 1 --steps 2 --restarts 1 # loads the module that draws
expect_code 0
grep -q LOADED err && fail "a library of the current folder was loaded"
finish
