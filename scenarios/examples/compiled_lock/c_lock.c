// SPDX-License-Identifier: MIT
#include "c_lock.h"

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>

#define TOKEN_BYTES 16

static const char delete_if_mine[] =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

struct c_lock {
  char* host;
  int port;
  char* key;
  long long lease_ms;
  enum c_lock_after_timeout after_timeout;
  redisContext* redis; /* NULL: not connected */
  char token[2 * TOKEN_BYTES + 1];
};

struct c_lock* c_lock_open(const char* host, int port, const char* key, long long lease_ms,
                           enum c_lock_after_timeout after_timeout) {
  struct c_lock* lock = calloc(1, sizeof(*lock));
  if (lock == NULL) return NULL;
  lock->host = strdup(host);
  lock->port = port;
  lock->key = strdup(key);
  lock->lease_ms = lease_ms;
  lock->after_timeout = after_timeout;
  if (lock->host != NULL && lock->key != NULL) return lock;
  c_lock_close(lock);
  return NULL;
}

static void disconnect(struct c_lock* lock) {
  if (lock->redis != NULL) redisFree(lock->redis);
  lock->redis = NULL;
}

void c_lock_close(struct c_lock* lock) {
  if (lock == NULL) return;
  disconnect(lock);
  free(lock->host);
  free(lock->key);
  free(lock);
}

static int connect_if_needed(struct c_lock* lock) {
  /* A tenth of the lease: what comes later is of little use. */
  const long long timeout_us = lock->lease_ms * 100;
  const struct timeval timeout = {timeout_us / 1000000, timeout_us % 1000000};
  if (lock->redis != NULL) return 1;
  lock->redis = redisConnectWithTimeout(lock->host, lock->port, timeout);
  if (lock->redis != NULL && lock->redis->err == 0 &&
      redisSetTimeout(lock->redis, timeout) == REDIS_OK) {
    return 1;
  }
  disconnect(lock);
  return 0;
}

/* The reply; NULL: none came. */
static redisReply* ask(struct c_lock* lock, int count, const char** words) {
  redisReply* reply = redisCommandArgv(lock->redis, count, words, NULL);
  if (reply != NULL) return reply;
  if (lock->after_timeout == C_LOCK_GOES_ON) {
    lock->redis->err = 0;
  } else {
    disconnect(lock);
  }
  return NULL;
}

static int new_token(struct c_lock* lock) {
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) return 0;
  for (int i = 0; i < TOKEN_BYTES; ++i) sprintf(lock->token + 2 * i, "%02x", bytes[i]);
  return 1;
}

int c_lock_acquire(struct c_lock* lock) {
  char lease[24];
  snprintf(lease, sizeof(lease), "%lld", lock->lease_ms);
  if (!new_token(lock) || !connect_if_needed(lock)) return -1;
  const char* words[] = {"SET", lock->key, lock->token, "NX", "PX", lease};
  redisReply* reply = ask(lock, 6, words);
  int answer = -1;
  if (reply != NULL && reply->type == REDIS_REPLY_STATUS) answer = 1;
  if (reply != NULL && reply->type == REDIS_REPLY_NIL) answer = 0;
  if (reply != NULL) freeReplyObject(reply);
  return answer;
}

int c_lock_release(struct c_lock* lock) {
  if (!connect_if_needed(lock)) return -1;
  const char* words[] = {"EVAL", delete_if_mine, "1", lock->key, lock->token};
  redisReply* reply = ask(lock, 5, words);
  int answer = -1;
  if (reply != NULL && reply->type == REDIS_REPLY_INTEGER) answer = reply->integer == 1;
  if (reply != NULL) freeReplyObject(reply);
  return answer;
}

const char* c_lock_token(const struct c_lock* lock) { return lock->token; }
