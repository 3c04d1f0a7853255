# SPDX-License-Identifier: MIT
include(${CMAKE_CURRENT_LIST_DIR}/foreign_lock/readme_example.cmake)

# Writes into `folder` the project that the README shows to users of the library: its CMakeLists.txt as
# it stands there, and billing.cc, with what the README's programs leave to their reader.
function(write_readme_program readme folder)
  set(fence "```")
  file(READ ${readme} text)
  cut("${text}" "cmake_minimum_required(VERSION 3.25)\nproject(billing" "${fence}")
  file(WRITE ${folder}/CMakeLists.txt "${result}")
  cut("${text}" "#include <interlock/hiredis_connector.h>" "interlock::ThreadRuntime runtime")
  set(includes "${result}")
  cut("${text}" "interlock::ThreadRuntime runtime" "${fence}")
  set(first "${result}")
  cut("${text}" "auto counts = std::make_shared<interlock::CountingObserver>" "${fence}")
  set(second "${result}")
  cut("${text}" "auto nodes = interlock::MakeHiredisNodes" "${fence}")
  set(nodes "${result}")
  file(WRITE ${folder}/billing.cc "${includes}
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>

int Fail(const interlock::Status& why) { return static_cast<int>(why.code()); }
void WriteInvoice(std::uint64_t) {}
void Export(const char*, double) {}

int First() {
${first}  return Fail(released);
}

template <typename Connector>
int Second(interlock::ThreadRuntime& runtime, Connector& connector, std::stop_source& stop_source) {
${second}  return Fail(lease.status());
}

int Nodes(interlock::ThreadRuntime& runtime) {
${nodes}  return Fail(sentinel.status()) + Fail(cluster.status());
}

int main() {
  interlock::ThreadRuntime runtime;
  auto connector = interlock::MakeHiredisConnector(runtime, \"redis://127.0.0.1:6379/0\");
  std::stop_source stop_source;
  return First() + Nodes(runtime) + Second(runtime, connector, stop_source);
}
")
endfunction()
