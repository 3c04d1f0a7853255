// SPDX-License-Identifier: MIT
#include "src/handed_over.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <interlock/options.h>

namespace interlock::internal {
namespace {

constexpr std::string_view kFamily = "interlock-lease:";
constexpr std::string_view kVersion = "1:";
constexpr std::size_t kTokenDigits = 32;  // of its random part
constexpr std::size_t kChecksumDigits = 16;
constexpr std::size_t kMostDoubts = 64;

std::string Checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits(kChecksumDigits, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4U) {
    *digit = kDigits[hash & 15U];
  }
  return digits;
}

Status Refused(const char* why) {
  return Status(StatusCode::kInvalidArgument, std::string("no lease that was handed over: ") + why);
}

/// Random digits, after a label and '@' or not.
bool IsToken(std::string_view text) {
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    if (!ValidateLabel(text.substr(0, at)).ok()) return false;
    text.remove_prefix(at + 1);
  }
  return text.size() == kTokenDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::uint64_t DoubtsOf(const Grant& grant) {
  std::uint64_t doubts = grant.stray ? 1 : 0;
  for (const std::size_t node : grant.doubtful_nodes) {
    if (node < kMostDoubts) doubts |= std::uint64_t{1} << node;
  }
  return doubts;
}

void SetDoubts(std::uint64_t doubts, Grant& grant) {
  grant.stray = doubts != 0;
  for (std::size_t node = 0; node < kMostDoubts; ++node) {
    if ((doubts >> node & 1) != 0) grant.doubtful_nodes.push_back(node);
  }
}

/// The number before the next ':', which is taken off as well.
std::optional<std::uint64_t> TakeNumber(std::string_view& text) {
  const std::size_t length = text.find(':');
  if (length == std::string_view::npos) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = text.data() + length;
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || read != end) return std::nullopt;
  text.remove_prefix(length + 1);
  return number;
}

}  // namespace

std::string TextOf(const Grant& grant) {
  std::string text(kFamily);
  text.append(kVersion).append(grant.token).append(":");
  text.append(std::to_string(grant.fencing_token)).append(":");
  text.append(std::to_string(DoubtsOf(grant))).append(":");
  return text + Checksum(text);
}

Result<Grant> GrantFromText(std::string_view text) {
  if (text.size() > kMaxHandedOverBytes) return Refused("the text is too long");
  if (!text.starts_with(kFamily)) return Refused("it begins with something else");
  if (!text.substr(kFamily.size()).starts_with(kVersion)) {
    return Refused("it is of another version of the library");
  }
  const std::size_t head = kFamily.size() + kVersion.size();
  if (text.size() < head + kTokenDigits + kChecksumDigits + 5) return Refused("it is cut short");
  const std::string_view summed = text.substr(0, text.size() - kChecksumDigits);
  if (Checksum(summed) != text.substr(summed.size())) return Refused("the checksum is another");
  const std::string_view token = summed.substr(head, summed.find(':', head) - head);
  if (!IsToken(token) || summed.size() == head + token.size()) return Refused("it is damaged");
  std::string_view rest = summed.substr(head + token.size() + 1);
  const std::optional<std::uint64_t> fencing_token = TakeNumber(rest);
  const std::optional<std::uint64_t> doubts = TakeNumber(rest);
  if (!fencing_token || !doubts || !rest.empty()) return Refused("its numbers are none");
  Grant grant;
  grant.token = token;
  grant.fencing_token = *fencing_token;
  SetDoubts(*doubts, grant);
  return grant;
}

}  // namespace interlock::internal
