# SPDX-License-Identifier: MIT
#
# Works figures of a measurement out again from its trace, without looking at how the program does
# it, and compares them with those in run.json.
#
#   python3 recompute_contention.py RUN.json FIGURES.csv TRACE.jsonl LOCK CLIENTS
#
# Prints "agree: N figures"; else every figure that differs, and exits with 1.
import bisect
import csv
import json
import statistics
import sys

run_file, figures_file, trace_file, lock, clients = sys.argv[1:6]
clients = int(clients)
run = json.load(open(run_file))
point = next(p for p in run["points"] if p["lock"] == lock and p["clients"] == clients)
begin = run["load"]["warm_up_ns"]
end = begin + run["load"]["duration_ns"]

IN_VAIN = ("timeout", "not-acquired")


def events():
    for line in open(trace_file):
        e = {"client": -1, "resource": 0, "connection": 0, "status": "ok", **json.loads(line)}
        if "log" not in e:
            yield e


requests, open_by_client, tokens = [], {}, {}
commands = {"acquiring": 0, "releasing": 0, "beside": 0}
doing = {}
bytes_sent = 0
under_way, sent = {}, []  # by client and connection: commands that wait for their answers
accesses = []
for e in events():
    c, what, at = e["client"], e["event"], e["at_ns"]
    if what == "ask":
        open_by_client[c] = {"client": c, "ask": at, "resource": e["resource"]}
        requests.append(open_by_client[c])
        open_by_client[c]["intended"] = e.get("due_ns", at)
        open_by_client[c]["wakes"] = 0
        doing[c] = "acquiring"
    elif what in ("granted", "refused"):
        open_by_client[c][what] = at
        open_by_client[c]["in_vain"] = e["status"] in IN_VAIN
        doing[c] = "beside"
        if what == "granted":
            tokens[e.get("token")] = open_by_client[c]
    elif what in ("enter", "leave"):
        open_by_client[c][what] = at
    elif what == "release":
        open_by_client[c]["release"] = at
        doing[c] = "releasing"
    elif what == "released":
        open_by_client[c]["released"] = at
        open_by_client[c]["told"] = e["status"] in ("not-owner", "lease-lost")
        doing[c] = "beside"
    elif what == "send":
        sent.append({"client": c, "at": at, "answered": float("inf"), "answer": None})
        under_way.setdefault((c, e["connection"]), []).append(sent[-1])
        if begin <= at < end:
            commands[doing.get(c, "beside")] += 1
            bytes_sent += e["bytes"]
    elif what == "reply":
        oldest = under_way[(c, e["connection"])].pop(0)
        oldest["answered"], oldest["answer"] = at, e.get("reply", "reply")
    elif what == "woken" and begin <= at < end and doing.get(c) == "acquiring":
        open_by_client[c]["wakes"] += 1
    elif what == "access":
        accesses.append((e["resource"], at, e["fencing_token"]))

INFINITE = float("inf")


def answered(r):
    return r.get("granted", r.get("refused", INFINITE))


counted = [r for r in requests if r["ask"] >= begin and answered(r) < end]
grants = [r for r in counted if "granted" in r]
waits = [r["granted"] - r["ask"] for r in grants]
per_client = [sum(1 for r in grants if r["client"] == c) for c in range(clients)]


def clip(a, b):
    return max(0, min(b, end) - max(a, begin))


expired = {}


def owners():
    held, spans = {}, []
    for e in events():
        key = (e["resource"], e.get("token"))
        if e["event"] == "owned":
            held[key] = e["at_ns"]
        elif e["event"] == "freed" and key in held:
            expired[key] = e.get("expired", False)
            spans.append((held.pop(key), e["at_ns"], key))
    return spans + [(since, INFINITE, key) for key, since in held.items()]


expected = {
    "requests": len(counted),
    "grants": len(grants),
    "abandoned": sum(1 for r in counted if "refused" in r and r["in_vain"]),
    "wait.sum_ns": sum(waits),
    "wait.greatest_ns": max(waits, default=0),
    "commands.acquiring": commands["acquiring"],
    "commands.releasing": commands["releasing"],
    "commands.beside": commands["beside"],
    "waiting_ns": sum(clip(r["ask"], answered(r)) for r in requests),
    "failed": sum(1 for r in counted if "refused" in r and not r["in_vain"]),
    "abandoned_wait.sum_ns": sum(r["refused"] - r["ask"] for r in counted
                                 if "refused" in r and r["in_vain"]),
    "wait_from_intended.sum_ns": (sum(r["granted"] - r["intended"] for r in grants)
                                  if run["load"]["arrivals"] == "open" else 0),
    "fairness.jain_grants": sum(per_client) ** 2 / (clients * sum(x * x for x in per_client)),
    "server.busy_ns": sum(clip(a, b) for a, b, _ in owners()),
}
bypassed = {}
for r in grants:
    for i, o in enumerate(requests):
        if (o["resource"] == r["resource"] and o["ask"] < r["ask"]
                and answered(o) > r["granted"]):
            bypassed[i] = bypassed.get(i, 0) + 1
