// SPDX-License-Identifier: MIT
#include "scenarios/contend/contend.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/parallel.h"

namespace interlock::scenarios::contend {
namespace {

struct Piece {
  const harness::Subject* subject = nullptr;
  int clients = 0;
  std::optional<Measured> measured;
  Status failure;
};

std::vector<Piece> PiecesOf(const ContendOptions& options) {
  std::vector<Piece> pieces;
  for (const Entry& entry : options.entries) {
    for (const int clients : options.clients) {
      pieces.push_back({entry.subject.get(), clients, {}, {}});
    }
  }
  return pieces;
}

}  // namespace

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
  std::vector<Piece> pieces = PiecesOf(options);
  std::atomic<std::uint64_t> done = 0;
  const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
  const auto tick = [&] {
    if (options.progress) options.progress(done, pieces.size());
  };
  const auto measure = [&](std::size_t index) {
    Piece& piece = pieces[index];
    if (stopped()) return;
    auto measured = MeasureSimulated(*piece.subject, piece.clients, options.load, options.seed);
    if (measured.ok()) {
      piece.measured = std::move(measured).value();
    } else {
      piece.failure = measured.status();
    }
    if (!options.keep && piece.measured) piece.measured->log.clear();
    ++done;
  };
  InParallel(
      options.jobs, pieces.size(), [&] { return measure; }, tick);

  reports::ContentionReport report;
  report.seed = options.seed;
  report.load = Describe(options.load);
  for (Piece& piece : pieces) {
    if (!piece.failure.ok()) return piece.failure;
    if (!piece.measured) {
      report.status = reports::RunStatus::kPartial;
      continue;
    }
    if (options.keep) options.keep(piece.measured->point, piece.measured->log);
    report.points.push_back(std::move(piece.measured->point));
  }
  report.notes.emplace_back(
      "virtual time: messages travel for 50 us to 1 ms, and a server takes no time for a command, "
      "so what differs between locks is round trips, waiting and order");
  return report;
}

}  // namespace interlock::scenarios::contend
