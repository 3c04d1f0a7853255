# SPDX-License-Identifier: MIT
#
# Shows that each rule of style_test.cmake rejects what it should, for the right reason and on the
# right line, and that it accepts what looks similar. Each case is a small tree with one source file, or
# with one page that breaks a rule.
# Run with -DSTYLE_TEST=... -DWORK_DIR=...
cmake_minimum_required(VERSION 3.25)

set(kHead "// SPDX-License-Identifier: MIT\n")
set(failures 0)
set(cases 0)

# Makes the tree, and runs the style test over it.
function(run_on path content listed)
  file(REMOVE_RECURSE ${WORK_DIR})
  file(WRITE ${WORK_DIR}/${path} "${content}")
  string(REGEX MATCH "^[a-z]+" folder ${path})
  file(WRITE ${WORK_DIR}/${folder}/README.md "What belongs here.\n")
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${folder} OUTPUT_VARIABLE name)
  if(listed)
    file(WRITE ${WORK_DIR}/${folder}/CMakeLists.txt
         "# SPDX-License-Identifier: MIT\nadd_library(x ${name})\n")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK_DIR} -P ${STYLE_TEST}
                  RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(result ${result} PARENT_SCOPE)
  set(output "${out}${err}" PARENT_SCOPE)
endfunction()

macro(failed text)
  math(EXPR failures "${failures} + 1")
  message("${text}\n---- the style test said:\n${output}")
endmacro()

# rejects(PATH LINE MESSAGE CONTENT): exactly one violation.
macro(rejects path line expected content)
  math(EXPR cases "${cases} + 1")
  run_on(${path} "${content}" TRUE)
  string(FIND "${output}" "${path}:${line}: ${expected}" found)
  string(FIND "${output}" "1 violations in 1 files" counted)
  if(result EQUAL 0 OR found EQUAL -1 OR counted EQUAL -1)
    failed("${path}: wanted one violation on line ${line}: ${expected}")
  endif()
endmacro()

macro(accepts path content)
  math(EXPR cases "${cases} + 1")
  run_on(${path} "${content}" TRUE)
  if(NOT result EQUAL 0)
    failed("${path}: wanted no violation")
  endif()
endmacro()

# The same with a file of any kind, beside what a page may lead to: lib/guide.md with the heading
# `## Two words, and more`.
function(run_on_page path content)
  file(REMOVE_RECURSE ${WORK_DIR})
  file(WRITE ${WORK_DIR}/lib/x.cc "${kHead}int F();\n")
  file(WRITE ${WORK_DIR}/lib/CMakeLists.txt "# SPDX-License-Identifier: MIT\nadd_library(x x.cc)\n")
  file(WRITE ${WORK_DIR}/lib/guide.md "# Guide\n\n## Two words, and more\n\n```\n# No heading\n```\n")
  foreach(folder lib sim scenarios)
    file(WRITE ${WORK_DIR}/${folder}/README.md "What belongs here.\n")
  endforeach()
  file(WRITE ${WORK_DIR}/README.md "# First\n")
  file(WRITE ${WORK_DIR}/${path} "${content}")
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK_DIR} -P ${STYLE_TEST}
                  RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(result ${result} PARENT_SCOPE)
  set(output "${out}${err}" PARENT_SCOPE)
endfunction()

macro(page_rejects path line expected content)
  math(EXPR cases "${cases} + 1")
  run_on_page(${path} "${content}")
  string(FIND "${output}" "${path}:${line}: ${expected}" found)
  string(FIND "${output}" "1 violations in" counted)
  if(result EQUAL 0 OR found EQUAL -1 OR counted EQUAL -1)
    failed("${path}: wanted one violation on line ${line}: ${expected}")
  endif()
endmacro()

macro(page_accepts path content)
  math(EXPR cases "${cases} + 1")
  run_on_page(${path} "${content}")
  if(NOT result EQUAL 0)
    failed("${path}: wanted no violation")
  endif()
endmacro()

