// SPDX-License-Identifier: MIT
#include "adapters.h"
#include "c_lock.h"

namespace harness = interlock::harness;

namespace {

harness::Answer ToAnswer(int said) {
  if (said < 0) return harness::Answer::kUnknown;
  return said == 1 ? harness::Answer::kYes : harness::Answer::kNo;
}

template <c_lock_after_timeout kAfterTimeout>
class Adapter final : public harness::CompiledLock {
 public:
  explicit Adapter(const harness::LockOptions& options)
      : lock_(c_lock_open("redis", 6379, (options.key_prefix + options.resource).c_str(),
                          options.lease.count(), kAfterTimeout)) {}
  ~Adapter() override { c_lock_close(lock_); }
  harness::Answer Acquire() override { return ToAnswer(c_lock_acquire(lock_)); }
  harness::Answer Release() override { return ToAnswer(c_lock_release(lock_)); }
  std::string token() const override { return c_lock_token(lock_); }

 private:
  c_lock* const lock_;
};

}  // namespace

std::shared_ptr<const harness::Subject> acme::CLock() {
  return harness::CompiledSubject<Adapter<C_LOCK_RECONNECTS>>("acme.c-lock");
}

std::shared_ptr<const harness::Subject> acme::NaiveCLock() {
  return harness::CompiledSubject<Adapter<C_LOCK_GOES_ON>>("acme.naive-c-lock");
}
