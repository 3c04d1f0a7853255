// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/refusals.h"

#include <algorithm>
#include <utility>

#include "scenarios/run/foreign/words.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

std::string FormOf(const sim::redis::Argv& argv) {
  constexpr std::size_t kFirstKeyOfScript = 3;
  const std::string name = sim::redis::ToLower(argv.front());
  std::string form = name;
  if (argv.size() > 1) form += " " + argv[1];
  const bool script = name.starts_with("eval") || name.starts_with("fcall");
  if (script && argv.size() > kFirstKeyOfScript) form += " " + argv[kFirstKeyOfScript];
  return form;
}

bool IsSubscription(const std::string& form) {
  return form.starts_with("subscribe") || form.starts_with("psubscribe") ||
         form.starts_with("ssubscribe");
}

}  // namespace

void Refusals::Sent(int client, const sim::redis::Argv& argv) {
  if (IsReport(argv)) {
    Of(client).last.clear();
    return;
  }
  Of(client).last = FormOf(argv);
  Of(client).asked[Of(client).last];
}

void Refusals::Blocked(int client) { blocked_.insert(Of(client).last); }

void Refusals::Answered(int client, const std::string& reply) {
  if (reply.starts_with("(error) NOSCRIPT")) return;  // Nothing was asked yet.
  const auto found = Of(client).asked.find(Of(client).last);
  if (found == Of(client).asked.end()) return;
  Ask& ask = found->second;
  if (ask.times == 0 || ask.reply != reply) ask = {reply, 0, 0};
  if (++ask.times == 2) repeated_.emplace(found->first, reply);
}

/// What is sent before the first section of all asks. Later a client may just as well give back
/// what it has had, so only what is known to ask counts.
void Refusals::Entered(int client) {
  const bool first = !std::exchange(Of(client).has_entered, true);
  for (const auto& [form, ask] : Of(client).asked) {
    if (ask.times > 0 && (first || grants_.contains(form))) grants_[form].insert(ask.reply);
  }
  Of(client).asked.clear();
}

bool Refusals::IsRefusal(const Form& form, const std::string& reply) const {
  const auto granted = grants_.find(form);
  return granted != grants_.end() && !granted->second.contains(reply);
}

bool Refusals::Asks(int client) const {
  const auto& asked = Of(client).asked;
  return std::ranges::any_of(asked, [this](const auto& one) {
    return IsSubscription(one.first) || grants_.contains(one.first);
  });
}

std::uint64_t Refusals::InARow(int client) const {
  std::uint64_t most = 0;
  for (const auto& [form, ask] : Of(client).asked) {
    if (IsRefusal(form, ask.reply)) most = std::max(most, ask.times);
  }
  return most;
}

bool Refusals::any() const {
  const auto known = [this](const Form& form) { return grants_.contains(form); };
  return std::ranges::any_of(blocked_, known) ||
         std::ranges::any_of(repeated_,
                             [this](const auto& one) { return IsRefusal(one.first, one.second); });
}

void Refusals::NoteFree(int client, bool nobody_holds) {
  for (auto& [form, ask] : Of(client).asked) {
    if (!nobody_holds) {
      ask.while_free = 0;
    } else if (form == Of(client).last && ask.times > 0 && IsRefusal(form, ask.reply)) {
      ++ask.while_free;
    }
  }
}

std::uint64_t Refusals::WhileFree(int client) const {
  std::uint64_t most = 0;
  for (const auto& [form, ask] : Of(client).asked) most = std::max(most, ask.while_free);
  return most;
}

}  // namespace interlock::scenarios::drive
