// SPDX-License-Identifier: MIT
#include "sim/serve/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/socket_base.hpp>

namespace interlock::sim::serve {
namespace {

namespace asio = boost::asio;

// The capacity that an idle buffer keeps for reuse; one large reply must not hold its memory for
// ever.
constexpr std::size_t kKeptBuffer = 256 * 1024;

constexpr std::size_t kHardLimit = std::size_t{32} << 20;
constexpr std::int64_t kSoftLimitUs = 60'000'000;

}  // namespace

void Connection::Read() {
  if (reading_ || silent_ || closing_ || !open()) return;
  reading_ = true;
  socket_.async_read_some(
      asio::buffer(input_),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t count) {
        self->OnRead(error, count);
      });
}

void Connection::OnRead(const boost::system::error_code& error, std::size_t count) {
  reading_ = false;
  if (silent_ || closing_ || !open()) return;
  if (error) return Gone();
  parser_.Feed({input_.data(), count});
  owner_.OnBytes(*this);
}

void Connection::Flush() {
  if (silent_) {
    out_.clear();
    return;
  }
  if (awaiting_room_ || !open()) return;
  while (Write()) {
  }
}

// Returns false if there is nothing more to do now.
bool Connection::Write() {
  if (written_ == writing_.size()) {
    written_ = 0;
    writing_.clear();
    if (writing_.capacity() > kKeptBuffer) writing_ = std::string();
    if (out_.empty()) {
      if (closing_) Gone();
      return false;
    }
    writing_.swap(out_);
  }
  boost::system::error_code error;
  written_ += socket_.write_some(
      asio::buffer(writing_.data() + written_, writing_.size() - written_), error);
  if (!error) return written_ < writing_.size() || !out_.empty() || closing_;
  if (error != asio::error::would_block && error != asio::error::try_again) {
    Gone();
    return false;
  }
  awaiting_room_ = true;
  socket_.async_wait(Socket::wait_write,
                     [self = shared_from_this()](const boost::system::error_code&) {
                       self->awaiting_room_ = false;
                       self->owner_.OnRoom(*self);
                     });
  return false;
}

void Connection::CloseWhenFlushed() {
  closing_ = true;
  Flush();
}

void Connection::Close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void Connection::Reset() {
  boost::system::error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  Close();
}

bool Connection::OverLimit(bool subscriber, std::int64_t now_us) {
  if (unsent() <= kSoftLimit) over_soft_limit_since_us_.reset();
  if (unsent() <= kSoftLimit || !subscriber) return false;
  if (!over_soft_limit_since_us_) over_soft_limit_since_us_ = now_us;
  return unsent() >= kHardLimit || now_us - *over_soft_limit_since_us_ >= kSoftLimitUs;
}

void Connection::GoSilent() {
  silent_ = true;
  out_.clear();
}

void Connection::Gone() {
  Close();
  owner_.OnGone(*this);
}

}  // namespace interlock::sim::serve
