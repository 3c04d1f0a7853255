// SPDX-License-Identifier: MIT
//
// What the function of a simulated client is given. Thread safety: that of the world.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <interlock/harness/program.h>

namespace interlock::scenarios {

class ProgramClient final : public harness::SimulatedClient {
 public:
  using Notice = std::function<void(std::string_view name, std::string_view value)>;

  /// `notice` takes the notes. The environment outlives the client.
  ProgramClient(int number, harness::Environment& environment, Notice notice)
      : number_(number), environment_(environment), notice_(std::move(notice)) {}

  int number() const override { return number_; }
  harness::Environment& environment() override { return environment_; }
  Result<Reply> Call(const std::vector<std::string_view>& command) override;
  void Sleep(Duration length) override;
  void Note(std::string_view name, std::string_view value) override { notice_(name, value); }

 private:
  const int number_;
  harness::Environment& environment_;
  const Notice notice_;
  std::unique_ptr<Connection> connection_;  ///< null before the first call
};

}  // namespace interlock::scenarios
