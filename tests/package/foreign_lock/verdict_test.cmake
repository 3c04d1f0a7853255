# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${JUDGE} check --lock ${LOCK} --seed 1 --runs 200
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result STREQUAL EXPECTED)
  message(FATAL_ERROR "exit code ${result} instead of ${EXPECTED}:\n${output}")
endif()
if(NOT output MATCHES "${LOCK}")
  message(FATAL_ERROR "the report does not name ${LOCK}:\n${output}")
endif()
if(EXPECTED EQUAL 1 AND NOT output MATCHES "LK0[0-9][0-9]")
  message(FATAL_ERROR "the report does not say which property was violated:\n${output}")
endif()
