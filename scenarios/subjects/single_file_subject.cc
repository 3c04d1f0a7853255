// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdint>

#include <interlock/options.h>
#include <interlock/single_file.h>

#include "scenarios/subjects/lease_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

using std::chrono::milliseconds;

std::string KeyOf(const harness::LockOptions& options) {
  return options.key_prefix + "{" + options.resource + "}";
}

class Adapter final : public harness::Subject {
 public:
  std::string_view name() const override { return "single-file"; }
  std::string_view summary() const override {
    return "interlock::SingleFile: a queue semaphore, each permit with a lease of its own";
  }
  harness::Traits traits() const override {
    return {.semaphore = true, .can_extend = true, .fencing = true};
  }

  std::vector<harness::Promise> Promises() const override {
    return {{"none", "standalone replicated",
             "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
            {"client-crash", "standalone replicated",
             "LK013 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015", ""},
            {"client-pause-bounded", "standalone replicated",
             "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
            {"client-pause", "standalone replicated",
             "permits-server permits-belief LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015",
             "permits-section"},
            {"link", "standalone replicated",
             "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
            {"client-restart", "standalone replicated",
             "LK013 LK005 LK006 LK007 LK008 LK009 LK010 LK011 LK014 LK015", ""},
            {"partition", "standalone replicated",
             "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
            {"lost-push", "standalone replicated",
             "LK013 LK005 LK006 LK007 LK009 LK010 LK011 LK014 LK015", ""},
            {"client-clock", "standalone replicated", "permits-server LK005 LK006 LK007 LK011",
             "permits-belief permits-section"},
            {"server-restart", "standalone", "LK013 LK005 LK006 LK007 LK009 LK011 LK014 LK015", ""},
            {"server-errors", "standalone", "LK013 LK005 LK006 LK007 LK009 LK011 LK014 LK015", ""},
            {"server-clock", "standalone", "permits-server LK005 LK006 LK007 LK011",
             "permits-belief permits-section"},
            {"data-loss", "standalone", "LK005 LK006 LK009 LK011 LK014 LK015", "LK013"},
            {"failover", "replicated", "LK005 LK006 LK009 LK011 LK014 LK015", "LK013"},
            {"split-brain", "replicated", "LK005 LK006 LK009 LK011 LK014 LK015", "LK013"}};
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LeaseLock<SingleFile>>(environment, [&options](Client& client) {
      SingleFileOptions single_file;
      single_file.name = options.resource;
      single_file.key_prefix = options.key_prefix;
      single_file.concurrency = options.permits;
      single_file.expire_in = options.lease;
      return SingleFile::Create(client, single_file);
    });
  }

  /// One entry per permit, its score the end of its lease. The key itself lives as long as the
  /// longest of them, so entries whose time has passed may still stand in it.
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    std::vector<harness::Owner> owners;
    for (auto& [token, score] : server.SortedSet(KeyOf(options) + ":holders")) {
      const auto expires_at_ms = static_cast<std::int64_t>(score);
      if (expires_at_ms >= server.NowMs()) owners.push_back({token, expires_at_ms});
    }
    return owners;
  }

  milliseconds OverrunBound(const harness::LockOptions& /*options*/) const override {
    return OverrunOfClients();
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    const auto cancelled = std::max<Duration>(options.lease, kCancelledTtl);
    return {{key + ":limit", options.lease},
            {key + ":fence", std::chrono::duration_cast<milliseconds>(kFenceTtl)},
            {key + ":signal", options.lease},
            {key + ":cancelled:*", std::chrono::duration_cast<milliseconds>(cancelled)}};
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> SingleFileSubject() {
  return std::make_shared<const Adapter>();
}

}  // namespace interlock::scenarios::subjects
