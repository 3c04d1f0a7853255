// SPDX-License-Identifier: MIT
//
// Reads the folder of a library that is audited. Its audit.toml:
//
//   library = "redlock"             # as its users know it
//   version = "4.2.0"
//   language = "Node"
//   npm = "redlock"                 # or debian = ["python3-redis"], the library's package first;
//                                   # neither: nothing is installed
//   client = "node client.js"       # files of the folder are found where it is installed
//   promise = "..."                 # quoted from its documentation; none is made if not given
//   promised_in = "README.md, How do I check something?"
//   notes = ["..."]                 # what else a reader should know
//
//   [drive]                         # as the options of `interlock drive`, with '_' for '-'
//   clients = 2
//   runs = 40
//
//   [[breaks]]                      # for each property that it is known to violate
//   property = "foreign-release"
//   why = "..."
//   contradicts = "..."             # the sentence of the documentation; none if not given
//   limit = true                    # no lease lock can do better
//
// A package of npm needs package.json and package-lock.json beside it. Thread safety: pure
// functions, except for the file system.
#pragma once

#include <string>
#include <vector>

#include <interlock/result.h>

#include "scenarios/search/audit/library.h"

namespace interlock::scenarios::cli {

/// kInvalidArgument names the file, the line, and what would be right.
Result<audit::Library> ReadLibrary(const std::string& folder);

/// The libraries of that names among the folders of `from`, in alphabetical order; all if none is
/// named. kInvalidArgument: a name is unknown (the nearest is named), or a folder is wrong.
Result<std::vector<audit::Library>> ReadLibraries(const std::string& from,
                                                  const std::vector<std::string>& names);

/// The folder `scenarios/examples/audit` of the tree that this program was built in, or what of it
/// was installed with the program; empty: there is neither.
std::string AuditExamples();

}  // namespace interlock::scenarios::cli
