// SPDX-License-Identifier: MIT
//
// WAIT and WAITAOF: what replicas have acknowledged, what is on disks, and who waits for it.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

void Replication::Acknowledge(std::uint64_t handle, std::int64_t offset, std::int64_t on_its_disk) {
  Replica* replica = Find(handle);
  if (replica == nullptr) return;
  replica->acknowledged = std::max(replica->acknowledged, offset);
  replica->on_its_disk = std::max(replica->on_its_disk, on_its_disk);
  replica->acknowledged_at_s = now_s();
  ReleaseWaiters();
}

int Replication::CountAcknowledged(std::int64_t offset) const {
  return static_cast<int>(std::count_if(
      replicas_.begin(), replicas_.end(),
      [&](const Replica& replica) { return replica.online && replica.acknowledged >= offset; }));
}

int Replication::CountOnDisk(std::int64_t offset) const {
  return static_cast<int>(std::count_if(
      replicas_.begin(), replicas_.end(),
      [&](const Replica& replica) { return replica.online && replica.on_its_disk >= offset; }));
}

std::int64_t Replication::OffsetOnDisk() const {
  const std::optional<JournalPosition> synced = engine_.persistence.synced();
  return synced ? std::min(synced->offset, offset()) : 0;
}

std::int64_t Replication::CountReplicas(const Wait& wait) const {
  return wait.for_disks ? CountOnDisk(wait.offset) : CountAcknowledged(wait.offset);
}

bool Replication::OnOwnDisk(const Wait& wait) const {
  const std::optional<JournalPosition> synced = engine_.persistence.synced();
  return synced && synced->unit >= wait.unit;
}

bool Replication::IsEnough(const Wait& wait) const {
  return CountReplicas(wait) >= wait.count && (!wait.for_own_disk || OnOwnDisk(wait));
}

Value Replication::Answer(const Wait& wait, std::int64_t replicas) const {
  if (!wait.for_disks) return IntegerValue(replicas);
  return ArrayValue({IntegerValue(OnOwnDisk(wait) ? 1 : 0), IntegerValue(replicas)});
}

Value Replication::Acknowledged(const Wait& wait) const {
  return Answer(wait, CountReplicas(wait));
}

// Until Redis 7.2 a client waited for the writes of all clients before it.
void Replication::NoteWrites(Client& client, bool wrote) const {
  if (!wrote && engine_.dialect().since_72) return;
  client.last_write_offset = offset();
  client.last_write_unit = engine_.journal.end_index();
}

// Newest first; a client that asks for no more than one released earlier gets that one's count.
void Replication::ReleaseWaiters() {
  std::vector<Client*> waiting;
  for (const std::unique_ptr<Client>& client : engine_.clients.all()) {
    if (client != nullptr && client->wait && client->wait->serve == nullptr) {
      waiting.push_back(client.get());
    }
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const Client* a, const Client* b) { return a->wait->order > b->wait->order; });
  struct Released {
    std::int64_t offset = 0;
    std::int64_t count = 0;
  };
  std::array<Released, 2> released;  // By WAIT, by WAITAOF.
  for (Client* client : waiting) {
    const Wait& wait = *client->wait;
    if (wait.for_own_disk && !engine_.persistence.synced()) {
      engine_.blocking.Unblock(*client);
      engine_.blocking.ReplyError(*client, kNoAppendOnlyFile);
      continue;
    }
    Released& last = released[wait.for_disks ? 1 : 0];
    const bool known = last.offset != 0 && last.offset >= wait.offset && last.count >= wait.count;
    const std::int64_t count = known ? last.count : CountReplicas(wait);
    if (count < wait.count) continue;
    last = {wait.offset, count};
    if (wait.for_own_disk && !OnOwnDisk(wait)) continue;
    const Value answer = Answer(wait, count);
    engine_.blocking.Unblock(*client);
    engine_.outbox.Emit(*client, answer);
  }
  if (engine_.blocking.HasUnblocked()) engine_.AfterCommand();
}

}  // namespace interlock::sim::redis
