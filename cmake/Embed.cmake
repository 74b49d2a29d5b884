# SPDX-License-Identifier: MIT
# Text files as part of the program and the library, so that they need no file beside them.
#   l2r_embed(<symbol> <files…>)
#       generated/SYMBOL.c: `const unsigned char SYMBOL[]`, one file after the other
#   l2r_embed_table(<symbol> <struct> <header> <patterns…>)
#       generated/SYMBOL.c: `const struct STRUCT SYMBOL[]` of {name, text, length}, sorted by name, declared in HEADER;
#       ends with a zero row
# Every text is followed by a zero byte.

# OUT: the file's bytes as C; a line of text is a line there.
function(l2r_file_bytes out file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x0a,)" "\\1\n    " bytes "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

function(l2r_embed symbol)
  set(all "")
  foreach(file ${ARGN})
    l2r_file_bytes(bytes ${CMAKE_SOURCE_DIR}/${file})
    string(APPEND all "${bytes}")
  endforeach()
  set(out ${CMAKE_BINARY_DIR}/generated/${symbol}.c)
  file(CONFIGURE OUTPUT ${out} CONTENT
"/* Written by cmake/Embed.cmake from ${ARGN}. */
extern const unsigned char ${symbol}[];
const unsigned char ${symbol}[] = {
    ${all} 0};
" @ONLY)
  set(L2R_EMBEDDED_SOURCES ${L2R_EMBEDDED_SOURCES} ${out} PARENT_SCOPE)
endfunction()

function(l2r_embed_table symbol struct header)
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE patterns)
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  list(SORT files)
  set(arrays "")
  set(entries "")
  set(number 0)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    l2r_file_bytes(bytes ${file})
    string(APPEND arrays "static const unsigned char text_${number}[] = {\n    ${bytes} 0};\n")
    string(APPEND entries "    {\"${name}\", text_${number}, sizeof text_${number} - 1},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  set(out ${CMAKE_BINARY_DIR}/generated/${symbol}.c)
  file(CONFIGURE OUTPUT ${out} CONTENT
"// Written by cmake/Embed.cmake from ${ARGN}.
#include \"${header}\"

${arrays}
const struct ${struct} ${symbol}[] = {
${entries}    {0, 0, 0}};
" @ONLY)
  set(L2R_EMBEDDED_SOURCES ${L2R_EMBEDDED_SOURCES} ${out} PARENT_SCOPE)
endfunction()

set(L2R_EMBEDDED_SOURCES "")
l2r_embed(l2r_abi_text docs/api/abi.json)
set(L2R_ABI_SOURCE ${L2R_EMBEDDED_SOURCES}) # of the library
set(L2R_EMBEDDED_SOURCES "")
l2r_embed(l2r_page_style app/report/page.css)
l2r_embed(l2r_page_script app/report/axes.js app/report/charts.js
  app/report/chart_set.js app/report/page.js)
l2r_embed_table(l2r_template_texts l2r_template_text report/template.h "app/report/templates/*.html")
l2r_embed_table(l2r_page_scripts l2r_page_file serve/server.h "app/serve/page/*.js" app/report/axes.js
  app/report/charts.js app/report/chart_set.js)
l2r_embed_table(l2r_page_styles l2r_page_file serve/server.h "app/serve/page/*.css")
l2r_embed_table(l2r_page_data l2r_page_file serve/server.h "app/serve/page/*.json")
l2r_embed_table(l2r_page_pages l2r_page_file serve/server.h "app/serve/page/*.html")
l2r_embed_table(l2r_spec_texts l2r_spec_text reproduce/spec.h "share/reproduce/*.json")
