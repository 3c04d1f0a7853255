// SPDX-License-Identifier: MIT
//
// The first line of a library of functions, "#!lua name=mylib". Source: FUNCTION LOAD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

struct LibraryHeader {
  std::string name;
  std::size_t length = 0;   ///< Bytes to skip; the line end stays, so that line numbers are right.
  std::string error;        ///< Not empty: the reply.
  bool unmodelled = false;  ///< Quotes that only this dialect reads in a way of its own.
};

LibraryHeader ParseLibraryHeader(const Dialect& dialect, std::string_view code);

}  // namespace interlock::sim::redis
