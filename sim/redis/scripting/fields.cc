// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/fields.h"

#include <iterator>

namespace interlock::sim::redis {

namespace {

constexpr const char* kFields[] = {"err",
                                   "ok",
                                   "double",
                                   "map",
                                   "set",
                                   "big_number",
                                   "verbatim_string",
                                   "format",
                                   "string",
                                   "source",
                                   "line",
                                   "ignore_error_stats_update",
                                   "OK"};
static_assert(std::size(kFields) == static_cast<std::size_t>(Field::kLast));

}  // namespace

void OpenFields(lua_State* lua) {
  int place = 0;
  for (const char* field : kFields) {
    lua_pushstring(lua, field);
    lua_rawseti(lua, LUA_REGISTRYINDEX, ++place);
  }
}

}  // namespace interlock::sim::redis
