// SPDX-License-Identifier: MIT
//
// CLIENT TRACKING and its relatives: who wants to know which keys change.
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

struct TrackingOptions {
  TrackingMode mode;
  std::vector<std::string_view> prefixes;
};

bool RefuseTracking(Context& c, std::string_view error) {
  c.Error(error);
  return false;
}

bool ParseRedirect(Context& c, std::string_view word, ClientId* redirect) {
  if (*redirect != 0)
    return RefuseTracking(c, "ERR A client can only redirect to a single other client");
  std::int64_t id = 0;
  if (!c.ParseInt(word, &id)) return false;
  *redirect = static_cast<ClientId>(id);
  if (c.engine.clients.Find(*redirect) != nullptr) return true;
  return RefuseTracking(c, "ERR The client ID you want redirect to does not exist");
}

bool ParseTrackingOptions(Context& c, TrackingOptions* options) {
  TrackingMode& mode = options->mode;
  for (std::size_t i = 3; i < c.args.size(); ++i) {
    const bool more = i + 1 < c.args.size();
    if (EqualsIgnoreCase(c.args[i], "redirect") && more) {
      if (!ParseRedirect(c, c.args[++i], &mode.redirect)) return false;
    } else if (EqualsIgnoreCase(c.args[i], "bcast")) {
      mode.broadcast = true;
    } else if (EqualsIgnoreCase(c.args[i], "optin")) {
      mode.opt_in = true;
    } else if (EqualsIgnoreCase(c.args[i], "optout")) {
      mode.opt_out = true;
    } else if (EqualsIgnoreCase(c.args[i], "noloop")) {
      mode.no_loop = true;
    } else if (EqualsIgnoreCase(c.args[i], "prefix") && more) {
      options->prefixes.push_back(c.args[++i]);
    } else {
      return RefuseTracking(c, kSyntax);
    }
  }
  return true;
}

bool PrefixesOverlap(std::string_view a, std::string_view b) {
  return a.starts_with(b) || b.starts_with(a);
}

bool RefuseOverlap(Context& c, std::string_view prefix, std::string_view kind,
                   std::string_view other) {
  return RefuseTracking(
      c, OneLine("ERR Prefix '" + std::string(UntilNul(prefix)) + "' overlaps with " +
                 std::string(kind) + " prefix '" + std::string(UntilNul(other)) +
                 "'. Prefixes for a single client must not overlap."));
}

// Of the default prefix, which is empty, nothing is checked.
bool PrefixesAreApart(Context& c, const std::vector<std::string_view>& prefixes) {
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    for (const std::string& old : c.client.tracking.prefixes) {
      if (PrefixesOverlap(old, prefixes[i]))
        return RefuseOverlap(c, prefixes[i], "an existing", old);
    }
    for (std::size_t j = i + 1; j < prefixes.size(); ++j) {
      if (!PrefixesOverlap(prefixes[i], prefixes[j])) continue;
      return RefuseOverlap(c, prefixes[i], "another provided", prefixes[j]);
    }
  }
  return true;
}

// The options fit to each other, and to what the client has asked for before.
bool TrackingOptionsFit(Context& c, const TrackingOptions& options) {
  const TrackingMode& mode = options.mode;
  const TrackingMode& old = c.client.tracking;
  if (!mode.broadcast && !options.prefixes.empty()) {
    return RefuseTracking(c, "ERR PREFIX option requires BCAST mode to be enabled");
  }
  if (old.on && old.broadcast != mode.broadcast) {
    return RefuseTracking(
        c,
        "ERR You can't switch BCAST mode on/off before disabling tracking for this client, "
        "and then re-enabling it with a different mode.");
  }
  if (mode.broadcast && (mode.opt_in || mode.opt_out)) {
    return RefuseTracking(c, "ERR OPTIN and OPTOUT are not compatible with BCAST");
  }
  if (mode.opt_in && mode.opt_out) {
    return RefuseTracking(c, "ERR You can't specify both OPTIN mode and OPTOUT mode");
  }
  if ((mode.opt_in && old.opt_out) || (mode.opt_out && old.opt_in)) {
    return RefuseTracking(
        c,
        "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, "
        "and then re-enabling it with a different mode.");
  }
  return PrefixesAreApart(c, options.prefixes);
}

void ClientTracking(Context& c) {
  TrackingOptions options;
  if (!ParseTrackingOptions(c, &options)) return;
  if (EqualsIgnoreCase(c.args[2], "on")) {
    if (!TrackingOptionsFit(c, options)) return;
    c.engine.tracking.Enable(c.client, options.mode, options.prefixes);
  } else if (EqualsIgnoreCase(c.args[2], "off")) {
    c.engine.tracking.Disable(c.client);
  } else {
    return c.Error(kSyntax);
  }
  c.Ok();
}

void ClientCaching(Context& c) {
  TrackingMode& mode = c.client.tracking;
  if (!mode.on) {
    return c.Error(
        "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or "
        "OPTOUT mode enabled");
  }
  if (EqualsIgnoreCase(c.args[2], "yes")) {
    if (!mode.opt_in) {
      return c.Error(
          "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.");
    }
  } else if (EqualsIgnoreCase(c.args[2], "no")) {
    if (!mode.opt_out) {
      return c.Error(
          "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.");
    }
  } else {
    return c.Error(kSyntax);
  }
  mode.caching = true;
  c.Ok();
}

void ClientTrackingInfo(Context& c) {
  const TrackingMode& mode = c.client.tracking;
  std::vector<Value> flags = {StringValue(mode.on ? "on" : "off")};
  const auto add = [&flags](bool is, std::string_view flag) {
    if (is) flags.push_back(StringValue(flag));
  };
  add(mode.broadcast, "bcast");
  add(mode.opt_in, "optin");
  add(mode.opt_in && mode.caching, "caching-yes");
  add(mode.opt_out, "optout");
  add(mode.opt_out && mode.caching, "caching-no");
  add(mode.no_loop, "noloop");
  add(mode.redirect_broken, "broken_redirect");
  std::vector<Value> prefixes;
  for (const std::string& prefix : mode.prefixes) prefixes.push_back(StringValue(prefix));
  c.Map() = {StringValue("flags"),    SetValue(std::move(flags)),
             StringValue("redirect"), IntegerValue(mode.shown_redirect()),
             StringValue("prefixes"), ArrayValue(std::move(prefixes))};
}

constexpr HandlerRow kClientTrackingCommands[] = {
    {"client|tracking", &ClientTracking},
    {"client|caching", &ClientCaching},
    {"client|getredir", [](Context& c) { c.Integer(c.client.tracking.shown_redirect()); }},
    {"client|trackinginfo", &ClientTrackingInfo},
};

}  // namespace

std::span<const HandlerRow> ClientTrackingCommands() { return kClientTrackingCommands; }

}  // namespace interlock::sim::redis
