// SPDX-License-Identifier: MIT
//
// A lock in C++ on hiredis, whose lease a thread of its own prolongs while it is held. One thread
// acquires and releases. It knows nothing of the harness.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct redisContext;

namespace acme {

class RenewedLock {
 public:
  using Clock = std::chrono::steady_clock;

  /// What keeps an extension that is under way from prolonging the lease of the next holder: it
  /// compares the token, and a release waits for it; or (naive) nothing does.
  enum class Care { kFull, kNone };

  RenewedLock(std::string host, int port, std::string key, std::chrono::milliseconds lease,
              Care care);
  /// Gives nothing back.
  ~RenewedLock();
  RenewedLock(const RenewedLock&) = delete;
  RenewedLock& operator=(const RenewedLock&) = delete;

  /// 1: yes; 0: no; -1: an error, after which nobody knows.
  int Acquire();
  int Release();
  const std::string& token() const { return token_; }
  /// No later than the end of the lease in the server.
  Clock::time_point valid_until() const;

 private:
  struct Closer {
    void operator()(redisContext* context) const;
  };
  using Connection = std::unique_ptr<redisContext, Closer>;

  /// The reply's number; 1 for OK, 0 for nil, -1: none came, or another one.
  int Ask(Connection& connection, const std::vector<std::string>& words) const;
  void Renew();
  void AskThreadToStop();
  void StopThread();

  const std::string host_;
  const int port_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  const Care care_;

  Connection connection_;
  Connection of_thread_;  // hiredis wants each connection used by one thread at a time
  std::string token_;
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;              // guarded by mutex_
  Clock::time_point valid_until_;  // guarded by mutex_
};

}  // namespace acme
