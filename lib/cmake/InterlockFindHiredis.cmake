# SPDX-License-Identifier: MIT
#
# Defines the target hiredis::hiredis and, if hiredis' SSL library is there too, which exists from 1.0
# on, hiredis::hiredis_ssl. Or sets InterlockFindHiredis_MESSAGE to say why it cannot.
# Used by the build of the library and, installed beside interlockConfig.cmake, by its users: a
# static library names the target in its exported link interface, so both must find it alike.
#
# The lower-case config package exists from hiredis 1.0 on. The upper-case `Hiredis` package that
# Debian ships with 0.14 must never be asked: its version file fails the whole configure, QUIET or not.
set(InterlockFindHiredis_MESSAGE "")

if(NOT TARGET hiredis::hiredis)
  find_package(hiredis CONFIG QUIET)
endif()

if(NOT TARGET hiredis::hiredis)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(INTERLOCK_HIREDIS QUIET IMPORTED_TARGET GLOBAL hiredis>=0.14)
  endif()
  if(TARGET PkgConfig::INTERLOCK_HIREDIS)
    add_library(hiredis::hiredis INTERFACE IMPORTED GLOBAL)
    target_link_libraries(hiredis::hiredis INTERFACE PkgConfig::INTERLOCK_HIREDIS)
    # hiredis.pc names the folder of the headers itself, but they are included as <hiredis/...>.
    # The compiler's own folders are left out: as -isystem they would end up in the wrong order.
    pkg_get_variable(_interlock_hiredis_includedir hiredis includedir)
    get_filename_component(_interlock_hiredis_name "${_interlock_hiredis_includedir}" NAME)
    if(_interlock_hiredis_name STREQUAL "hiredis")
      get_filename_component(_interlock_hiredis_includedir "${_interlock_hiredis_includedir}"
                             DIRECTORY)
    endif()
    if(_interlock_hiredis_includedir AND
       NOT _interlock_hiredis_includedir IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      target_include_directories(hiredis::hiredis INTERFACE "${_interlock_hiredis_includedir}")
    endif()
    unset(_interlock_hiredis_includedir)
    unset(_interlock_hiredis_name)
  endif()
endif()

if(NOT TARGET hiredis::hiredis)
  set(InterlockFindHiredis_MESSAGE
      "hiredis 0.14 or newer was not found, neither as a CMake package nor by pkg-config; on Debian \
and Ubuntu: apt-get install libhiredis-dev pkg-config")
endif()

# Only the SSL library of the hiredis that was found above: both of one kind.
if(TARGET PkgConfig::INTERLOCK_HIREDIS)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND AND NOT TARGET hiredis::hiredis_ssl)
    pkg_check_modules(INTERLOCK_HIREDIS_SSL QUIET IMPORTED_TARGET GLOBAL
                      hiredis>=1.0 hiredis_ssl>=1.0)
    if(TARGET PkgConfig::INTERLOCK_HIREDIS_SSL)
      add_library(hiredis::hiredis_ssl INTERFACE IMPORTED GLOBAL)
      target_link_libraries(hiredis::hiredis_ssl INTERFACE PkgConfig::INTERLOCK_HIREDIS_SSL)
    endif()
  endif()
elseif(TARGET hiredis::hiredis AND NOT TARGET hiredis::hiredis_ssl)
  find_package(hiredis_ssl CONFIG QUIET)
endif()
