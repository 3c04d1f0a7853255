# SPDX-License-Identifier: MIT
#
# The line of lib/README.md configures an optimised library. What others chose stays: a type that was given,
# a generator with several, and a project of which the library is a part.
# Run with -DROOT=... -DWORK_DIR=... -DGENERATOR=... -DCOMPILER=...
cmake_minimum_required(VERSION 3.25)

function(expect_type expected source generator)
  file(REMOVE_RECURSE ${WORK_DIR}/build)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=CMAKE_BUILD_TYPE ${CMAKE_COMMAND} -S ${source}
            -B ${WORK_DIR}/build -G ${generator} -DCMAKE_CXX_COMPILER=${COMPILER}
            -DINTERLOCK_DEVELOPER_MODE=OFF ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${source} is not configured:\n${output}")
  endif()
  load_cache(${WORK_DIR}/build READ_WITH_PREFIX found_ CMAKE_BUILD_TYPE)
  if(NOT "${found_CMAKE_BUILD_TYPE}" STREQUAL "${expected}")
    message(SEND_ERROR "${source} by ${generator} ${ARGN} is a build of type "
                       "'${found_CMAKE_BUILD_TYPE}', not '${expected}'")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(WRITE ${WORK_DIR}/whole/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.25)\nproject(whole LANGUAGES CXX)\nadd_subdirectory(${ROOT} part)\n")
expect_type("Release" ${ROOT} ${GENERATOR})
expect_type("Debug" ${ROOT} ${GENERATOR} -DCMAKE_BUILD_TYPE=Debug)
expect_type("" ${WORK_DIR}/whole ${GENERATOR})
if(GENERATOR STREQUAL "Ninja")
  expect_type("" ${ROOT} "Ninja Multi-Config")
endif()
file(REMOVE_RECURSE ${WORK_DIR})
