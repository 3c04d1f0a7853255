// SPDX-License-Identifier: MIT
#include "sim/redis/footprint.h"

#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {
namespace {

bool Meet(const std::vector<std::uint64_t>& one, const std::vector<std::uint64_t>& other) {
  auto a = one.begin();
  auto b = other.begin();
  while (a != one.end() && b != other.end()) {
    if (*a == *b) return true;
    *a < *b ? ++a : ++b;
  }
  return false;
}

}  // namespace

void Footprint::Clear() {
  reads_.clear();
  writes_.clear();
  global_ = false;
}

void Footprint::Add(std::vector<std::uint64_t>& names, int kind, std::string_view name,
                    std::uint64_t number) {
  constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](std::uint64_t word) { hash = (hash ^ word) * kPrime; };
  mix(static_cast<std::uint64_t>(kind));
  mix(number);
  for (const char c : name) mix(static_cast<unsigned char>(c));
  const auto at = std::lower_bound(names.begin(), names.end(), hash);
  if (at == names.end() || *at != hash) names.insert(at, hash);
}

Footprint Footprint::Of(std::vector<std::uint64_t> reads, std::vector<std::uint64_t> writes) {
  Footprint made;
  made.reads_ = std::move(reads);
  made.writes_ = std::move(writes);
  return made;
}

void SetFootprint(Server& server, Footprint* footprint) {
  server.engine().keyspace.SetFootprint(footprint);
}

bool Independent(const Footprint& one, const Footprint& other) {
  if (one.global() || other.global()) return false;
  return !Meet(one.writes(), other.writes()) && !Meet(one.writes(), other.reads()) &&
         !Meet(one.reads(), other.writes());
}

}  // namespace interlock::sim::redis
