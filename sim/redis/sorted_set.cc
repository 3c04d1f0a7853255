// SPDX-License-Identifier: MIT
#include "sim/redis/sorted_set.h"

#include <algorithm>

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kChunk = 256;  // Most items in a chunk.

}  // namespace

ScoreOrder::Iterator ScoreOrder::At(std::size_t rank) const {
  std::size_t chunk = 0;
  while (chunk < chunks_.size() && rank >= chunks_[chunk].size()) rank -= chunks_[chunk++].size();
  return chunk == chunks_.size() ? end() : Iterator(&chunks_, chunk, rank);
}

// The first chunk that does not end before this item, or the last.
std::size_t ScoreOrder::ChunkOf(double score, std::string_view member) const {
  const auto at = std::partition_point(
      chunks_.begin(), chunks_.end(),
      [&](const std::vector<Item>& chunk) { return Before(chunk.back(), score, member); });
  return std::min(static_cast<std::size_t>(at - chunks_.begin()), chunks_.size() - 1);
}

std::size_t ScoreOrder::CountBefore(double score, std::string_view member) const {
  return CountWhile([&](const Item& item) { return Before(item, score, member); });
}

void ScoreOrder::Insert(double score, std::string_view member) {
  ++size_;
  if (chunks_.empty()) {
    chunks_.push_back({Item{score, std::string(member)}});
    return;
  }
  std::size_t index = ChunkOf(score, member);
  if (chunks_[index].size() == kChunk) {
    const auto middle = chunks_[index].begin() + kChunk / 2;
    std::vector<Item> upper(std::make_move_iterator(middle),
                            std::make_move_iterator(chunks_[index].end()));
    chunks_[index].erase(middle, chunks_[index].end());
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
    index = ChunkOf(score, member);
  }
  std::vector<Item>& chunk = chunks_[index];
  const auto at = std::partition_point(
      chunk.begin(), chunk.end(), [&](const Item& item) { return Before(item, score, member); });
  chunk.insert(at, Item{score, std::string(member)});
}

void ScoreOrder::Erase(double score, std::string_view member) {
  const std::size_t index = ChunkOf(score, member);
  std::vector<Item>& chunk = chunks_[index];
  chunk.erase(std::partition_point(chunk.begin(), chunk.end(),
                                   [&](const Item& item) { return Before(item, score, member); }));
  if (chunk.empty()) chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(index));
  --size_;
}

std::optional<double> SortedSet::Score(std::string_view member) const {
  const double* score = scores_.Find(member);
  if (score == nullptr) return std::nullopt;
  return *score;
}

void SortedSet::Put(std::string_view member, double score, const EncodingLimits& limits) {
  double* known = scores_.Find(member);
  if (known == nullptr &&
      (size() >= limits.sorted_set_entries || member.size() > limits.sorted_set_value)) {
    compact_ = false;
  }
  if (compact_ && score == 0) score = 0;  // Compact scores are text, without a minus zero.
  if (known != nullptr) {
    order_.Erase(*known, member);
    *known = score;
  } else {
    scores_.Add(member, score);
  }
  order_.Insert(score, member);
}

bool SortedSet::Remove(std::string_view member) {
  const double* score = scores_.Find(member);
  if (score == nullptr) return false;
  order_.Erase(*score, member);
  scores_.Remove(member, false);
  return true;
}

void SortedSet::RemoveRange(std::size_t first, std::size_t last) {
  std::vector<std::string> members;
  auto at = order_.At(first);
  for (std::size_t i = first; i < last; ++i, ++at) members.push_back(at->member);
  for (const std::string& member : members) Remove(member);
}

std::optional<std::size_t> SortedSet::Rank(std::string_view member) const {
  const double* score = scores_.Find(member);
  if (score == nullptr) return std::nullopt;
  return order_.CountBefore(*score, member);
}

}  // namespace interlock::sim::redis
