// SPDX-License-Identifier: MIT
//
// A lock in C, directly on hiredis: one key with a token and a time to live. One thread at a time.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct c_lock;

/* How it treats a connection on which a reply did not come in time: it closes it, or (naive) it
 * goes on with it, where that reply, when it comes, answers the next command. */
enum c_lock_after_timeout { C_LOCK_RECONNECTS, C_LOCK_GOES_ON };

/* Connects to nothing yet. NULL: no memory. */
struct c_lock* c_lock_open(const char* host, int port, const char* key, long long lease_ms,
                           enum c_lock_after_timeout after_timeout);
void c_lock_close(struct c_lock* lock);

/* 1: yes; 0: no; -1: an error, after which nobody knows. */
int c_lock_acquire(struct c_lock* lock);
int c_lock_release(struct c_lock* lock);

/* What the key holds as long as the lock is held; valid until the next c_lock_acquire. */
const char* c_lock_token(const struct c_lock* lock);

#ifdef __cplusplus
}
#endif
