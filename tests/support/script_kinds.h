// SPDX-License-Identifier: MIT
//
// The scripts of every kind of lock, for the tests that ask the same of each: a new kind is a row
// here.
//
// Thread safety: pure functions. The including target has lib/ among its include directories.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/scripts/fair_scripts.h"
#include "src/scripts/latch_scripts.h"
#include "src/scripts/mutex_scripts.h"
#include "src/scripts/permit_scripts.h"
#include "src/scripts/quorum_scripts.h"
#include "src/scripts/reentrant_scripts.h"
#include "src/scripts/shared_scripts.h"
#include "src/scripts/single_file_scripts.h"

namespace interlock::testing {

struct ScriptKind {
  std::string name;
  std::vector<const internal::Script*> scripts;
  /// Of a resource, by prefix and name; empty: they are no LockScripts.
  std::function<std::unique_ptr<internal::LockScripts>(const std::string&, const std::string&)>
      make = {};
  std::string owners = {};  ///< the end of the key that holds them
  /// The end of the key of the hints that a release pushes; empty: it hands over in line.
  std::string wakes = {};
};

template <typename Scripts, typename... Arguments>
auto Maker(Arguments... arguments) {
  return [=](const std::string& prefix, const std::string& name) {
    return std::make_unique<Scripts>(prefix, name, std::chrono::seconds(60), arguments...);
  };
}

inline std::vector<ScriptKind> ScriptKinds() {
  using namespace internal;  // the names of the scripts
  const LineRule rule{std::chrono::seconds(5), std::chrono::seconds(2)};
  return {{"Mutex", MutexScripts::All(), Maker<MutexScripts>(), "", ":signal"},
          {"Permits", PermitScripts::All(), Maker<PermitScripts>(1), "", ":signal"},
          {"Reader", ReaderScripts::All(), Maker<ReaderScripts>(), ":readers", ":signal:writers"},
          {"Writer", WriterScripts::All(), Maker<WriterScripts>(true), "", ":signal:readers"},
          {"Reentrant", ReentrantScripts::All(), Maker<ReentrantScripts>("me"), "", ":signal"},
          {"Fair", FairScripts::All(), Maker<FairScripts>(rule)},
          {"SingleFile", SingleFileScripts::All(), Maker<SingleFileScripts>(rule, 1), ":holders"},
          {"Latch", LatchScripts::All()},
          {"Quorum", QuorumScripts::All()}};
}

}  // namespace interlock::testing
