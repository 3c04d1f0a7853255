// SPDX-License-Identifier: MIT
//
// What clients over an unmodified hiredis share.
#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <string>

namespace interlock::harness {

struct FreedByHiredis {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
  void operator()(redisContext* context) const { redisFree(context); }
};
using ReplyPtr = std::unique_ptr<redisReply, FreedByHiredis>;
using ContextPtr = std::unique_ptr<redisContext, FreedByHiredis>;

inline ReplyPtr Ask(redisContext* redis, const std::string& command) {
  return ReplyPtr(static_cast<redisReply*>(redisCommand(redis, command.c_str())));
}

}  // namespace interlock::harness
