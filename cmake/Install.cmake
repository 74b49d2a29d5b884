# SPDX-License-Identifier: MIT
# make install: program, header, shared and static library, l2r.pc, and a CMake package with the target l2r::l2r.
# The package exports the shared library, which brings its own dependencies: users need nothing but l2r.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/l2r)

install(TARGETS l2r RUNTIME)
install(DIRECTORY include/l2r TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(TARGETS l2r_static ARCHIVE)
install(TARGETS l2r_shared EXPORT l2rTargets LIBRARY)
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