expected["fairness.bypasses"] = sum(bypassed.values())
expected["fairness.most_bypassed"] = max(bypassed.values(), default=0)


def jain(values):
    squares = clients * sum(x * x for x in values)
    return sum(values) ** 2 / squares if squares else 1.0


# What happened to whom, in the order of the grants.
resources = run["load"]["resources"]
window = end - begin
in_order = sorted(grants, key=lambda r: r["granted"])
done = [r for r in grants if r.get("released", INFINITE) < end]
held = [sum(r["released"] - r["granted"] for r in done if r["client"] == c) for c in range(clients)]
free = max(0, window * resources - sum(held))
expected["fairness.jain_hold"] = jain(held)
expected["fairness.jain_opportunity"] = jain([h + free for h in held])
expected["hold.sum_ns"] = sum(held)
expected["useful.sum_ns"] = sum(r["leave"] - r["enter"] for r in done)
windows = [len({r["client"] for r in in_order[i:i + clients]})
           for i in range(len(in_order) - clients + 1)]
expected["fairness.lwss_mean"] = float(statistics.mean(windows)) if windows else 0.0
expected["fairness.lwss_median"] = statistics.median_low(windows) if windows else 0
places = [i - j for c in range(clients)
          for mine in [[i for i, r in enumerate(in_order) if r["client"] == c]]
          for i, j in zip(mine[1:], mine)]
expected["fairness.reacquire_median"] = statistics.median_low(places) if places else 0
off = 0
for resource in range(resources):
    mine = [r for r in in_order if r["resource"] == resource]
    asked = sorted(mine, key=lambda r: r["ask"])
    off += sum(abs(asked.index(r) - i) for i, r in enumerate(mine))
expected["fairness.fifo_distance"] = off / len(grants) if grants else 0.0
longest = 0
for resource in range(resources):
    before, streak = None, 0
    for r in (r for r in in_order if r["resource"] == resource):
        waited_for = any(o is not r and o["resource"] == resource
                         and o["ask"] <= r["granted"] < answered(o) for o in requests)
        streak = streak + 1 if waited_for and before == r["client"] else 1
        before = r["client"]
        longest = max(longest, streak if waited_for else 0)
expected["fairness.longest_streak"] = longest
expected["commands.bytes_sent"] = bytes_sent
expected["contended"] = sum(
    1 for r in counted
    if any(o is not r and o["resource"] == r["resource"]
           and (o["ask"], requests.index(o)) < (r["ask"], requests.index(r))
           and o.get("released", o.get("refused", INFINITE)) > r["ask"] for o in requests))
expected["oldest_wait_ns"] = max((min(answered(r), end) - r["ask"] for r in requests
                                  if clip(r["ask"], answered(r)) > 0), default=0)
expected["woken"] = sum(r["wakes"] for r in requests)
expected["woken_in_vain"] = sum(r["wakes"] - (1 if "granted" in r and r["wakes"] else 0)
                                for r in requests if answered(r) < INFINITE)
within = [s for s in sent if begin <= s["at"] < end]
expected["commands.errors"] = sum(1 for s in within if s["answer"] == "error")
expected["commands.unanswered"] = sum(1 for s in within if s["answer"] == "none")


by_client = [sorted((s for s in sent if s["client"] == c), key=lambda s: s["at"])
             for c in range(clients)]


def chain(client, since, until):
    """How many of its commands can stand one behind the other's answer."""
    best = {since: 0}
    mine = by_client[client]
    first = bisect.bisect_left(mine, since, key=lambda s: s["at"])
    last = bisect.bisect_right(mine, until, key=lambda s: s["at"])
    for s in sorted(mine[first:last], key=lambda s: (s["answered"], s["at"])):
        if s["answered"] <= until:
            before = max(n for at, n in best.items() if at <= s["at"])
            best[s["answered"]] = max(best.get(s["answered"], 0), before + 1)
    return max(best.values())


expected["commands.round_trips"] = sum(
    chain(r["client"], r["ask"], r["granted"]) + chain(r["client"], r["release"], r["released"])
    for r in grants if r.get("released", INFINITE) < end)
highest, rejects = {}, 0
for resource, at, token in accesses:
    if token < highest.get(resource, token) and begin <= at < end:
        rejects += 1
    highest[resource] = max(token, highest.get(resource, token))
expected["fenced_rejects"] = rejects if accesses else None
overlap = 0
for resource in range(resources):
    inside = [(r["enter"], r.get("leave", INFINITE)) for r in requests
              if r["resource"] == resource and "enter" in r]
    edges = sorted({t for span in inside for t in span})
    overlap += sum(clip(a, b) for a, b in zip(edges, edges[1:])
                   if sum(1 for x, y in inside if x <= a and b <= y) > 1)
expected["overlap_ns"] = overlap

# From one to the next, as the clients see it.
turns = []
followed = [0] * clients
for resource in range(resources):
    mine = [r for r in in_order if r["resource"] == resource]
    for before, after in zip(mine, mine[1:]):
        freed = before.get("release", INFINITE)
        if after["ask"] < freed:
            followed[before["client"]] += after["granted"] - after["ask"]
            if freed <= after["granted"]:
                turns.append(after["granted"] - freed)
