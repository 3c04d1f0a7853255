// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/node_addresses.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

constexpr const char* kDigits = "0123456789";

void TranslateText(std::span<const PortOfNode> ports, std::string& text) {
  std::size_t at = 0;
  while ((at = text.find_first_of(kDigits, at)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
    const std::string number = text.substr(at, end - at);
    const auto known = std::ranges::find_if(
        ports, [&number](const PortOfNode& one) { return std::to_string(one.first) == number; });
    const std::string there = known == ports.end() ? number : std::to_string(known->second);
    text.replace(at, end - at, there);
    at += there.size();
  }
}

}  // namespace

bool AsksForAddresses(const sim::redis::Argv& argv) {
  const std::string name = sim::redis::ToLower(argv.front());
  return name == "cluster" || name == "info" || name == "role" || name == "sentinel";
}

bool Redirects(const sim::redis::Value& reply) {
  return reply.type == sim::redis::Value::Type::kError &&
         (reply.text.starts_with("MOVED ") || reply.text.starts_with("ASK "));
}

void Translate(std::span<const PortOfNode> ports, sim::redis::Value& value) {
  const auto known = std::ranges::find(ports, value.integer, &PortOfNode::first);
  if (value.type == sim::redis::Value::Type::kInteger && known != ports.end()) {
    value.integer = known->second;
  }
  TranslateText(ports, value.text);
  for (sim::redis::Value& element : value.elements) Translate(ports, element);
}

}  // namespace interlock::scenarios::drive
