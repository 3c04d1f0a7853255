// SPDX-License-Identifier: MIT
#include "scenarios/cli/interruption.h"

#include <csignal>

namespace interlock::scenarios::cli {
namespace {

std::atomic<bool> stop_requested{false};
volatile std::sig_atomic_t stop_signal = 0;

void OnSignal(int signal) {
  stop_signal = signal;
  stop_requested = true;
  // Whoever asks twice does not want to wait for the report.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void CatchInterruption() {
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
}

const std::atomic<bool>& Interrupted() { return stop_requested; }

reports::ExitCode InterruptionCode() {
  if (stop_signal == SIGINT) return reports::ExitCode::kInterrupted;
  if (stop_signal == SIGTERM) return reports::ExitCode::kTerminated;
  return reports::ExitCode::kPass;
}

}  // namespace interlock::scenarios::cli
