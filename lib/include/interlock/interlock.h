// SPDX-License-Identifier: MIT
//
// Everything that the library offers, except for the connector to a real server
// (interlock/hiredis_connector.h), which is a choice of its own.
#pragma once

#include <interlock/client.h>                   // IWYU pragma: export
#include <interlock/client_options.h>           // IWYU pragma: export
#include <interlock/cluster_connector.h>        // IWYU pragma: export
#include <interlock/connection.h>               // IWYU pragma: export
#include <interlock/count_down_latch.h>         // IWYU pragma: export
#include <interlock/fair_mutex.h>               // IWYU pragma: export
#include <interlock/fenced_register.h>          // IWYU pragma: export
#include <interlock/inspection.h>               // IWYU pragma: export
#include <interlock/lease.h>                    // IWYU pragma: export
#include <interlock/lease_source.h>             // IWYU pragma: export
#include <interlock/lockable.h>                 // IWYU pragma: export
#include <interlock/multi_mutex.h>              // IWYU pragma: export
#include <interlock/mutex.h>                    // IWYU pragma: export
#include <interlock/observer.h>                 // IWYU pragma: export
#include <interlock/options.h>                  // IWYU pragma: export
#include <interlock/redlock.h>                  // IWYU pragma: export
#include <interlock/redlock_options.h>          // IWYU pragma: export
#include <interlock/reentrant_mutex.h>          // IWYU pragma: export
#include <interlock/replica_acknowledgement.h>  // IWYU pragma: export
#include <interlock/result.h>                   // IWYU pragma: export
#include <interlock/retry_options.h>            // IWYU pragma: export
#include <interlock/runtime.h>                  // IWYU pragma: export
#include <interlock/semaphore.h>                // IWYU pragma: export
#include <interlock/sentinel_connector.h>       // IWYU pragma: export
#include <interlock/shared_mutex.h>             // IWYU pragma: export
#include <interlock/single_file.h>              // IWYU pragma: export
#include <interlock/single_files.h>             // IWYU pragma: export
#include <interlock/thread_runtime.h>           // IWYU pragma: export
#include <interlock/time.h>                     // IWYU pragma: export
#include <interlock/topology.h>                 // IWYU pragma: export
