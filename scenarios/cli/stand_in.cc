// SPDX-License-Identifier: MIT
#include "scenarios/cli/stand_in.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/judge/demanded.h"

namespace interlock::scenarios::cli {
namespace {

enum class Question : std::uint8_t { kName, kSummary, kTraits, kExplored, kPromises, kOwners };

/// Puts each of the questions, in this order, and forgets the answers.
constexpr auto kPut = std::to_array<void (*)(const harness::Subject&)>({
    [](const harness::Subject& subject) { static_cast<void>(subject.name()); },
    [](const harness::Subject& subject) { static_cast<void>(subject.summary()); },
    [](const harness::Subject& subject) { static_cast<void>(subject.traits()); },
    [](const harness::Subject& subject) { static_cast<void>(subject.explored()); },
    [](const harness::Subject& subject) { static_cast<void>(subject.Promises()); },
    [](const harness::Subject& subject) {
      static_cast<void>(JudgedFor(Catalogue().front(), subject));
    },
});
constexpr unsigned kQuestions = kPut.size();
constexpr unsigned kLongestAnswer = 5;  // s

using Mask = unsigned;  // set of questions that it does not survive
constexpr Mask Bit(Question question) { return 1U << static_cast<unsigned>(question); }

/// Asks all questions from `first` on in a fork; returns how many were answered. More than there
/// are: forking failed.
unsigned Answered(const harness::Subject& subject, unsigned first) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return kQuestions;
  const pid_t pid = fork();
  if (pid == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM}) {
      std::signal(signal, SIG_DFL);
    }
    alarm(kLongestAnswer);
    for (unsigned i = first; i < kQuestions; ++i) {
      kPut[i](subject);
      if (write(ends[1], "x", 1) != 1) break;
    }
    _exit(0);
  }
  close(ends[1]);
  unsigned answered = 0;
  char byte = 0;
  for (ssize_t count = 0; pid > 0 && (count = read(ends[0], &byte, 1)) != 0;) {
    if (count < 0 && errno != EINTR) break;
    if (count > 0) ++answered;
  }
  close(ends[0]);
  if (pid < 0) return kQuestions;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return answered;
}

Mask TryOut(const harness::Subject& subject) {
  Mask bad = 0;
  for (unsigned next = 0; next < kQuestions; ++next) {
    next += Answered(subject, next);
    if (next >= kQuestions) break;
    bad |= 1U << next;
  }
  // Looking for owners asks for the traits, too.
  if ((bad & Bit(Question::kTraits)) != 0) bad |= Bit(Question::kOwners);
  return bad;
}

class StandIn final : public harness::Subject {
 public:
  StandIn(std::shared_ptr<const harness::Subject> original, std::size_t index, Mask bad,
          bool worker)
      : original_(std::move(original)),
        bad_(bad),
        worker_(worker),
        name_(fmt::format("unnamed-{}", index + 1)) {}

  std::string_view name() const override {
    return Asks(Question::kName) ? original_->name() : name_;
  }
  std::string_view summary() const override {
    return Asks(Question::kSummary) ? original_->summary() : "does not answer what it is";
  }
  harness::Traits traits() const override {
    return Asks(Question::kTraits) ? original_->traits() : harness::Traits();
  }
  harness::ExploredBound explored() const override {
    return Asks(Question::kExplored) ? original_->explored() : harness::ExploredBound();
  }
  std::vector<harness::Promise> Promises() const override {
    return Asks(Question::kPromises) ? original_->Promises() : std::vector<harness::Promise>();
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    // Here it may end the process, as it did when tried out.
    for (unsigned i = 0; worker_ && i < kQuestions; ++i) {
      if ((bad_ >> i & 1U) != 0) kPut[i](*original_);
    }
    if (worker_) std::abort();  // having done so once is enough
    return original_->NewLock(environment, options);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    if (worker_ || Asks(Question::kOwners)) return original_->Owners(server, options);
    return std::vector<harness::Owner>();
  }
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    return original_->AuxiliaryKeys(options);
  }

 private:
  bool Asks(Question question) const { return (bad_ & Bit(question)) == 0; }

  const std::shared_ptr<const harness::Subject> original_;
  const Mask bad_;
  const bool worker_;
  const std::string name_;
};

/// Workers must have the same stand-ins, without finding out by themselves.
std::string VariableOf(std::size_t index) { return fmt::format("INTERLOCK_STAND_IN_{}", index); }

}  // namespace

std::shared_ptr<const harness::Subject> TriedOut(std::shared_ptr<const harness::Subject> subject,
                                                 std::size_t index, bool worker) {
  const std::string variable = VariableOf(index);
  Mask bad = 0;
  if (worker) {
    const char* told = std::getenv(variable.c_str());
    if (told != nullptr) bad = static_cast<Mask>(std::strtoul(told, nullptr, 10));
  } else {
    bad = TryOut(*subject);
    if (bad == 0) {
      unsetenv(variable.c_str());
    } else {
      setenv(variable.c_str(), std::to_string(bad).c_str(), 1);
    }
  }
  if (bad == 0) return subject;
  return std::make_shared<StandIn>(std::move(subject), index, bad, worker);
}

}  // namespace interlock::scenarios::cli