expected["turn.sum_ns"] = sum(turns)

# And in the server. Whoever waits asked before it was free, and was answered after.
gaps, busy, lost, stale = [], [], [0, 0], 0
for resource in range(resources):
    mine = sorted((s for s in owners() if s[2][0] == resource), key=lambda s: s[0])
    busy += [b - a for a, b, _ in mine if a >= begin and b < end]
    for before, after in zip(mine, mine[1:]):
        if before[1] >= begin and after[0] < end and any(
                r["resource"] == resource and r["ask"] < before[1] < answered(r)
                for r in requests):
            gaps.append(after[0] - before[1])
for since, until, key in owners():
    r = tokens.get(key[1])
    if r is None or since < begin or until >= end or not expired[key]:
        continue
    if r.get("release", INFINITE) <= until:
        continue
    lost[0 if r.get("told") else 1] += 1
    stale += max(0, r.get("leave", until) - until)
expected["server.lost_noticed"] = lost[0]
expected["server.lost_unnoticed"] = lost[1]
expected["server.stale_work_ns"] = stale
blamed = [0] * clients
for since, until, key in owners():
    if key[1] in tokens:
        blamed[tokens[key[1]]["client"]] += sum(
            clip(max(since, r["ask"]), min(until, answered(r)))
            for r in requests if r["resource"] == key[0])
prolonged = [e.get("left_ns", 0) for e in events()
             if e["event"] == "prolonged" and begin <= e["at_ns"] < end]
expected["server.renewals"] = len(prolonged)
expected["server.renewal_margin_ns"] = min(prolonged, default=None)
expected["server.hold.sum_ns"] = sum(busy)
expected["server.hand_over.sum_ns"] = sum(gaps)
if waits:
    ordered = sorted(waits)
    median = ordered[(len(ordered) + 1) // 2 - 1]
    seen = 0
    for value, count in zip(point["wait"]["values_ns"], point["wait"]["counts"]):
        seen += count
        if 2 * seen >= len(waits):
            if not median <= value <= median * 1.001 + 1:
                print("median wait", value, "of", median)
                sys.exit(1)
            break

if point["server"] is None:  # on real servers it is not seen
    expected = {name: value for name, value in expected.items() if not name.startswith("server.")}
wrong = 0
for name, value in expected.items():
    found = point
    for part in name.split("."):
        found = found[part]
    same = abs(found - value) < 1e-9 * max(1, abs(value)) if isinstance(value, float) else found == value
    if not same:
        wrong += 1
        print(name, "is", found, "and should be", value)
if wrong:
    sys.exit(1)

if point["server"] is not None and blamed != [share["blamed_ns"] for share in point["shares"]]:
    print("blamed_ns should be", blamed)
    sys.exit(1)
if followed != [share["followed_ns"] for share in point["shares"]]:
    print("followed_ns should be", followed)
    sys.exit(1)

# What is worked out from those, by name.
figures = {f["figure"]: float(f["value"]) if f["value"] else None
           for f in csv.DictReader(open(figures_file))
           if f["lock"] == lock and int(f["clients"]) == clients}


def over(part, whole):
    return part / whole if whole else None


ranked = sorted(per_client)
half = clients // 2
given_up = sum(r["refused"] - r["ask"] for r in counted if "refused" in r and r["in_vain"])
derived = {
    "grants_per_s": over(len(grants) * 1e9, window),
    "wait_min_ns": min(waits, default=None),
    "wait_mean_ns": over(sum(waits), len(waits)),
    "abandoned_share": over(expected["abandoned"], len(counted)),
    "contended_share": over(expected["contended"], len(counted)),
    "useful_share": over(expected["useful.sum_ns"], window),
    "hand_over_total_ns": sum(gaps),
    "tries_per_grant": over(commands["acquiring"], len(grants)),
    "commands_per_grant": over(sum(commands.values()), len(grants)),
    "bytes_per_grant": over(bytes_sent, len(grants)),
    "round_trips_per_grant": over(expected["commands.round_trips"], len(done)),
    "command_errors": expected["commands.errors"],
    "commands_without_reply": expected["commands.unanswered"],
    "herd_factor": over(expected["woken"], len(turns)) if expected["woken"] else None,
    "utilisation": over(expected.get("server.busy_ns", 0), window),
    "waiting_mean": over(expected["waiting_ns"], window),
    "littles_law": over(expected["waiting_ns"], sum(waits) + given_up),
    "grants_deviation": over(statistics.pstdev(per_client), statistics.mean(per_client)),
    "grants_most_to_fewest": over(ranked[-1], ranked[0]),
    "grants_top_half": over(sum(ranked[clients - half:]),
                            sum(ranked[:half]) + sum(ranked[clients - half:])),
}
if point["server"] is None:
    for name in ("hand_over_total_ns", "utilisation"):
        derived[name] = None
for name, value in derived.items():
    found = figures[name]
    same = found is value is None or None not in (found, value) and (
        abs(found - value) <= 1e-9 * abs(value))
    if not same:
        print(name, "is", found, "and should be", value)
        sys.exit(1)
print("agree:", len(expected) + len(derived) + 3, "figures")
