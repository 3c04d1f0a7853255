// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/run_log.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "scenarios/cases/kind_model.h"
#include "scenarios/cases/scenario.h"

namespace interlock::scenarios {

RunLog::RunLog(RunMemory& memory, const harness::Subject& lock,
               const std::vector<harness::LockOptions>& options, SynchronyClass synchrony_class,
               GuardKind guard_kind)
    : subject(lock),
      traits(lock.traits()),
      synchrony(synchrony_class),
      guard(guard_kind),
      resources(std::move(memory.resources)),
      clients(std::move(memory.clients)),
      dealings(std::move(memory.dealings)),
      memory_(memory) {
  resources.reserve(options.size());
  for (const harness::LockOptions& one : options) {
    RecordedResource& resource =
        resources.emplace_back(RecordedResource{&one, {}, {}, GuardedResource(guard)});
    memory_.Lend(resources.size() - 1, resource.history);
    resource.history.lease = one.lease;
    resource.history.limits = Limits(one.permits);
    resource.history.short_lived = one.life.count() > 0;
    if (const auto stands = LimitStands(traits.kind)) resource.history.limits.Keep(*stands);
    resource.history.leaseless = traits.lasts_as_connection;
    resource.history.prefers_writers = PrefersWriters(traits.kind);
    resource.history.nests = traits.nests;
    resource.history.recalls_releases = traits.recalls_releases;
    resource.history.drift_allowance = subject.DriftAllowance(one);
    resource.history.barred_for = subject.BarredFor(one);
    resource.history.stays_taken_for = subject.StaysTakenFor(one);
  }
}

RunLog::~RunLog() {
  for (std::size_t i = 0; i < resources.size(); ++i) memory_.TakeBack(i, resources[i].history);
  resources.clear();
  clients.clear();
  dealings.clear();
  memory_.resources = std::move(resources);
  memory_.clients = std::move(clients);
  memory_.dealings = std::move(dealings);
}

void RunLog::Attach(sim::World& its_world, int client_count, Duration latency) {
  world = &its_world;
  for (RecordedResource& resource : resources) {
    resource.history.latency = latency;
    resource.history.leases.reserve(static_cast<std::size_t>(client_count));
    resource.history.limits.ReserveClients(static_cast<std::size_t>(client_count));
    if (!traits.quorum) continue;
    resource.history.nodes = world->nodes();
    resource.history.quorum = world->nodes() / 2 + 1;
  }
  clients.resize(static_cast<std::size_t>(client_count));
  dealings.resize(clients.size() * resources.size());
}

void RunLog::NoteClient(int client, int process, const ClientPlan& plan) {
  if (process != client) users.Share(process, client);
  for (RecordedResource& resource : resources) {
    if (process != client) resource.history.mates.push_back({process, client});
    const std::chrono::milliseconds lease = LeaseWith(plan, *resource.options);
    resource.history.limits.SetWish(client, PermitsWith(plan, *resource.options));
    resource.history.leases.push_back(lease);
    shortest_lease = std::min<Duration>(shortest_lease, lease);
  }
}

void RunLog::MarkHealed() {
  for (RecordedResource& resource : resources) resource.history.healed = now();
}

void RunLog::Close(VirtualTime end) {
  for (RecordedResource& resource : resources) {
    History& history = resource.history;
    history.end = end;
    for (ClientHold& hold : history.holds) {
      const VirtualTime died = DiedAt(history, hold.client, hold.belief.front().from);
      for (Interval& belief : hold.belief)
        belief.to = std::max(belief.from, std::min(belief.to, died));
      if (hold.entered()) hold.section.to = std::min(hold.section.to, died);
    }
  }
  closed = true;
}

void RunLog::Note(Party who, std::string_view text) {
  sim::Trace& trace = world->trace();
  if (resources.size() == 1) return trace.Add(now(), who.client, sim::TraceKind::kNote, text);
  note_.assign(text).append(": ").append(resource(who).options->resource);
  trace.Add(now(), who.client, sim::TraceKind::kNote, note_);
}

}  // namespace interlock::scenarios
