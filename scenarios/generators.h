// SPDX-License-Identifier: MIT
//
// Workloads with their fault plans: drawn by the swarm, made smaller along a tree of RapidCheck's.
// No lock is known here.
//
// Thread safety: one Generator per thread. Determinism: a function of (scenario, seed);
// of a scenario with n pinned workloads, seed modulo n says which.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "scenarios/scenario.h"

namespace interlock::scenarios {

/// A workload and the tree of smaller ones below it.
class GeneratedWorkload {
 public:
  ~GeneratedWorkload();
  GeneratedWorkload(GeneratedWorkload&&) noexcept;
  GeneratedWorkload& operator=(GeneratedWorkload&&) noexcept;

  const Workload& value() const;

  /// Offers the next smaller proposals one by one; the first that is accepted replaces this one.
  /// False: none was accepted, this is a local minimum.
  bool Descend(const std::function<bool(const Workload&)>& accept);

 private:
  friend class Generator;
  struct Node;
  explicit GeneratedWorkload(std::unique_ptr<Node> node);
  std::unique_ptr<Node> node_;
};

class Generator {
 public:
  explicit Generator(const Scenario& scenario);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  GeneratedWorkload Draw(std::uint64_t seed) const;

 private:
  struct Gens;
  std::unique_ptr<Gens> gens_;
};

}  // namespace interlock::scenarios
