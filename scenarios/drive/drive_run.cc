// SPDX-License-Identifier: MIT
#include "scenarios/drive/drive_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "scenarios/drive/fault_budget.h"
#include "scenarios/drive/foreign_process.h"
#include "scenarios/drive/gated_world.h"
#include "scenarios/drive/launch.h"
#include "scenarios/drive/stillness.h"
#include "scenarios/oracles/words.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::Candidate;
using sim::FaultKind;
using sim::Lane;
using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

/// Steps at most for which a stopped client is passed over.
constexpr std::uint32_t kLongestPause = 12;
/// So many commands of each, and nothing has changed: nobody gets any further.
constexpr std::uint64_t kVainCommands = 25;
constexpr std::uint64_t kVainCommandsOfOwners = 100;
/// Choices that may leave somebody out who is ready.
constexpr std::uint32_t kMostPassedOver = 30;
constexpr std::size_t kLastWords = 2'000;  // bytes
/// While somebody waits at the gate, sleepers are given so much time at once.
constexpr Duration kNap = milliseconds(200);

std::int64_t NowUs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 0;
  for (const char letter : text) hash = sim::MixSeed(hash, static_cast<unsigned char>(letter));
  return hash;
}

class Drive {
 public:
  Drive(const DriveOptions& options, sim::Choices& choices)
      : options_(options),
        choices_(choices),
        world_(options, NowUs()),
        gate_(world_.gate()),
        holds_(world_.holds()),
        budget_(options) {}

  Result<DriveRun> Run() {
    if (Status opened = gate_.Open(); !opened.ok()) return opened;
    for (int client = 0; client < options_.clients; ++client) {
      if (Status started = StartClient(client); !started.ok()) return started;
    }
    budget_.DrawSwarm(choices_);
    Progressed();
    for (;;) {
      const bool goes_on = !*options_.stop && Settle();
      world_.TakeFindings(run_);
      if (!goes_on || Stuck()) break;
      Step();
    }
    for (const auto& client : clients_) client->process->Kill();
    run_.most_owners = holds_.most_owners();
    run_.most_entrants = holds_.most_entrants();
    run_.has_sections = holds_.has_sections();
    run_.virtual_time = world_.now();
    run_.rows = world_.rows();
    for (int client = 0; client < options_.clients; ++client) {
      if (!gate_.has_connected(client)) ++run_.never_connected;
    }
    return std::move(run_);
  }

 private:
  struct Client {
    std::unique_ptr<ForeignProcess> process;
    Stillness stillness;
    std::uint32_t stopped_for = 0;  // steps
    std::uint32_t passed_over = 0;  // times, though it was ready
    std::uint64_t vain_since = 0;   // commands, when something changed last
    bool over = false;
  };

  Client& client(int number) { return *clients_[static_cast<std::size_t>(number)]; }

  Status StartClient(int number) {
    std::vector<int> ports;
    for (int node = 0; node < options_.nodes; ++node) ports.push_back(gate_.port(number, node));
    auto process = Launch(options_.command, number, ports);
    if (!process.ok()) return process.status();
    clients_.push_back(std::make_unique<Client>());
    clients_.back()->process = *std::move(process);
    return Status();
  }

  /// Until everybody stands still; false: all have ended, or one never stands still.
  bool Settle() {
    const SteadyTime limit = std::chrono::steady_clock::now() + options_.patience;
    for (;;) {
      world_.Poll(Duration{});
      bool all = true;
      int alive = 0;
      for (int number = 0; number < options_.clients; ++number) {
        Client& one = client(number);
        if (one.over) continue;
        if (one.process->ended()) {
          Over(number);
          continue;
        }
        ++alive;
        all = one.stillness.Look(*one.process, gate_.HasParked(number)) && all;
      }
      if (alive == 0 || *options_.stop) return false;
      if (all) return true;
      if (std::chrono::steady_clock::now() > limit) {
        run_.inconclusive = "a client neither sleeps nor sends anything";
        return false;
      }
      world_.Poll(milliseconds(1));
    }
  }

  void Over(int number) {
    Client& one = client(number);
    one.over = true;
    const int code = one.process->exit_code();
    run_.ends.push_back(
        {number, code, code == 0 ? std::string() : one.process->OutputTail(kLastWords)});
    world_.Row(number, code == 0 ? "ended" : fmt::format("ended with exit code {}", code));
    holds_.Ended(number);
    gate_.Drop(number);
    Progressed();
  }

