// SPDX-License-Identifier: MIT
#include "scenarios/locks/subjects/mutex_adapter.h"

#include <algorithm>
#include <utility>

#include <interlock/options.h>

#include "scenarios/locks/owner_key.h"
#include "scenarios/locks/subjects/lease_adapter.h"

namespace interlock::scenarios::subjects {

using std::chrono::milliseconds;

std::string KeyOf(const harness::LockOptions& options, std::string_view ending) {
  std::string key;
  key.reserve(options.key_prefix.size() + options.resource.size() + 2 + ending.size());
  key.append(options.key_prefix).push_back('{');
  key.append(options.resource).push_back('}');
  key.append(ending);
  return key;
}

KeyText::KeyText(const harness::LockOptions& options, std::string_view ending) {
  const std::size_t size = options.key_prefix.size() + options.resource.size() + 2 + ending.size();
  if (size > short_.size()) {
    long_ = KeyOf(options, ending);
    view_ = long_;
    return;
  }
  char* to = std::copy(options.key_prefix.begin(), options.key_prefix.end(), short_.data());
  *to++ = '{';
  to = std::copy(options.resource.begin(), options.resource.end(), to);
  *to++ = '}';
  std::copy(ending.begin(), ending.end(), to);
  view_ = {short_.data(), size};
}

namespace {

/// Where the faults of clients and links are in the table.
std::string_view WhereClientsFail(bool cluster) {
  return cluster ? "standalone replicated sentinel cluster" : "standalone replicated sentinel";
}

}  // namespace

std::vector<harness::Promise> PromisesOf(const Keeps& keeps, bool cluster) {
  const std::string_view everywhere = WhereClientsFail(cluster);
  std::vector<harness::Promise> promises = {
      {"none", everywhere, keeps.usual, ""},
      {"client-crash", everywhere, keeps.crash, ""},
      {"client-pause-bounded", everywhere, keeps.usual, ""},
      {"client-pause", everywhere, keeps.pause, keeps.pause_breaks},
      {"link", everywhere, keeps.usual, ""},
      {"client-restart", everywhere, keeps.crash, ""},
      {"partition", everywhere, keeps.usual, ""},
      {"lost-push", everywhere, keeps.usual, ""},
      {"client-clock", everywhere, keeps.clock, keeps.clock_breaks},
      {"server-restart", "standalone", keeps.server, ""},
      {"server-errors", "standalone", keeps.server, ""},
      {"server-clock", "standalone", keeps.clock, keeps.clock_breaks},
      {"data-loss", "standalone", keeps.loss, keeps.loss_breaks},
      {"power-loss", "standalone", keeps.loss, keeps.loss_breaks},
      {"power-loss-valkey", "standalone", keeps.loss, keeps.loss_breaks},
      {"failover", "replicated sentinel", keeps.loss, keeps.loss_breaks},
      {"split-brain", "replicated sentinel", keeps.loss, keeps.loss_breaks}};
  if (cluster) {
    promises.push_back({"reshard", "cluster", keeps.server, ""});
    promises.push_back({"shard-failover", "cluster", keeps.loss, keeps.loss_breaks});
    promises.push_back({"slot-migration", "cluster", keeps.server, ""});
    promises.push_back({"late-claim", "cluster", keeps.loss, keeps.loss_breaks});
  }
  return promises;
}

std::vector<harness::Promise> MutexAdapter::Promises() const {
  return PromisesOf(
      {.usual = "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015",
       .crash = "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015",
       .pause = "LK001 LK002 LK004 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015",
       .pause_breaks = "LK003",
       .clock = "LK001 LK004 LK005 LK006 LK007 LK011",
       .clock_breaks = "LK002 LK003",
       .server = "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK011 LK014 LK015",
       .loss = "LK005 LK006 LK009 LK011 LK014 LK015",
       .loss_breaks = "LK001 LK002 LK003"},
      traits().cluster);
}

std::vector<harness::Promise> WithOrder(std::vector<harness::Promise> promises, bool cluster) {
  for (const char* faults : {"none", "client-crash", "client-pause-bounded", "client-pause"}) {
    promises.push_back({faults, WhereClientsFail(cluster), "LK012", ""});
  }
  return promises;
}

std::optional<std::vector<harness::Owner>> MutexAdapter::Owners(
    const harness::ServerView& server, const harness::LockOptions& options) const {
  return OwnersAt(server, KeyText(options).view());
}

std::optional<milliseconds> MutexAdapter::HandOverBound(const harness::LockOptions& options) const {
  return HandOverOfWaiters(options);
}

milliseconds MutexAdapter::OverrunBound(const harness::LockOptions& /*options*/) const {
  return OverrunOfClients();
}

milliseconds MutexAdapter::BarredFor(const harness::LockOptions& /*options*/) const {
  return BarredByMarks();
}

std::vector<harness::AuxiliaryKey> MutexAdapter::AuxiliaryKeys(
    const harness::LockOptions& options) const {
  const auto cancelled = std::max<Duration>(options.lease, kCancelledTtl);
  std::vector<harness::AuxiliaryKey> keys;
  keys.reserve(7);  // with a limit, and those of a line
  keys.push_back({KeyOf(options, ":fence"), std::chrono::duration_cast<milliseconds>(kFenceTtl)});
  keys.push_back({KeyOf(options, ":signal"), options.lease});
  keys.push_back(
      {KeyOf(options, ":cancelled:*"), std::chrono::duration_cast<milliseconds>(cancelled)});
  return keys;
}

}  // namespace interlock::scenarios::subjects
