# SPDX-License-Identifier: MIT
# make install: program, header, shared and static library, l2r.pc, and a CMake package with the target l2r::l2r; manual
# pages, shell completion, licence, examples and the reference of the C interface.
# The component `runtime` (program, shared library, modules) is what the Python package carries (pyproject.toml).
# The package exports the shared library, which brings its own dependencies: users need nothing but l2r.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/l2r)

install(DIRECTORY include/l2r TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(TARGETS l2r_static ARCHIVE)
install(TARGETS l2r_shared EXPORT l2rTargets LIBRARY COMPONENT runtime)
install(EXPORT l2rTargets NAMESPACE l2r:: DESTINATION ${package_dir})

configure_package_config_file(cmake/l2rConfig.cmake.in ${CMAKE_BINARY_DIR}/generated/l2rConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/l2rConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/l2rConfig.cmake ${CMAKE_BINARY_DIR}/generated/l2rConfigVersion.cmake
  DESTINATION ${package_dir})

# The .pc file finds its prefix from its own place, so that an installed tree can be moved.
file(RELATIVE_PATH L2R_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/l2r.pc.in ${CMAKE_BINARY_DIR}/generated/l2r.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/l2r.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Pages that the program prints from its option tables.
if(L2R_PROGRAM)
  install(TARGETS l2r RUNTIME COMPONENT runtime)
  set(pages ${CMAKE_BINARY_DIR}/generated/l2r.1 ${CMAKE_BINARY_DIR}/generated/l2r.bash)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/generated/l2r.1
    COMMAND l2r help --manual > ${CMAKE_BINARY_DIR}/generated/l2r.1 DEPENDS l2r)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/generated/l2r.bash
    COMMAND l2r completion bash > ${CMAKE_BINARY_DIR}/generated/l2r.bash DEPENDS l2r)
  add_custom_target(l2r_pages ALL DEPENDS ${pages})
  install(FILES ${CMAKE_BINARY_DIR}/generated/l2r.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${CMAKE_BINARY_DIR}/generated/l2r.bash RENAME l2r
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
install(FILES docs/api/l2r.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES docs/api/index.html docs/api/reference.md docs/api/promises.md docs/api/building.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/api)
install(FILES examples/train.c examples/predict.c examples/committee.c examples/score_smiles.c examples/own_loop.c
  examples/own_weights.c examples/thread_pool.c examples/edge_lengths.c examples/decorrelate.c examples/arrays.cpp
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
