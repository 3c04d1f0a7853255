// SPDX-License-Identifier: MIT
//
// What the examples of README.md and lib/README.md take for granted: the reader's own program.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>

#include <interlock/hiredis_connector.h>
#include <interlock/interlock.h>

inline int Fail(const interlock::Status& why) { return static_cast<int>(why.code()); }
inline void WriteInvoice(std::uint64_t) {}
inline void Export(const char*, double) {}

inline interlock::ThreadRuntime runtime;
inline auto connector = interlock::MakeHiredisConnector(runtime, "redis://127.0.0.1:6379/0");
inline std::stop_source stop_source;
