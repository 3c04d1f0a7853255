// SPDX-License-Identifier: MIT
#include "sim/posix/devices.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "sim/posix/library.h"

namespace interlock::sim::posix {

namespace {

constexpr std::size_t kPipeHolds = 65'536;  // pipe(7), Linux
constexpr std::string_view kUuidFile = "/proc/sys/kernel/random/uuid";

void FillRandom(Process& process, std::span<char> bytes) {
  process.runtime->FillRandom(std::as_writable_bytes(bytes));
}

}  // namespace

ssize_t RandomDevice::Receive(char* into, std::size_t size, int /*flags*/) {
  FillRandom(process_, {into, size});
  return static_cast<ssize_t>(size);
}

ssize_t RandomDevice::Send(const char* /*bytes*/, std::size_t size, int /*flags*/) {
  return static_cast<ssize_t>(size);  // stirs what is random anyway
}

short RandomDevice::Ready() { return POLLIN | POLLOUT; }

RandomUuid::RandomUuid(Process& process) {
  std::array<char, 16> bytes{};
  FillRandom(process, bytes);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);  // RFC 9562, 5.4
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) unread_ += '-';
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(bytes[i]);
    unread_ += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  unread_ += '\n';
}

ssize_t RandomUuid::Receive(char* into, std::size_t size, int /*flags*/) {
  const std::size_t taken = unread_.copy(into, size);
  unread_.erase(0, taken);
  return static_cast<ssize_t>(taken);
}

ssize_t RandomUuid::Send(const char* /*bytes*/, std::size_t /*size*/, int /*flags*/) {
  return -EBADF;
}

short RandomUuid::Ready() { return POLLIN; }

bool IsRandomFile(std::string_view path) {
  return path == "/dev/urandom" || path == "/dev/random" || path == kUuidFile;
}

std::shared_ptr<Pollable> OpenRandomFile(std::string_view path, Process& process) {
  if (path == kUuidFile) return std::make_shared<RandomUuid>(process);
  return std::make_shared<RandomDevice>(process);
}

FILE* RandomStreams::Open(std::string_view path, Library& library) {
  auto opened = std::make_unique<Opened>(Opened{this, &library, library.OpenRandom(path), nullptr});
  if (opened->descriptor < 0) return nullptr;
  opened->stream = fopencookie(opened.get(), "r", {&Read, nullptr, nullptr, &Close});
  if (opened->stream == nullptr) return nullptr;
  return all_.emplace_back(std::move(opened))->stream;
}

int RandomStreams::DescriptorOf(const FILE* stream) const {
  const auto found = std::ranges::find(all_, stream, [](const auto& one) { return one->stream; });
  return found == all_.end() ? -1 : (*found)->descriptor;
}

ssize_t RandomStreams::Read(void* opened, char* into, std::size_t size) {
  const Opened& one = *static_cast<Opened*>(opened);
  return one.library->Receive(one.descriptor, into, size, 0);
}

int RandomStreams::Close(void* opened) {
  Opened& one = *static_cast<Opened*>(opened);
  const int closed = one.library->Close(one.descriptor);
  std::erase_if(one.among->all_, [&one](const auto& other) { return other.get() == &one; });
  return closed;
}

PipeEnd::~PipeEnd() {
  (reads_ ? buffer_->read_from : buffer_->written_to) = false;
  Wake(reads_ ? buffer_->writer : buffer_->reader);
}

void PipeEnd::Wake(ScheduledTask* task) {
  if (task != nullptr) engine_.scheduler.MakeReady(task);
}

ssize_t PipeEnd::Receive(char* into, std::size_t size, int /*flags*/) {
  if (!reads_) return -EBADF;
  while (buffer_->bytes.empty()) {
    if (!buffer_->written_to) return 0;
    if (nonblocking) return -EAGAIN;
    if (!AwaitChange(engine_, process_)) return -ECANCELED;
  }
  const std::size_t taken = std::min(size, buffer_->bytes.size());
  std::memcpy(into, buffer_->bytes.data(), taken);
  buffer_->bytes.erase(0, taken);
  Wake(buffer_->writer);
  return static_cast<ssize_t>(taken);
}

ssize_t PipeEnd::Send(const char* bytes, std::size_t size, int /*flags*/) {
  if (reads_) return -EBADF;
  std::size_t written = 0;
  while (written < size) {
    if (!buffer_->read_from) return -EPIPE;
    const std::size_t room = std::min(size - written, kPipeHolds - buffer_->bytes.size());
    buffer_->bytes.append(bytes + written, room);
    written += room;
    if (room > 0) {
      Wake(buffer_->reader);
    } else if (nonblocking) {
      return written > 0 ? static_cast<ssize_t>(written) : -EAGAIN;
    } else if (!AwaitChange(engine_, process_)) {
      return -ECANCELED;
    }
  }
  return static_cast<ssize_t>(written);
}

short PipeEnd::Ready() {
  if (!reads_) {
    if (!buffer_->read_from) return POLLOUT | POLLERR;
    return buffer_->bytes.size() < kPipeHolds ? POLLOUT : 0;
  }
  const int readable = buffer_->bytes.empty() ? 0 : POLLIN;
  return static_cast<short>(readable | (buffer_->written_to ? 0 : POLLHUP));
}

void PipeEnd::SetWaiter(ScheduledTask* task) {
  (reads_ ? buffer_->reader : buffer_->writer) = task;
}

}  // namespace interlock::sim::posix
