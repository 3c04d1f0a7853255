// SPDX-License-Identifier: MIT
#include "sim/machine/proxy/fault_proxy.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "sim/machine/loopback.h"
#include "sim/machine/proxy/proxy_loop.h"

namespace interlock::sim::machine {
namespace {

Status NoProxy(const char* what) { return Status(StatusCode::kUnavailable, what); }

[[noreturn]] void RunProxy(ProxyTask task, pid_t parent) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  signal(SIGINT, SIG_IGN);  // the parent decides when the proxy ends
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  ProxyLoop(std::move(task)).Run();
  _exit(0);
}

}  // namespace

Result<std::unique_ptr<FaultProxy>> FaultProxy::Start(int clients, const std::vector<int>& servers,
                                                      std::vector<RealFault> faults) {
  std::unique_ptr<FaultProxy> proxy(new FaultProxy());
  proxy->nodes_ = servers.size();
  ProxyTask task;
  task.servers = servers;
  task.faults = std::move(faults);
  Status status;
  for (int client = 0; client < clients; ++client) {
    for (std::size_t node = 0; node < servers.size(); ++node) {
      ProxyListener listener = {ListenOnLoopback(), client, static_cast<int>(node)};
      if (listener.fd < 0) status = NoProxy("the proxy cannot listen");
      proxy->ports_.push_back(PortOf(listener.fd));
      task.listeners.push_back(listener);
    }
  }
  std::array<int, 2> control{-1, -1};
  std::array<int, 2> strikes{-1, -1};
  if (status.ok() &&
      (pipe2(control.data(), O_CLOEXEC) != 0 || pipe2(strikes.data(), O_CLOEXEC) != 0)) {
    status = NoProxy("the proxy has no pipes");
  }
  if (status.ok()) {
    task.control = control[0];
    task.strikes = strikes[1];
    const pid_t parent = getpid();
    proxy->pid_ = fork();
    if (proxy->pid_ == 0) {
      close(control[1]);
      close(strikes[0]);
      RunProxy(std::move(task), parent);
    }
    if (proxy->pid_ < 0) status = NoProxy("the proxy has no process");
  }
  for (const ProxyListener& listener : task.listeners) close(listener.fd);
  for (const int fd : {control[0], strikes[1]}) close(fd);
  proxy->control_ = control[1];
  proxy->strikes_ = strikes[0];
  if (!status.ok()) return status;
  fcntl(proxy->strikes_, F_SETFL, O_NONBLOCK);
  return proxy;
}

FaultProxy::~FaultProxy() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  for (const int fd : {control_, strikes_}) close(fd);
}

int FaultProxy::port(int client, int node) const {
  return ports_[static_cast<std::size_t>(client) * nodes_ + static_cast<std::size_t>(node)];
}

void FaultProxy::Route(const ProxyRoute& route) {
  while (write(control_, &route, sizeof route) < 0 && errno == EINTR) {
  }
}

std::vector<ProxyStrike> FaultProxy::Collect() {
  std::vector<ProxyStrike> all;
  ProxyStrike one;
  while (read(strikes_, &one, sizeof one) == static_cast<ssize_t>(sizeof one)) all.push_back(one);
  return all;
}

}  // namespace interlock::sim::machine
