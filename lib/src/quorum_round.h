// SPDX-License-Identifier: MIT
//
// One round of a lock over several nodes: a call for each of some nodes, all at the same time.
//
// Guarantee: every call has been sent, or is being connected for by a task of its own, before the
// first reply is waited for, and all have ended when it returns. So a round lasts as long as its
// slowest node takes, and no longer than its deadline. Thread safety: may be used from any task.
#pragma once

#include <optional>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "src/client_core.h"
#include "src/scripts/script.h"

namespace interlock::internal {

struct NodeCall {
  std::optional<ScriptCall> call;  ///< nullopt: this node is not asked
  Use use = Use::kPooled;
  std::optional<ScriptCall> if_overdue = std::nullopt;  ///< see PendingCall::IfOverdue
};

/// nullopt: it was not asked.
using NodeAnswer = std::optional<Result<ScriptReply>>;

/// `calls[i]` for `nodes[i]`, each given up at `by`. YIELDS.
std::vector<NodeAnswer> AskNodes(const std::vector<ClientCore*>& nodes,
                                 const std::vector<NodeCall>& calls, MonotonicTime by);

}  // namespace interlock::internal
