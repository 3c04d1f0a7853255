// SPDX-License-Identifier: MIT
//
// A user's program on the installed library. No server listens where it looks, so a correct library
// says that the lock is definitely not held, and why; that needs every layer down to the socket.
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include <interlock/client.h>
#include <interlock/hiredis_connector.h>
#include <interlock/mutex.h>
#include <interlock/thread_runtime.h>

int main() {
  interlock::ThreadRuntime runtime;
  interlock::HiredisOptions where;
  where.unix_path = "no-such-socket";
  interlock::Result<std::unique_ptr<interlock::Connector>> connector =
      interlock::MakeHiredisConnector(runtime, where);
  if (!connector.ok()) {
    std::printf("connector: %s\n", connector.status().ToString().c_str());
    return 1;
  }

  interlock::Client client(runtime, **connector);
  interlock::Result<interlock::Mutex> mutex =
      interlock::Mutex::Create(client, "invoice:17", {.lease = std::chrono::seconds(10)});
  if (!mutex.ok()) {
    std::printf("mutex: %s\n", mutex.status().ToString().c_str());
    return 1;
  }

  const interlock::Result<interlock::Lease> lease = mutex->TryAcquire();
  std::printf("acquire: %s\n", lease.status().ToString().c_str());
  return lease.code() == interlock::StatusCode::kUnavailable ? 0 : 1;
}
