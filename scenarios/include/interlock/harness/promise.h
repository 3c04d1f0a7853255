// SPDX-License-Identifier: MIT
//
// What a lock says of itself, as data: `interlock guarantees` holds it to its word.
//
//   std::vector<Promise> MySubject::Promises() const {
//     return {{"none", "standalone replicated", "LK001 LK002 LK003 LK005", ""},
//             {"client-pause", "standalone", "LK001 LK002 LK005", "LK003"}};
//   }
#pragma once

#include <string_view>

namespace interlock::harness {

/// A promise for one class of faults on some topologies. What stands in neither list is not
/// promised either way, and is shown without being judged. All texts must outlive the subject: use
/// literals.
struct Promise {
  std::string_view fault_class;  ///< as `interlock guarantees` names it: "client-pause"
  /// One or more of "standalone", "replicated", "sentinel" (a primary and its replicas, of which
  /// clients ask Sentinels), "independent" and "cluster", with blanks between them.
  std::string_view topologies;
  /// Codes or names of properties, with blanks between them: "LK001 fenced-writes". Each must be
  /// put to the test and hold.
  std::string_view keeps;
  /// Known not to hold: each must be seen to fail, so that the list never grows old.
  std::string_view fails;
};

}  // namespace interlock::harness
