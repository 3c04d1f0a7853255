# SPDX-License-Identifier: MIT
#
# Asks a program of GoogleTest for its suites, and writes them to LIST as tests of ctest: see
# test_suites.cmake, which calls this once the program is built.
foreach(words EMULATOR LABELS TESTS PROPERTIES)
  string(REPLACE "|" ";" ${words} "${${words}}")
endforeach()
if(NOT TESTS)
  set(TESTS *)
endif()
execute_process(COMMAND ${EMULATOR} ${PROGRAM} --gtest_list_tests
                OUTPUT_VARIABLE listed RESULT_VARIABLE result TIMEOUT 60)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${result}\n${listed}")
endif()

# add(NAME FILTER): one test of ctest, into `tests`.
set(tests)
function(add name filter)
  string(APPEND tests "add_test([==[${PREFIX}${name}]==]")
  foreach(word IN LISTS EMULATOR PROGRAM)
    string(APPEND tests " [==[${word}]==]")
  endforeach()
  string(APPEND tests " [==[--gtest_filter=${filter}]==])\n"
         "set_tests_properties([==[${PREFIX}${name}]==] PROPERTIES LABELS [==[${LABELS}]==]")
  foreach(word IN LISTS PROPERTIES)
    string(APPEND tests " [==[${word}]==]")
  endforeach()
  # A pattern that no test has would pass.
  string(APPEND tests " FAIL_REGULAR_EXPRESSION [==[ 0 tests from 0 test suites ran]==])\n")
  set(tests "${tests}" PARENT_SCOPE)
endfunction()

# A suite stands at the begin of a line, as "Name." or "Name/0.  # TypeParam = ...", and below it its
# tests, further in.
string(REGEX REPLACE "[][;]" "" listed "${listed}")  # Of values of parameters, which break lists.
string(REPLACE "\n" ";" lines "${listed}")
set(each FALSE)
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z_][A-Za-z_0-9/]*)\\.($| )")
    set(suite ${CMAKE_MATCH_1})
    set(each FALSE)
    if((ONLY AND NOT suite MATCHES "${ONLY}") OR (EXCEPT AND suite MATCHES "${EXCEPT}"))
      continue()
    endif()
    if(EACH AND suite MATCHES "${EACH}")
      set(each TRUE)
      continue()
    endif()
    list(TRANSFORM TESTS PREPEND "${suite}." OUTPUT_VARIABLE filter)
    list(JOIN filter ":" filter)
    add(${suite} "${filter}")
  elseif(each AND line MATCHES "^  ([^ ]+)")
    add(${suite}.${CMAKE_MATCH_1} "${suite}.${CMAKE_MATCH_1}")
  endif()
endforeach()
if(NOT tests)
  message(FATAL_ERROR "${PROGRAM} has no suite that matches \"${ONLY}\" and not \"${EXCEPT}\"")
endif()
file(WRITE "${LIST}" "${tests}")
