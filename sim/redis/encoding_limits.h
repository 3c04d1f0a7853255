// SPDX-License-Identifier: MIT
//
// The size limits of compact encodings. Clients see them in OBJECT ENCODING, in the order of small
// hashes and sets, and in *SCAN, which returns a compact value as a whole.
#pragma once

#include <cstddef>
#include <cstdint>

namespace interlock::sim::redis {

/// The options of the same names; lengths in bytes.
struct EncodingLimits {
  std::size_t hash_entries = 512;        ///< hash-max-listpack-entries
  std::size_t hash_value = 64;           ///< hash-max-listpack-value: for fields and values
  std::size_t set_integers = 512;        ///< set-max-intset-entries
  bool since_72 = false;                 ///< Since Redis 7.2 there are such sets and lists.
  std::int64_t list_size = -2;           ///< list-max-listpack-size
  std::size_t set_entries = 128;         ///< set-max-listpack-entries
  std::size_t set_value = 64;            ///< set-max-listpack-value
  std::size_t sorted_set_entries = 128;  ///< zset-max-listpack-entries
  std::size_t sorted_set_value = 64;     ///< zset-max-listpack-value
};

}  // namespace interlock::sim::redis
