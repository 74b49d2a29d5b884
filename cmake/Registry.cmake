# SPDX-License-Identifier: MIT
# Writes build/generated/registry_KIND.c from the file names of a folder: src/models/gin.c must define l2r_model_gin.
#   l2r_registry(<array> <struct> <header> <symbol prefix> <folder>)
function(l2r_registry array struct header prefix folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.c)
  list(SORT files)
  set(externs "")
  set(entries "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    string(APPEND externs "extern const struct ${struct} ${prefix}${name};\n")
    string(APPEND entries "    &${prefix}${name},\n")
  endforeach()
  set(out ${CMAKE_BINARY_DIR}/generated/${array}.c)
  file(CONFIGURE OUTPUT ${out} CONTENT
"/* Written by cmake/Registry.cmake from the files in src/${folder}. */
#include \"${header}\"

${externs}
const struct ${struct} *const ${array}[] = {
${entries}    0};
" @ONLY)
  set(L2R_REGISTRY_SOURCES ${L2R_REGISTRY_SOURCES} ${out} PARENT_SCOPE)
endfunction()

set(L2R_REGISTRY_SOURCES "")
l2r_registry(l2r_readers l2r_reader data/reader.h l2r_reader_ data/readers)
l2r_registry(l2r_generators l2r_generator data/reader.h l2r_generator_ data/generators)
l2r_registry(l2r_models l2r_model_type nn/model.h l2r_model_ models)
l2r_registry(l2r_methods l2r_method methods/method.h l2r_method_ methods)
l2r_registry(l2r_charts l2r_chart figure/chart.h l2r_chart_ figure/charts)
l2r_registry(l2r_reproductions l2r_reproduction reproduce/reproduction.h l2r_reproduction_ reproduce/entries)
