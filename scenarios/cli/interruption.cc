// SPDX-License-Identifier: MIT
#include "scenarios/cli/interruption.h"

#include <sys/types.h>

#include <csignal>

namespace interlock::scenarios::cli {
namespace {

std::atomic<bool> stop_requested{false};
volatile std::sig_atomic_t stop_signal = 0;

volatile pid_t sender = 0;  // of the first signal, until its second; 0: the terminal

void OnSignal(int signal, siginfo_t* info, void* /*context*/) {
  const pid_t from = info->si_code == SI_USER ? info->si_pid : 0;
  const bool first = stop_signal == 0;
  // timeout(1) signals its child, and then its whole group: that is one request.
  const bool the_same = !first && from != 0 && from == sender;
  sender = first ? from : 0;
  if (the_same) return;
  stop_signal = signal;
  stop_requested = true;
  if (first && from != 0) return;
  // A second request means: do not wait for the report.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (!first) std::raise(signal);
}

}  // namespace

void CatchInterruption() {
  struct sigaction action = {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool>& Interrupted() { return stop_requested; }

reports::ExitCode InterruptionCode() {
  if (stop_signal == SIGINT) return reports::ExitCode::kInterrupted;
  if (stop_signal == SIGTERM) return reports::ExitCode::kTerminated;
  return reports::ExitCode::kPass;
}

}  // namespace interlock::scenarios::cli
