# SPDX-License-Identifier: MIT
#
# Works figures of a measurement out again from its trace, without looking at how the program does
# it, and compares them with those in run.json.
#
#   python3 recompute_contention.py RUN.json TRACE.jsonl LOCK CLIENTS
#
# Prints "agree: N figures"; else every figure that differs, and exits with 1.
import json
import statistics
import sys

run_file, trace_file, lock, clients = sys.argv[1:5]
clients = int(clients)
run = json.load(open(run_file))
point = next(p for p in run["points"] if p["lock"] == lock and p["clients"] == clients)
begin = run["load"]["warm_up_ns"]
end = begin + run["load"]["duration_ns"]

requests, open_by_client, tokens = [], {}, {}
commands = {"acquiring": 0, "releasing": 0, "beside": 0}
doing = {}
for line in open(trace_file):
    e = json.loads(line)
    c, what, at = e["client"], e["what"], e["at_ns"]
    if what == "ask":
        open_by_client[c] = {"client": c, "ask": at, "resource": e["resource"]}
        requests.append(open_by_client[c])
        doing[c] = "acquiring"
    elif what in ("granted", "refused"):
        open_by_client[c][what] = at
        open_by_client[c]["in_vain"] = e["value"]
        doing[c] = "beside"
        if what == "granted":
            tokens[e.get("text")] = open_by_client[c]
    elif what in ("enter", "leave"):
        open_by_client[c][what] = at
    elif what == "release":
        open_by_client[c]["release"] = at
        doing[c] = "releasing"
    elif what == "released":
        open_by_client[c]["released"] = at
        doing[c] = "beside"
    elif what == "send" and begin <= at < end:
        commands[doing.get(c, "beside")] += 1

INFINITE = float("inf")


def answered(r):
    return r.get("granted", r.get("refused", INFINITE))


counted = [r for r in requests if r["ask"] >= begin and answered(r) < end]
grants = [r for r in counted if "granted" in r]
waits = [r["granted"] - r["ask"] for r in grants]
per_client = [sum(1 for r in grants if r["client"] == c) for c in range(clients)]


def clip(a, b):
    return max(0, min(b, end) - max(a, begin))


def owners():
    held, spans = {}, []
    for line in open(trace_file):
        e = json.loads(line)
        key = (e["resource"], e.get("text"))
        if e["what"] == "owned":
            held[key] = e["at_ns"]
        elif e["what"] == "freed" and key in held:
            spans.append((held.pop(key), e["at_ns"], key))
    return spans + [(since, INFINITE, key) for key, since in held.items()]


expected = {
    "requests": len(counted),
    "grants": len(grants),
    "abandoned": sum(1 for r in counted if "refused" in r and r["in_vain"] == 1),
    "wait.sum_ns": sum(waits),
    "wait.greatest_ns": max(waits, default=0),
    "commands.acquiring": commands["acquiring"],
    "commands.releasing": commands["releasing"],
    "commands.beside": commands["beside"],
    "waiting_ns": sum(clip(r["ask"], answered(r)) for r in requests),
    "fairness.jain_grants": sum(per_client) ** 2 / (clients * sum(x * x for x in per_client)),
    "server.busy_ns": sum(clip(a, b) for a, b, _ in owners()),
}
bypasses = 0
for r in grants:
    bypasses += sum(1 for o in requests
                    if o["resource"] == r["resource"] and o["ask"] < r["ask"]
                    and answered(o) > r["granted"])
expected["fairness.bypasses"] = bypasses
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

wrong = 0
for name, value in expected.items():
    found = point
    for part in name.split("."):
        found = found[part]
    same = abs(found - value) < 1e-9 if isinstance(value, float) else found == value
    if not same:
        wrong += 1
        print(name, "is", found, "and should be", value)
if wrong:
    sys.exit(1)
print("agree:", len(expected) + 1, "figures")
