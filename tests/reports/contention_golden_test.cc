// SPDX-License-Identifier: MIT
//
// A stored measurement in every format that there is for one, byte by byte.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "golden.h"
#include "report_samples.h"
#include "reports/contention_json.h"
#include "reports/formats.h"
#include "reports/html_contention.h"
#include "reports/run_files.h"

namespace interlock::reports {
namespace {

StoredRun Stored() {
  const auto run = ReadRun(INTERLOCK_GOLDEN_DIR "/contention.run.json");
  EXPECT_TRUE(run.value.has_value()) << run.error;
  return run.value.value_or(StoredRun());
}

std::string Rendering(const std::string& format) {
  std::string all;
  for (const Rendered& file : Render(*FindFormat(format), Stored())) all += file.content;
  return all;
}

/// Style and script are everybody's, and held by their hashes.
std::string BodyOf(const std::string& page) {
  const std::size_t begin = page.find("<main>");
  return page.substr(begin, page.find("</main>") - begin);
}

TEST(ContentionGoldenTest, WhatIsStoredIsWrittenAgainAsItWas) {
  ExpectApproved("contention.run.json", ToJson(Stored().contention.value()));
}

TEST(ContentionGoldenTest, EveryFormatIsAsItWasApproved) {
  const std::string prefix = "contention.approved.";
  std::set<std::string> approved = {prefix + "together.html"};
  for (const Format& format : Formats()) {
    const std::string name(format.name);
    const std::string text = Rendering(name);
    EXPECT_EQ(text.empty(), format.render_contention == nullptr) << name;
    if (text.empty()) continue;
    ExpectApproved(prefix + name, name == "html" ? BodyOf(text) : text);
    approved.insert(prefix + name);
  }
  for (const auto& file : std::filesystem::directory_iterator(INTERLOCK_GOLDEN_DIR)) {
    const std::string name = file.path().filename().string();
    EXPECT_TRUE(!name.starts_with(prefix) || approved.contains(name)) << name << " is of no format";
  }
  EXPECT_EQ("", XmllintComplaint(Rendering("junit")));
}

TEST(ContentionGoldenTest, VirtualAndWallTimeOnOnePageAreAsTheyWereApproved) {
  const ContentionReport virtual_time = Stored().contention.value();
  ContentionReport wall = virtual_time;
  wall.backend = "redis://127.0.0.1:7777/0";
  for (ContentionPoint& point : wall.points) point.server.reset();
  ExpectApproved("contention.approved.together.html",
                 BodyOf(ToHtml({{"virtual", &virtual_time}, {"real", &wall}})));
}

TEST(ContentionGoldenTest, WhatAnEarlierVersionWroteIsRead) {
  std::string old = ToJson(Stored().contention.value());
  for (const std::string newer : {"\"woken\"", "\"woken_in_vain\"", "\"oldest_wait_ns\"",
                                  "\"fenced_rejects\"", "\"lwss_median\""}) {
    for (std::size_t at = old.find(newer); at != std::string::npos; at = old.find(newer)) {
      const std::size_t line = old.rfind('\n', at);
      old.erase(line, old.find('\n', at) - line);
    }
  }
  const auto read = ReadContention(old);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(read.value->points.front().woken, 0U);
  EXPECT_EQ(read.value->points.front().fenced_rejects, std::nullopt);
}

}  // namespace
}  // namespace interlock::reports
