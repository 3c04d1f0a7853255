// SPDX-License-Identifier: MIT
#include "src/handed_over.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

#include <interlock/options.h>

namespace interlock::internal {
namespace {

constexpr std::string_view kFamily = "interlock-lease:";
constexpr std::string_view kVersion = "1:";
constexpr std::size_t kTokenDigits = 32;  // of its random part
constexpr std::size_t kChecksumDigits = 16;

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

}  // namespace

std::string TextOf(const Grant& grant) {
  std::string text(kFamily);
  text.append(kVersion).append(grant.token).append(":");
  text.append(std::to_string(grant.fencing_token)).append(":");
  return text + Checksum(text);
}

Result<Grant> GrantFromText(std::string_view text) {
  if (text.size() > kMaxHandedOverBytes) return Refused("the text is too long");
  if (!text.starts_with(kFamily)) return Refused("it begins with something else");
  if (!text.substr(kFamily.size()).starts_with(kVersion)) {
    return Refused("it is of another version of the library");
  }
  const std::size_t head = kFamily.size() + kVersion.size();
  if (text.size() < head + kTokenDigits + kChecksumDigits + 3) return Refused("it is cut short");
  const std::string_view summed = text.substr(0, text.size() - kChecksumDigits);
  if (Checksum(summed) != text.substr(summed.size())) return Refused("the checksum is another");
  const std::string_view token = summed.substr(head, summed.find(':', head) - head);
  const std::string_view rest = summed.substr(head + token.size());
  if (!IsToken(token) || rest.size() < 2 || rest.back() != ':') return Refused("it is damaged");
  Grant grant;
  grant.token = token;
  const char* const end = rest.data() + rest.size() - 1;
  const auto [read, error] = std::from_chars(rest.data() + 1, end, grant.fencing_token);
  if (error != std::errc() || read != end) return Refused("its fencing token is no number");
  return grant;
}

}  // namespace interlock::internal
