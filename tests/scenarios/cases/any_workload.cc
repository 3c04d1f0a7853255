// SPDX-License-Identifier: MIT
#include "tests/scenarios/cases/any_workload.h"

#include <utility>

namespace interlock::scenarios::testing {
namespace {

class Smaller {
 public:
  explicit Smaller(const RawWorkload& raw) : raw_(raw) {}

  std::vector<RawWorkload> All() {
    Parts([](RawWorkload& raw) { return &raw.clients; }, 2);
    for (std::size_t i = 0; i < raw_.clients.size(); ++i) {
      Parts([i](RawWorkload& raw) { return &raw.clients[i].faults; }, 0);
    }
    for (std::size_t i = 0; i < raw_.clients.size(); ++i) {
      Parts([i](RawWorkload& raw) { return &raw.clients[i].operations; }, 0);
    }
    Numbers();
    return std::move(smaller_);
  }

 private:
  /// Halving pieces left out, as long as `least` remain.
  template <typename Place>
  void Parts(const Place& place, std::size_t least) {
    const std::size_t size = place(raw_)->size();
    if (size <= least) return;
    for (std::size_t piece = size - least; piece > 0; piece /= 2) {
      for (std::size_t from = 0; from + piece <= size; from += piece) {
        RawWorkload& one = smaller_.emplace_back(raw_);
        auto* parts = place(one);
        const auto begin = parts->begin() + static_cast<std::ptrdiff_t>(from);
        parts->erase(begin, begin + static_cast<std::ptrdiff_t>(piece));
      }
    }
  }

  template <typename Place>
  void Number(const Place& place) {
    const int value = *place(raw_);
    if (value == 0) return;
    *place(smaller_.emplace_back(raw_)) = 0;
    if (value / 2 > 0) *place(smaller_.emplace_back(raw_)) = value / 2;
    if (value - 1 > value / 2) *place(smaller_.emplace_back(raw_)) = value - 1;
  }

  void Numbers() {
    Number([](RawWorkload& raw) { return &raw.lease; });
    Number([](RawWorkload& raw) { return &raw.latency; });
    Number([](RawWorkload& raw) { return &raw.permits; });
    Number([](RawWorkload& raw) { return &raw.persistence; });
    Number([](RawWorkload& raw) { return &raw.life; });
    Resources();
    for (std::size_t i = 0; i < raw_.clients.size(); ++i) {
      Number([i](RawWorkload& raw) { return &raw.clients[i].offset; });
      Number([i](RawWorkload& raw) { return &raw.clients[i].rate; });
      Number([i](RawWorkload& raw) { return &raw.clients[i].limit; });
      Number([i](RawWorkload& raw) { return &raw.clients[i].lease; });
      Number([i](RawWorkload& raw) { return &raw.clients[i].shares_objects; });
      for (std::size_t j = 0; j < raw_.clients[i].operations.size(); ++j) {
        for (int RawOperation::*const field :
             {&RawOperation::ask, &RawOperation::think, &RawOperation::wait, &RawOperation::hold,
              &RawOperation::extend, &RawOperation::overstay, &RawOperation::resource,
              &RawOperation::inside, &RawOperation::shared, &RawOperation::sets_limit,
              &RawOperation::age, &RawOperation::stop, &RawOperation::force}) {
          Number([=](RawWorkload& raw) { return &(raw.clients[i].operations[j].*field); });
        }
      }
      for (std::size_t j = 0; j < raw_.clients[i].faults.size(); ++j) {
        for (int RawFault::*const field : {&RawFault::step, &RawFault::length, &RawFault::node}) {
          Number([=](RawWorkload& raw) { return &(raw.clients[i].faults[j].*field); });
        }
      }
    }
  }

  /// Everybody asks for the one resource that is left.
  void Resources() {
    if (raw_.resources == 0) return;
    RawWorkload& one = smaller_.emplace_back(raw_);
    one.resources = 0;
    for (RawClient& client : one.clients) {
      for (RawOperation& operation : client.operations) operation.resource = operation.inside = 0;
    }
  }

  RawWorkload raw_;
  std::vector<RawWorkload> smaller_;
};

}  // namespace

std::vector<RawWorkload> SmallerThan(const RawWorkload& raw) { return Smaller(raw).All(); }

rc::Shrinkable<Workload> TreeOf(const Scenario& scenario, std::uint64_t seed) {
  const WorkloadShape& shape = scenario.shape;
  auto tree = rc::shrinkable::shrinkRecur(Drawn(shape, seed), [](const RawWorkload& from) {
    return rc::seq::fromContainer(SmallerThan(from));
  });
  return rc::shrinkable::map(std::move(tree),
                             [shape](const RawWorkload& from) { return Cooked(shape, from); });
}

rc::Gen<Workload> AnyWorkload(const Scenario& scenario) {
  return [&scenario](const rc::Random& random, int /*size*/) {
    return TreeOf(scenario, rc::Random(random).next());
  };
}

}  // namespace interlock::scenarios::testing
