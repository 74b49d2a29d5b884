# SPDX-License-Identifier: MIT
# The library (static and shared from one set of objects) and the program. A new source file is found by itself.
file(GLOB L2R_SOURCES CONFIGURE_DEPENDS
  src/base/*.c src/comm/*.c src/kernels/*.c src/autograd/*.c src/data/*.c src/data/readers/*.c src/data/generators/*.c
  src/nn/*.c src/models/*.c src/reweight/*.c src/methods/*.c src/domain/*.c src/train/*.c src/screen/*.c src/bench/*.c src/explain/*.c
  src/chem/*.c src/draw/*.c src/report/*.c src/figure/*.c src/figure/charts/*.c src/reproduce/*.c src/reproduce/entries/*.c src/tune/*.c)
list(APPEND L2R_SOURCES ${L2R_REGISTRY_SOURCES} ${L2R_EMBEDDED_SOURCES})
# Sources on large libraries become modules (Modules.cmake).
set(L2R_DRAW_SOURCES ${CMAKE_SOURCE_DIR}/src/draw/component.c ${CMAKE_SOURCE_DIR}/src/draw/png.c)
set(L2R_FETCH_SOURCES ${CMAKE_SOURCE_DIR}/src/data/download.c)
set(L2R_MPI_SOURCES ${CMAKE_SOURCE_DIR}/src/comm/mpi.c)
list(REMOVE_ITEM L2R_SOURCES ${L2R_DRAW_SOURCES} ${L2R_FETCH_SOURCES} ${L2R_MPI_SOURCES})

# tests/CMakeLists.txt calls it a second time, for the double-precision twin.
function(l2r_objects name)
  add_library(${name} OBJECT ${L2R_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${DNNL_INCLUDE})
  target_compile_definitions(${name} PRIVATE L2R_VERSION="${PROJECT_VERSION}" ${L2R_RDKIT_DEFINITION})
  target_link_libraries(${name} PUBLIC l2r_flags ${L2R_LIBRARIES})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
endfunction()

l2r_objects(l2r_objects)
add_library(l2r_static STATIC $<TARGET_OBJECTS:l2r_objects>)
target_link_libraries(l2r_static PUBLIC l2r_objects)
set_target_properties(l2r_static PROPERTIES OUTPUT_NAME l2r)
add_library(l2r_shared SHARED $<TARGET_OBJECTS:l2r_objects>)
target_link_libraries(l2r_shared PRIVATE l2r_flags ${L2R_LIBRARIES})
target_include_directories(l2r_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(l2r_shared PROPERTIES
  OUTPUT_NAME l2r EXPORT_NAME l2r VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

# The list of subcommands belongs to the program alone, so it is written after the library's sources are fixed.
l2r_registry(l2r_commands l2r_command cli/command.h l2r_command_ cli/commands)
file(GLOB L2R_CLI_SOURCES CONFIGURE_DEPENDS src/cli/*.c src/cli/commands/*.c)
if(L2R_CLI_SOURCES)
  add_executable(l2r ${L2R_CLI_SOURCES} ${CMAKE_BINARY_DIR}/generated/l2r_commands.c)
  target_link_libraries(l2r PRIVATE l2r_static)
  # `l2r version` names the versions of the modules' libraries from their headers, without loading them.
  foreach(library IGRAPH CURL)
    target_include_directories(l2r SYSTEM PRIVATE $<TARGET_PROPERTY:PkgConfig::${library},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
endif()
