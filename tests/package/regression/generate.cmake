# SPDX-License-Identifier: MIT
#
# Convicts the lock and turns the counterexample of its foreign release into a test.
# Run with -DJUDGE=... -DOUT=...
cmake_minimum_required(VERSION 3.25)

get_filename_component(folder ${OUT} DIRECTORY)
execute_process(
  COMMAND ${JUDGE} check --lock acme.naive-job-lock --scenario overstay --runs 200 --seed 1
          --out ${folder}/convicted
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 1)
  message(FATAL_ERROR "the lock was not convicted (${result}):\n${output}")
endif()
file(GLOB files ${folder}/convicted/counterexamples/acme.naive-job-lock.*.foreign-release.json)
list(GET files 0 file)
execute_process(COMMAND ${JUDGE} replay ${file} --as-test
                RESULT_VARIABLE result OUTPUT_FILE ${OUT} ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "no test was made (${result}):\n${output}")
endif()
