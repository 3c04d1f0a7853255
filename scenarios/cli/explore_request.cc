// SPDX-License-Identifier: MIT
#include "scenarios/cli/explore_request.h"

#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/kind_model.h"
#include "scenarios/cli/server_option.h"
#include "scenarios/cli/values.h"
#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"

namespace interlock::scenarios::cli {
namespace {

/// Just long enough to return in the middle of the next client's section.
constexpr int kOverstay = 37;

bool ServersFail(const ExploreRequest& request) {
  return request.bounds.failovers + request.bounds.restarts > 0;
}

/// When servers fail, so little is demanded of the lock, and so little by it of its clients, that
/// clients may fail as well, though the scenario's generated runs keep the two apart.
bool MayComeWithServers(sim::FaultKind kind) {
  return kind == sim::FaultKind::kCrash || kind == sim::FaultKind::kResetAfter ||
         kind == sim::FaultKind::kResetBefore || kind == sim::FaultKind::kLostReply;
}

Result<Bounds> BoundsOf(const ExploreRequest& request, const Scenario& scenario) {
  Bounds bounds = request.bounds;
  struct Kind {
    std::optional<int> given;
    sim::FaultKind fault;
    int otherwise;
    int& bound;
    const char* name;
  };
  const Kind kinds[] = {
      {request.crashes, sim::FaultKind::kCrash, 1, bounds.crashes, "crashes"},
      {request.lost_replies, sim::FaultKind::kResetAfter, 1, bounds.lost_replies, "lost replies"},
      {request.lost_requests, sim::FaultKind::kResetBefore, 0, bounds.lost_requests,
       "lost requests"},
      {request.silent_losses, sim::FaultKind::kLostReply, 0, bounds.silent_losses, "silent losses"},
      {request.pauses, sim::FaultKind::kPause, 0, bounds.pauses, "pauses"},
      {request.short_pauses, sim::FaultKind::kPause, 0, bounds.short_pauses, "pauses"},
      {request.bounds.failovers, sim::FaultKind::kFailover, 0, bounds.failovers, "failovers"},
      {request.bounds.restarts, sim::FaultKind::kServerKill, 0, bounds.restarts,
       "server restarts"}};
  for (const Kind& kind : kinds) {
    const bool has = HasAny(scenario, {kind.fault});
    const bool may_be = has || (ServersFail(request) && MayComeWithServers(kind.fault));
    if (!may_be && kind.given.value_or(0) > 0) {
      return Invalid(fmt::format("the scenario {} has no {}", scenario.name, kind.name));
    }
    kind.bound = kind.given.value_or(has ? kind.otherwise : 0);
  }
  if (bounds.masters > 0 && scenario.shape.topology != sim::Topology::kIndependent) {
    return Invalid(fmt::format("the scenario {} has one master", scenario.name));
  }
  if (bounds.readers > bounds.clients) return Invalid("more readers than clients");
  if (bounds.setters + bounds.other_limits + bounds.operators > bounds.clients) {
    return Invalid("more operators, limit setters and clients with another limit than clients");
  }
  if (bounds.stops > bounds.clients) return Invalid("more stopped waits than clients");
  if (bounds.stops > 0 && !bounds.waits) return Invalid("--stops needs --wait");
  const Bounds usual;
  if (bounds.wait != usual.wait && !bounds.waits) return Invalid("--wait-for needs --wait");
  if (bounds.stop != usual.stop && bounds.stops == 0) return Invalid("--stop-after needs --stops");
  if (bounds.nest && bounds.resources < 2) {
    return Invalid("--nest needs two resources or more");
  }
  if (bounds.writes != GuardKind::kNone && scenario.shape.guard == GuardKind::kNone) {
    return Invalid(
        fmt::format("the scenario {} guards nothing that could be written to", scenario.name));
  }
  if (bounds.restarts > 0) bounds.persistence = scenario.shape.persistence.front();
  // If nothing stops a client or a server, a lease expires only by the client's own neglect.
  const bool pauses = ServersFail(request) || HasAny(scenario, {sim::FaultKind::kPause});
  if (bounds.overstay > 0 && !scenario.shape.overstay) {
    return Invalid(fmt::format("the scenario {} has no overstaying clients", scenario.name));
  }
  if (scenario.shape.overstay && !pauses && bounds.overstay == 0) bounds.overstay = kOverstay;
  return bounds;
}

std::string UsualScenario(const ExploreRequest& request, const harness::Traits& traits) {
  if (request.bounds.failovers > 0) return "failover";
  std::string usual = request.bounds.writes != GuardKind::kNone ? "guarded" : "chaos";
  if (request.bounds.restarts > 0) usual = "data-loss";
  return traits.quorum ? "quorum-" + usual : usual;
}

Result<SynchronyClass> ClassOf(const ExploreRequest& request, const Scenario& scenario) {
  if (request.synchrony.empty()) return scenario.classes.back();
  for (const SynchronyClass one : scenario.classes) {
    if (ToString(one) == request.synchrony) return one;
  }
  std::vector<std::string_view> classes;
  for (const SynchronyClass one : scenario.classes) classes.push_back(ToString(one));
  return Invalid(fmt::format("the scenario {} has no class \"{}\"; it has: {}", scenario.name,
                             request.synchrony, fmt::join(classes, ", ")));
}

Result<std::vector<Judged>> OnlyOf(const ExploreRequest& request, const RunCase& run_case) {
  std::vector<Judged> only;
  if (request.property.empty()) return only;
  const auto properties = FindProperties(request.property);
  if (properties.empty()) return Invalid(UnknownProperty(request.property));
  for (const Judged judged : JudgedFor(*run_case.scenario, *run_case.subject)) {
    for (const Property* property : properties) {
      if (property->judged == judged) only.push_back(judged);
    }
  }
  if (only.empty()) {
    return Invalid(fmt::format("the scenario {} does not judge {} of this lock",
                               run_case.scenario->name, request.property));
  }
  return only;
}

Status FitsTheLock(const Bounds& bounds, const harness::Traits& traits) {
  const Extras may = ExtrasOf(traits);
  if (bounds.readers > 0 && !may.readers) return Invalid("this lock has no readers");
  if (bounds.stops > 0 && !may.stops) return Invalid("waits for this lock cannot be stopped");
  if (bounds.operators > 0 && !may.operators)
    return Invalid("this lock has no operations for operators");
  if (bounds.other_limits > 0 && !may.limit_stands.has_value()) {
    return Invalid("this lock keeps no limit in the server");
  }
  if ((bounds.setters > 0 || bounds.follow) && !MaySetLimits(traits.kind)) {
    return Invalid("the limit of this lock cannot be set");
  }
  if (bounds.life > 0 && !may.lives) return Invalid("this lock is not a latch with a limited life");
  return Status();
}

}  // namespace

Result<ExploreOptions> Resolve(const ExploreRequest& request, const Entry& entry) {
  if (entry.subject->traits().posix) {
    return Invalid(
        fmt::format("{} calls the C library, and what it remembers cannot be seen: "
                    "`check` judges it by drawn runs",
                    entry.subject->name()));
  }
  const std::string pattern =
      request.scenario.empty() ? UsualScenario(request, entry.subject->traits()) : request.scenario;
  const auto scenarios = SelectScenarios(WithServer(pattern, request.server));
  if (!scenarios.ok()) return scenarios.status();
  if (scenarios->size() != 1) return Invalid("explore takes exactly one lock and one scenario");
  const Scenario& scenario = *scenarios->front();
  if (!scenario.pinned.empty()) {
    return Invalid(
        fmt::format("the scenario {} has pinned programs, which only `check` runs; `explore` runs "
                    "those that --attempts, --hold and others describe",
                    scenario.name));
  }
  if (scenario.shape.share_objects) {
    return Invalid(fmt::format(
        "the scenario {} has several clients in one process; `explore` gives each its own",
        scenario.name));
  }
  if (scenario.gives_up.writes && !ServersFail(request)) {
    return Invalid(
        fmt::format("the scenario {} is about servers that forget: give --failovers or "
                    "--restarts",
                    scenario.name));
  }
  if (IsCluster(scenario.shape.topology)) {
    return Invalid(fmt::format(
        "the scenario {} needs a cluster; `explore` has one server or several independent masters",
        scenario.name));
  }
  if (auto unfit = FitsTheLock(request.bounds, entry.subject->traits()); !unfit.ok()) return unfit;
  if (!Applies(scenario, entry.subject->traits())) {
    return Invalid(fmt::format("the scenario {} does not apply to this lock", scenario.name));
  }
  const auto synchrony = ClassOf(request, scenario);
  if (!synchrony.ok()) return synchrony.status();
  ExploreOptions options;
  options.run_case = {entry.subject.get(), &scenario, *synchrony};
  const auto bounds = BoundsOf(request, scenario);
  if (!bounds.ok()) return bounds.status();
  options.bounds = *bounds;
  // Fingerprints do not show how one task of a client reacts to a stop that another one requests at
  // the same instant.
  if (options.bounds.stops > 0) options.bounds.tasks_in_order = true;
  options.bounds.stagger = request.stagger.value_or(ModelOf(entry.subject->traits().kind).stagger);
  auto only = OnlyOf(request, options.run_case);
  if (!only.ok()) return only.status();
  options.only = *std::move(only);
  return options;
}

}  // namespace interlock::scenarios::cli
