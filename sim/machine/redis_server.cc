// SPDX-License-Identifier: MIT
//
// Hazard: between the choice of a free port and the server's bind, another process may take the
// port, and that process may even be a Redis that answers. So readiness is judged by the process id
// in INFO, and a server that ends at once is started again on another port.
#include "sim/machine/redis_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "sim/machine/loopback.h"

namespace interlock::sim::machine {
namespace {

constexpr int kStartAttempts = 10;
constexpr std::chrono::seconds kReadyTimeout{20};
constexpr std::chrono::milliseconds kPollInterval{2};

Status Unavailable(const std::string& what) { return Status(StatusCode::kUnavailable, what); }

bool IsExecutable(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

Result<std::string> FindBinary() {
  if (const char* chosen = std::getenv("INTERLOCK_REDIS_SERVER"); chosen != nullptr) {
    if (IsExecutable(chosen)) return std::string(chosen);
    return Unavailable("INTERLOCK_REDIS_SERVER names no executable file: " + std::string(chosen));
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (IsExecutable(folder + "/redis-server")) return folder + "/redis-server";
  }
  const std::string same_binary = "/usr/bin/redis-check-rdb";
  if (IsExecutable(same_binary)) return same_binary;
  return Unavailable(
      "no redis-server: apt-get install redis-tools (which starts no service), or set "
      "INTERLOCK_REDIS_SERVER");
}

int FreePort() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t length = sizeof(address);
  int port = 0;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    port = ntohs(address.sin_port);
  }
  ::close(fd);
  return port;
}

void AppendHeader(char kind, std::size_t count, std::string& out) {
  out.push_back(kind);
  out.append(std::to_string(count)).append("\r\n");
}

// A minimal client, so that the real one is not tested with itself.
class RawClient {
 public:
  explicit RawClient(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{5, 0};
    (void)::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    const sockaddr_in address = Loopback(port);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawClient() { ::close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool Send(const std::vector<std::string>& words) {
    if (!connected_) return false;
    std::string request;
    AppendHeader('*', words.size(), request);
    for (const std::string& word : words) {
      AppendHeader('$', word.size(), request);
      request.append(word).append("\r\n");
    }
    return ::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(request.size());
  }

  std::optional<std::string> Call(const std::vector<std::string>& words) {
    if (!Send(words)) return std::nullopt;
    const std::optional<std::string> line = ReadLine();
    if (!line || line->empty()) return std::nullopt;
    if (line->front() == '-') return line;
    if (line->front() != '$') return line->substr(1);
    const long size = std::strtol(line->c_str() + 1, nullptr, 10);
    if (size < 0) return "(nil)";
    while (input_.size() < static_cast<std::size_t>(size) + 2) {
      if (!Fill()) return std::nullopt;
    }
    return std::exchange(input_, {}).substr(0, static_cast<std::size_t>(size));
  }

 private:
  bool Fill() {
    char chunk[4096];
    const ssize_t got = ::recv(fd_, chunk, sizeof(chunk), 0);
    if (got <= 0) return false;
    input_.append(chunk, static_cast<std::size_t>(got));
    return true;
  }

  std::optional<std::string> ReadLine() {
    std::size_t end = 0;
    while ((end = input_.find("\r\n")) == std::string::npos) {
      if (!Fill()) return std::nullopt;
    }
    std::string line = input_.substr(0, end);
    input_.erase(0, end + 2);
    return line;
  }

  int fd_;
  bool connected_ = false;
  std::string input_;
};

std::optional<std::int64_t> NumberAfter(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoll(text.c_str() + at + label.size(), nullptr, 10);
}

}  // namespace

RedisServer::RedisServer(std::string binary, std::unique_ptr<FolderGuard> folder,
                         RedisServerOptions options)
    : binary_(std::move(binary)), folder_(std::move(folder)), options_(std::move(options)) {}

RedisServer::~RedisServer() { Kill(); }

// "Redis server v=7.0.15 sha=...", "Valkey server v=9.1.2 sha=..."
Result<ServerVersion> RedisServer::FindVersion() {
  Result<std::string> binary = FindBinary();
  if (!binary.ok()) return binary.status();
  // By the name it is told apart from the checker of dump files.
  FILE* pipe =
      ::popen(("bash -c 'exec -a redis-server \"$0\" --version' '" + *binary + "'").c_str(), "r");
  std::array<char, 256> line{};
  const bool said = pipe != nullptr && std::fgets(line.data(), line.size(), pipe) != nullptr;
  if (pipe != nullptr) ::pclose(pipe);
  const std::string text(said ? line.data() : "");
  const std::size_t at = text.find(" server v=");
  if (at == std::string::npos) return Unavailable(*binary + " does not say its version: " + text);
  const std::size_t from = at + std::string_view(" server v=").size();
  return ServerVersion{text.substr(0, at) == "Valkey",
                       text.substr(from, text.find(' ', from) - from)};
}

Result<std::unique_ptr<RedisServer>> RedisServer::Start(RedisServerOptions options) {
  Result<std::string> binary = FindBinary();
  if (!binary.ok()) return binary.status();
  Result<std::unique_ptr<FolderGuard>> folder = FolderGuard::Make("interlock-redis");
  if (!folder.ok()) return folder.status();
  std::unique_ptr<RedisServer> server(
      new RedisServer(*binary, std::move(folder).value(), std::move(options)));
  Status status;
  for (int attempt = 0; attempt < kStartAttempts; ++attempt) {
    server->port_ = FreePort();
    if (server->options_.cluster) server->bus_port_ = FreePort();
    status = server->Launch();
    if (status.ok()) return server;
  }
  return status;
}

Status RedisServer::Launch() {
  std::vector<std::string> words = {"redis-server"};
  if (options_.sentinel) {
    const std::string file = directory() + "/sentinel.conf";
    std::ofstream(file, std::ios::app).flush();  // a Sentinel rewrites this file itself
    words.insert(words.end(), {file, "--sentinel"});
  }
  words.insert(words.end(), {"--port", std::to_string(port_), "--bind", "127.0.0.1", "--save", "",
                             "--appendonly", "no", "--daemonize", "no", "--dir", directory(),
                             "--logfile", directory() + "/redis.log"});
  if (options_.cluster) {
    words.insert(words.end(), {"--cluster-enabled", "yes", "--cluster-port",
                               std::to_string(bus_port_), "--cluster-node-timeout", "2000"});
  }
  if (options_.unix_socket) words.insert(words.end(), {"--unixsocket", unix_path()});
  words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) return Unavailable("fork: " + std::generic_category().message(errno));
  if (pid_ == 0) {
    // Only async-signal-safe calls here, because the parent may have other threads.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::setpgid(0, 0);
    if (const int null = ::open("/dev/null", O_RDWR); null >= 0) {
      ::dup2(null, STDIN_FILENO);
      ::dup2(null, STDOUT_FILENO);
    }
    ::execv(binary_.c_str(), argv.data());
    ::_exit(127);
  }
  Status ready = AwaitReady();
  if (!ready.ok()) Kill();
  return ready;
}

Status RedisServer::AwaitReady() {
  const auto limit = std::chrono::steady_clock::now() + kReadyTimeout;
  while (std::chrono::steady_clock::now() < limit) {
    if (HasEnded()) return Unavailable(binary_ + " ended at once: " + LogTail());
    const Result<std::string> info = Command({"INFO", "server"});
    if (info.ok() && NumberAfter(*info, "process_id:") == pid_) return Status();
    std::this_thread::sleep_for(kPollInterval);
  }
  return Unavailable(binary_ + " does not answer: " + LogTail());
}

bool RedisServer::HasEnded() {
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) pid_ = -1;
  return pid_ <= 0;
}

