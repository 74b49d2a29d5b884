# SPDX-License-Identifier: MIT
# The program: app/, on top of the static library, because it uses more of it than the public header offers
# (docs/tour.md says where). Everything but the command line is an archive of its own, so that tests can link it.
file(GLOB_RECURSE L2R_APP_SOURCES CONFIGURE_DEPENDS app/*.c)
list(FILTER L2R_APP_SOURCES EXCLUDE REGEX "/app/cli/")
set(L2R_HTTP_SOURCES http.c headers.c listen.c deadlines.c) # of a module (Modules.cmake)
list(TRANSFORM L2R_HTTP_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/app/serve/)
list(REMOVE_ITEM L2R_APP_SOURCES ${L2R_HTTP_SOURCES})
add_library(l2r_app STATIC ${L2R_APP_SOURCES} ${L2R_APP_REGISTRY_SOURCES} ${L2R_EMBEDDED_SOURCES})
target_include_directories(l2r_app PUBLIC ${CMAKE_SOURCE_DIR}/app)
target_compile_definitions(l2r_app PRIVATE L2R_VERSION="${PROJECT_VERSION}")
target_link_libraries(l2r_app PUBLIC l2r_static)

file(GLOB L2R_CLI_SOURCES CONFIGURE_DEPENDS app/cli/*.c app/cli/commands/*.c)
add_executable(l2r ${L2R_CLI_SOURCES} ${L2R_COMMAND_SOURCES})
target_link_libraries(l2r PRIVATE l2r_app)
l2r_link_commit(l2r)
# `l2r version` names libcurl's version from its header, without loading it.
if(L2R_FETCH_DEFINITION)
  target_compile_definitions(l2r PRIVATE ${L2R_FETCH_DEFINITION})
  target_include_directories(l2r SYSTEM PRIVATE $<TARGET_PROPERTY:PkgConfig::CURL,INTERFACE_INCLUDE_DIRECTORIES>)
endif()
