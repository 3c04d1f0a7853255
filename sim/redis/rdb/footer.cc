// SPDX-License-Identifier: MIT
#include "sim/redis/rdb/footer.h"

#include "sim/redis/rdb/bytes.h"
#include "sim/redis/rdb/crc64.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kVersionSize = 2;
constexpr std::size_t kChecksumSize = 8;
static_assert(kVersionSize + kChecksumSize == kFooterSize);

// Valkey leaves the numbers that Redis has taken since they parted to it.
bool IsRead(std::uint64_t version, const Dialect& dialect) {
  constexpr std::uint64_t kFirstForeign = 12;
  constexpr std::uint64_t kLastForeign = 79;
  if (dialect.valkey && version >= kFirstForeign && version <= kLastForeign) return false;
  if (dialect.IsIn(kValkeyFrom90) && version == 0) return false;
  return version <= static_cast<std::uint64_t>(dialect.rdb_version);
}

}  // namespace

void AppendFooter(int version, std::string* payload) {
  AppendLittleEndian(static_cast<std::uint64_t>(version), kVersionSize, payload);
  AppendLittleEndian(Crc64(*payload), kChecksumSize, payload);
}

bool VerifyFooter(std::string_view payload, const Dialect& dialect) {
  if (payload.size() < kFooterSize) return false;
  const std::string_view checked = payload.substr(0, payload.size() - kChecksumSize);
  ByteReader footer(payload.substr(checked.size() - kVersionSize));
  std::uint64_t version = 0;
  std::uint64_t checksum = 0;
  footer.LittleEndian(kVersionSize, &version);
  footer.LittleEndian(kChecksumSize, &checksum);
  return IsRead(version, dialect) && checksum == Crc64(checked);
}

}  // namespace interlock::sim::redis
