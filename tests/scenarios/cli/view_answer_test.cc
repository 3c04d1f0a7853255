// SPDX-License-Identifier: MIT
//
// What a browser gets of a folder, and what nobody gets.
#include "scenarios/cli/view_answer.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/formats.h"
#include "tests/scenarios/child_process.h"

namespace interlock::scenarios::cli {
namespace {

using scenarios::testing::ScratchFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ViewAnswerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.path() + "/shown/cases/deep");
    Write("secret.txt", "secret");
    Write("shown/report.html", "<!DOCTYPE html>");
    Write("shown/cases/a b%.pftrace", "trace");
    Write("shown/cases/javascript:alert(1).html", "x");
    Write("shown/.hidden", "secret");
    std::filesystem::create_symlink("../secret.txt", folder_.path() + "/shown/link.txt");
    std::filesystem::create_directory_symlink("..", folder_.path() + "/shown/up");
    ASSERT_EQ(::mkfifo((folder_.path() + "/shown/pipe").c_str(), 0600), 0);
  }

  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.path() + "/" + name, std::ios::binary) << content;
  }

  HttpAnswer Ask(const std::string& line, const std::string& host = "127.0.0.1:9001",
                 int port = 9001) const {
    auto folder = ViewFolder::Open(folder_.path() + "/shown");
    EXPECT_TRUE(folder.ok());
    return folder->Answer(line + " HTTP/1.1\r\nHost: " + host + "\r\nAccept: */*", port);
  }

  const ScratchFolder folder_;
};

TEST_F(ViewAnswerTest, AFileComesWithItsType) {
  const HttpAnswer page = Ask("GET /report.html");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_EQ(page.body, "<!DOCTYPE html>");
  const HttpAnswer trace = Ask("GET /cases/a%20b%25.pftrace?x#y");
  EXPECT_EQ(trace.body, "trace");
  EXPECT_EQ(trace.type, "application/octet-stream");
  EXPECT_THAT(ToBytes(trace),
              HasSubstr("\r\nAccess-Control-Allow-Origin: https://ui.perfetto.dev\r\n"));
  EXPECT_THAT(ToBytes(page), Not(HasSubstr("Access-Control")));
  EXPECT_THAT(ToBytes(page), HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(ToBytes(Ask("HEAD /report.html")), HasSubstr("Content-Length: 15\r\n"));
  EXPECT_TRUE(ToBytes(Ask("HEAD /report.html")).ends_with("\r\n\r\n"));
  EXPECT_EQ(reports::MediaTypeOf("run.json"), "application/json");
  EXPECT_EQ(reports::MediaTypeOf("junit.xml"), "application/xml");
  EXPECT_EQ(reports::MediaTypeOf("figures.csv"), "text/csv; charset=utf-8");
  EXPECT_EQ(reports::MediaTypeOf("x.shiviz.log"), "text/plain; charset=utf-8");
  EXPECT_EQ(reports::MediaTypeOf("x.sh"), "application/octet-stream");
}

TEST_F(ViewAnswerTest, NothingOutsideOfTheFolderIsEverReached) {
  for (const char* path : {"/../secret.txt",
                           "/%2e%2e/secret.txt",
                           "/..%2fsecret.txt",
                           "/cases/../../secret.txt",
                           "/cases/%2E%2E/%2e./secret.txt",
                           "//../secret.txt",
                           "/..\\secret.txt",
                           "/up/secret.txt",
                           "/link.txt",
                           "/cases/deep/../../../secret.txt",
                           "/.hidden",
                           "/%2fetc/passwd",
                           "/report.html%00.txt",
                           "secret.txt",
                           "http://127.0.0.1/secret.txt",
                           "/%",
                           "/%zz",
                           "/%2",
                           "/pipe",
                           "/up",
                           "/report.html/x",
                           "/none"}) {
    const HttpAnswer answer = Ask(std::string("GET ") + path);
    EXPECT_GE(answer.status, 400) << path;
    EXPECT_THAT(answer.body, Not(HasSubstr("secret"))) << path;
  }
  EXPECT_EQ(PartsOfTarget("/a/../b"), std::nullopt);
  EXPECT_THAT(PartsOfTarget("//a%20b///c").value(), ElementsAre("a b", "c"));
}

TEST_F(ViewAnswerTest, AnotherHostIsRefusedAndSoIsWhatIsNoReading) {
  EXPECT_EQ(Ask("GET /report.html", "localhost:9001").status, 200);
  for (const char* host : {"evil.example", "evil.example:9001", "127.0.0.1:9002", "127.0.0.1", "",
                           "127.0.0.1:9001\r\nHost: evil.example"}) {
    EXPECT_EQ(Ask("GET /report.html", host).status, 403) << host;
  }
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
    EXPECT_EQ(Ask(std::string(method) + " /report.html").status, 405);
  }
  auto folder = ViewFolder::Open(folder_.path() + "/shown");
  for (const char* head : {"", "GET", "GET /", "GET / HTTP/2", " / HTTP/1.1", "\r\n\r\n"}) {
    EXPECT_EQ(folder->Answer(head, 9001).status, 400) << head;
  }
}

TEST_F(ViewAnswerTest, AFolderIsListedWithLinksThatLeadNowhereElse) {
  EXPECT_EQ(Ask("GET /cases").status, 301);
  EXPECT_THAT(ToBytes(Ask("GET /cases")), HasSubstr("\r\nLocation: /cases/\r\n"));
  const std::string listed = Ask("GET /cases/").body;
  EXPECT_THAT(listed, HasSubstr("href=\"./a%20b%25.pftrace\""));
  EXPECT_THAT(listed, HasSubstr("href=\"./javascript%3Aalert%281%29.html\""));
  EXPECT_THAT(listed, HasSubstr("href=\"./deep/\""));
  EXPECT_THAT(listed, HasSubstr("https://ui.perfetto.dev/#!/?url=http://127.0.0.1:9001/cases/"
                                "a%20b%25.pftrace\""));
  const std::string elsewhere = Ask("GET /cases/", "127.0.0.1:80", 80).body;
  EXPECT_THAT(elsewhere, Not(HasSubstr("https://")));
  const std::string top = Ask("GET /").body;
  EXPECT_THAT(top, Not(HasSubstr(".hidden")));
  EXPECT_THAT(top, Not(HasSubstr("link.txt")));
  EXPECT_THAT(top, Not(HasSubstr("pipe<")));
  Write("shown/index.html", "index");
  EXPECT_EQ(Ask("GET /").body, "index");
  EXPECT_EQ(Ask("GET /favicon.ico").status, 204);
}

TEST(ViewFolderTest, WhatIsNoFolderIsAnErrorWithItsName) {
  const auto opened = ViewFolder::Open("/dev/null");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().message(), "cannot show /dev/null: Not a directory");
}

}  // namespace
}  // namespace interlock::scenarios::cli