# Names that only thread_runtime.cc may use.
foreach(code "std::thread t" "std::jthread t" "std::this_thread::yield()" "std::async(f)"
        "auto t = std::chrono::steady_clock::now()" "std::random_device d"
        "std::condition_variable c" "clock_gettime(0, &t)")
  accepts(lib/src/thread_runtime.cc "${kHead}void F() {\n  ${code};\n}\n")
  accepts(sim/x.cc "${kHead}void F() {\n  ${code};\n}\n")
endforeach()
set(alone "belongs to lib/src/thread_runtime.cc alone")
rejects(lib/src/x.cc 3 "std::thread ${alone}" "${kHead}void F() {\n  std::thread t;\n}\n")
rejects(lib/src/x.cc 3 "std::thread ${alone}" "${kHead}void F() {\n  std::jthread t;\n}\n")
rejects(lib/src/x.cc 2 "std::this_thread ${alone}" "${kHead}void F() { std::this_thread::yield(); }\n")
rejects(lib/src/x.cc 2 "std::async ${alone}" "${kHead}void F() { std::async(g); }\n")
rejects(lib/src/x.cc 2 "*_clock::now ${alone}"
        "${kHead}auto F() { return std::chrono::steady_clock::now(); }\n")
rejects(lib/src/x.cc 2 "std::random_device ${alone}" "${kHead}void F() { std::random_device d; }\n")
rejects(lib/src/x.cc 2 "std::condition_variable ${alone}"
        "${kHead}void F(std::condition_variable_any& c);\n")
rejects(lib/src/x.cc 2 "system clocks, sleeps and entropy" "${kHead}void F() { usleep(1); }\n")
rejects(lib/src/x.cc 2 "system clocks, sleeps and entropy" "${kHead}auto F() { return std::time(nullptr); }\n")
accepts(lib/src/x.cc "${kHead}#include <sys/time.h>\nauto F() { return runtime_.time(0); }\n")
rejects(lib/src/x.cc 3 "thread_local: fibers share" "${kHead}void F() {\n  thread_local int x = 0;\n}\n")
rejects(lib/src/x.cc 2 "threads, clocks and entropy" "${kHead}#include <thread>\n")
accepts(lib/src/thread_runtime.cc "${kHead}#include <thread>\n")
accepts(lib/src/x.cc "${kHead}// std::thread is for others.\nconst char* F() { return \"std::thread\"; }\n")
accepts(lib/src/x.cc "${kHead}char F() { return '\"'; }  // std::thread \"\n/* thread_local */\n")

# Mutable statics.
rejects(lib/src/x.cc 3 "a mutable static: static int count = 0"
        "${kHead}int F() {\n  static int count = 0;\n  return ++count;\n}\n")
rejects(lib/src/x.cc 3 "a mutable static: static std::vector<int> seen"
        "${kHead}int F() {\n  static std::vector<int> seen;\n  return 0;\n}\n")
rejects(lib/src/x.cc 3 "a mutable static: int counter = 0"
        "${kHead}namespace a {\nint counter = 0;\n}  // namespace a\n")
rejects(lib/src/x.cc 2 "a mutable static: std::atomic<int> counter{0}"
        "${kHead}std::atomic<int> counter{0};\n")
accepts(lib/src/x.cc "${kHead}static int F(int a);\nstatic constexpr int kOne = 1;\nconst int kTwo = 2;\n")
accepts(lib/src/x.cc "${kHead}class A {\n  static Status F(int a = 1);\n  static const int kB = 1;\n};\n")

