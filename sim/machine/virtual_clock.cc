// SPDX-License-Identifier: MIT
#include "sim/machine/virtual_clock.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/machine/clock_library.h"

namespace interlock::sim::machine {
namespace {

/// A client that asks for the time more often than this while time stands still is waiting for it
/// to pass.
constexpr std::uint64_t kSpinning = 20'000;
constexpr std::int64_t kNsPerUs = 1'000;

Status Failed(std::string_view what) {
  return Status(StatusCode::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno)));
}

std::string PathOf(int file) { return fmt::format("/proc/{}/fd/{}", getpid(), file); }

/// A file with the library; -1: none can be had.
int MakeLibrary(std::string_view name) {
  const int file = memfd_create(std::string(name).c_str(), MFD_CLOEXEC);
  const std::string_view library = ClockLibrary();
  if (file < 0) return file;
  if (write(file, library.data(), library.size()) == static_cast<ssize_t>(library.size())) {
    return file;
  }
  close(file);
  return -1;
}

bool Exists(const Sleeper& one) {
  return syscall(SYS_tgkill, one.process.load(), one.thread.load(), 0) == 0 || errno == EPERM;
}

bool Waits(const Sleeper& one) {
  return one.thread != 0 && one.until_ns != kNoWakeUp && Exists(one);
}

void Wake(Sleeper& one, int datagrams) {
  one.woken = 1;
  syscall(SYS_futex, &one.woken, FUTEX_WAKE, INT_MAX);
  if (one.by != WakeBy::kSocket) return;
  sockaddr_un address{};
  const socklen_t size = WakeAddress(one.thread, address);
  sendto(datagrams, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
         size);
}

}  // namespace

struct VirtualClock::Page {
  int file = -1;
  SharedClock* clock = nullptr;
  std::unique_ptr<WaitWatch> watch;
};

Result<std::unique_ptr<VirtualClock>> VirtualClock::Make(
    const std::vector<std::uint64_t>& entropy) {
  std::unique_ptr<VirtualClock> made(new VirtualClock());
  made->datagrams_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (made->datagrams_ < 0) return Failed("no clock for clients");
  static int library = -1;
  if (library < 0) library = MakeLibrary(kLibrary);
  if (library < 0) return Failed("cannot lay out the clients' clock");
  made->library_ = library;
  for (const std::uint64_t words : entropy) {
    Page& page = made->pages_.emplace_back();
    page.file = memfd_create("interlock-time", MFD_CLOEXEC);
    if (page.file < 0 || ftruncate(page.file, sizeof(SharedClock)) != 0) return Failed("no page");
    void* memory =
        mmap(nullptr, sizeof(SharedClock), PROT_READ | PROT_WRITE, MAP_SHARED, page.file, 0);
    if (memory == MAP_FAILED) return Failed("no page");
    page.clock = new (memory) SharedClock();
    page.clock->client = static_cast<std::int32_t>(made->pages_.size() - 1);
    page.clock->entropy = words;
    page.clock->now_ns = kEpochUs * kNsPerUs;
    page.watch = std::make_unique<WaitWatch>(page.clock->wait);
  }
  return made;
}

VirtualClock::~VirtualClock() {
  for (const Page& page : pages_) {
    if (page.clock != nullptr) munmap(page.clock, sizeof(SharedClock));
    if (page.file >= 0) close(page.file);
  }
  if (datagrams_ >= 0) close(datagrams_);
}

SharedClock& VirtualClock::page(int client) const {
  return *pages_[static_cast<std::size_t>(client)].clock;
}

WaitWatch& VirtualClock::watch(int client) const {
  return *pages_[static_cast<std::size_t>(client)].watch;
}

ForeignProcess::Environment VirtualClock::EnvironmentOf(int client) const {
  std::string preload = PathOf(library_);
  const char* others = std::getenv("LD_PRELOAD");
  if (others != nullptr) preload += fmt::format(":{}", others);
  return {{"LD_PRELOAD", preload},
          {kClockVariable, PathOf(pages_[static_cast<std::size_t>(client)].file)}};
}

int VirtualClock::PageOf(int client) const { return pages_[static_cast<std::size_t>(client)].file; }

