// SPDX-License-Identifier: MIT
//
// Where a URL leads, and that a wrong one is refused without giving a password away.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include <interlock/hiredis_connector.h>

#include "src/redis_url.h"
#include "src/tls.h"

namespace interlock {
namespace {

HiredisOptions Parsed(std::string_view url) {
  const Result<HiredisOptions> options = ParseRedisUrl(url);
  EXPECT_TRUE(options.ok()) << url << ": " << options.status().ToString();
  return options.ok() ? options.value() : HiredisOptions{};
}

TEST(RedisUrlTest, MissingPartsKeepTheirDefaults) {
  for (const std::string_view url : {"redis://", "redis:///", "redis://127.0.0.1"}) {
    const HiredisOptions options = Parsed(url);
    EXPECT_EQ(options.host, "127.0.0.1");
    EXPECT_EQ(options.port, 6379);
    EXPECT_EQ(options.database, 0);
    EXPECT_TRUE(options.user.empty() && options.password.empty() && options.unix_path.empty());
  }
  EXPECT_EQ(Parsed("redis://:7000").port, 7000);
  EXPECT_EQ(Parsed("redis:///15").database, 15);
}

TEST(RedisUrlTest, EveryPartIsRead) {
  const HiredisOptions options = Parsed("redis://app:s3cret@db.example:7001/12");
  EXPECT_EQ(options.host, "db.example");
  EXPECT_EQ(options.port, 7001);
  EXPECT_EQ(options.user, "app");
  EXPECT_EQ(options.password, "s3cret");
  EXPECT_EQ(options.database, 12);
  EXPECT_EQ(FormatEndpoint(options), "redis://db.example:7001/12");
}

TEST(RedisUrlTest, CredentialsArePercentDecoded) {
  const HiredisOptions options = Parsed("redis://a%40b:p%2Fw%3a%00%25@h");
  EXPECT_EQ(options.user, "a@b");
  EXPECT_EQ(options.password, std::string("p/w:\0%", 6));
  EXPECT_EQ(Parsed("redis://:x:y@h").password, "x:y");
  EXPECT_EQ(Parsed("redis://:x@y@h").password, "x@y");
}

TEST(RedisUrlTest, IpVersionSixStandsInBrackets) {
  EXPECT_EQ(Parsed("redis://[::1]").host, "::1");
  const HiredisOptions options = Parsed("redis://:p@[fe80::1%25eth0]:7002/3");
  EXPECT_EQ(options.host, "fe80::1%eth0");
  EXPECT_EQ(options.port, 7002);
  EXPECT_EQ(options.database, 3);
  EXPECT_EQ(FormatEndpoint(Parsed("redis://[::1]:7002/3")), "redis://[::1]:7002/3");
}

TEST(RedisUrlTest, UnixSocketsHaveAPathAndADatabase) {
  const HiredisOptions options = Parsed("redis+unix://u:p@/run/my%20redis@1.sock?db=4");
  EXPECT_EQ(options.unix_path, "/run/my redis@1.sock");
  EXPECT_EQ(options.user, "u");
  EXPECT_EQ(options.password, "p");
  EXPECT_EQ(options.database, 4);
  EXPECT_EQ(FormatEndpoint(options), "redis+unix:///run/my redis@1.sock?db=4");
  EXPECT_EQ(Parsed("redis+unix:///tmp/r.sock").database, 0);
}

// Where it was not built in, the message says what is missing, and repeats nothing.
TEST(RedisUrlTest, TlsIsReadOrRefusedWithTheReason) {
  const Result<HiredisOptions> options =
      ParseRedisUrl("rediss://u:hunter2@h:7000/1?ca=/etc/my%20ca.pem&cert=c&key=k&sni=db");
  if (!TlsBuiltIn()) {
    ASSERT_EQ(options.code(), StatusCode::kInvalidArgument);
    const std::string message = options.status().message();
    EXPECT_NE(message.find("hiredis 1.0 or newer"), std::string::npos) << message;
    EXPECT_EQ(message.find("hunter2"), std::string::npos);
    EXPECT_EQ(CheckHiredisOptions({.tls = true, .tls_ca_file = "ca"}).message(), kNoTls);
    return;
  }
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_TRUE(options->tls);
  EXPECT_EQ(options->port, 7000);
  EXPECT_EQ(options->database, 1);
  EXPECT_EQ(options->tls_ca_file, "/etc/my ca.pem");
  EXPECT_EQ(options->tls_cert_file, "c");
  EXPECT_EQ(options->tls_key_file, "k");
  EXPECT_EQ(options->tls_server_name, "db");
  EXPECT_EQ(FormatEndpoint(*options), "rediss://h:7000/1");
  EXPECT_FALSE(CheckHiredisOptions({.tls = true}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.tls = true, .tls_ca_file = "a", .tls_key_file = "k"}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.unix_path = "/s", .tls = true, .tls_ca_file = "a"}).ok());
}

