// SPDX-License-Identifier: MIT
//
// The swarm draws a case in one go, because a run is short and RapidCheck's combinators are not;
// RapidCheck has the tree of smaller ones, which is made only where somebody goes down.
#include "scenarios/generators.h"

#include <memory>
#include <optional>
#include <utility>

#include <rapidcheck.h>

#include "scenarios/swarm.h"

namespace interlock::scenarios {
namespace {

using SharedSwarm = std::shared_ptr<const Swarm>;

rc::Shrinkable<Workload> TreeOf(const SharedSwarm& swarm, RawWorkload raw) {
  auto tree = rc::shrinkable::shrinkRecur(std::move(raw), [](const RawWorkload& from) {
    return rc::seq::fromContainer(SmallerThan(from));
  });
  return rc::shrinkable::map(
      std::move(tree), [swarm](const RawWorkload& from) { return Cooked(swarm->shape(), from); });
}

}  // namespace

struct GeneratedWorkload::Node {
  Workload value;
  /// What the swarm has drawn, as long as the tree below it is not yet made.
  SharedSwarm swarm;
  std::optional<RawWorkload> raw;
  std::optional<rc::Shrinkable<Workload>> tree;
};

GeneratedWorkload::GeneratedWorkload(std::unique_ptr<Node> node) : node_(std::move(node)) {}
GeneratedWorkload::~GeneratedWorkload() = default;
GeneratedWorkload::GeneratedWorkload(GeneratedWorkload&&) noexcept = default;
GeneratedWorkload& GeneratedWorkload::operator=(GeneratedWorkload&&) noexcept = default;

const Workload& GeneratedWorkload::value() const { return node_->value; }

bool GeneratedWorkload::Descend(const std::function<bool(const Workload&)>& accept) {
  if (node_->raw.has_value()) {
    node_->tree = TreeOf(node_->swarm, *std::exchange(node_->raw, std::nullopt));
  }
  if (!node_->tree.has_value()) return false;
  rc::Seq<rc::Shrinkable<Workload>> proposals = node_->tree->shrinks();
  while (auto proposal = proposals.next()) {
    Workload smaller = proposal->value();
    if (smaller == node_->value || !accept(smaller)) continue;
    node_ = std::make_unique<Node>(Node{std::move(smaller), nullptr, std::nullopt, *proposal});
    return true;
  }
  return false;
}

struct Generator::Gens {
  std::vector<Workload> pinned;  // taken in turn; if empty, the swarm draws
  SharedSwarm swarm;
};

Generator::Generator(const Scenario& scenario)
    : gens_(
          std::make_unique<Gens>(Gens{scenario.pinned, std::make_shared<Swarm>(scenario.shape)})) {}

Generator::~Generator() = default;

GeneratedWorkload Generator::Draw(std::uint64_t seed) const {
  using Node = GeneratedWorkload::Node;
  if (!gens_->pinned.empty()) {
    const Workload& turn = gens_->pinned[seed % gens_->pinned.size()];
    return GeneratedWorkload(
        std::make_unique<Node>(Node{turn, nullptr, std::nullopt, std::nullopt}));
  }
  RawWorkload raw = gens_->swarm->Draw(seed);
  Workload value = Cooked(gens_->swarm->shape(), raw);
  return GeneratedWorkload(
      std::make_unique<Node>(Node{std::move(value), gens_->swarm, std::move(raw), std::nullopt}));
}

}  // namespace interlock::scenarios