std::string RedisServer::LogTail() const {
  constexpr std::size_t kShown = 600;
  std::ifstream log(directory() + "/redis.log");
  const std::string text((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
  return text.size() > kShown ? text.substr(text.size() - kShown) : text;
}

std::string RedisServer::url(int database) const {
  return "redis://127.0.0.1:" + std::to_string(port_) + "/" + std::to_string(database);
}

void RedisServer::Pause() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGSTOP);
  int status = 0;
  while (::waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
}

void RedisServer::Resume() {
  if (pid_ > 0) ::kill(pid_, SIGCONT);
}

void RedisServer::Kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

Status RedisServer::Restart() {
  Kill();
  if (Status launched = Launch(); !launched.ok()) return launched;
  if (Comes({"PING"}, "PONG")) return Status();
  return Unavailable(binary_ + " does not end loading its data");
}

Result<std::string> RedisServer::Command(const std::vector<std::string>& words) {
  RawClient client(port_);
  if (!options_.password.empty()) {
    std::vector<std::string> login = {"AUTH"};
    if (!options_.user.empty()) login.push_back(options_.user);
    login.push_back(options_.password);
    if (!client.Call(login)) return Unavailable("no reply to AUTH");
  }
  std::optional<std::string> reply = client.Call(words);
  if (!reply) return Unavailable("no reply to " + words.front());
  return *std::move(reply);
}

Status RedisServer::Post(const std::vector<std::string>& words) {
  return RawClient(port_).Send(words) ? Status() : Unavailable("cannot send " + words.front());
}

std::int64_t RedisServer::Calls(std::string_view command) {
  const Result<std::string> info = Command({"INFO", "commandstats"});
  if (!info.ok()) return -1;
  return NumberAfter(*info, "cmdstat_" + std::string(command) + ":calls=").value_or(0);
}

bool RedisServer::Comes(const std::vector<std::string>& words, std::string_view text,
                        std::chrono::milliseconds within) {
  const auto limit = std::chrono::steady_clock::now() + within;
  for (;;) {
    const Result<std::string> reply = Command(words);
    if (reply.ok() && reply->find(text) != std::string::npos) return true;
    if (std::chrono::steady_clock::now() >= limit) return false;
    std::this_thread::sleep_for(kPollInterval);
  }
}

bool RedisServer::AwaitBlockedClients(int count) {
  return Comes({"INFO", "clients"}, "blocked_clients:" + std::to_string(count) + "\r",
               std::chrono::seconds(5));
}

}  // namespace interlock::sim::machine
