// SPDX-License-Identifier: MIT
//
// A lock of the library over hiredis and threads, as they were compiled: the same adapter, which is
// given such an environment (see Traits::posix).
//
// Thread safety: as harness::Subject.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <interlock/harness/traits.h>

namespace interlock::scenarios::subjects {

/// `Adapter`: a Subject whose summary begins with the class and a colon.
template <typename Adapter>
class Compiled final : public Adapter {
 public:
  template <typename... Arguments>
  explicit Compiled(Arguments&&... arguments)
      : Adapter(std::forward<Arguments>(arguments)...),
        name_(std::string(Adapter::name()) + ".hiredis"),
        summary_(ClassOf(Adapter::summary()) + " over hiredis and threads, as they were compiled") {
  }

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  harness::Traits traits() const override {
    harness::Traits traits = Adapter::traits();
    traits.posix = true;
    return traits;
  }

 private:
  static std::string ClassOf(std::string_view summary) {
    return std::string(summary.substr(0, summary.find(": ")));
  }

  const std::string name_;
  const std::string summary_;
};

}  // namespace interlock::scenarios::subjects
