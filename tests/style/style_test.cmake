# SPDX-License-Identifier: MIT
#
# The style rules that a machine can hold. Run with -DROOT=<source tree>; prints every violation as
# `file:line: rule` and then fails. The rules are heuristics over text: of sources, comments, string
# literals and character literals are blanked first, so that only code counts; of pages, fenced blocks.
#
# style_test_test.cmake shows for each rule that it rejects what it should.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/style_rules.cmake)

set(violations 0)
set(sources)
foreach(folder lib sim scenarios reports tests)
  file(GLOB_RECURSE found RELATIVE ${ROOT} ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cc)
  list(APPEND sources ${found})
endforeach()
list(SORT sources)

foreach(path IN LISTS sources)
  file(READ ${ROOT}/${path} raw)
  blank_text("${raw}" code)
  check_file_frame()
  check_lines()
  check_listed()
  check_includes()
  if(NOT path MATCHES "^tests/")
    check_banned_names()
    check_catch_all()
    check_unordered_iteration()
  endif()
endforeach()

file(GLOB_RECURSE scripts RELATIVE ${ROOT} ${ROOT}/lib/CMakeLists.txt ${ROOT}/sim/CMakeLists.txt
     ${ROOT}/scenarios/CMakeLists.txt ${ROOT}/reports/CMakeLists.txt ${ROOT}/tests/CMakeLists.txt
     ${ROOT}/tests/*.cmake)
foreach(path IN LISTS scripts)
  file(READ ${ROOT}/${path} raw)
  if(NOT raw MATCHES "^# SPDX-License-Identifier: MIT\n")
    violation(1 "the first line must be `# SPDX-License-Identifier: MIT`")
  endif()
endforeach()

foreach(folder lib sim scenarios reports tests)
  if(EXISTS ${ROOT}/${folder} AND NOT EXISTS ${ROOT}/${folder}/README.md)
    set(path ${folder}/README.md)
    violation(1 "each folder has a README.md that says what belongs there")
  endif()
endforeach()

file(GLOB_RECURSE pages RELATIVE ${ROOT} ${ROOT}/lib/*.md ${ROOT}/sim/*.md ${ROOT}/scenarios/*.md
     ${ROOT}/reports/*.md ${ROOT}/tests/*.md)
file(GLOB root_pages RELATIVE ${ROOT} ${ROOT}/*.md)
foreach(path IN LISTS root_pages pages)
  file(READ ${ROOT}/${path} raw)
  check_page_length()
  check_links()
endforeach()

# What a fuzzer has found is no text.
file(GLOB all LIST_DIRECTORIES FALSE RELATIVE ${ROOT} ${ROOT}/* ${ROOT}/.*)
file(GLOB_RECURSE all_below RELATIVE ${ROOT} ${ROOT}/.ci/* ${ROOT}/lib/* ${ROOT}/sim/* ${ROOT}/scenarios/*
     ${ROOT}/reports/* ${ROOT}/tests/*)
list(FILTER all_below EXCLUDE REGEX "^tests/fuzz/corpus/")
foreach(path IN LISTS all all_below)
  check_nothing_beside()
endforeach()

list(LENGTH sources count)
if(count EQUAL 0)
  message(FATAL_ERROR "no source file under ${ROOT}")
endif()
if(violations GREATER 0)
  message(FATAL_ERROR "${violations} violations in ${count} files")
endif()
message(STATUS "${count} files follow the style")
