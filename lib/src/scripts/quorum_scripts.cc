// SPDX-License-Identifier: MIT
#include "src/scripts/quorum_scripts.h"

#include <interlock/options.h>

namespace interlock::internal {
namespace {

// Only while the token owns: a later owner here then finds the raised counter.
// KEYS owner, fence; ARGV token, fencing token, life of the fence.
constexpr Script kRaiseFence = MakeScript("quorum-raise-fence", R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local last = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or 0
if last < tonumber(ARGV[2]) then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
return 1
)lua");

}  // namespace

QuorumScripts::QuorumScripts(const std::string& prefix, const std::string& name, Milliseconds lease)
    : keys_(prefix, name), node_(prefix, name, lease) {}

ScriptCall QuorumScripts::RaiseFence(const std::string& token, std::uint64_t fencing_token) const {
  return {&kRaiseFence,
          {keys_.base, keys_.fence()},
          {token, Number(fencing_token), Argument(kFenceTtl)}};
}

std::vector<const Script*> QuorumScripts::All() { return {&kRaiseFence}; }

}  // namespace interlock::internal
