// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/quick_run.h"

#include <algorithm>
#include <optional>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/quick_functions.h"

namespace interlock::sim::redis {

namespace {

using Kind = QuickValue::Kind;

// Far fewer than Lua's instructions before it looks at how long a script takes.
constexpr int kMostSteps = 20000;
constexpr double kMostPlaces = 1e6;  // of an array

}  // namespace

bool QuickRun::Run(const QuickScript& script, Arguments keys, Arguments arguments,
                   Context* context) {
  context_ = context;
  memory_.Clear();
  if (script.registers + QuickFunction::kMostResults > kStack) return false;
  if (!MakeTable(keys, &inputs_[0]) || !MakeTable(arguments, &inputs_[1])) return false;
  std::fill_n(stack_.data(), script.registers, QuickValue());
  frame_ = frames_.data();
  *frame_ = {&script, script.instructions.data(), stack_.data(), nullptr, nullptr, 0};
  return Execute() || engine_.unmodelled.has_value();
}

bool QuickRun::Execute() {
  using Operation = LuaInstruction::Operation;
  // Of the frame in which the present instruction is; what may leave or change it reads them anew.
  const LuaInstruction* next = frame_->next;
  QuickValue* base = frame_->base;
  const QuickValue* constants = frame_->code->constants.data();
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const LuaInstruction now = *next++;
    switch (now.operation()) {
      case Operation::kMove:
        base[now.a()] = base[now.b()];
        continue;
      case QuickScript::kLoadFunction:
        ++next;
        [[fallthrough]];
      case Operation::kLoadConstant:
        base[now.a()] = constants[now.wide()];
        continue;
      case Operation::kGetGlobal:
        base[now.a()] = inputs_[now.wide()];
        continue;
      case QuickScript::kGetInput:
        ++next;
        base[now.a()] = Element(*inputs_[now.b()].as.table, now.c());
        continue;
      case Operation::kGetUpvalue:
        base[now.a()] = *frame_->closure->upvalues[now.b()];
        continue;
      case Operation::kJump:
        next += now.distance();
        continue;
      case Operation::kTest:
        next += base[now.a()].truth() != (now.c() != 0) ? 1 : 0;
        continue;
      case Operation::kReturn:
        if (frame_ == frames_.data()) return Finish(now);
        Return(now);
        break;
      default:
        frame_->next = next;
        if (!ExecuteFurther(now)) return false;
    }
    next = frame_->next;
    base = frame_->base;
    constants = frame_->code->constants.data();
  }
  return false;
}

// What takes longer, or is rarer.
bool QuickRun::ExecuteFurther(LuaInstruction now) {
  using Operation = LuaInstruction::Operation;
  switch (now.operation()) {
    case Operation::kCall:
      return Call(now, static_cast<int>(now.c()) - 1);
    case Operation::kGetTable:
      return Get(now);
    case Operation::kEqual:
    case Operation::kLess:
    case Operation::kLessOrEqual:
      return Compare(now);
    case Operation::kLoadBoolean:
      Register(now.a()) = QuickValue::Boolean(now.b() != 0);
      frame_->next += now.c() != 0 ? 1 : 0;
      return true;
    case Operation::kLoadNil:
      std::fill(&Register(now.a()), &Register(now.b()) + 1, QuickValue());
      return true;
    case Operation::kSetUpvalue:
      *frame_->closure->upvalues[now.b()] = Register(now.a());
      return true;
    case Operation::kSetTable:
      return Set(now);
    case Operation::kNewTable:
      return MakeTable({}, &Register(now.a()));
    case Operation::kNot:
      Register(now.a()) = QuickValue::Boolean(!Register(now.b()).truth());
      return true;
    case Operation::kLength:
      return MeasureLength(now);
    case Operation::kConcat:
      return Concatenate(now);
    case Operation::kTestSet:
      if (Register(now.b()).truth() != (now.c() != 0)) {
        ++frame_->next;
      } else {
        Register(now.a()) = Register(now.b());
      }
      return true;
    case Operation::kTailCall:  // Its kReturn comes next.
      return Call(now, -1);
    case Operation::kForPrepare:
      return PrepareLoop(now);
    case Operation::kForLoop:
      Loop(now);
      return true;
    case Operation::kForIn:
      return LoopIn(now);
    case Operation::kSetList:
      return SetList(now);
    case Operation::kClosure:
      return MakeClosure(now);
    default:
      return Calculate(now);
  }
}

bool QuickRun::MakeTable(Arguments texts, QuickValue* table) {
  QuickTable* const made = memory_.Table();
  if (made == nullptr) return false;
  *made = {memory_.Values(texts.size()), static_cast<std::uint32_t>(texts.size()),
           static_cast<std::uint32_t>(texts.size())};
  if (made->values == nullptr) return false;
  for (std::size_t i = 0; i < texts.size(); ++i) made->values[i] = QuickValue::Of(texts[i]);
  *table = QuickValue::Of(made);
  return true;
}

