// SPDX-License-Identifier: MIT
#include "scenarios/run/program/program_client.h"

#include <chrono>

namespace interlock::scenarios {
namespace {

constexpr std::chrono::seconds kPatience{1};

}  // namespace

Result<Reply> ProgramClient::Call(const std::vector<std::string_view>& command) {
  const MonotonicTime deadline = environment_.runtime.Now() + kPatience;
  if (connection_ == nullptr || connection_->broken()) {
    auto made = environment_.connector.Connect(deadline);
    if (!made.ok()) return made.status();
    connection_ = std::move(made).value();
  }
  return connection_->Call(command, deadline);
}

void ProgramClient::Sleep(Duration length) {
  Runtime& runtime = environment_.runtime;
  runtime.NewEvent()->WaitUntil(runtime.Now() + length);
}

}  // namespace interlock::scenarios
