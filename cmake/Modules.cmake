# SPDX-License-Identifier: MIT
# Modules (src/base/module.h): sources on large libraries are files of their own, loaded on first use.
#   l2r_module(NAME TABLE SOURCES … LIBRARIES …)   →  NAME.so from the sources and TABLE, which exports their calls
# NAME_objects can be linked into a program instead: then nothing is loaded (tests that make allocations fail do so).
set(L2R_MODULE_DIR ${CMAKE_INSTALL_LIBDIR}/l2r)
set(L2R_MODULE_BUILD_DIR ${CMAKE_BINARY_DIR}/modules)
set(L2R_MODULES "")

function(l2r_module name table)
  cmake_parse_arguments(MODULE "" "" "SOURCES;LIBRARIES;INCLUDE" ${ARGN})
  add_library(${name}_objects OBJECT ${MODULE_SOURCES})
  target_include_directories(${name}_objects PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(${name}_objects SYSTEM PRIVATE ${MODULE_INCLUDE})
  target_link_libraries(${name}_objects PUBLIC l2r_flags ${MODULE_LIBRARIES})
  set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
  add_library(${name} MODULE ${table} $<TARGET_OBJECTS:${name}_objects>)
  target_compile_definitions(${name} PRIVATE L2R_INSIDE_MODULE L2R_VERSION="${PROJECT_VERSION}" ${L2R_RDKIT_DEFINITION}
    ${L2R_XGBOOST_DEFINITION})
  target_include_directories(${name} SYSTEM PRIVATE ${MODULE_INCLUDE})
  # From the archive come only the few calls that the sources make: errors, memory, files.
  target_link_libraries(${name} PRIVATE l2r_flags l2r_static ${MODULE_LIBRARIES})
  target_link_options(${name} PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL)
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${L2R_MODULE_BUILD_DIR})
  install(TARGETS ${name} LIBRARY DESTINATION ${L2R_MODULE_DIR} COMPONENT runtime)
  set(L2R_MODULES ${L2R_MODULES} ${name} PARENT_SCOPE)
endfunction()

if(TARGET PkgConfig::RSVG)
  l2r_module(l2r_draw src/draw/draw_module.c SOURCES ${L2R_DRAW_SOURCES} LIBRARIES PkgConfig::RSVG)
endif()
if(TARGET PkgConfig::CURL)
  l2r_module(l2r_fetch src/io/fetch_module.c SOURCES ${L2R_FETCH_SOURCES} LIBRARIES PkgConfig::CURL)
endif()
if(TARGET PkgConfig::MICROHTTPD)
  l2r_module(l2r_http app/serve/http_module.c SOURCES ${L2R_HTTP_SOURCES} LIBRARIES PkgConfig::MICROHTTPD
    INCLUDE ${CMAKE_SOURCE_DIR}/app)
endif()
if(TARGET PkgConfig::MPI)
  l2r_module(l2r_mpi src/comm/mpi_module.c SOURCES ${L2R_MPI_SOURCES} LIBRARIES PkgConfig::MPI)
endif()
if(L2R_XGBOOST_DEFINITION)
  l2r_module(l2r_trees src/nn/booster_module.c SOURCES ${L2R_TREES_SOURCES} LIBRARIES ${XGBOOST_LIBRARY}
    INCLUDE ${XGBOOST_INCLUDE})
endif()
if(L2R_CHEM_SOURCES)
  l2r_module(l2r_chem src/chem/chem_module.c SOURCES ${L2R_CHEM_SOURCES} LIBRARIES ${L2R_RDKIT_LIBRARIES}
    INCLUDE ${L2R_RDKIT_INCLUDE})
endif()

# The sources know where modules are, from the build folder and from an installed tree, which can be moved. Nothing that
# is installed has a run path: CMake ends that of a build tree with ":", which is the current folder to the loader.
set(users l2r_shared)
if(L2R_PROGRAM)
  list(APPEND users l2r)
endif()
foreach(target ${users})
  if(L2R_MODULES)
    add_dependencies(${target} ${L2R_MODULES})
  endif()
endforeach()
set_target_properties(${users} ${L2R_MODULES} PROPERTIES SKIP_BUILD_RPATH ON)
