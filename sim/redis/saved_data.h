// SPDX-License-Identifier: MIT
//
// What a snapshot holds, on disk or for a replica: all keys, and the libraries of functions.
// Thread safety: plain data.
#pragma once

#include <string>
#include <vector>

#include "sim/redis/database.h"

namespace interlock::sim::redis {

class Engine;

struct SavedData {
  Databases databases;
  std::vector<std::string> libraries;  ///< their code
};

SavedData TakeData(const Engine& engine);
/// All keys and libraries that there were are gone.
void ReplaceData(Engine& engine, const SavedData& data);

}  // namespace interlock::sim::redis
