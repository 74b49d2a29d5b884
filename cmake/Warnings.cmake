# SPDX-License-Identifier: MIT
# One interface target with the flags that every source of the project is built with.
add_library(l2r_flags INTERFACE)
target_compile_options(l2r_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith -Wcast-qual
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  -Wwrite-strings -Wvla -Wundef -Wdouble-promotion -Wno-psabi
  # No contraction and no reassociation: a loop gives the same bits on every CPU level.
  -fno-math-errno -fno-trapping-math -ffp-contract=off
  # clang counts INFINITY and NAN, which are floats in C; gcc does not.
  $<$<C_COMPILER_ID:Clang>:-Wno-double-promotion>
  $<$<BOOL:${L2R_WERROR}>:-Werror>)
target_compile_definitions(l2r_flags INTERFACE _GNU_SOURCE)
if(L2R_SANITIZE)
  target_compile_options(l2r_flags INTERFACE
    -fsanitize=${L2R_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(l2r_flags INTERFACE -fsanitize=${L2R_SANITIZE})
endif()
if(L2R_COVERAGE)
  # One copy of each loop: clones for other CPUs would count as lines never reached.
  target_compile_options(l2r_flags INTERFACE --coverage -fprofile-update=prefer-atomic)
  target_link_options(l2r_flags INTERFACE --coverage)
  target_compile_definitions(l2r_flags INTERFACE L2R_NO_CLONES)
endif()
if(L2R_FUZZ)
  target_compile_options(l2r_flags INTERFACE -fsanitize=fuzzer-no-link)
  # The name that fuzzers agree on for builds in which buffers are small and disks are not waited for.
  target_compile_definitions(l2r_flags INTERFACE FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
endif()
