// SPDX-License-Identifier: MIT
#include "sim/posix/devices.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "sim/posix/library.h"

namespace interlock::sim::posix {

namespace {

constexpr std::size_t kPipeHolds = 65'536;  // pipe(7), Linux

}  // namespace

ssize_t RandomDevice::Receive(char* into, std::size_t size, int /*flags*/) {
  process_.runtime->FillRandom(std::as_writable_bytes(std::span(into, size)));
  return static_cast<ssize_t>(size);
}

ssize_t RandomDevice::Send(const char* /*bytes*/, std::size_t size, int /*flags*/) {
  return static_cast<ssize_t>(size);  // stirs what is random anyway
}

short RandomDevice::Ready() { return POLLIN | POLLOUT; }

FILE* RandomStreams::Open(Library& library) {
  auto opened =
      std::make_unique<Opened>(Opened{this, &library, library.OpenRandomDevice(), nullptr});
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
