// SPDX-License-Identifier: MIT
#include "sim/redis/reply.h"

namespace interlock::sim::redis {

void ToResp2(Value* value) {
  using Type = Value::Type;
  switch (value->type) {
    case Type::kMap:
    case Type::kSet:
    case Type::kPush:
      value->type = Type::kArray;
      break;
    case Type::kDouble:
    case Type::kBigNumber:
      value->type = Type::kString;
      break;
    case Type::kVerbatim:
      value->type = Type::kString;
      value->elements.clear();
      break;
    case Type::kBoolean:
      value->type = Type::kInteger;
      break;
    default:
      break;
  }
  for (Value& element : value->elements) ToResp2(&element);
}

void ToResp3(Value* value) {
  if (value->type == Value::Type::kNilArray) value->type = Value::Type::kNil;
  for (Value& element : value->elements) ToResp3(&element);
}

}  // namespace interlock::sim::redis
