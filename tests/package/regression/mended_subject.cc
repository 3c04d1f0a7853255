// SPDX-License-Identifier: MIT
//
// What the generated test asks for once the lock was mended: it behaves like the sound one and has
// kept its name.
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "job_lock.h"

namespace {

namespace harness = interlock::harness;

class Mended final : public harness::Subject {
 public:
  std::string_view name() const override { return broken_->name(); }
  std::string_view summary() const override { return sound_->summary(); }
  harness::Traits traits() const override { return sound_->traits(); }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return sound_->NewLock(environment, options);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return sound_->Owners(server, options);
  }

 private:
  const std::shared_ptr<const harness::Subject> broken_ = acme::NaiveJobLock();
  const std::shared_ptr<const harness::Subject> sound_ = acme::JobLock();
};

}  // namespace

std::shared_ptr<const harness::Subject> SubjectUnderTest();

std::shared_ptr<const harness::Subject> SubjectUnderTest() { return std::make_shared<Mended>(); }
