// SPDX-License-Identifier: MIT
//
// Each size is written after the data that it counts, so that a reader never sees more than is
// there.
#include "scenarios/run/black_box.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "scenarios/cases/replay_token.h"

namespace interlock::scenarios {
namespace {

constexpr std::size_t kMostDraws = 1 << 20;
constexpr std::size_t kMostInjected = 1024;
constexpr std::size_t kMostReason = 512;
constexpr std::size_t kMostToken = 1 << 20;
constexpr std::size_t kMostEvents = 32 << 20;  // bytes
constexpr std::uint64_t kMagic = 0x696e7465726c6f63;

/// The header that precedes the text of an event.
struct BoxedEvent {
  std::int64_t time = 0;
  std::uint64_t step = 0;
  std::uint64_t hash = 0;
  std::uint64_t draws = 0;
  std::uint64_t command = 0;
  std::int32_t process = 0;
  std::uint32_t kind = 0;
  std::uint64_t size = 0;  // of the text
};

// This is global because signal handlers need it, and leaked on purpose.
std::atomic<BlackBox*> the_box{nullptr};

}  // namespace

struct BlackBox::Memory {
  std::uint64_t magic = kMagic;
  std::atomic<std::uint64_t> beats{0};
  std::atomic<std::uint64_t> index{0};
  std::atomic<bool> in_run{false};
  std::atomic<bool> ending{false};
  std::atomic<bool> stop{false};
  std::atomic<int> process{-1};
  std::atomic<std::size_t> reason_size{0};
  std::atomic<std::size_t> token_size{0};
  std::atomic<std::size_t> injected_size{0};
  std::atomic<std::size_t> events_size{0};
  std::array<std::atomic<std::size_t>, sim::kLanes> lane_sizes{};
  std::array<char, kMostReason> reason;
  std::array<char, kMostToken> token;  // of the workload, with an empty tape
  std::array<sim::Fault, kMostInjected> injected;
  std::array<std::array<std::uint32_t, kMostDraws>, sim::kLanes> lanes;
  std::array<char, kMostEvents> events;
};

Result<std::unique_ptr<BlackBox>> BlackBox::New() {
  const int fd = memfd_create("interlock", MFD_CLOEXEC);
  if (fd < 0) return Status(StatusCode::kUnavailable, "no shared memory");
  void* place = MAP_FAILED;
  if (ftruncate(fd, sizeof(Memory)) == 0) {
    place = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (place == MAP_FAILED) {
    close(fd);
    return Status(StatusCode::kUnavailable, "no shared memory");
  }
  // Not value-initialised: pages that are never touched take no memory.
  auto* memory = new (place) Memory;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  return std::unique_ptr<BlackBox>(new BlackBox(fd, memory));
}

BlackBox* BlackBox::OpenForThisProcess(int fd) {
  void* place = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (place == MAP_FAILED) return nullptr;
  auto* memory = static_cast<Memory*>(place);
  // The size is checked first, because reading from a shorter file would end the process.
  if (lseek(fd, 0, SEEK_END) != static_cast<off_t>(sizeof(Memory)) || memory->magic != kMagic) {
    munmap(place, sizeof(Memory));
    return nullptr;
  }
  the_box.store(new BlackBox(fd, memory));
  return the_box.load();
}

void BlackBox::UseForThisProcess() { the_box.store(this); }

std::atomic<bool>& BlackBox::stop() { return memory_->stop; }

BlackBox* BlackBox::OfThisProcess() { return the_box.load(); }

BlackBox::~BlackBox() {
  munmap(memory_, sizeof(Memory));
  close(fd_);
}

void BlackBox::NoteIndex(std::uint64_t index) { memory_->index = index; }

void BlackBox::Beat() { memory_->beats.fetch_add(1, std::memory_order_relaxed); }

void BlackBox::NoteEnd(std::string_view reason) {
  if (memory_->ending.exchange(true)) return;
  const std::size_t size = std::min(reason.size(), kMostReason);
  std::memcpy(memory_->reason.data(), reason.data(), size);
  memory_->reason_size = size;
}

bool BlackBox::BeginRun(const RunCase& run_case, const Workload& workload) {
  Beat();
  if (memory_->in_run.exchange(true)) return false;
  memory_->token_size = 0;
  memory_->injected_size = 0;
  memory_->events_size = 0;
  memory_->process = -1;
  for (auto& size : memory_->lane_sizes) size = 0;
  if (!with_workload_) return true;
  const std::string token =
      Encode({std::string(run_case.subject->name()), std::string(run_case.scenario->name),
              run_case.synchrony, PackedRun{workload, {}}});
  if (token.size() > kMostToken) return true;
  std::memcpy(memory_->token.data(), token.data(), token.size());
  memory_->token_size = token.size();
  return true;
}

void BlackBox::EndRun() { memory_->in_run = false; }

void BlackBox::OnDraw(sim::Lane lane, std::uint32_t value) {
  const auto index = static_cast<std::size_t>(lane);
  const std::size_t at = memory_->lane_sizes[index].load(std::memory_order_relaxed);
  if (at >= kMostDraws) return;
  memory_->lanes[index][at] = value;
  memory_->lane_sizes[index].store(at + 1, std::memory_order_release);
}

void BlackBox::OnFault(const sim::Fault& fault) {
  const std::size_t at = memory_->injected_size;
  if (at >= kMostInjected) return;
  memory_->injected[at] = fault;
  memory_->injected_size = at + 1;
}

void BlackBox::OnTask(int process) { memory_->process.store(process, std::memory_order_relaxed); }

void BlackBox::OnEvent(const sim::TraceEvent& event) {
  const std::size_t at = memory_->events_size;
  BoxedEvent head;
  if (kMostEvents - at < sizeof(head) + event.text.size()) return;
  head.time = event.time.count();
  head.step = event.step;
  head.hash = event.hash;
  head.draws = event.draws;
  head.command = event.command;
  head.process = event.process;
  head.kind = static_cast<std::uint32_t>(event.kind);
  head.size = event.text.size();
  std::memcpy(memory_->events.data() + at, &head, sizeof(head));
  std::memcpy(memory_->events.data() + at + sizeof(head), event.text.data(), event.text.size());
  memory_->events_size = at + sizeof(head) + event.text.size();
}

std::uint64_t BlackBox::beats() const { return memory_->beats; }

namespace {

std::vector<sim::TraceEvent> ReadEvents(std::string_view bytes) {
  std::vector<sim::TraceEvent> events;
  BoxedEvent head;
  while (bytes.size() >= sizeof(head)) {
    std::memcpy(&head, bytes.data(), sizeof(head));
    bytes.remove_prefix(sizeof(head));
    const bool sound = head.kind <= static_cast<std::uint32_t>(sim::TraceKind::kNote) &&
                       head.size <= bytes.size() && head.process >= -1;
    if (!sound) break;
    sim::TraceEvent event;
    event.time = sim::VirtualTime(head.time);
    event.process = head.process;
    event.kind = static_cast<sim::TraceKind>(head.kind);
    event.text = bytes.substr(0, head.size);
    event.step = head.step;
    event.hash = head.hash;
    event.draws = head.draws;
    event.command = head.command;
    bytes.remove_prefix(head.size);
    // An annotation is placed by its time, after the events of the same instant.
    auto place = events.end();
    while (place != events.begin() && std::prev(place)->time > event.time) --place;
    events.insert(place, std::move(event));
  }
  return events;
}

/// Adds the injected faults and the drawn choices to a token that holds the run's workload.
std::string Completed(std::string_view token, const sim::FaultPlan& injected,
                      const sim::Tape& tape) {
  auto decoded = DecodeReplayToken(token);
  if (!decoded.ok()) return "";
  auto* run = std::get_if<PackedRun>(&decoded->run);
  if (run == nullptr) return "";
  run->workload = WithFaults(std::move(run->workload), injected);
  run->tape = tape;
  return Encode(*decoded);
}

}  // namespace

LastRun BlackBox::Read() const {
  LastRun last;
  const auto text = [](const auto& bytes, std::size_t size) {
    return std::string_view(bytes.data(), std::min(size, bytes.size()));
  };
  last.index = memory_->index;
  last.process = memory_->process;
  last.reason = text(memory_->reason, memory_->reason_size);
  for (std::size_t lane = 0; lane < sim::kLanes; ++lane) {
    const std::size_t size = std::min<std::size_t>(memory_->lane_sizes[lane], kMostDraws);
    const std::uint32_t* first = memory_->lanes[lane].data();
    last.tape.lanes[lane].assign(first, first + size);
    while (!last.tape.lanes[lane].empty() && last.tape.lanes[lane].back() == 0) {
      last.tape.lanes[lane].pop_back();
    }
  }
  const std::size_t injected = std::min<std::size_t>(memory_->injected_size, kMostInjected);
  const sim::Fault* first = memory_->injected.data();
  last.token =
      Completed(text(memory_->token, memory_->token_size), {first, first + injected}, last.tape);
  last.events = ReadEvents(text(memory_->events, memory_->events_size));
  return last;
}

BoxedRun::BoxedRun(const RunCase& run_case, const Workload& workload, sim::Choices& choices)
    : box_(BlackBox::OfThisProcess()), choices_(choices) {
  if (box_ == nullptr) return;
  if (!box_->BeginRun(run_case, workload)) {
    box_ = nullptr;
    return;
  }
  choices_.set_mirror(box_);
}

BoxedRun::~BoxedRun() {
  if (box_ == nullptr) return;
  choices_.set_mirror(nullptr);
  box_->EndRun();
}

}  // namespace interlock::scenarios
