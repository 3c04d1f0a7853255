// SPDX-License-Identifier: MIT
#include <interlock/hiredis_connector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "src/greeting.h"
#include "src/hiredis_connection.h"
#include "src/redis_url.h"

namespace interlock {
namespace {

using internal::BusyTurn;

class HiredisConnector final : public Connector {
 public:
  HiredisConnector(Runtime& runtime, HiredisOptions options, std::shared_ptr<const TlsContext> tls,
                   std::shared_ptr<BusyTurn> busy_turn)
      : runtime_(runtime),
        options_(std::move(options)),
        tls_(std::move(tls)),
        busy_turn_(std::move(busy_turn)),
        endpoint_(FormatEndpoint(options_)) {}

  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override {
    const MonotonicTime until =
        std::min(deadline, AddSaturating(runtime_.Now(), options_.connect_timeout));
    Result<Socket> socket = ConnectSocket(runtime_, options_, until);
    if (!socket.ok()) {
      return Status(socket.code(), endpoint_ + ": " + socket.status().message());
    }
    std::unique_ptr<TlsSession> session;
    if (tls_ != nullptr) {
      auto begun = tls_->Begin(runtime_, socket->fd(), until);
      if (!begun.ok()) return Status(begun.code(), endpoint_ + ": " + begun.status().message());
      session = std::move(*begun);
    }
    std::unique_ptr<Connection> connection = MakeHiredisConnection(
        runtime_, std::move(*socket), std::move(session), options_, busy_turn_, endpoint_);
    if (Status ready = Greet(*connection, options_, endpoint_, until); !ready.ok()) return ready;
    return connection;
  }

  std::string endpoint() const override { return endpoint_; }

 private:
  Runtime& runtime_;
  const HiredisOptions options_;
  const std::shared_ptr<const TlsContext> tls_;  ///< null: none
  const std::shared_ptr<BusyTurn> busy_turn_;
  const std::string endpoint_;
};

/// Null if no TLS is wanted.
Result<std::shared_ptr<const TlsContext>> CheckedTls(const HiredisOptions& options) {
  if (Status valid = CheckHiredisOptions(options); !valid.ok()) return valid;
  if (options.tls) return MakeTlsContext(options);
  return std::shared_ptr<const TlsContext>();
}

}  // namespace

Result<std::unique_ptr<Connector>> MakeHiredisConnector(Runtime& runtime, HiredisOptions options) {
  Result<std::shared_ptr<const TlsContext>> tls = CheckedTls(options);
  if (!tls.ok()) return tls.status();
  return std::unique_ptr<Connector>(std::make_unique<HiredisConnector>(
      runtime, std::move(options), std::move(*tls), std::make_shared<BusyTurn>()));
}

Result<ConnectNode> MakeHiredisNodes(Runtime& runtime, HiredisOptions common) {
  if (!common.unix_path.empty()) {
    return Status(StatusCode::kInvalidArgument, "a unix socket leads to one node only");
  }
  const Result<std::shared_ptr<const TlsContext>> tls = CheckedTls(common);
  if (!tls.ok()) return tls.status();
  return ConnectNode(
      [&runtime, common = std::move(common), tls = tls.value(),
       busy_turn = std::make_shared<BusyTurn>()](const NodeAddress& node, MonotonicTime deadline) {
        HiredisOptions options = common;
        options.host = node.host;
        options.port = node.port;
        return HiredisConnector(runtime, std::move(options), tls, busy_turn).Connect(deadline);
      });
}

Result<std::unique_ptr<Connector>> MakeHiredisConnector(Runtime& runtime, std::string_view url) {
  Result<HiredisOptions> options = ParseRedisUrl(url);
  if (!options.ok()) return options.status();
  return MakeHiredisConnector(runtime, std::move(options).value());
}

}  // namespace interlock
