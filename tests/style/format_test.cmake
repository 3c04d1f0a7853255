# SPDX-License-Identifier: MIT
#
# Fails if clang-format would change a file. Run with -DROOT=... -DCLANG_FORMAT=...
cmake_minimum_required(VERSION 3.25)

set(files)
foreach(folder lib sim scenarios reports tests)
  file(GLOB_RECURSE found ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cc)
  list(APPEND files ${found})
endforeach()
if(NOT files)
  message(FATAL_ERROR "no source file under ${ROOT}")
endif()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror ${files}
                WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "run clang-format-14 -i on the files named above")
endif()
