// SPDX-License-Identifier: MIT
#include <chrono>

#include <interlock/single_file.h>

#include "scenarios/subjects/lease_adapter.h"
#include "scenarios/subjects/permit_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class Adapter final : public PermitAdapter {
 public:
  std::string_view name() const override { return "single-file"; }
  std::string_view summary() const override {
    return "interlock::SingleFile: a queue semaphore, each permit with a lease of its own";
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

 private:
  std::chrono::milliseconds LimitStands(const harness::LockOptions& options) const override {
    return options.lease;
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> SingleFileSubject() {
  return std::make_shared<const Adapter>();
}

}  // namespace interlock::scenarios::subjects
