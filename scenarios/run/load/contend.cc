// SPDX-License-Identifier: MIT
#include "scenarios/run/load/contend.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/server_words.h"
#include "scenarios/run/parallel.h"

namespace interlock::scenarios::contend {
namespace {

struct Piece {
  const harness::Subject* subject = nullptr;
  int clients = 0;
  std::optional<Measured> measured = {};
  Status failure = {};

  void Take(Result<Measured> result, bool keep_log) {
    if (!result.ok()) {
      failure = result.status();
      return;
    }
    measured = std::move(result).value();
    if (!keep_log) measured->log.clear();
  }
};

/// The points may be measured in any order and on any thread, because each is a world of its own.
void MeasureInVirtualTime(const ContendOptions& options, std::vector<Piece>& pieces) {
  std::atomic<std::uint64_t> done = 0;
  const auto tick = [&] {
    if (options.progress) options.progress(done, pieces.size());
  };
  const auto measure = [&](std::size_t index) {
    if (options.stop != nullptr && *options.stop) return;
    Piece& piece = pieces[index];
    piece.Take(MeasureSimulated(*piece.subject, piece.clients, options.load, options.seed),
               options.keep != nullptr);
    ++done;
  };
  InParallel(
      options.jobs, pieces.size(), [&] { return measure; }, tick);
}

/// The points are measured one after the other, because they would disturb each other.
Status MeasureInWallTime(const ContendOptions& options, std::vector<Piece>& pieces,
                         reports::ContentionReport& report) {
  int most = 1;
  for (const Entry& entry : options.entries) most = std::max(most, ServersFor(*entry.subject));
  auto bench = WallBench::Open(*options.target, most);
  if (!bench.ok()) return bench.status();
  report.backend = (*bench)->backend();
  std::uint64_t done = 0;
  for (Piece& piece : pieces) {
    if (options.stop != nullptr && *options.stop) break;
    piece.Take(
        (*bench)->Measure(*piece.subject, piece.clients, options.load, options.seed, options.stop),
        options.keep != nullptr);
    if (!piece.failure.ok()) return piece.failure;
    // A point that was cut short would not describe its window.
    if (options.stop != nullptr && *options.stop) piece.measured.reset();
    if (options.progress) options.progress(++done, pieces.size());
  }
  if (const Status swept = (*bench)->Sweep(); !swept.ok()) {
    report.notes.push_back("keys may be left until their TTLs end: " + swept.message());
  }
  report.notes.push_back(
      fmt::format("wall time: schedules are the machine's own, and clients, each a {}, share it "
                  "with each other; what happens in the server is not seen",
                  options.target->processes ? "process" : "thread"));
  return Status();
}

}  // namespace

LogHeader HeaderOf(const reports::ContentionPoint& point, const Load& load) {
  return {.lock = point.lock,
          .scenario = "load",
          .lease = load.lease,
          .permits = load.permits,
          .clients = point.clients,
          .resources = load.resources};
}

reports::LoadText Describe(const Load& load) {
  reports::LoadText text;
  text.arrivals = load.open() ? "open" : "closed";
  text.hold_ns = load.hold.count();
  text.think_ns = load.think.count();
  text.interval_ns = load.interval.count();
  text.spread = load.exponential ? "exponential" : "fixed";
  text.patience_ns = load.patience.count();
  text.lease_ns = std::chrono::nanoseconds(load.lease).count();
  text.duration_ns = load.duration.count();
  text.warm_up_ns = load.warm_up.count();
  text.permits = load.permits;
  text.resources = load.resources;
  text.faults = ToString(load.faults);
  return text;
}

Result<reports::ContentionReport> Contend(const ContendOptions& options) {
  std::vector<Piece> pieces;
  for (const Entry& entry : options.entries) {
    for (const int clients : options.clients) pieces.push_back({entry.subject.get(), clients});
  }
  reports::ContentionReport report;
  report.seed = options.seed;
  report.load = Describe(options.load);
  if (options.target) {
    if (Status s = MeasureInWallTime(options, pieces, report); !s.ok()) return s;
  } else {
    MeasureInVirtualTime(options, pieces);
    report.backend = BackendOf(*options.load.server);
    if (auto why = WhyUnproven(*options.load.server)) report.notes.push_back(*std::move(why));
    report.notes.emplace_back(
        "virtual time: messages travel for 50 us to 1 ms, and a server takes no time for a "
        "command, so what differs between locks is round trips, waiting and order");
  }
  for (Piece& piece : pieces) {
    if (!piece.failure.ok()) return piece.failure;
    if (!piece.measured) {
      report.status = reports::RunStatus::kPartial;
      continue;
    }
    if (options.keep) options.keep(piece.measured->point, piece.measured->log);
    report.points.push_back(std::move(piece.measured->point));
  }
  return report;
}

}  // namespace interlock::scenarios::contend