TEST(RedisUrlTest, OptionsOfTlsWithoutTlsAreAMistake) {
  EXPECT_FALSE(CheckHiredisOptions({.tls_ca_file = "ca"}).ok());
}

struct Malformed {
  std::string_view url;
  std::string_view says;
};

TEST(RedisUrlTest, EachMalformedUrlIsRefusedWithTheReason) {
  const std::string long_path = "redis+unix:///" + std::string(200, 'x');
  const Malformed cases[] = {
      {"", "must begin with"},
      {"localhost:6379", "must begin with"},
      {"http://localhost", "must begin with"},
      {"rediss://localhost", "TLS"},
      {"rediss://localhost?verify=no", "ca, cert, key and sni"},
      {"rediss://localhost?ca=%", "parameter ca has a '%'"},
      {"redis://h?ca=/ca.pem", "query"},
      {"redis://h:", "port"},
      {"redis://h:0", "port"},
      {"redis://h:65536", "port"},
      {"redis://h:-1", "port"},
      {"redis://h: 1", "port"},
      {"redis://h:99999999999999999999", "port"},
      {"redis://h/x", "database"},
      {"redis://h/-1", "database"},
      {"redis://h/1/2", "database"},
      {"redis://h/2147483648", "database"},
      {"redis://h/0?x=1", "query"},
      {"redis://::1", "brackets"},
      {"redis://[::1", "']'"},
      {"redis://[]", "empty"},
      {"redis://[::1]x", "']'"},
      {"redis://user@h", "user:password@"},
      {"redis://user:@h", "without a password"},
      {"redis://:p%2@h", "password has a '%'"},
      {"redis://:p%zz@h", "password has a '%'"},
      {"redis://u%:p@h", "user has a '%'"},
      {"redis://h%", "host has a '%'"},
      {"redis://h%00", "NUL"},
      {"redis+unix://", "absolute path"},
      {"redis+unix://run/r.sock", "absolute path"},
      {"redis+unix:///r.sock?db=", "database"},
      {"redis+unix:///r.sock?dbx=1", "parameter"},
      {"redis+unix:///r%00.sock", "NUL"},
      {long_path, "longer"},
  };
  for (const Malformed& malformed : cases) {
    const Result<HiredisOptions> options = ParseRedisUrl(malformed.url);
    ASSERT_EQ(options.code(), StatusCode::kInvalidArgument) << malformed.url;
    EXPECT_NE(options.status().message().find(malformed.says), std::string::npos)
        << malformed.url << ": " << options.status().message();
  }
}

// A password with a '/' that was not encoded lands where host, port or database belong.
TEST(RedisUrlTest, NoMessageRepeatsAPassword) {
  for (const std::string_view url :
       {"redis://user:hunter2/x@h:1/0", "redis://user:hunter2?@h", "redis://:hunter2",
        "redis://user:hunter2#@h", "redis://h/hunter2", "redis://:hunter2%@h",
        "redis://user:hunter2@h:port", "user:hunter2@h", "redis+unix://user:hunter2/@h",
        "redis+unix://user:hunter2@h", "redis://user:hunter2@[::1"}) {
    const Result<HiredisOptions> options = ParseRedisUrl(url);
    ASSERT_EQ(options.code(), StatusCode::kInvalidArgument) << url;
    EXPECT_EQ(options.status().message().find("hunter2"), std::string::npos)
        << options.status().message();
  }
}

TEST(HiredisOptionsTest, ValuesOutOfRangeAreRefused) {
  EXPECT_TRUE(CheckHiredisOptions({}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.host = ""}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.port = 0}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.port = 65536}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.user = "u"}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.database = -1}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.connect_timeout = Duration::zero()}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.send_timeout = Duration(-1)}).ok());
  EXPECT_FALSE(CheckHiredisOptions({.keep_alive = std::chrono::seconds(-1)}).ok());
}

}  // namespace
}  // namespace interlock