VirtualClock::Standing VirtualClock::StandingOf(int client) const {
  const SharedClock& clock = page(client);
  return {clock.last_reading_ns, clock.entropy, clock.readings, clock.process};
}

void VirtualClock::Continue(int client, const Standing& from, const std::vector<int>& sought,
                            const std::vector<int>& real) {
  SharedClock& clock = page(client);
  clock.last_reading_ns = from.last_reading_ns;
  clock.entropy = from.entropy;
  clock.readings = from.readings;
  clock.process = from.process;
  for (std::size_t i = 0; i < sought.size(); ++i) {
    clock.ports[i] = {static_cast<std::uint16_t>(sought[i]), static_cast<std::uint16_t>(real[i])};
  }
  clock.port_count = static_cast<std::int32_t>(sought.size());
}

void VirtualClock::LeadTo(int client, const VirtualClock& by) const {
  page(client).copy_page = by.PageOf(client);
}

void VirtualClock::SetTime(std::int64_t unix_us) {
  const std::int64_t now_ns = unix_us * kNsPerUs;
  for (std::size_t client = 0; client < pages_.size(); ++client) {
    SharedClock& clock = *pages_[client].clock;
    if (clock.now_ns == now_ns) continue;
    const auto is_due = [now_ns](const Sleeper& one) {
      return one.thread != 0 && one.until_ns < now_ns;
    };
    const auto sleepers = SleepersOf(clock);
    bool any = std::any_of(sleepers.begin(), sleepers.end(), is_due);
    if (any) pages_[client].watch->BeginGift();
    clock.now_ns = now_ns;
    clock.readings = 0;
    for (Sleeper& one : SleepersOf(clock)) {
      if (!is_due(one)) continue;
      Wake(one, datagrams_);
      any = true;
    }
    if (any) pages_[client].watch->EndGift();
    if (any) woken_.push_back(static_cast<int>(client));
  }
}

void VirtualClock::ShiftWallClock(int client, std::int64_t by_us, std::int64_t rate_ppm) {
  SharedClock& clock = page(client);
  const std::int64_t now_ns = clock.now_ns;
  clock.wall_offset_ns = WallNs(clock, now_ns) - now_ns + by_us * kNsPerUs;
  clock.wall_since_ns = now_ns;
  clock.wall_rate_ppm = rate_ppm;
}

std::vector<int> VirtualClock::TakeWoken() { return std::exchange(woken_, {}); }

std::optional<std::int64_t> VirtualClock::NextWakeUs(int client) const {
  std::int64_t next_ns = kNoWakeUp;
  for (const Sleeper& one : SleepersOf(page(client))) {
    if (Waits(one)) next_ns = std::min(next_ns, one.until_ns.load());
  }
  if (next_ns == kNoWakeUp) return std::nullopt;
  return next_ns / kNsPerUs + 1;
}

bool VirtualClock::SleepsSince(int client, std::int64_t unix_us) const {
  const auto sleepers = SleepersOf(page(client));
  return std::any_of(sleepers.begin(), sleepers.end(), [unix_us](const Sleeper& one) {
    return Waits(one) && one.since_ns <= unix_us * kNsPerUs;
  });
}

bool VirtualClock::IsWaking(int client) const {
  SharedClock& clock = page(client);
  const auto sleepers = SleepersOf(clock);
  return std::any_of(sleepers.begin(), sleepers.end(), [&clock](const Sleeper& one) {
    return one.until_ns < clock.now_ns && Waits(one);
  });
}

bool VirtualClock::Spins(int client) const { return page(client).readings > kSpinning; }

bool VirtualClock::HasKernelTimer(int client) const { return page(client).kernel_timer; }

Napping VirtualClock::NappingOf(int client) const {
  Napping napping;
  // Read first, so that a thread that begins to wait later makes a difference.
  napping.waits = waits(client);
  for (const Sleeper& one : SleepersOf(page(client))) {
    if (one.by == WakeBy::kNaps && Waits(one)) napping.threads.push_back(one.thread);
  }
  return napping;
}

}  // namespace interlock::sim::machine