# Who may include whom.
foreach(pair "lib/src/x.cc|\"sim/world.h\"" "lib/src/x.cc|\"scenarios/workload.h\""
        "lib/src/x.cc|<boost/version.hpp>" "lib/src/x.cc|<gtest/gtest.h>"
        "lib/src/x.cc|<interlock/harness/lock.h>" "lib/include/interlock/x.h|\"src/token.h\""
        "lib/include/interlock/x.h|<poll.h>" "sim/x.cc|\"lib/src/token.h\""
        "sim/x.cc|\"scenarios/workload.h\"" "sim/x.cc|\"reports/escape.h\"" "sim/x.cc|<gtest/gtest.h>"
        "sim/x.cc|<fmt/format.h>" "sim/redis/x.cc|\"sim/world.h\"" "sim/machine/x.cc|\"sim/world.h\""
        "sim/machine/x.cc|\"reports/escape.h\"" "sim/serve/x.cc|\"scenarios/log/history.h\""
        "sim/redis/x.cc|<interlock/time.h>"
        "scenarios/x.cc|\"lib/src/token.h\"" "scenarios/x.cc|<gtest/gtest.h>"
        "scenarios/include/interlock/harness/x.h|\"scenarios/subject.h\""
        "scenarios/include/interlock/harness/x.h|<fmt/core.h>" "reports/x.cc|\"sim/trace.h\""
        "reports/x.cc|<interlock/time.h>" "reports/x.cc|\"scenarios/workload.h\"")
  string(REPLACE "|" ";" pair "${pair}")
  list(GET pair 0 path)
  list(GET pair 1 include)
  set(line 2)
  set(once)
  if(path MATCHES "h$")
    set(line 3)
    set(once "#pragma once\n")
  endif()
  rejects(${path} ${line} "this folder may not include ${include}" "${kHead}${once}#include ${include}\n")
endforeach()
accepts(lib/src/x.cc "${kHead}#include <vector>\n#include <interlock/mutex.h>\n#include \"token.h\"\n")
accepts(sim/x.cc "${kHead}#include <interlock/time.h>\n#include \"sim/redis/server.h\"\n")
accepts(scenarios/x.cc
        "${kHead}#include <interlock/harness/lock.h>\n#include \"sim/world.h\"\n#include \"reports/run_report.h\"\n")
accepts(scenarios/include/interlock/harness/gtest.h "${kHead}#pragma once\n#include <gtest/gtest.h>\n")
accepts(tests/x.cc "${kHead}#include <gtest/gtest.h>\n#include \"lib/src/token.h\"\n#include <thread>\n")

accepts(scenarios/examples/lock/x.cc
        "${kHead}#include <gtest/gtest.h>\n#include <interlock/harness/check.h>\n#include \"job_lock.h\"\n")
rejects(scenarios/examples/lock/x.cc 2 "this folder may not include \"scenarios/log/history.h\""
        "${kHead}#include \"scenarios/log/history.h\"\n")

# One file each.
rejects(lib/src/x.cc 2 "hiredis belongs to" "${kHead}#include <hiredis/hiredis.h>\n")
accepts(lib/src/hiredis_connection.cc "${kHead}#include <hiredis/hiredis.h>\n#include <poll.h>\n")
accepts(lib/src/tls.cc "${kHead}#include <hiredis/hiredis_ssl.h>\n")
rejects(sim/x.cc 2 "Boost.Context belongs to" "${kHead}#include <boost/context/fiber.hpp>\n")
accepts(sim/fiber.cc "${kHead}#include <boost/context/fiber.hpp>\n")
rejects(sim/redis/x.cc 2 "Boost.CRC belongs to" "${kHead}#include <boost/crc.hpp>\n")
accepts(sim/redis/cluster.cc "${kHead}#include <boost/crc.hpp>\n")
rejects(sim/redis/x.cc 2 "Lua belongs to" "${kHead}#include <lua5.1/lua.hpp>\n")
rejects(sim/redis/x.cc 2 "Lua belongs to" "${kHead}#include <lua.h>\n")
accepts(sim/redis/scripting/scripting.cc "${kHead}#include <lua.hpp>\n")
accepts(sim/redis/scripting/values.h "${kHead}#pragma once\n#include <lua.hpp>\n")
rejects(scenarios/x.cc 2 "RapidCheck belongs to" "${kHead}#include <rapidcheck.h>\n")
accepts(scenarios/include/interlock/harness/rapidcheck.h "${kHead}#pragma once\n#include <rapidcheck.h>\n")
accepts(tests/x.cc "${kHead}#include <rapidcheck.h>\n#include <rapidcheck/gen/Numeric.h>\n")
rejects(scenarios/cli/main.cc 2 "CLI11 belongs to" "${kHead}#include <CLI/CLI.hpp>\n")
rejects(scenarios/x.cc 2 "toml++ belongs to" "${kHead}#include <toml++/toml.h>\n")
rejects(sim/machine/x.cc 2 "Boost.Asio belongs to" "${kHead}#include <boost/asio/post.hpp>\n")
accepts(sim/serve/listener.cc
        "${kHead}#include <boost/asio/ip/tcp.hpp>\n#include <fmt/format.h>\n#include \"sim/redis/server.h\"\n")
