# SPDX-License-Identifier: MIT
#
# Makes the Debian package of what was built, as `./interlock package` does, and unpacks it into
# WORK_DIR/root, where the other tests of this folder use it. The program runs from there, and what it
# needs and what users need of other packages is declared.
# Run with -DROOT=... -DINTERLOCK_BUILD=... -DWORK_DIR=...
cmake_minimum_required(VERSION 3.25)

# run(RESULT COMMAND...): sets `output` to what it printed.
function(run expected)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result STREQUAL expected)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nexited with ${result}, not with ${expected}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
find_program(SHLIBDEPS dpkg-shlibdeps)
if(NOT SHLIBDEPS)
  message(FATAL_ERROR "Debian's package dpkg-dev is missing, which `./interlock test` installs")
endif()
run(64 ${ROOT}/interlock package x)
if(NOT output MATCHES "usage: ./interlock package")
  message(FATAL_ERROR "a word too many is answered with: ${output}")
endif()
# The wrapper's own output, which nobody reads to its end.
run(0 bash -o pipefail -c "'${ROOT}/interlock' help | :")
if(output)
  message(FATAL_ERROR "a reader that is gone is complained of: ${output}")
endif()

run(0 ${CMAKE_CPACK_COMMAND} --config ${INTERLOCK_BUILD}/CPackConfig.cmake -B ${WORK_DIR}/made)
file(GLOB deb ${WORK_DIR}/made/*.deb)
run(0 dpkg-deb --extract ${deb} ${WORK_DIR}/root)
run(0 dpkg-deb --field ${deb} Package Version Depends Recommends)
file(REMOVE_RECURSE ${WORK_DIR}/made)
foreach(needed "Package: interlock" "Version: [0-9]+\\." "Depends: [^\n]*libstdc\\+\\+6"
        "Depends: [^\n]*libhiredis" "Depends: [^\n]*libboost-context" "Depends: [^\n]*libfmt"
        "Recommends: [^\n]*libhiredis-dev" "Recommends: [^\n]*lua-cjson-dev")
  if(NOT output MATCHES "${needed}")
    message(FATAL_ERROR "the package does not declare ${needed}:\n${output}")
  endif()
endforeach()

set(prefix ${WORK_DIR}/root/usr)
foreach(file share/interlock/schema/run.schema.json share/doc/interlock/copyright
        include/interlock/mutex.h include/interlock/harness/lock.h)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "the package does not contain ${file}")
  endif()
endforeach()
file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.pc)
foreach(text IN LISTS texts)
  file(READ ${text} content)
  string(FIND "${content}" "${ROOT}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${text} names the folder that it was built in")
  endif()
endforeach()

run(0 ${prefix}/bin/interlock --version)
if(NOT output MATCHES "interlock [0-9]+\\.")
  message(FATAL_ERROR "the version of the program is: ${output}")
endif()
run(0 ${prefix}/bin/interlock check --lock mutex,broken/del-without-owner --scenario overstay
    --runs 200 --out ${WORK_DIR}/out)
if(NOT EXISTS ${WORK_DIR}/out/run.json)
  message(FATAL_ERROR "the program wrote no run.json:\n${output}")
endif()
