// SPDX-License-Identifier: MIT
//
// A connector through which today's code speaks as an earlier version of the library did: each
// script by its text of then, found by its name, and with the keys of then.
//
// Thread safety: OldWords is immutable; OldConnector as a Connector.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock::scenarios::testing {

/// What the library of a6ad68e sent in place of what is sent today.
class OldWords {
 public:
  /// Of the files beside this one. Ends the program if there are none.
  OldWords();
  /// With another text in place of one of them.
  OldWords With(std::string_view script, std::string_view text) const;

  /// Name and text of each script.
  const std::map<std::string, std::string, std::less<>>& scripts() const { return scripts_; }

  /// The key that was called so then, in a call of this script.
  static std::string KeyOf(std::string_view script, std::string_view key);

  /// A command of today as it was sent then. REQUIRES: it is no script that is newer.
  std::vector<std::string> Of(std::span<const std::string_view> argv) const;

 private:
  std::map<std::string, std::string, std::less<>> scripts_;
};

class OldConnector final : public Connector {
 public:
  /// `today` must outlive this.
  OldConnector(Connector& today, std::shared_ptr<const OldWords> words);

  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override;
  std::string endpoint() const override { return today_.endpoint(); }

 private:
  Connector& today_;
  const std::shared_ptr<const OldWords> words_;
};

}  // namespace interlock::scenarios::testing
