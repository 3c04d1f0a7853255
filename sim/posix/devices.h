// SPDX-License-Identifier: MIT
//
// What else a descriptor of a simulated process can stand for: what random(4) and proc(5) have of
// random bytes, and an end of a pipe.
// Internal to sim/posix. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine.h"
#include "sim/posix/pollable.h"

namespace interlock::sim::posix {

/// The process's own random bytes.
class RandomDevice final : public Pollable {
 public:
  explicit RandomDevice(Process& process) : process_(process) {}
  ssize_t Receive(char* into, std::size_t size, int flags) override;
  ssize_t Send(const char* bytes, std::size_t size, int flags) override;
  short Ready() override;

 private:
  void SetWaiter(ScheduledTask* /*task*/) override {}

  Process& process_;
};

/// One UUID of version 4 and a line's end, another for each that opens it.
class RandomUuid final : public Pollable {
 public:
  explicit RandomUuid(Process& process);
  ssize_t Receive(char* into, std::size_t size, int flags) override;
  /// -EBADF: it cannot be written to.
  ssize_t Send(const char* bytes, std::size_t size, int flags) override;
  short Ready() override;

 private:
  void SetWaiter(ScheduledTask* /*task*/) override {}

  std::string unread_;
};

/// "/dev/urandom", "/dev/random" and "/proc/sys/kernel/random/uuid", which are a process's own.
bool IsRandomFile(std::string_view path);
/// REQUIRES: IsRandomFile(path).
std::shared_ptr<Pollable> OpenRandomFile(std::string_view path, Process& process);

class Library;

/// The streams that a process has opened on such files, as fopen(3) and fileno(3) have them.
class RandomStreams {
 public:
  /// nullptr, with errno: there is no room. `library` outlives the stream.
  FILE* Open(std::string_view path, Library& library);
  /// -1: it is not one of these.
  int DescriptorOf(const FILE* stream) const;

 private:
  struct Opened {
    RandomStreams* among;
    Library* library;
    int descriptor;
    FILE* stream;
  };

  static ssize_t Read(void* opened, char* into, std::size_t size);
  static int Close(void* opened);

  std::vector<std::unique_ptr<Opened>> all_;
};

/// What the two ends of a pipe share.
struct PipeBuffer {
  std::string bytes;
  bool read_from = true;   ///< an end that reads is open
  bool written_to = true;  ///< an end that writes is open
  ScheduledTask* reader = nullptr;
  ScheduledTask* writer = nullptr;
};

class PipeEnd final : public Pollable {
 public:
  PipeEnd(Engine& engine, const Process& process, std::shared_ptr<PipeBuffer> buffer, bool reads)
      : engine_(engine), process_(process), buffer_(std::move(buffer)), reads_(reads) {}
  ~PipeEnd() override;
  /// As pipe(7): 0 once nobody writes any more; -EPIPE without a signal.
  ssize_t Receive(char* into, std::size_t size, int flags) override;
  ssize_t Send(const char* bytes, std::size_t size, int flags) override;
  short Ready() override;

 private:
  void SetWaiter(ScheduledTask* task) override;
  void Wake(ScheduledTask* task);

  Engine& engine_;
  const Process& process_;
  const std::shared_ptr<PipeBuffer> buffer_;
  const bool reads_;
};

}  // namespace interlock::sim::posix