  void Step() {
    std::vector<Parked> ready;
    for (const Parked& one : gate_.parked()) {
      if (client(one.client).stopped_for == 0) ready.push_back(one);
    }
    // Whoever went last comes first, which is calm.
    std::stable_partition(ready.begin(), ready.end(),
                          [this](const Parked& one) { return one.client == last_; });
    if (ready.empty()) return WaitForSomebody();
    std::vector<Candidate> candidates;
    for (const Parked& one : ready) {
      const std::string& key = one.argv->size() > 1 ? (*one.argv)[1] : one.argv->front();
      candidates.push_back({one.client, static_cast<std::uint32_t>(one.connection),
                            HashOf(one.argv->front()), HashOf(key)});
    }
    if (SomebodySleeps()) candidates.push_back({options_.clients, 0, 0, 0});
    const std::size_t pick = Starving(ready).value_or(choices_.PickTask(candidates));
    if (pick >= ready.size()) return Sleep(kNap);
    for (const Parked& one : ready) ++client(one.client).passed_over;
    client(ready[pick].client).passed_over = 0;
    CountDownStops();
    Execute(ready[pick]);
  }

  /// Whose turn it is, whatever a strategy wants: time stands still for a holder that is kept back.
  std::optional<std::size_t> Starving(const std::vector<Parked>& ready) {
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (client(ready[i].client).passed_over >= kMostPassedOver) return i;
    }
    return std::nullopt;
  }

  bool SomebodySleeps() {
    for (int number = 0; number < options_.clients; ++number) {
      const Client& one = client(number);
      if (!one.over && one.stopped_for == 0 && !gate_.HasParked(number) &&
          !gate_.IsBlocked(number)) {
        return true;
      }
    }
    return false;
  }

  void CountDownStops() {
    for (int number = 0; number < options_.clients; ++number) {
      if (client(number).stopped_for > 0 && --client(number).stopped_for == 0) GoOn(number);
    }
  }

  /// Nobody is ready. Who was stopped is so for as long as others have something to wake up for.
  void WaitForSomebody() {
    int stopped = -1;
    for (int number = 0; number < options_.clients; ++number) {
      if (client(number).stopped_for > 0) stopped = number;
    }
    if (stopped < 0) return Sleep(options_.patience);
    if (!SomebodySleeps()) return GoOn(stopped);
    Sleep(kNap);
    CountDownStops();
  }

  void GoOn(int number) {
    client(number).stopped_for = 0;
    client(number).process->Continue();
    world_.Row(number, "goes on", reports::RowKind::kFault, reports::SpanChange::kPauseEnd);
  }

  std::optional<Strike> DrawFault(const Parked& parked) {
    const int number = parked.client;
    FaultBudget::Place place;
    place.alone = std::count_if(clients_.begin(), clients_.end(),
                                [](const auto& one) { return !one->over; }) == 1;
    place.owns = holds_.Owns(number);
    place.names = holds_.NamesItsOwn(number, *parked.argv);
    place.ends = holds_.NextEndMs(Only(number)).has_value();
    return budget_.Draw(choices_, place);
  }

  void Fault(FaultKind kind, int number, const std::string& command, std::string_view words) {
    run_.faults.push_back({kind, number, command});
    world_.Row(number, std::string(words), reports::RowKind::kFault,
               kind == FaultKind::kPause || kind == FaultKind::kExpiry
                   ? reports::SpanChange::kPauseBegin
                   : reports::SpanChange::kNone);
    Progressed();
  }

  void Execute(const Parked& parked) {
    const std::optional<Strike> fault = DrawFault(parked);
    const std::string text = sim::redis::ToText(*parked.argv);
    if (fault == Strike::kPause || fault == Strike::kExpiry) {
      return StopClient(parked.client, text, fault == Strike::kExpiry);
    }
    if (fault == Strike::kLostRequest) {
      world_.Row(parked.client, text);
      Fault(FaultKind::kResetBefore, parked.client, text, "reset-before: it is not executed");
      gate_.Release(parked.connection, Gate::Outcome::kRequestLost);
      return;
    }
    if (fault == Strike::kCrash) {
      // Before the command, or behind it.
      const bool sent = choices_.Draw(Lane::kFault, 2) == 1;
      if (sent) Perform(parked, Gate::Outcome::kReplyLost);
      Fault(FaultKind::kCrash, parked.client, text,
            sent ? "crash, before the reply" : "crash, before " + text);
      client(parked.client).process->Kill();
      client(parked.client).over = true;
      holds_.Ended(parked.client);
      gate_.Drop(parked.client);
      return;
    }
    if (fault == Strike::kLostReply) {
      Fault(FaultKind::kResetAfter, parked.client, text, "reset-after: the reply is lost");
      return Perform(parked, Gate::Outcome::kReplyLost);
    }
    Perform(parked, Gate::Outcome::kAnswered);
  }

  void Perform(const Parked& parked, Gate::Outcome outcome) {
    if (parked.client != last_ && last_ >= 0) ++run_.switches;
    last_ = parked.client;
    ++run_.commands;
    if (world_.Perform(parked, outcome, Kept())) Progressed();
  }

  void StopClient(int number, const std::string& command, bool past_an_end) {
    Client& one = client(number);
    one.stopped_for = 1 + choices_.Draw(Lane::kFault, kLongestPause);
    one.process->Stop();
    if (!past_an_end) return Fault(FaultKind::kPause, number, command, "pause, before " + command);
    Fault(FaultKind::kExpiry, number, command,
          fmt::format("pause, before {}, until a key has expired", command));
    world_.ExpireByForce(Only(number));
  }

  std::vector<bool> Only(int number) const {
    std::vector<bool> only(static_cast<std::size_t>(options_.clients), false);
    only[static_cast<std::size_t>(number)] = true;
    return only;
  }

  /// At the gate, or stopped.
  std::vector<bool> Kept() {
    std::vector<bool> kept;
    for (int number = 0; number < options_.clients; ++number) {
      const Client& one = client(number);
      kept.push_back(!one.over && (one.stopped_for > 0 || gate_.HasParked(number)));
    }
    return kept;
  }

  void AdvanceTo(std::int64_t unix_us) {
    if (world_.AdvanceTo(unix_us, Kept())) Progressed();
  }

  /// The next end is of what somebody dead owns, and nobody is at the gate: who waits for it need
  /// not wait for long.
  bool CanHurry() {
    std::vector<bool> alive;
    for (const auto& one : clients_) alive.push_back(!one->over);
    const auto next_ms = holds_.NextEndMs();
    const auto of_the_living_ms = holds_.NextEndMs(alive);
    return next_ms && gate_.parked().empty() && (!of_the_living_ms || *next_ms < *of_the_living_ms);
  }

  /// Lets sleepers sleep, until one of them does something. The servers' clock goes along.
  void Sleep(Duration at_most) {
    const SteadyTime begin = std::chrono::steady_clock::now();
    const std::size_t parked = gate_.parked().size();
    const std::int64_t begin_us = gate_.time_us();
    for (;;) {
      world_.Poll(milliseconds(1));
      const auto passed = std::chrono::steady_clock::now() - begin;
      AdvanceTo(begin_us + std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
      if (CanHurry()) AdvanceTo(*holds_.NextEndMs() * 1'000 + 1);
      if (gate_.parked().size() != parked || passed >= at_most || *options_.stop) return;
      for (const auto& one : clients_) {
        if (!one->over && one->process->ended()) return;
      }
      if (parked == 0 && StandsStill()) return;
    }
  }

  void Progressed() {
    progressed_ = std::chrono::steady_clock::now();
    for (int number = 0; number < static_cast<int>(clients_.size()); ++number) {
      client(number).vain_since = gate_.executed(number);
    }
  }

  /// No progress for too long.
  bool StandsStill() const {
    return std::chrono::steady_clock::now() - progressed_ > options_.patience;
  }

  bool Stuck() {
    std::uint64_t in_vain = UINT64_MAX;
    bool somebody_holds = false;
    bool somebody_works = false;
    for (int number = 0; number < options_.clients; ++number) {
      const Client& one = client(number);
      if (one.over) continue;
      somebody_works = somebody_works || holds_.Inside(number) || one.stopped_for > 0;
      somebody_holds = somebody_holds || holds_.Owns(number);
      in_vain = std::min(in_vain, gate_.executed(number) - one.vain_since);
    }
    // An owner may read a good deal, and change nothing, before it goes on.
    const std::uint64_t enough = somebody_holds ? kVainCommandsOfOwners : kVainCommands;
    if (in_vain >= enough && !somebody_works && world_.NothingEnds()) {
      return Deadlock("asked again and again, and nothing changed");
    }
    if (!StandsStill()) return false;
    if (!somebody_holds && !somebody_works && world_.NothingEnds())
      return Deadlock("got no further");
    run_.inconclusive =
        fmt::format("nobody got any further for {} s", options_.patience / std::chrono::seconds(1));
    return true;
  }

  bool Deadlock(std::string_view what) {
    std::vector<int> waiting;
    for (int number = 0; number < options_.clients; ++number) {
      if (!client(number).over) waiting.push_back(number);
    }
    run_.findings.push_back(DeadlockOf(waiting, what, run_.faults, world_.rows().size()));
    return true;
  }

  const DriveOptions& options_;
  sim::Choices& choices_;
  GatedWorld world_;
  Gate& gate_;
  Holds& holds_;
  std::vector<std::unique_ptr<Client>> clients_;
  FaultBudget budget_;
  int last_ = -1;
  SteadyTime progressed_;
  DriveRun run_;
};

}  // namespace

Result<DriveRun> RunClients(const DriveOptions& options, sim::Choices& choices) {
  return Drive(options, choices).Run();
}

}  // namespace interlock::scenarios::drive