accepts(sim/machine/stage.cc
        "${kHead}#include <fmt/format.h>\n#include \"sim/redis/server.h\"\n#include \"sim/faults.h\"\n#include \"sim/setting.h\"\n")
rejects(scenarios/run/x.cc 2 "scenarios/cli/ is above" "${kHead}#include \"scenarios/cli/values.h\"\n")
rejects(scenarios/log/x.cc 2 "scenarios/run/ is above" "${kHead}#include \"scenarios/run/run.h\"\n")
rejects(scenarios/locks/x.cc 2 "scenarios/cases/ is above" "${kHead}#include \"scenarios/cases/goals.h\"\n")
accepts(scenarios/judge/x.cc "${kHead}#include \"scenarios/cases/goals.h\"\n#include \"scenarios/judge/x.h\"\n")
accepts(scenarios/cli/options.cc "${kHead}#include <CLI/CLI.hpp>\n")
accepts(scenarios/cli/main.cc "${kHead}#include <toml++/toml.h>\n")

# catch (...)
foreach(folder lib/src sim scenarios)
  rejects(${folder}/x.cc 4 "catch (...) without rethrow"
          "${kHead}void F() {\n  try {\n  } catch (...) {\n    if (a) {\n    }\n  }\n  throw;\n}\n")
endforeach()
accepts(lib/src/x.cc "${kHead}void F() {\n  try {\n  } catch (...) {\n    if (a) { b(); }\n    throw;\n  }\n}\n")
accepts(sim/fiber.cc "${kHead}void F() {\n  try {\n  } catch (...) {\n    e = std::current_exception();\n  }\n}\n")

# Iteration over unordered containers.
foreach(folder lib/src sim scenarios)
  rejects(${folder}/x.cc 3 "iteration over the unordered container waiters_"
          "${kHead}void F(std::unordered_map<std::string, int>& waiters_) {\n  for (auto& [a, b] : waiters_) Use(a);\n}\n")
endforeach()
rejects(sim/x.cc 3 "iteration over the unordered container seen"
        "${kHead}void F(const std::unordered_set<int>& seen) {\n  for (auto it = seen.begin(); it != seen.end(); ++it) Use(*it);\n}\n")
accepts(sim/x.cc "${kHead}void F(std::unordered_set<int>& a, std::vector<int>& b) {\n  for (int i : b) a.insert(i);\n}\n")
accepts(sim/x.cc "${kHead}int F(std::unordered_set<int>& a) {\n  int n = 0;\n  // order-free: a sum\n  for (int i : a) n += i;\n  return n;\n}\n")

# Limits.
string(REPEAT "int F();\n" 198 lines198)
string(REPEAT "int F();\n" 199 lines199)
string(REPEAT "int F();\n" 400 lines400)
accepts(sim/x.h "${kHead}#pragma once\n${lines198}")
rejects(sim/x.h 201 "201 lines; at most 200" "${kHead}#pragma once\n${lines199}")
rejects(sim/x.cc 401 "401 lines; at most 400" "${kHead}${lines400}")
rejects(tests/x.cc 401 "401 lines; at most 400" "${kHead}${lines400}")
string(REPEAT "  Statement(a[0]);\n" 68 statements)
accepts(sim/x.cc "${kHead}int F() {\n${statements}}\n")
rejects(sim/x.cc 2 "a function of 71 lines; at most 70" "${kHead}int F() {\n  G();\n${statements}}\n")
string(REPEAT "x" 97 wide)
accepts(sim/x.cc "${kHead}// ${wide}\n")
rejects(sim/x.cc 2 "101 columns; at most 100" "${kHead}// ${wide}x\n")
string(REPEAT "ä→" 48 not_ascii)
accepts(sim/x.cc "${kHead}// ${not_ascii}\n")

# Lengths of pages.
string(REPEAT "A line.\n" 80 lines80)
string(REPEAT "A line.\n" 81 lines81)
string(REPEAT "A line.\n" 150 lines150)
string(REPEAT "A line.\n" 151 lines151)
foreach(page README.md lib/README.md scenarios/examples/README.md sim/serve/README.md)
  page_accepts(${page} "${lines150}")
  page_rejects(${page} 151 "151 lines; at most 150" "${lines151}")
