// SPDX-License-Identifier: MIT
#include "scenarios/cases/parties.h"

namespace interlock::scenarios {
namespace {

/// A number greater than that of any client's operations.
constexpr int kMostOperations = 1000;

}  // namespace

int PartyOf(int client, std::size_t operation) {
  return client * kMostOperations + static_cast<int>(operation);
}

std::vector<int> PartiesOf(const Workload& workload, int resource) {
  std::vector<int> parties;
  for (std::size_t client = 0; client < workload.clients.size(); ++client) {
    const std::vector<Operation>& operations = workload.clients[client].operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (!LatchUseOf(operations[i]).counts || operations[i].resource != resource) continue;
      parties.push_back(PartyOf(static_cast<int>(client), i));
    }
  }
  if (parties.empty()) parties.push_back(PartyOf(0, 0));
  return parties;
}

int OneTooMany(const Workload& workload) {
  return PartyOf(static_cast<int>(workload.clients.size()), 0);
}

std::string NameOfParty(int party) {
  return "C" + std::to_string(party / kMostOperations + 1) + "." +
         std::to_string(party % kMostOperations + 1);
}

}  // namespace interlock::scenarios
