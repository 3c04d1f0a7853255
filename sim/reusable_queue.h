// SPDX-License-Identifier: MIT
//
// A FIFO whose elements keep their memory: a popped slot is handed out again unchanged, so that its
// strings need no new allocation. Thread safety: none.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace interlock::sim {

template <typename T>
class ReusableQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// 0 is the front. REQUIRES: index < size().
  T& operator[](std::size_t index) { return slots_[(head_ + index) & (slots_.size() - 1)]; }
  const T& operator[](std::size_t index) const {
    return slots_[(head_ + index) & (slots_.size() - 1)];
  }
  T& front() { return (*this)[0]; }

  /// A slot at the back with its last user's content; the caller overwrites every field.
  /// Invalidates references.
  T& PushBack() {
    if (size_ == slots_.size()) Grow();
    return (*this)[size_++];
  }
  void PopFront() {
    // An emptied queue restarts in the slot used last.
    head_ = --size_ == 0 ? 0 : (head_ + 1) & (slots_.size() - 1);
  }
  void PopBack() { --size_; }
  void Clear() { head_ = size_ = 0; }

 private:
  void Grow() {
    std::vector<T> larger(slots_.empty() ? 2 : slots_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> slots_;  // The number of slots is a power of two.
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace interlock::sim
