# SPDX-License-Identifier: MIT
# Text files as part of the program: build/generated/SYMBOL.c defines `const unsigned char SYMBOL[]`, ended by a zero
# byte.
#   l2r_embed(<symbol> <files…>)        several files behind each other
function(l2r_embed symbol)
  set(bytes "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${file})
    file(READ ${CMAKE_SOURCE_DIR}/${file} more HEX)
    string(APPEND bytes ${more})
  endforeach()
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x0a,)" "\\1\n    " bytes "${bytes}") # a line of text is a line here
  set(out ${CMAKE_BINARY_DIR}/generated/${symbol}.c)
  file(CONFIGURE OUTPUT ${out} CONTENT
"/* Written by cmake/Embed.cmake from ${ARGN}. */
extern const unsigned char ${symbol}[];
const unsigned char ${symbol}[] = {
    ${bytes} 0};
" @ONLY)
  set(L2R_EMBEDDED_SOURCES ${L2R_EMBEDDED_SOURCES} ${out} PARENT_SCOPE)
endfunction()

set(L2R_EMBEDDED_SOURCES "")
l2r_embed(l2r_page_style app/report/page.css)
l2r_embed(l2r_page_script app/report/axes.js app/report/charts.js app/report/page.js)
