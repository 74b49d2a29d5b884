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
pkg_check_modules(RSVG REQUIRED IMPORTED_TARGET librsvg-2.0)
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE oneapi/dnnl/dnnl.h REQUIRED)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
set(L2R_LIBRARIES PkgConfig::JANSSON PkgConfig::ARCHIVE PkgConfig::CRYPTO PkgConfig::ZLIB PkgConfig::XXHASH
  OpenMP::OpenMP_C ${DNNL_LIBRARY} ${CMAKE_DL_LIBS} m)

# Optional: several ranks. Without Open MPI (Debian: libopenmpi-dev, openmpi-bin) the program runs alone, and says so
# when mpirun starts it.
option(L2R_MPI "train and predict on several ranks with Open MPI, if it is there" ON)
if(L2R_MPI)
  pkg_check_modules(MPI IMPORTED_TARGET ompi-c)
  if(NOT MPI_FOUND)
    message(STATUS "Open MPI not found: no ranks")
  endif()
endif()

# Optional: growing boosted trees. Without XGBoost (Debian: libxgboost-dev) src/nn/booster_module.c says so when asked.
option(L2R_XGBOOST "grow trees with XGBoost, if it is there" ON)
if(L2R_XGBOOST)
  find_library(XGBOOST_LIBRARY xgboost)
  find_path(XGBOOST_INCLUDE xgboost/c_api.h)
  if(XGBOOST_LIBRARY AND XGBOOST_INCLUDE)
    set(L2R_XGBOOST_DEFINITION L2R_WITH_XGBOOST)
  else()
    message(STATUS "XGBoost not found: boosted trees are predicted, not grown")
  endif()
endif()

# Optional: molecules. Without RDKit (Debian: librdkit-dev, libboost-dev and a C++ compiler) src/chem/chem_module.c
# says so when asked.
option(L2R_RDKIT "read and draw molecules with RDKit, if it is there" ON)
if(L2R_RDKIT)
  find_path(RDKIT_INCLUDE GraphMol/MolDraw2D/MolDraw2DSVG.h PATH_SUFFIXES rdkit)
  find_path(BOOST_INCLUDE boost/version.hpp)
  set(rdkit_libraries "")
  foreach(part FilterCatalog Catalogs MolDraw2D FileParsers ReducedGraphs Descriptors PartialCharges Fingerprints
      DataStructs ChemTransforms SubstructMatch SmilesParse GraphMol RDGeneral)
    find_library(RDKIT_${part} RDKit${part})
    list(APPEND rdkit_libraries ${RDKIT_${part}})
  endforeach()
  include(CheckLanguage)
  check_language(CXX)
  if(RDKIT_INCLUDE AND BOOST_INCLUDE AND CMAKE_CXX_COMPILER AND NOT "${rdkit_libraries}" MATCHES "NOTFOUND")
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_STANDARD_REQUIRED ON)
    file(GLOB L2R_CHEM_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/chem/rdkit*.cpp)
    # The file's own name tells the version (libRDKitGraphMol.so.1.2022.09.3): features kept in a cache depend on it.
    get_filename_component(rdkit_file ${RDKIT_GraphMol} REALPATH)
    get_filename_component(rdkit_file ${rdkit_file} NAME)
    set(L2R_RDKIT_DEFINITION L2R_WITH_RDKIT="${rdkit_file}")
    set(L2R_RDKIT_INCLUDE ${RDKIT_INCLUDE} ${BOOST_INCLUDE})
    set(L2R_RDKIT_LIBRARIES ${rdkit_libraries})
  else()
    message(STATUS "RDKit not found: SMILES cannot be read, molecules are drawn as plain graphs")
  endif()
endif()
