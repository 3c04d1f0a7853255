// SPDX-License-Identifier: MIT
#include <interlock/single_file.h>

#include <chrono>
#include <memory>
#include <utility>

#include "src/line_protocol.h"
#include "src/scripts/single_file_scripts.h"

namespace interlock {

Result<SingleFile> SingleFile::Create(Client& client, SingleFileOptions options) {
  using std::chrono::milliseconds;
  for (const Status& valid : {client.status(), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  auto scripts = std::make_shared<const internal::SingleFileScripts>(
      options.key_prefix, options.name, std::chrono::floor<milliseconds>(options.expire_in),
      internal::LineRule{std::chrono::ceil<milliseconds>(options.grace),
                         std::chrono::ceil<milliseconds>(options.retry.max_wait)},
      options.concurrency);
  auto protocol = std::make_shared<internal::LineProtocol>(client.core(), std::move(scripts),
                                                           options.drift_per_mille, options.retry);
  return SingleFile(std::move(options.name), std::move(protocol));
}

Status SingleFile::Leave(Lease& lease) {
  const bool over = lease.is_lost();
  const bool held = lease.valid();
  const bool taken_away = held && lease.Release().code() == StatusCode::kNotOwner;
  if (!over && !taken_away) return Status();
  return Status(StatusCode::kLeaseLost, "the body ran, but its permit was over before it ended");
}

}  // namespace interlock
