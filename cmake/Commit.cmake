# SPDX-License-Identifier: MIT
# Which commit a program is built from: the target l2r_commit looks at every build and writes the file only when the
# answer is another, so that one file is compiled and the programs that link it are linked. L2R_COMMIT says it where the
# sources have left their repository.
if(CMAKE_SCRIPT_MODE_FILE)
  set(commit "${GIVEN}")
  set(folder "none")
  if(GIT AND GIVEN STREQUAL "") # an unpacked archive may lie in a repository of something else
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix OUTPUT_VARIABLE folder
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE ignored RESULT_VARIABLE failed)
  endif()
  if(NOT failed AND folder STREQUAL "")
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no -- .
      OUTPUT_VARIABLE changes ERROR_QUIET)
  endif()
  if(commit STREQUAL "")
    set(commit unknown)
  elseif(NOT changes STREQUAL "")
    string(APPEND commit "+changes")
  endif()
  file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT
"/* Written by cmake/Commit.cmake. */
#include \"results/results.h\"

const char l2r_build_commit[] = \"@commit@\";
")
  return()
endif()

find_package(Git QUIET)
set(L2R_COMMIT "" CACHE STRING "the commit of these sources; empty: git is asked")
set(L2R_COMMIT_SOURCE ${CMAKE_BINARY_DIR}/generated/commit.c)
add_custom_target(l2r_commit BYPRODUCTS ${L2R_COMMIT_SOURCE} COMMENT ""
  COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUT=${L2R_COMMIT_SOURCE}
    -DGIVEN=${L2R_COMMIT} -P ${CMAKE_CURRENT_LIST_FILE})

function(l2r_link_commit program)
  target_sources(${program} PRIVATE ${L2R_COMMIT_SOURCE})
  set_source_files_properties(${L2R_COMMIT_SOURCE} PROPERTIES GENERATED ON)
  add_dependencies(${program} l2r_commit)
endfunction()
