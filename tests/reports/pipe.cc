// SPDX-License-Identifier: MIT
#include "pipe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace interlock::reports {

std::string Pipe(const std::string& command, const std::string& input) {
  std::string name = (std::filesystem::temp_directory_path() / "interlock-pipe-XXXXXX").string();
  const int file = mkstemp(name.data());
  EXPECT_GE(file, 0) << name;
  if (file < 0) return "";
  close(file);
  std::ofstream(name, std::ios::binary) << input;
  std::FILE* out = popen((command + " < " + name).c_str(), "r");
  EXPECT_NE(out, nullptr) << command;
  std::string text;
  for (int c = out == nullptr ? EOF : std::fgetc(out); c != EOF; c = std::fgetc(out)) {
    text += static_cast<char>(c);
  }
  EXPECT_EQ(out == nullptr ? -1 : pclose(out), 0) << command;
  std::remove(name.c_str());
  return text;
}

}  // namespace interlock::reports
