# SPDX-License-Identifier: MIT
# Writes build/generated/l2r_spec_texts.c: the files share/reproduce/*.json as bytes, so that the program needs no file
# beside it.
function(l2r_spec_texts folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.json)
  list(SORT files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(arrays "")
  set(entries "")
  set(number 0)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char text_${number}[] = {${bytes}};\n")
    string(APPEND entries "    {\"${name}\", text_${number}, sizeof text_${number}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  set(out ${CMAKE_BINARY_DIR}/generated/l2r_spec_texts.c)
  file(CONFIGURE OUTPUT ${out} CONTENT
"/* Written by cmake/Specs.cmake from the files in ${folder}. */
#include \"reproduce/spec.h\"

${arrays}
const struct l2r_spec_text l2r_spec_texts[] = {
${entries}    {0, 0, 0}};
" @ONLY)
  set(L2R_APP_REGISTRY_SOURCES ${L2R_APP_REGISTRY_SOURCES} ${out} PARENT_SCOPE)
endfunction()

l2r_spec_texts(share/reproduce)
