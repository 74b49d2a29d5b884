# SPDX-License-Identifier: MIT
# Libraries by name; tools/install-deps installs them on Debian.
find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(ARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(IGRAPH REQUIRED IMPORTED_TARGET igraph)
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE oneapi/dnnl/dnnl.h REQUIRED)
set(L2R_LIBRARIES PkgConfig::JANSSON PkgConfig::ARCHIVE PkgConfig::CURL PkgConfig::CRYPTO PkgConfig::ZLIB PkgConfig::XXHASH PkgConfig::IGRAPH
  OpenMP::OpenMP_C ${DNNL_LIBRARY} m)
