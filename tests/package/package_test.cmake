# SPDX-License-Identifier: MIT
#
# Builds PROJECT against PREFIX alone, as a user would, and runs PROJECT's own tests, if it has any.
# Without a PREFIX the library alone is installed into a new one. The PROJECT `readme` is made of the
# pages.
# Run with -DPROJECT=... -DINTERLOCK_BUILD=... -DWORK_DIR=... -DGENERATOR=... -DCOMPILER=...
# [-DPREFIX=...]
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nfailed with ${result}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
if(NOT DEFINED PREFIX)
  set(PREFIX ${WORK_DIR}/prefix)
  run(${CMAKE_COMMAND} --install ${INTERLOCK_BUILD} --prefix ${PREFIX} --component library)
  # The library alone must bring nothing of the harness along.
  file(GLOB_RECURSE strangers ${PREFIX}/*harness* ${PREFIX}/*interlock_sim* ${PREFIX}/*.schema.json
       ${PREFIX}/bin/*)
  if(strangers)
    message(FATAL_ERROR "the component `library` installs more than the library: ${strangers}")
  endif()
endif()
if(PROJECT MATCHES "readme$")
  include(${PROJECT}/write_project.cmake)
  set(PROJECT ${WORK_DIR}/project)
  write_project(${CMAKE_CURRENT_LIST_DIR}/../.. ${PROJECT})
endif()
run(${CMAKE_COMMAND} -S ${PROJECT} -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
if(EXISTS ${WORK_DIR}/build/CTestTestfile.cmake)
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build --output-on-failure --no-tests=error)
endif()
file(REMOVE_RECURSE ${WORK_DIR})
