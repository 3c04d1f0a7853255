// SPDX-License-Identifier: MIT
//
// A published library whose lock is audited: how it is installed, how clients use it, what its own
// documentation promises, and what is expected of it. Plain data, read from its audit.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/run/foreign/drive_run.h"

namespace interlock::scenarios::audit {

/// A property that the library is known to violate.
struct KnownBreak {
  std::string property;     ///< its slug: "foreign-release"
  std::string why;          ///< a sentence: how it comes about
  std::string contradicts;  ///< the sentence of the documentation; empty: it contradicts none
  bool limit = false;       ///< no lease lock can do better
};

struct Library {
  std::string folder;    ///< the folder's name, by which the command knows it
  std::string path;      ///< the folder itself
  std::string name;      ///< as its users know it
  std::string version;   ///< the pinned one
  std::string language;  ///< of its clients
  /// Installed from the folder's package-lock.json, which names this package with `version`.
  std::string npm;
  /// Debian packages; the first one is the library's, of `version`. Without these and without
  /// `npm` there is nothing to install.
  std::vector<std::string> debian;
  std::string promise;      ///< quoted from its documentation; empty: none is made
  std::string promised_in;  ///< where that stands
  std::vector<KnownBreak> breaks;
  std::vector<std::string> notes;  ///< what else a reader should know
  /// The clients' command, in which words that name a file of the folder stand for that file once
  /// it is installed; and what the clients suffer. `stop` is not set.
  drive::DriveOptions drive;
  std::uint64_t runs = 40;
};

}  // namespace interlock::scenarios::audit
