// SPDX-License-Identifier: MIT
//
// Runs a fuzz target in builds without libFuzzer: over files and folders of files, in the order of
// their names, the corpus as a test; or with `--random SEED COUNT [SECONDS]` over COUNT inputs of
// random bytes, from that of SEED on, until so many seconds have passed.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

int RunRandom(std::uint64_t seed, std::uint64_t count, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  const auto end = start + std::chrono::duration<double>(seconds);
  std::uint64_t done = 0;
  for (; done < count && (seconds == 0 || std::chrono::steady_clock::now() < end); ++done) {
    std::mt19937_64 random(seed + done);
    std::string bytes(1 + random() % 1024, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    // Known, should it not come back.
    std::fprintf(stderr, "--random %llu 1\n", static_cast<unsigned long long>(seed + done));
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%llu inputs\n", static_cast<unsigned long long>(done));
  return done == 0 ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 4 && std::string_view(argv[1]) == "--random") {
    return RunRandom(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10),
                     argc > 4 ? std::atof(argv[4]) : 0);
  }
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(argv[i])) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in) {
      std::fprintf(stderr, "cannot read %s\n", file.c_str());
      return 2;
    }
    std::fprintf(stderr, "%s\n", file.c_str());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 2 : 0;
}
