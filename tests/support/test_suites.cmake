# SPDX-License-Identifier: MIT
#
# interlock_test_suites(TARGET LABELS LABEL...
#                       [PREFIX TEXT] [ONLY REGEX] [EXCEPT REGEX] [EACH REGEX] [TESTS PATTERN...]
#                       [PROPERTIES NAME VALUE...])
#
# One test of ctest for each suite of a program of GoogleTest: a process per TEST costs more than most
# of them do. What the suites are is asked once the program is built. ONLY and EXCEPT choose among
# them; those that match EACH are listed TEST by TEST after all, because these take long and may run
# side by side. TESTS are the patterns of the tests in each, of a suite that elsewhere runs others.
function(interlock_test_suites target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;ONLY;EXCEPT;EACH" "LABELS;TESTS;PROPERTIES")
  if(NOT arg_LABELS OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "interlock_test_suites(${target}): ${arg_UNPARSED_ARGUMENTS}")
  endif()
  get_property(calls TARGET ${target} PROPERTY interlock_suite_lists)
  math(EXPR calls "0${calls} + 1")
  set_property(TARGET ${target} PROPERTY interlock_suite_lists ${calls})
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}-suites-${calls}.cmake)
  # One word each: lists would fall apart on the way.
  foreach(words LABELS TESTS PROPERTIES)
    list(JOIN arg_${words} "|" arg_${words})
  endforeach()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} "-DPROGRAM=$<TARGET_FILE:${target}>"
            "-DEMULATOR=$<JOIN:${CMAKE_CROSSCOMPILING_EMULATOR},|>" "-DLIST=${list}"
            "-DPREFIX=${arg_PREFIX}" "-DONLY=${arg_ONLY}" "-DEXCEPT=${arg_EXCEPT}"
            "-DEACH=${arg_EACH}" "-DTESTS=${arg_TESTS}" "-DLABELS=${arg_LABELS}" "-DPROPERTIES=${arg_PROPERTIES}"
            -P "${PROJECT_SOURCE_DIR}/tests/support/list_suites.cmake"
    BYPRODUCTS ${list}
    VERBATIM)
  # A program that was not built fails as a test, by its name.
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${target}-tests-${calls}.cmake)
  file(WRITE ${include} "if(EXISTS \"${list}\")
  include(\"${list}\")
else()
  add_test(${target}.is_built ${target}.is_built)
  set_tests_properties(${target}.is_built PROPERTIES LABELS \"${arg_LABELS}\")
endif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()
