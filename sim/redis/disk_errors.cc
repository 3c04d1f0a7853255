// SPDX-License-Identifier: MIT
#include "sim/redis/disk_errors.h"

namespace interlock::sim::redis {

namespace {

struct Texts {
  std::string_view save_of_command;
  std::string_view save_of_script;
  std::string_view append_of_script;
};

constexpr Texts kOfRedis = {
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to "
    "disk. Commands that may modify the data set are disabled, because this instance is configured "
    "to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error "
    "option). Please check the Redis logs for details about the RDB error.",
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to "
    "disk. Writable scripts are blocked. Use 'no-writes' flag for read only scripts.",
    "MISCONF Redis is configured to persist data to AOF, but it's currently unable to persist to "
    "disk. Writable scripts are blocked. Use 'no-writes' flag for read only scripts. AOF error: "
    "No space left on device"};
constexpr Texts kOfValkey = {
    "MISCONF Valkey is configured to save RDB snapshots, but it's currently unable to persist to "
    "disk. Commands that may modify the data set are disabled, because this instance is configured "
    "to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error "
    "option). Please check the Valkey logs for details about the RDB error.",
    "MISCONF Valkey is configured to save RDB snapshots, but it's currently unable to persist to "
    "disk. Writable scripts are blocked. Use 'no-writes' flag for read only scripts.",
    "MISCONF Valkey is configured to persist data to AOF, but it's currently unable to persist to "
    "disk. Writable scripts are blocked. Use 'no-writes' flag for read only scripts. AOF error: "
    "No space left on device"};
constexpr std::string_view kAppendOfCommand =
    "MISCONF Errors writing to the AOF file: No space left on device";

const Texts& TextsOf(const Dialect& dialect) { return dialect.valkey ? kOfValkey : kOfRedis; }

}  // namespace

std::string_view DiskErrorOfCommand(const Dialect& dialect, DiskFailure failure) {
  if (failure == DiskFailure::kNone) return {};
  return failure == DiskFailure::kSave ? TextsOf(dialect).save_of_command : kAppendOfCommand;
}

std::string_view DiskErrorOfScript(const Dialect& dialect, DiskFailure failure) {
  if (failure == DiskFailure::kNone) return {};
  const Texts& texts = TextsOf(dialect);
  return failure == DiskFailure::kSave ? texts.save_of_script : texts.append_of_script;
}

}  // namespace interlock::sim::redis
