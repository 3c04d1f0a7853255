// SPDX-License-Identifier: MIT
//
// A program with locks that do what no lock should: spin, abort, recurse, throw, read a real clock,
// remember what happened in an earlier run.
// misbehaving_test.cc runs it and looks at how it ends.
#include <interlock/harness/main.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

namespace harness = interlock::harness;

using Crime = void (*)();

/// Counted over all runs of the process: what no run may know.
std::uint64_t asked = 0;

void Remember() { ++asked; }

class GuiltyLock final : public harness::Lock {
 public:
  explicit GuiltyLock(Crime crime) : crime_(crime) {}

  interlock::Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    crime_();
    // Both mean "no", so that nothing but the trace can tell the difference.
    const bool otherwise = crime_ == Remember && (asked * 0x9e3779b97f4a7c15ULL >> 60) % 2 == 1;
    return interlock::Status(otherwise ? interlock::StatusCode::kTimeout
                                       : interlock::StatusCode::kNotAcquired);
  }
  interlock::Result<std::unique_ptr<harness::Hold>> AcquireUntil(
      interlock::MonotonicTime /*deadline*/) override {
    return TryAcquire();
  }

 private:
  Crime crime_;
};

class Guilty final : public harness::Subject {
 public:
  Guilty(std::string name, Crime crime) : name_(std::move(name)), crime_(crime) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "does what no lock should"; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& /*environment*/,
                                         const harness::LockOptions& /*options*/) const override {
    return std::make_unique<GuiltyLock>(crime_);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& /*server*/,
      const harness::LockOptions& /*options*/) const override {
    return std::vector<harness::Owner>();
  }

 private:
  std::string name_;
  Crime crime_;
};

volatile int sink = 0;

void Spin() {
  for (;;) sink = sink + 1;
}

int Recurse(int depth) {
  volatile char room[256] = {};
  room[depth % 256] = 1;
  return depth < 0 ? 0 : Recurse(depth + 1) + room[0];
}

void RecurseWithoutEnd() { sink = Recurse(0); }

void Abort() { std::abort(); }

void Throw() { throw std::runtime_error("a lock that throws"); }

void ReadTheClock() {
  sink = std::chrono::steady_clock::now().time_since_epoch().count() > 0 ? 1 : 0;
}

void AccessNull() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

void Refuse() {}

/// Well-behaved until somebody has a second look: so ends the process that compares hashes.
bool second_process = false;
void AbortInSecondProcess() {
  if (second_process) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  second_process = argc > 1 && std::string_view(argv[1]) == "worker";
  std::vector<std::shared_ptr<const harness::Subject>> subjects;
  for (const auto& [name, crime] : {std::pair<const char*, Crime>("test/spinning", Spin),
                                    {"test/aborting", Abort},
                                    {"test/recursing", RecurseWithoutEnd},
                                    {"test/throwing", Throw},
                                    {"test/escaping", ReadTheClock},
                                    {"test/null", AccessNull},
                                    {"test/remembering", Remember},
                                    {"test/two-faced", AbortInSecondProcess},
                                    {"test/refusing", Refuse}}) {
    subjects.push_back(std::make_shared<Guilty>(name, crime));
  }
  return harness::Main(argc, argv, std::move(subjects));
}
