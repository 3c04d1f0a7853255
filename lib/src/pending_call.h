// SPDX-License-Identifier: MIT
//
// PendingCall: one call of a script in two halves, so that a caller can send to many servers before
// it waits for the first. ClientCore::Run is both halves in a row.
//
// Guarantee: sent once at most by its hash and, to a server that does not know it, once by its
// text; or by its text alone, if it is to bring that. Native commands that stand for it are sent
// before, as long as the server answers that it has no such thing, which changes nothing in it. A
// connection on which anything failed is closed. Thread safety: belongs to one task at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <interlock/connection.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "src/client_core.h"
#include "src/scripts/script.h"

namespace interlock::internal {

class PendingCall {
 public:
  /// Sends nothing. `call` must outlive this. For the others see ClientCore::Run.
  PendingCall(ClientCore& client, const ScriptCall& call, Use use, MonotonicTime by,
              ReplyTest worth_keeping = nullptr)
      : client_(client),
        call_(call),
        use_(use),
        by_(by),
        worth_keeping_(worth_keeping),
        key_count_(call.keys.size()) {}

  /// Sends the text at once, for a server that may not know it.
  void BringText() { brings_text_ = true; }

  /// Sends on an idle connection, if there is one and it may be used. False: nothing was sent, and
  /// Finish has to connect first. Never waits for a reply.
  bool TrySend();

  /// The command for the server to execute after the call if the reply does not come in time. It
  /// must outlive this.
  void IfOverdue(const ScriptCall& last) { last_ = &last; }

  /// Sends if that is still to be done, and waits for the reply. YIELDS. Answers as
  /// ClientCore::Run. REQUIRES: called once at most.
  Result<ScriptReply> Finish();

 private:
  Status Send(std::unique_ptr<Connection> connection);
  Status SendForm(Connection& connection);
  /// Whether there is another form of the call, after one that the server has refused.
  bool TurnsFrom(const Reply& refusal);
  Status Connect();
  Result<ScriptReply> Answer();
  /// Ok: enough replicas have what was just answered, or none are asked.
  Status Acknowledged(const Reply& reply);

  ClientCore& client_;
  const ScriptCall& call_;
  const Use use_;
  const MonotonicTime by_;
  const ReplyTest worth_keeping_;
  const Number key_count_;
  const ScriptCall* last_ = nullptr;
  bool brings_text_ = false;
  bool by_text_ = false;    ///< the script, as it is sent
  std::size_t native_ = 0;  ///< which of the native commands is sent; as many as there are: none
  std::unique_ptr<Connection> connection_;  ///< on which a reply is outstanding
  MonotonicTime sent_{};
  MonotonicTime deadline_{};
  bool on_idle_ = false;  ///< `connection_` was idle before
  bool refused_ = false;  ///< refused on an idle connection: the next try is on a new one
  Status failure_;        ///< the failure of a send that may have reached the server
};

}  // namespace interlock::internal
