// SPDX-License-Identifier: MIT
//
// Decides, before a campaign, which of the clients are copied for each run instead of started:
// those whose copies do as they do. See templates.h.
//
// Thread safety: that of ForeignProcess.
#pragma once

#include <memory>
#include <string>

#include <interlock/result.h>

#include "scenarios/run/foreign/templates.h"

namespace interlock::scenarios::drive {

/// `calm`: a run without faults of started clients, which one of copies is compared with. Null:
/// nobody is to be copied. Fails as RunClients does.
Result<std::unique_ptr<Templates>> TemplatesFor(const DriveOptions& options, const DriveRun& calm,
                                                std::string& why_none);

/// A sentence about which clients are copied. `why_none`: why there are no templates.
std::string HowRunsBegin(const Templates* templates, int clients, const std::string& why_none);

}  // namespace interlock::scenarios::drive
