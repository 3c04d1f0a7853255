// SPDX-License-Identifier: MIT
#include "sim/redis/dialect.h"

#include <algorithm>
#include <string>

namespace interlock::sim::redis {

namespace {

constexpr ScriptTexts kRedis70Texts = {
    .no_arguments = "Please specify at least one argument for this redis lib call",
    .wrong_arguments = "Lua redis lib command arguments must be strings or integers",
    .unknown_command = "Unknown Redis command called from script",
    .wrong_arity = "Wrong number of args calling Redis command from script",
    .forbidden = "This Redis command is not allowed from script",
    .wrong_level = "Invalid debug level.",
    .log_arity = "redis.log() requires two arguments or more.",
    .set_repl_arity = "redis.set_repl() requires two arguments.",
    .setresp_arity = "redis.setresp() requires one argument.",
    .unknown_acl_command = "Invalid command passed to redis.acl_check_cmd()",
    .no_script = "NOSCRIPT No matching script. Please use EVAL.",
    .wrong_engine = "ERR Unexpected engine in script shebang: #!",
    .unknown_error = nullptr,
    .with_sha = true,
    .names_subcommands = false,
};

constexpr ScriptTexts kRedis80Texts = [] {
  ScriptTexts texts = kRedis70Texts;
  texts.wrong_level = "Invalid log level.";
  texts.unknown_error = "ERR unknown error";
  texts.set_repl_arity = "redis.set_repl() requires one argument.";
  return texts;
}();

constexpr ScriptTexts kValkey91Texts = {
    .no_arguments = "Please specify at least one argument for this call",
    .wrong_arguments = "Command arguments must be strings or integers",
    .unknown_command = "Unknown command called from script",
    .wrong_arity = "Wrong number of args calling command from script",
    .forbidden = "This Valkey command is not allowed from script",
    .wrong_level = "Invalid log level.",
    .log_arity = "server.log() requires two arguments or more.",
    .set_repl_arity = "server.set_repl() requires one argument.",
    .setresp_arity = "server.setresp() requires one argument.",
    .unknown_acl_command = "Invalid command passed to server.acl_check_cmd()",
    .no_script = "NOSCRIPT No matching script.",
    .wrong_engine = "ERR Could not find scripting engine '",
    .unknown_error = "ERR unknown error",
    .with_sha = false,
    .names_subcommands = true,
};

constexpr ScriptTexts kValkey81Texts = [] {
  ScriptTexts texts = kValkey91Texts;
  texts.forbidden = kRedis70Texts.forbidden;
  texts.unknown_error = nullptr;
  texts.with_sha = true;
  texts.names_subcommands = false;
  return texts;
}();

constexpr Dialect kRedis70 = {.id = DialectId::kRedis70,
                              .name = "redis-7.0",
                              .title = "Redis 7.0.15",
                              .proven = true,
                              .valkey = false,
                              .version = "7.0.15",
                              .valkey_version = {},
                              .script = &kRedis70Texts,
                              .rdb_version = 10};

constexpr Dialect kRedis80 = {.id = DialectId::kRedis80,
                              .name = "redis-8.0",
                              .title = "Redis 8.0.6",
                              .proven = true,
                              .valkey = false,
                              .version = "8.0.6",
                              .valkey_version = {},
                              .module_name = "vectorset",
                              .module_options = "handle-io-errors|handle-repl-async-load",
                              .script = &kRedis80Texts,
                              .rdb_version = 12,
                              .since_72 = true,
                              .plain_score_bounds = true,
                              .flushes_in_background = true,
                              .flush_restarts_lua = true,
                              .loses_late_refusals = true};

constexpr Dialect kRedis84 = [] {
  Dialect dialect = kRedis80;
  dialect.id = DialectId::kRedis84;
  dialect.name = "redis-8.4";
  dialect.title = "Redis 8.4, from its documentation";
  dialect.proven = false;
  dialect.version = "8.4.0";
  return dialect;
}();

constexpr Dialect kValkey81 = {.id = DialectId::kValkey81,
                               .name = "valkey-8.1",
                               .title = "Valkey 8.1.1",
                               .proven = true,
                               .valkey = true,
                               .version = "7.2.4",
                               .valkey_version = "8.1.1",
                               .script = &kValkey81Texts,
                               .rdb_version = 11,
                               .since_72 = true,
                               .removal = "UNLINK",
                               .loses_late_refusals = true};

constexpr Dialect kValkey91 = {
    .id = DialectId::kValkey91,
    .name = "valkey-9.1",
    .title = "Valkey 9.1.2",
    .proven = true,
    .valkey = true,
    .version = "7.2.4",
    .valkey_version = "9.1.2",
    .module_name = "lua",
    .module_path = "lua",
    .module_options = "handle-repl-async-load|handle-atomic-slot-migration",
    .script = &kValkey91Texts,
    .rdb_version = 80,
    .since_72 = true,
    .removal = "UNLINK",
    .names_refused_in_multi = true,
    .authenticates_first = true,
    .lists_no_subcommands = true,
    .plain_scores = true,
    .plain_score_bounds = true,
    .slots_without_cluster = true,
    .more_client_filters = true,
    .scripts_keep_texts = true,
    .flush_restarts_lua = true};

constexpr Dialect kValkey92 = [] {
  Dialect dialect = kValkey91;
  dialect.id = DialectId::kValkey92;
  dialect.name = "valkey-9.2";
  dialect.title = "Valkey 9.2, from its documentation";
  dialect.proven = false;
  dialect.valkey_version = "9.2.0";
  return dialect;
}();

// In the order of DialectId.
constexpr Dialect kTable[kDialects] = {kRedis70,  kRedis80,  kRedis84,
                                       kValkey81, kValkey91, kValkey92};

}  // namespace

std::span<const Dialect> Dialects() { return kTable; }

const Dialect& DefaultDialect() { return kTable[0]; }

const Dialect* FindDialect(std::string_view name) {
  const auto at = std::find_if(std::begin(kTable), std::end(kTable),
                               [&](const Dialect& dialect) { return dialect.name == name; });
  return at == std::end(kTable) ? nullptr : at;
}

const Dialect* DialectOfVersion(bool valkey, std::string_view version) {
  const std::size_t minor = version.find('.', version.find('.') + 1);
  return FindDialect((valkey ? "valkey-" : "redis-") + std::string(version.substr(0, minor)));
}

}  // namespace interlock::sim::redis
