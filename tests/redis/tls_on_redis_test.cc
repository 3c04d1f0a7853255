// SPDX-License-Identifier: MIT
//
// rediss:// against a real server, with certificates made on the spot; or, in a build without TLS,
// that it is refused with the reason.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <interlock/client.h>
#include <interlock/mutex.h>

#include "src/tls.h"
#include "tests/redis/lock_test.h"
#include "tests/redis/stub_server.h"

namespace interlock::testing {
namespace {

// The server speaks TLS on a second port, wants a certificate of each client, and trusts `ca.pem`.
class TlsOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    if (!TlsBuiltIn()) return;
    RedisTest::SetUp();
    ASSERT_NE(server_, nullptr);
    ASSERT_TRUE(Certify("ca") && Certify("other"));
    for (const auto& [option, file] : {std::pair{"tls-ca-cert-file", "ca.pem"},
                                       {"tls-cert-file", "ca.pem"},
                                       {"tls-key-file", "ca.key"}}) {
      options_.insert(options_.end(), {"--" + std::string(option), Path(file)});
    }
    StubServer free_port([](int) {});
    tls_port_ = free_port.port();
  }

  void StartTls() {
    certificates_ = std::move(server_);  // whose directory has the certificates
    options_.insert(options_.end(), {"--tls-port", std::to_string(tls_port_)});
    StartServer({.arguments = options_});
    ASSERT_NE(server_, nullptr);
  }

  std::string Path(std::string_view file) const {
    const auto& owner = certificates_ != nullptr ? certificates_ : server_;
    return owner->directory() + "/" + std::string(file);
  }

  /// NAME.pem, signed by NAME.key, which is the key in it.
  bool Certify(const std::string& name) {
    const std::string command =
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=" + name + " -keyout " +
        Path(name + ".key") + " -out " + Path(name + ".pem") + " 2>/dev/null";
    return std::system(command.c_str()) == 0;
  }

  std::string Url(std::string_view ca, std::string_view client) const {
    return "rediss://127.0.0.1:" + std::to_string(tls_port_) + "/0?ca=" + Path(ca) +
           "&cert=" + Path(std::string(client) + ".pem") +
           "&key=" + Path(std::string(client) + ".key");
  }

  std::unique_ptr<RedisServer> certificates_;
  std::vector<std::string> options_;
  int tls_port_ = 0;
};

TEST_F(TlsOnRedisTest, LocksWorkOverTls) {
  if (!TlsBuiltIn()) {
    const auto refused = MakeHiredisConnector(runtime_, "rediss://127.0.0.1/0?ca=/ca.pem");
    ASSERT_EQ(refused.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(refused.status().message().find(kNoTls), std::string::npos);
    return;
  }
  StartTls();
  Process process = NewProcess(Url("ca.pem", "ca"));
  Mutex mutex = Make<Mutex>(*process.client, "res");
  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_TRUE(lease->Extend(seconds(20)).ok());
  EXPECT_EQ(mutex.AcquireFor(milliseconds(400)).code(), StatusCode::kTimeout);
  EXPECT_TRUE(lease->Release().ok());
  const auto connection = MustConnect(Url("ca.pem", "ca"));
  ASSERT_NE(connection, nullptr);
  const std::string large(3 * 1024 * 1024, 'x');
  EXPECT_TRUE(Call(*connection, {"SET", "big", large})->IsStatus("OK"));
  EXPECT_TRUE(Call(*connection, {"GET", "big"})->text == large);
  EXPECT_FALSE(connection->broken());
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(SendWords(*connection, {"INCR", "n"}).ok());
  for (int i = 1; i <= 1000; ++i) ASSERT_EQ(connection->Receive(In(seconds(5)))->integer, i);
  server_->Kill();
  EXPECT_TRUE(BecomesBroken(*connection));
}

TEST_F(TlsOnRedisTest, WhomItDoesNotTrustItDoesNotTalkTo) {
  if (!TlsBuiltIn()) return;
  StartTls();
  EXPECT_EQ(Connect(Url("other.pem", "ca")).code(), StatusCode::kUnavailable);
  EXPECT_EQ(Connect(Url("ca.pem", "other")).code(), StatusCode::kUnavailable);
  EXPECT_EQ(Connect(Url("none.pem", "ca")).code(), StatusCode::kInvalidArgument);
  // Neither a server without TLS nor one that says nothing keeps it past the deadline.
  tls_port_ = server_->port();
  EXPECT_EQ(Connect(Url("ca.pem", "ca")).code(), StatusCode::kUnavailable);
  StubServer silent(DrainUntilClosed);
  tls_port_ = silent.port();
  const MonotonicTime begun = runtime_.Now();
  EXPECT_EQ(Connect(Url("ca.pem", "ca"), milliseconds(300)).code(), StatusCode::kUnavailable);
  EXPECT_LT(runtime_.Now() - begun, seconds(2));
}

}  // namespace
}  // namespace interlock::testing
