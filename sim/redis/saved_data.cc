// SPDX-License-Identifier: MIT
#include "sim/redis/saved_data.h"

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

SavedData TakeData(const Engine& engine) {
  return {engine.keyspace.databases(), engine.libraries.Texts()};
}

void ReplaceData(Engine& engine, const SavedData& data) {
  engine.keyspace.Replace(data.databases);
  engine.libraries.Replace(data.libraries);
}

}  // namespace interlock::sim::redis
