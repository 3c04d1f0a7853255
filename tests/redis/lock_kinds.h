// SPDX-License-Identifier: MIT
//
// The library's kinds of lock on one server, for the suites that ask the same of each: a new kind
// is a row here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <interlock/interlock.h>

#include "tests/redis/lock_test.h"

namespace interlock::testing {

/// One lock as each of two "processes" sees it.
struct Parties {
  std::shared_ptr<LeaseSource> giver;
  std::shared_ptr<LeaseSource> taker;
  /// Of the taker's process: kept out as long as one of them holds.
  std::shared_ptr<LeaseSource> outsider;
  /// Of another resource, or of the other side of this one.
  std::shared_ptr<LeaseSource> stranger;
};

struct LockKind {
  std::string name;
  bool fenced;  ///< an inspection shows the fencing token
  /// All with a lease of 30 s. nullopt: the kind's own way of waiting.
  Parties (*meet)(Client& here, Client& there, std::optional<RetryOptions> retry);
};

template <typename Lock, typename Options>
Parties MeetAt(Client& here, Client& there, std::optional<RetryOptions> retry) {
  Options options;
  if (retry) options.retry = *retry;
  const auto make = [&](Client& client, const char* name) {
    return std::make_shared<Lock>(Make<Lock>(client, name, options));
  };
  const auto taker = make(there, "res");
  return {make(here, "res"), taker, taker, make(there, "another")};
}

inline Parties MeetAtAFile(Client& here, Client& there, std::optional<RetryOptions> retry) {
  SingleFileOptions options{.expire_in = std::chrono::seconds(30)};
  if (retry) options.retry = *retry;
  const auto make = [&](Client& client, const char* name) {
    options.name = name;
    return std::make_shared<SingleFile>(Make<SingleFile>(client, options));
  };
  const auto taker = make(there, "res");
  return {make(here, "res"), taker, taker, make(there, "another")};
}

template <bool kReads>
Parties MeetAtASide(Client& here, Client& there, std::optional<RetryOptions> retry) {
  SharedMutexOptions options;
  if (retry) options.retry = *retry;
  const auto side = [&](Client& client, bool reads) {
    const auto lock = std::make_shared<SharedMutex>(Make<SharedMutex>(client, "res", options));
    return std::shared_ptr<LeaseSource>(lock, reads ? &lock->reader() : &lock->writer());
  };
  const auto other = side(there, !kReads);
  return {side(here, kReads), side(there, kReads), other, other};
}

/// Giver and taker are one owner.
inline Parties MeetAtAnOwner(Client& here, Client& there, std::optional<RetryOptions> retry) {
  ReentrantMutexOptions options;
  if (retry) options.retry = *retry;
  using Owner = ReentrantMutex::Owner;
  const auto giver = std::make_shared<Owner>(Make<ReentrantMutex>(here, "res", options).NewOwner());
  auto lock = Make<ReentrantMutex>(there, "res", options);
  auto another = Make<ReentrantMutex>(there, "another", options);
  return {giver, std::make_shared<Owner>(lock.OwnerOf(giver->id()).value()),
          std::make_shared<Owner>(lock.NewOwner()),
          std::make_shared<Owner>(another.OwnerOf(giver->id()).value())};
}

inline std::vector<LockKind> LockKinds() {
  return {{"Mutex", true, MeetAt<Mutex, MutexOptions>},
          {"FairMutex", true, MeetAt<FairMutex, FairMutexOptions>},
          {"ReentrantMutex", true, MeetAtAnOwner},
          {"ReadLease", false, MeetAtASide<true>},
          {"WriteLease", true, MeetAtASide<false>},
          {"Semaphore", false, MeetAt<Semaphore, SemaphoreOptions>},
          {"SingleFile", true, MeetAtAFile}};
}

inline std::string NameOfKind(const ::testing::TestParamInfo<LockKind>& kind) {
  return kind.param.name;
}

}  // namespace interlock::testing