endforeach()
foreach(page sim/README.md scenarios/run/README.md sim/machine/README.md)
  page_accepts(${page} "${lines80}")
  page_rejects(${page} 81 "81 lines; at most 80" "${lines81}")
endforeach()
page_accepts(CHANGELOG.md "${lines151}")

# Links.
page_accepts(README.md "See [this](lib/guide.md), [that](lib), [it](lib/guide.md#two-words-and-more).\n")
page_accepts(README.md "# One\n\n[up](#one), [out](https://example.com/x#y), `[no](link)`.\n")
page_accepts(sim/README.md "[up](../README.md), [beside](../lib/guide.md \"A title\")\n\n[1]: ../lib/x.cc\n")
page_accepts(README.md "```cpp\n[](int a) { return a; };\n[here](nowhere.md)\n```\n")
page_rejects(README.md 2 "the link nowhere.md leads to nothing" "A line.\nSee [this](lib) and [that](nowhere.md).\n")
page_rejects(sim/README.md 1 "the link lib/guide.md leads to nothing" "[relative to the page](lib/guide.md)\n")
page_rejects(README.md 3 "the link nowhere.md leads to nothing" "[this][1]\n\n[1]: nowhere.md\n")
page_rejects(README.md 1 "the link ../lib leads to nothing" "[beside the tree](../lib)\n")
page_rejects(README.md 1 "the link /lib leads to nothing" "[from the root of a machine](/lib)\n")
page_rejects(README.md 1 "the link #two leads to no heading of README.md" "[up](#two)\n\n## One\n")
page_rejects(README.md 1 "the link lib/guide.md#guides leads to no heading" "[up](lib/guide.md#guides)\n")
page_rejects(README.md 1 "the link lib/guide.md#no-heading leads to no" "[up](lib/guide.md#no-heading)\n")
page_rejects(README.md 5 "the link nowhere leads to nothing" "```\nA block.\n```\n\n[behind it](nowhere)\n")

# A folder beside the tree.
string(CONCAT beside "../" "shared")
page_rejects(lib/notes.txt 2 "names a folder that is not in this tree" "A line.\nSee ${beside}/x.\n")
page_rejects(.ci/run 1 "names a folder that is not in this tree" "cat ${beside}/x\n")
page_rejects(CMakePresets.json 1 "names a folder that is not in this tree" "{\"a\": \"${beside}\"}\n")
page_accepts(lib/notes.txt "what is shared, ../ and ../shards\n")

# The frame of a file.
rejects(sim/x.cc 1 "the first line must be" "int F();\n")
rejects(sim/x.h 1 "a header needs #pragma once" "${kHead}int F();\n")
rejects(sim/x.cc 2 "the last line does not end" "${kHead}int F();")
string(CONCAT unfinished "TO" "DO")
rejects(sim/x.cc 1 "unfinished work" "${kHead}// ${unfinished}: more\n")

# Files in no target.
run_on(sim/x.cc "${kHead}int F();\n" FALSE)
string(FIND "${output}" "sim/x.cc:1: in no target" found)
if(result EQUAL 0 OR found EQUAL -1)
  failed("an unlisted file was accepted")
endif()
file(WRITE ${WORK_DIR}/sim/CMakeLists.txt "# SPDX-License-Identifier: MIT\n# x.cc\nadd_library(x xx.cc)\n")
execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK_DIR} -P ${STYLE_TEST}
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  failed("a file named only in a comment, or as part of another name, was accepted")
endif()
file(WRITE ${WORK_DIR}/sim/CMakeLists.txt
     "# SPDX-License-Identifier: MIT\ninterlock_sources(sources a b)\nadd_library(x ${sources})\n")
execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK_DIR} -P ${STYLE_TEST}
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  failed("a file in a folder that no target takes was accepted")
endif()

file(REMOVE_RECURSE ${WORK_DIR})
if(failures GREATER 0)
  message(FATAL_ERROR "${failures} of ${cases} cases failed")
endif()
message(STATUS "${cases} cases")
