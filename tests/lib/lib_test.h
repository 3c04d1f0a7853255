// SPDX-License-Identifier: MIT
//
// What the tests of locks on a scripted connector have in common.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <interlock/client.h>
#include <interlock/mutex.h>
#include <interlock/options.h>

#include "tests/support/fake_connection.h"
#include "tests/support/manual_runtime.h"

namespace interlock {

class LockTest : public ::testing::Test {
 protected:
  static testing::Answer Grant(int fence) {
    return testing::Answer::With(
        testing::Array({testing::Integer(1), testing::Text(std::to_string(fence))}));
  }
  static testing::Answer Refuse(std::chrono::milliseconds ttl) {
    return testing::Answer::With(
        testing::Array({testing::Integer(0), testing::Integer(ttl.count())}));
  }
  static testing::Answer Number(int value) {
    return testing::Answer::With(testing::Integer(value));
  }
  static testing::Answer Hint() {
    return testing::Answer::With(testing::Array({testing::Text("signal"), testing::Text("1")}));
  }
  static testing::Answer Error(std::string text) {
    return testing::Answer::With(testing::ErrorReply(std::move(text)));
  }

  Mutex NewMutex(Duration lease = std::chrono::seconds(10)) {
    return Mutex::Create(client_, "res", {.key_prefix = "t:", .lease = lease}).value();
  }

  void Script(testing::Answer answer) { connector_.Expect("EVALSHA", std::move(answer)); }
  void Pop(testing::Answer answer) { connector_.Expect("BLPOP", std::move(answer)); }

  const testing::SentCommand& Sent(std::size_t index) { return connector_.sent().at(index); }
  /// Argument `index` (from 0) of a script that was sent: what follows its keys.
  std::string Argument(std::size_t command, std::size_t index) {
    const auto& argv = Sent(command).argv;
    return argv.at(3 + std::stoul(argv.at(2)) + index);
  }
  std::string Key(std::size_t command, std::size_t index) {
    return Sent(command).argv.at(3 + index);
  }

  testing::ManualRuntime runtime_;
  testing::FakeConnector connector_{runtime_};
  Client client_{runtime_, connector_};
};

}  // namespace interlock
