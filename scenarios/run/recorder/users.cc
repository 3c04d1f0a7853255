// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/users.h"

#include <cstddef>

namespace interlock::scenarios {

const Users::Shared* Users::Find(int process) const {
  for (const Shared& one : shared_) {
    if (one.process == process) return &one;
  }
  return nullptr;
}

Users::Shared* Users::Find(int process) {
  for (Shared& one : shared_) {
    if (one.process == process) return &one;
  }
  return nullptr;
}

void Users::Share(int process, int client) {
  Shared* known = Find(process);
  if (known == nullptr) known = &shared_.emplace_back(Shared{process, {}, {}});
  known->tasks.resize(static_cast<std::size_t>(client - process) + 1);
}

int Users::ProcessOf(int client) const {
  for (const Shared& one : shared_) {
    const int last = one.process + static_cast<int>(one.tasks.size()) - 1;
    if (one.process <= client && client <= last) return one.process;
  }
  return client;
}

Users::Range Users::Of(int process) const {
  const Shared* shared = Find(process);
  if (shared == nullptr) return {process, process};
  return {process, process + static_cast<int>(shared->tasks.size()) - 1};
}

void Users::RunsOn(int client, std::uint32_t task) {
  Shared* shared = Find(ProcessOf(client));
  if (shared == nullptr) return;
  shared->tasks[static_cast<std::size_t>(client - shared->process)] = task;
}

std::optional<int> Users::On(int process, std::optional<std::uint32_t> task) const {
  const Shared* shared = Find(process);
  if (shared == nullptr) return process;
  if (!task.has_value()) return std::nullopt;
  for (std::size_t i = 0; i < shared->tasks.size(); ++i) {
    if (shared->tasks[i] == task) return process + static_cast<int>(i);
  }
  return std::nullopt;
}

void Users::NoteSender(int process, std::uint64_t number, std::optional<int> client) {
  Shared* shared = Find(process);
  if (shared == nullptr) return;
  if (shared->senders.size() < number) shared->senders.resize(number);
  shared->senders[number - 1] = client;
}

std::optional<int> Users::SenderOf(int process, std::uint64_t number) const {
  const Shared* shared = Find(process);
  if (shared == nullptr) return process;
  if (number == 0 || number > shared->senders.size()) return std::nullopt;
  return shared->senders[number - 1];
}

}  // namespace interlock::scenarios
