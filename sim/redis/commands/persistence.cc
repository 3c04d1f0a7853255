// SPDX-License-Identifier: MIT
//
// SAVE, BGSAVE, BGREWRITEAOF, LASTSAVE.
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

void Persistence::Save(Context& context) {
  if (child_ && !child_->rewrites_aof) {
    return context.Error("ERR Background save already in progress");
  }
  ++engine_.statistics.saves;
  if (!WriteSnapshot(engine_.keyspace.databases(), engine_.keyspace.changes())) {
    return context.Error("ERR");
  }
  context.Ok();
}

void Persistence::Schedule(bool* what) {
  *what = true;
  PlanNext();
}

void Persistence::BgSave(Context& context) {
  bool schedule = false;
  if (context.args.size() > 1) {
    schedule = context.args.size() == 2 && EqualsIgnoreCase(context.args[1], "schedule");
    if (!schedule) return context.Error(kSyntax);
  }
  // A transaction must finish first.
  const bool in_exec = context.client.captured != nullptr;
  if (!child_ && !in_exec) {
    StartChild(false);
    return context.Status("Background saving started");
  }
  if (child_ && !child_->rewrites_aof) {
    return context.Error("ERR Background save already in progress");
  }
  if (!schedule && !in_exec) {
    return context.Error(
        "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE "
        "in order to schedule a BGSAVE whenever possible.");
  }
  Schedule(&save_scheduled_);
  context.Status("Background saving scheduled");
}

void Persistence::BgRewriteAof(Context& context) {
  if (!child_ && context.client.captured == nullptr) {
    StartChild(true);
    return context.Status("Background append only file rewriting started");
  }
  if (child_ && child_->rewrites_aof) {
    return context.Error("ERR Background append only file rewriting already in progress");
  }
  Schedule(&rewrite_scheduled_);
  context.Status("Background append only file rewriting scheduled");
}

namespace {

constexpr HandlerRow kPersistenceCommands[] = {
    {"save", [](Context& c) { c.engine.persistence.Save(c); }},
    {"bgsave", [](Context& c) { c.engine.persistence.BgSave(c); }},
    {"bgrewriteaof", [](Context& c) { c.engine.persistence.BgRewriteAof(c); }},
    {"lastsave", [](Context& c) { c.Integer(c.engine.persistence.last_save_s()); }},
};

}  // namespace

std::span<const HandlerRow> PersistenceCommands() { return kPersistenceCommands; }

}  // namespace interlock::sim::redis
