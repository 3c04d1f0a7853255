// SPDX-License-Identifier: MIT
#include "src/quorum_round.h"

#include <cstddef>
#include <memory>

#include <interlock/runtime.h>

#include "src/pending_call.h"

namespace interlock::internal {

std::vector<NodeAnswer> AskNodes(const std::vector<ClientCore*>& nodes,
                                 const std::vector<NodeCall>& calls, MonotonicTime by) {
  std::vector<NodeAnswer> answers(nodes.size());
  std::vector<std::unique_ptr<PendingCall>> pending(nodes.size());
  std::vector<std::size_t> sent;
  std::vector<std::size_t> unsent;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!calls[i].call) continue;
    // What it remains if the task that asks is ended before its time, with its process.
    answers[i] = Result<ScriptReply>(Status(StatusCode::kCancelled));
    pending[i] = std::make_unique<PendingCall>(*nodes[i], *calls[i].call, calls[i].use, by);
    if (calls[i].if_overdue) pending[i]->IfOverdue(*calls[i].if_overdue);
    // A server that asks for the text may not be heard before another one's time is over.
    if (!nodes[i]->IsLoaded(*calls[i].call->script)) pending[i]->BringText();
    (pending[i]->TrySend() ? sent : unsent).push_back(i);
  }
  // This task has one node to itself: if none has been sent to, one that it connects to.
  if (sent.empty() && !unsent.empty()) {
    sent.push_back(unsent.back());
    unsent.pop_back();
  }
  std::vector<std::unique_ptr<Task>> tasks;
  for (const std::size_t i : unsent) {
    tasks.push_back(nodes[i]->runtime().Spawn(
        "redlock-node", [&answers, &pending, i] { answers[i] = pending[i]->Finish(); }));
  }
  for (const std::size_t i : sent) answers[i] = pending[i]->Finish();
  for (const std::unique_ptr<Task>& task : tasks) task->Join();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (answers[i]) nodes[i]->RememberLoaded(*calls[i].call->script, answers[i]->ok());
  }
  return answers;
}

}  // namespace interlock::internal