bool QuickRun::Calculate(LuaInstruction now) {
  const bool alone = now.operation() == LuaInstruction::kNegate;
  const QuickValue& left = Operand(now.b());
  const auto result = CalculateQuickly(now.operation(), left, alone ? left : Operand(now.c()));
  if (result) Register(now.a()) = QuickValue::Of(*result);
  return result.has_value();
}

bool QuickRun::Compare(LuaInstruction now) {
  const auto holds = CompareQuickly(now.operation(), Operand(now.b()), Operand(now.c()));
  if (holds) frame_->next += *holds != (now.a() != 0) ? 1 : 0;
  return holds.has_value();
}

bool QuickRun::Get(LuaInstruction now) {
  const QuickValue& from = Register(now.b());
  const QuickValue& key = Operand(now.c());
  if (key.is_text() && (from.kind == Kind::kStatus || from.kind == Kind::kError)) {
    const bool status = from.kind == Kind::kStatus;
    const bool named = key.text() == (status ? "ok" : "err");
    if (!status && !named) return false;
    Register(now.a()) = named ? QuickValue::Of(from.text()) : QuickValue();
    return true;
  }
  if (from.kind != Kind::kTable || !key.is_number()) return false;
  const double number = key.as.number;
  if (!(number >= 1 && number <= kMostPlaces)) return false;
  const auto place = static_cast<std::uint32_t>(number);
  if (place != number) return false;
  Register(now.a()) = Element(*from.as.table, place);
  return true;
}

bool QuickRun::Set(LuaInstruction now) {
  const QuickValue& to = Register(now.a());
  const QuickValue& key = Operand(now.b());
  const QuickValue value = Operand(now.c());
  if (to.kind != Kind::kTable || !key.is_number() || value.kind == Kind::kNil) return false;
  QuickTable& table = *to.as.table;
  const std::optional<std::int64_t> place = WholeOf(key.as.number);
  if (!place.has_value() || *place < 1 || *place > std::int64_t{table.size} + 1) return false;
  const auto at = static_cast<std::uint32_t>(*place - 1);
  if (at == table.capacity && !Grow(&table)) return false;
  table.values[at] = value;
  table.size = std::max(table.size, at + 1);
  return true;
}

bool QuickRun::Grow(QuickTable* table) {
  const std::uint32_t larger = std::max<std::uint32_t>(4, table->capacity * 2);
  QuickValue* const values = memory_.Values(larger);
  if (values == nullptr) return false;
  std::copy_n(table->values, table->size, values);
  table->values = values;
  table->capacity = larger;
  return true;
}

bool QuickRun::SetList(LuaInstruction now) {
  QuickTable& table = *Register(now.a()).as.table;
  const QuickValue* const first = &Register(now.a()) + 1;
  const std::size_t count = now.b() != 0 ? now.b() : static_cast<std::size_t>(top_ - first);
  if (now.c() != 1 || table.size != 0) return false;
  // What has a hole is Lua's.
  const QuickValue* const end = first + count;
  const bool holes =
      std::any_of(first, end, [](const auto& one) { return one.kind == Kind::kNil; });
  table = {memory_.Values(count), static_cast<std::uint32_t>(count),
           static_cast<std::uint32_t>(count)};
  if (holes || table.values == nullptr) return false;
  std::copy(first, end, table.values);
  return true;
}

bool QuickRun::MeasureLength(LuaInstruction now) {
  const QuickValue& of = Register(now.b());
  if (of.kind != Kind::kText && of.kind != Kind::kTable) return false;
  Register(now.a()) = QuickValue::Of(of.is_text() ? of.size : of.as.table->size);
  return true;
}

bool QuickRun::Concatenate(LuaInstruction now) {
  std::size_t size = 0;
  for (std::uint32_t i = now.b(); i <= now.c(); ++i) {
    const QuickText text(Register(i));
    if (!text.known()) return false;
    size += text.view().size();
  }
  char* const text = memory_.Text(size);
  if (text == nullptr) return false;
  char* to = text;
  for (std::uint32_t i = now.b(); i <= now.c(); ++i) {
    const QuickText part(Register(i));
    to = std::copy(part.view().begin(), part.view().end(), to);
  }
  Register(now.a()) = QuickValue::Of(std::string_view(text, size));
  return true;
}

// Registers: the number, its limit, the step, and the number that the loop's body sees.
bool QuickRun::PrepareLoop(LuaInstruction now) {
  QuickValue* const loop = &Register(now.a());
  if (!loop[0].is_number() || !loop[1].is_number() || !loop[2].is_number()) return false;
  loop[0].as.number -= loop[2].as.number;
  frame_->next += now.distance();
  return true;
}

