// SPDX-License-Identifier: MIT
//
// SAVE, BGSAVE, BGREWRITEAOF, LASTSAVE.
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

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
