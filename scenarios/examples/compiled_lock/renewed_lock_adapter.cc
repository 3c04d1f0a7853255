// SPDX-License-Identifier: MIT
#include "adapters.h"
#include "renewed_lock.h"

namespace harness = interlock::harness;

namespace {

harness::Answer ToAnswer(int said) {
  if (said < 0) return harness::Answer::kUnknown;
  return said == 1 ? harness::Answer::kYes : harness::Answer::kNo;
}

template <acme::RenewedLock::Care kCare>
class Adapter final : public harness::CompiledLock {
 public:
  explicit Adapter(const harness::LockOptions& options)
      : lock_("redis", 6379, options.key_prefix + options.resource, options.lease, kCare) {}
  harness::Answer Acquire() override { return ToAnswer(lock_.Acquire()); }
  harness::Answer Release() override { return ToAnswer(lock_.Release()); }
  std::string token() const override { return lock_.token(); }
  std::optional<interlock::MonotonicTime> valid_until() const override {
    return interlock::MonotonicTime(lock_.valid_until().time_since_epoch());
  }

 private:
  acme::RenewedLock lock_;
};

}  // namespace

std::shared_ptr<const harness::Subject> acme::RenewedLockSubject() {
  using Lock = Adapter<RenewedLock::Care::kFull>;
  return harness::CompiledSubject<Lock>("acme.renewed-lock", {.renews = true});
}

std::shared_ptr<const harness::Subject> acme::NaiveRenewedLockSubject() {
  using Lock = Adapter<RenewedLock::Care::kNone>;
  return harness::CompiledSubject<Lock>("acme.naive-renewed-lock", {.renews = true});
}