void QuickRun::Loop(LuaInstruction now) {
  QuickValue* const loop = &Register(now.a());
  const double step = loop[2].as.number;
  const double number = loop[0].as.number += step;
  const double limit = loop[1].as.number;
  const bool goes_on = step > 0 ? number <= limit : limit <= number;  // Never to what is no number.
  if (!goes_on) return;
  frame_->next += now.distance();
  loop[3] = loop[0];
}

// Registers: the iterator, two values that it does not need, and what it returns.
bool QuickRun::LoopIn(LuaInstruction now) {
  QuickValue* const loop = &Register(now.a());
  if (loop[0].kind != Kind::kIterator) return false;
  const auto count = AdvanceQuickly(*loop[0].as.iterator, memory_, loop + 3);
  if (!count.has_value()) return false;
  Settle(loop + 3, *count, static_cast<int>(now.c()));
  if (loop[3].kind == Kind::kNil) {
    ++frame_->next;
  } else {
    loop[2] = loop[3];
  }
  return true;
}

// Whether what it returns goes to a loop (for ... in f(x) do), where nobody else sees it.
bool QuickRun::BeginsLoop(LuaInstruction call) const {
  constexpr std::uint32_t kThreeResults = 4;
  const LuaInstruction jump = *frame_->next;
  if (call.c() != kThreeResults || jump.operation() != LuaInstruction::kJump) return false;
  const LuaInstruction loop = frame_->next[1 + jump.distance()];
  return loop.operation() == LuaInstruction::kForIn && loop.a() == call.a();
}

bool QuickRun::MakeClosure(LuaInstruction now) {
  QuickClosure* const closure = memory_.Closure();
  if (closure == nullptr) return false;
  closure->code = &frame_->code->functions[now.wide()];
  // One instruction for each says which.
  for (std::uint32_t i = 0; i < closure->code->upvalues; ++i) {
    const LuaInstruction which = *frame_->next++;
    if (which.operation() != LuaInstruction::kMove) return false;
    closure->upvalues[i] = &Register(which.b());
  }
  Register(now.a()) = {Kind::kClosure, false, 0, {.closure = closure}};
  return true;
}

bool QuickRun::Call(LuaInstruction now, int wanted) {
  QuickValue* const called = &Register(now.a());
  const std::size_t count =
      now.b() != 0 ? now.b() - 1 : static_cast<std::size_t>(top_ - called) - 1;
  if (called->kind == Kind::kClosure) return Enter(*called->as.closure, called, count, wanted);
  if (called->kind != Kind::kFunction) return false;
  const QuickFunction& function = *called->as.function;
  if (function.for_loops && !BeginsLoop(now)) return false;
  const std::span<const QuickValue> arguments(called + 1, count);
  if (function.body == nullptr) {
    if (!calls_.Call(function, arguments, called)) return false;
    Settle(called, 1, wanted);
    return true;
  }
  const auto results = function.body(arguments, memory_, called);
  if (results.has_value()) Settle(called, *results, wanted);
  return results.has_value();
}

bool QuickRun::Enter(const QuickClosure& closure, QuickValue* results, std::size_t count,
                     int wanted) {
  const QuickScript& code = *closure.code;
  QuickValue* const base = results + 1;
  const QuickValue* const end = base + code.registers + QuickFunction::kMostResults;
  if (frame_ + 1 == frames_.data() + kMostFrames || end > stack_.data() + kStack) return false;
  // The compiler relies on it, and loads no nil where one is already.
  std::fill(base + std::min<std::size_t>(count, code.parameters), base + code.registers,
            QuickValue());
  *++frame_ = {&code, code.instructions.data(), base, &closure, results, wanted};
  return true;
}

std::span<const QuickValue> QuickRun::Returned(LuaInstruction now) {
  const QuickValue* const first = &Register(now.a());
  return {first, now.b() != 0 ? now.b() - 1 : static_cast<std::size_t>(top_ - first)};
}

void QuickRun::Return(LuaInstruction now) {
  const std::span<const QuickValue> returned = Returned(now);
  const Frame done = *frame_--;
  std::copy(returned.begin(), returned.end(), done.results);
  Settle(done.results, returned.size(), done.wanted);
}

bool QuickRun::Finish(LuaInstruction now) {
  const std::span<const QuickValue> returned = Returned(now);
  return ToReply(returned.empty() ? QuickValue() : returned.front(), &context_->reply);
}

void QuickRun::Settle(QuickValue* results, std::size_t count, int wanted) {
  if (wanted < 0) {
    top_ = results + count;
    return;
  }
  for (std::size_t i = count; i < static_cast<std::size_t>(wanted); ++i) results[i] = QuickValue();
}

}  // namespace interlock::sim::redis
