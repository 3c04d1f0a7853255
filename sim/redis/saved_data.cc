// SPDX-License-Identifier: MIT
#include "sim/redis/saved_data.h"

#include <utility>
#include <variant>

#include "sim/redis/engine.h"
#include "sim/redis/list_form.h"

namespace interlock::sim::redis {

SavedData TakeData(const Engine& engine) {
  return {engine.keyspace.databases(), engine.libraries.Texts()};
}

void ReplaceData(Engine& engine, const SavedData& data) {
  Databases loaded = data.databases;
  for (Database& keys : loaded) {
    for (auto& [key, entry] : keys) {
      if (auto* list = std::get_if<List>(&entry.data)) AfterLoading(*list, engine.encoding_limits);
    }
  }
  engine.keyspace.Replace(std::move(loaded));
  engine.libraries.Replace(data.libraries);
}

}  // namespace interlock::sim::redis
