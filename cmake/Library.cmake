# SPDX-License-Identifier: MIT
# libl2r, static and shared from one set of objects: everything in src/. A new source file is found by itself.
file(GLOB_RECURSE L2R_SOURCES CONFIGURE_DEPENDS src/*.c)
list(APPEND L2R_SOURCES ${L2R_REGISTRY_SOURCES} ${L2R_ABI_SOURCE})
# Sources on large libraries become modules (Modules.cmake), and so do the tables of their calls.
set(L2R_FETCH_SOURCES ${CMAKE_SOURCE_DIR}/src/io/download.c)
set(L2R_MPI_SOURCES ${CMAKE_SOURCE_DIR}/src/comm/mpi.c)
set(L2R_TREES_SOURCES ${CMAKE_SOURCE_DIR}/src/nn/xgboost.c)
set(L2R_DRAW_SOURCES ${CMAKE_SOURCE_DIR}/src/draw/png.c)
list(REMOVE_ITEM L2R_SOURCES ${L2R_FETCH_SOURCES} ${L2R_MPI_SOURCES} ${L2R_TREES_SOURCES} ${L2R_DRAW_SOURCES})

# tests/CMakeLists.txt calls it a second time, for the double-precision twin.
file(RELATIVE_PATH from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/l2r)

function(l2r_objects name)
  add_library(${name} OBJECT ${L2R_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${DNNL_INCLUDE})
  target_compile_definitions(${name} PRIVATE L2R_VERSION="${PROJECT_VERSION}" L2R_MODULES_FROM_BIN="${from_bin}"
    ${L2R_RDKIT_DEFINITION} ${L2R_XGBOOST_DEFINITION})
  if(L2R_SANITIZE) # whose dlopen does not look into the run path of test programs
    target_compile_definitions(${name} PRIVATE L2R_MODULES_BUILT="${CMAKE_BINARY_DIR}/modules")
  endif()
  target_link_libraries(${name} PUBLIC l2r_flags ${L2R_LIBRARIES})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
endfunction()

l2r_objects(l2r_objects)
add_library(l2r_static STATIC $<TARGET_OBJECTS:l2r_objects>)
target_link_libraries(l2r_static PUBLIC l2r_objects)
set_target_properties(l2r_static PROPERTIES OUTPUT_NAME l2r)

# What the shared library exports is what the public headers declare: the version script is written from them.
file(GLOB public_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/l2r/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_headers})
set(text "")
foreach(header ${public_headers})
  file(READ ${header} part)
  string(APPEND text "${part}")
endforeach()
string(REGEX MATCHALL "L2R_API[^;(]*[ *](l2r_[a-z0-9_]+)\\(" declarations "${text}")
set(exported "")
foreach(declaration ${declarations})
  string(REGEX REPLACE ".*[ *](l2r_[a-z0-9_]+)\\($" "\\1" name "${declaration}")
  string(APPEND exported "    ${name};\n")
endforeach()
set(version_script ${CMAKE_BINARY_DIR}/generated/l2r.map)
set(text "L2R_${PROJECT_VERSION_MAJOR} {\n  global:\n${exported}  local: *;\n};\n")
file(CONFIGURE OUTPUT ${version_script} CONTENT "${text}" @ONLY)

add_library(l2r_shared SHARED $<TARGET_OBJECTS:l2r_objects>)
target_link_libraries(l2r_shared PRIVATE l2r_flags ${L2R_LIBRARIES})
target_link_options(l2r_shared PRIVATE -Wl,--version-script=${version_script})
target_include_directories(l2r_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(l2r_shared PROPERTIES
  OUTPUT_NAME l2r EXPORT_NAME l2r VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${version_script})
if(SKBUILD) # a Python wheel keeps no links: one file under one name
  set_property(TARGET l2r_shared PROPERTY VERSION)
  set_property(TARGET l2r_shared PROPERTY SOVERSION)
endif()
