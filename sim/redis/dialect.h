// SPDX-License-Identifier: MIT
//
// The servers whose behaviour the fake can take on, as data: which commands and options they have,
// their texts, and the effects that differ. Everything else is common to all of them.
//
// Guaranteed for a proven dialect: the same replies as that server, by the comparisons of
// tests/redis/differential. Not guaranteed for a documented one: no server of that version was at
// hand, so it follows the projects' documentation. Sources: servers of the versions in `title`;
// the documentation of Redis 8.4 and of Valkey 9.2.
//
// Thread safety: constant.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace interlock::sim::redis {

enum class DialectId : std::uint8_t {
  kRedis70,
  kRedis80,
  kRedis84,
  kValkey81,
  kValkey91,
  kValkey92,
};
inline constexpr std::size_t kDialects = 6;

/// A set of dialects, by DialectId.
using DialectSet = std::uint8_t;
constexpr DialectSet Of(DialectId id) {
  return static_cast<DialectSet>(1U << static_cast<unsigned>(id));
}
inline constexpr DialectSet kNewerRedis = Of(DialectId::kRedis80) | Of(DialectId::kRedis84);
inline constexpr DialectSet kAnyRedis = Of(DialectId::kRedis70) | kNewerRedis;
inline constexpr DialectSet kValkeyFrom90 = Of(DialectId::kValkey91) | Of(DialectId::kValkey92);
inline constexpr DialectSet kAnyValkey = Of(DialectId::kValkey81) | kValkeyFrom90;
inline constexpr DialectSet kAllButRedis70 = kNewerRedis | kAnyValkey;
inline constexpr DialectSet kAllDialects = Of(DialectId::kRedis70) | kAllButRedis70;
/// Those whose hashes have fields with a TTL.
inline constexpr DialectSet kFieldTtls = kNewerRedis | kValkeyFrom90;

/// What scripts are told.
struct ScriptTexts {
  const char* no_arguments;
  const char* wrong_arguments;
  const char* unknown_command;
  const char* wrong_arity;
  const char* forbidden;
  const char* wrong_level;  ///< of redis.log
  const char* log_arity;
  const char* set_repl_arity;
  const char* setresp_arity;
  const char* unknown_acl_command;  ///< of redis.acl_check_cmd
  std::string_view no_script;       ///< of EVALSHA
  std::string_view wrong_engine;    ///< what precedes the name in a script's first line
  const char* unknown_error;        ///< of error() with a table without err; null: it crashes
  bool with_sha;                    ///< errors that a script raises name it
  bool names_subcommands;           ///< those that are unknown
};

struct Dialect {
  DialectId id;
  std::string_view name;     ///< as --server takes it: "valkey-9.1"
  std::string_view title;    ///< with the version that it was compared with: "Valkey 9.1.2"
  bool proven;               ///< false: from documents only
  bool valkey;               ///< server_name in INFO, HELLO and the texts of scripts
  std::string_view version;  ///< of Redis, as INFO and HELLO say it; see `valkey_version`
  std::string_view valkey_version;
  /// What HELLO lists of the modules that it brings; empty: none.
  std::string_view module_name = {};
  std::string_view module_path = {};
  std::string_view module_options = {};  ///< as INFO lists them

  const ScriptTexts* script;
  int rdb_version;  ///< of the snapshot format
  /// What Redis 7.2 changed: numbers in their shortest form, waiters that run their command again
  /// when they are served, HELLO that takes all of its options or none, and more.
  bool since_72 = false;

  /// How replicas are told of a key that has expired, was evicted or has lost its last member by
  /// SPOP: Valkey frees memory in the background by default.
  std::string_view removal = "DEL";

  bool names_refused_in_multi = false;  ///< commands that may not be queued
  bool authenticates_first = false;     ///< NOAUTH even for what is no command
  bool lists_no_subcommands = false;    ///< COMMAND: an array even where there are none
  bool plain_scores = false;            ///< no hexadecimal ones, in ZADD, ZINCRBY and WEIGHTS
  bool plain_score_bounds = false;      ///< nor in ranges, nor blanks before a number
  bool slots_without_cluster = false;   ///< CLUSTER KEYSLOT outside of a cluster
  bool more_client_filters = false;     ///< IP, NAME, NOT-ID ... of CLIENT LIST and CLIENT KILL

  /// FLUSHALL and FLUSHDB are answered by another thread, behind what their client is told of them.
  bool flushes_in_background = false;
  bool scripts_keep_texts = false;  ///< a number that a script stores is a text, not an integer
  bool flush_restarts_lua = false;  ///< FUNCTION FLUSH: a new Lua state, with its first settings

  /// A wrong password gets no answer while others are on their way to the client: inside MULTI, and
  /// behind a blocked command, which is not modelled; and in a pipeline, which nothing here sees.
  bool loses_late_refusals = false;

  constexpr std::string_view last_line_of_help() const {
    return since_72 ? "    Print this help." : "    Prints this help.";
  }
  constexpr std::string_view own_version() const { return valkey ? valkey_version : version; }
  constexpr bool IsIn(DialectSet set) const { return (set & Of(id)) != 0; }
};

std::span<const Dialect> Dialects();
/// Redis 7.0, the default everywhere.
const Dialect& DefaultDialect();
/// By its name, in lower case; null: there is none.
const Dialect* FindDialect(std::string_view name);
/// The one of a server that says this version of itself ("9.1.2"); null: none is like it.
const Dialect* DialectOfVersion(bool valkey, std::string_view version);

}  // namespace interlock::sim::redis
