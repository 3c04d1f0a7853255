// SPDX-License-Identifier: MIT
//
// Hazards:
// - OpenSSL writes without MSG_NOSIGNAL, so SIGPIPE is blocked during each call and, if the call
//   raised it, taken away.
// - The redisContext would close the socket, which is not its own, unless it is told to keep it.
#include "src/tls.h"

#if INTERLOCK_HAS_HIREDIS_SSL
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <hiredis/hiredis_ssl.h>
#include <poll.h>
#include <signal.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <string>
#include <utility>

#include "src/socket.h"
#endif

namespace interlock {

#if INTERLOCK_HAS_HIREDIS_SSL
namespace {

class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigset_t pending;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const int error = errno;
    const timespec at_once{};
    if (!was_pending_) {
      while (::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

struct ContextDeleter {
  void operator()(redisContext* context) const { ::redisFreeKeepFd(context); }
};
struct SslDeleter {
  void operator()(redisSSLContext* context) const { ::redisFreeSSLContext(context); }
};

class HiredisTlsSession final : public TlsSession {
 public:
  explicit HiredisTlsSession(int fd) : context_(::redisConnectFd(fd)) {}

  bool Initiate(redisSSLContext* ssl) {
    if (context_ == nullptr || context_->err != 0) return false;
    const WithoutSigpipe guard;
    context_->flags &= ~REDIS_BLOCK;
    return ::redisInitiateSSLWithContext(context_.get(), ssl) == REDIS_OK;
  }

  ssize_t Read(char* buffer, std::size_t size) override {
    const WithoutSigpipe guard;
    const ssize_t got = context_->funcs->read(context_.get(), buffer, size);
    if (got > 0) return got;
    if (got < 0 && context_->err == REDIS_ERR_EOF) return 0;
    errno = got == 0 ? EAGAIN : EIO;
    return -1;
  }

  ssize_t Write(const char* bytes, std::size_t size) override {
    const WithoutSigpipe guard;
    if (!queued_ && ::redisAppendFormattedCommand(context_.get(), bytes, size) != REDIS_OK) {
      errno = ENOMEM;
      return -1;
    }
    queued_ = true;
    int done = 0;
    if (::redisBufferWrite(context_.get(), &done) != REDIS_OK) {
      errno = EIO;
      return -1;
    }
    if (done == 0) {
      errno = EAGAIN;
      return -1;
    }
    queued_ = false;
    return static_cast<ssize_t>(size);
  }

 private:
  std::unique_ptr<redisContext, ContextDeleter> context_;
  bool queued_ = false;  ///< bytes of the last Write still stand in the context
};

Status Failed(const std::string& what) {
  return Status(StatusCode::kUnavailable,
                "TLS: " + what +
                    "; perhaps the server speaks no TLS here, or one side does not trust the "
                    "other's certificate");
}

class HiredisTlsContext final : public TlsContext {
 public:
  explicit HiredisTlsContext(redisSSLContext* ssl) : ssl_(ssl) {}

  Result<std::unique_ptr<TlsSession>> Begin(Runtime& runtime, int fd,
                                            MonotonicTime deadline) const override {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
      return Failed(ErrnoText(errno));
    }
    auto session = std::make_unique<HiredisTlsSession>(fd);
    if (!session->Initiate(ssl_.get())) return Failed("no handshake");
    // What is waited for is always the server's part: that of this side fits into any buffer.
    constexpr std::string_view kPing = "*1\r\n$4\r\nPING\r\n";
    while (session->Write(kPing.data(), kPing.size()) < 0) {
      if (errno != EAGAIN) return Failed("the handshake failed");
      if (Status ready = Await(runtime, fd, deadline); !ready.ok()) return ready;
    }
    std::string line;
    while (line.find('\n') == std::string::npos) {
      std::array<char, 512> chunk;
      const ssize_t got = session->Read(chunk.data(), chunk.size());
      if (got > 0) line.append(chunk.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EAGAIN)) return Failed("the server hung up");
      if (got > 0) continue;
      if (Status ready = Await(runtime, fd, deadline); !ready.ok()) return ready;
    }
    return std::unique_ptr<TlsSession>(std::move(session));
  }

 private:
  static Status Await(Runtime& runtime, int fd, MonotonicTime deadline) {
    if (WaitReady(runtime, fd, POLLIN, deadline) == Ready::kYes && runtime.Now() < deadline) {
      return Status();
    }
    return Status(StatusCode::kUnavailable, "no TLS handshake before the deadline");
  }

  const std::unique_ptr<redisSSLContext, SslDeleter> ssl_;
};

const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

bool TlsBuiltIn() { return true; }

Result<std::shared_ptr<const TlsContext>> MakeTlsContext(const HiredisOptions& options) {
  [[maybe_unused]] static const int initialised = ::redisInitOpenSSL();  // once per process
  redisSSLContextError error = REDIS_SSL_CTX_NONE;
  redisSSLContext* ssl = ::redisCreateSSLContext(
      options.tls_ca_file.c_str(), nullptr, OrNull(options.tls_cert_file),
      OrNull(options.tls_key_file), OrNull(options.tls_server_name), &error);
  if (ssl != nullptr) {
    return std::shared_ptr<const TlsContext>(std::make_shared<HiredisTlsContext>(ssl));
  }
  return Status(StatusCode::kInvalidArgument,
                std::string("TLS: ") + ::redisSSLContextGetError(error));
}

#else

bool TlsBuiltIn() { return false; }

Result<std::shared_ptr<const TlsContext>> MakeTlsContext(const HiredisOptions& /*options*/) {
  return Status(StatusCode::kInvalidArgument, std::string(kNoTls));
}

#endif

}  // namespace interlock
