# SPDX-License-Identifier: MIT
"""The library beside others, on one redis-server, in one run.

    python3 tests/bench/side_by_side/run.py [--seconds 2] [--clients 1,2,8,32,64] [--hold 0]

Every client is a process of its own; it takes and gives back the lock until the time is up. For one
client the table shows what a turn takes, for more: grants per second, commands that the server
executed for each, how long a hand-over takes (from when the holder begins to give back until
somebody who was waiting has it, the median), and Jain's index over the clients' grants (1: all got
the same). At the end come the shapes of the gem redis-single-file's own benchmark: one client; ten
threads, and ten processes, begun anew for each round. Threads have stacks of the same size in both.

Needs the build of the tests (./interlock build release), and of Debian's packages redis-tools or
redis-server, python3-redis and ruby-redis; npm fetches the rest. What is missing is named, and left
out. It asserts nothing.
"""
import argparse
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
OURS = ROOT / "build" / "release" / "tests" / "bench" / "interlock_bench_client"
LEAD_SECONDS = 2.0  # for interpreters to start
SHAPES_TURNS = 5


class Server:
    """A redis-server of this run's own, on a free port of the loopback."""

    def __init__(self, folder):
        binary = shutil.which("redis-server")
        if binary is None:  # redis-check-rdb is the same program under another name
            other = shutil.which("redis-check-rdb")
            if other is None:
                sys.exit("neither redis-server nor redis-check-rdb is installed (redis-tools)")
            binary = shutil.copy(pathlib.Path(other).resolve(), folder / "redis-server")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        self.process = subprocess.Popen([binary, *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                if self.ask("PING") == "+PONG":
                    return
            except OSError:
                time.sleep(0.02)
        sys.exit("redis-server did not start")

    def ask(self, *words):
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall((" ".join(words) + "\r\n").encode())
            reply = connection.makefile("rb")
            head = reply.readline().decode().strip()
            return reply.read(int(head[1:])).decode() if head.startswith("$") else head

    def calls(self):
        """How often each command was executed, in scripts or not."""
        stats = (line.split(":calls=") for line in self.ask("INFO", "commandstats").splitlines()
                 if ":calls=" in line)
        return {name.removeprefix("cmdstat_"): int(rest.split(",")[0]) for name, rest in stats}

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Competitor:
    """`sends`: the commands that its clients send themselves."""

    def __init__(self, name, start, sends):
        self.name, self.start, self.sends = name, start, sends

    def play(self, server, clients, seconds, hold):
        """The turns of each client, each the times at which it asked, was granted, and began to give
        back, in ns; and how many commands they sent."""
        server.ask("FLUSHALL")
        start = time.monotonic_ns() + int(LEAD_SECONDS * 1e9)
        arguments = [server.url, str(start), str(seconds), str(hold)]
        processes = [subprocess.Popen([*self.start, *arguments], stdout=subprocess.PIPE, text=True)
                     for _ in range(clients)]
        time.sleep(max(0.0, (start - time.monotonic_ns()) / 1e9))
        server.ask("CONFIG", "RESETSTAT")
        time.sleep(seconds)
        calls = server.calls()
        turns = []
        for process in processes:
            numbers = [int(line) for line in process.communicate(timeout=180)[0].split()]
            turns.append(list(zip(numbers[0::3], numbers[1::3], numbers[2::3])))
        return turns, sum(calls.get(name, 0) for name in self.sends)


def median(values):
    return statistics.median(values) if values else float("nan")


def figures(turns, commands, seconds):
    counts = [len(of_one) for of_one in turns]
    total = sum(counts)
    if total == 0:
        return "nobody was granted anything"
    grants = sorted((granted, asked, given) for one in turns for asked, granted, given in one)
    gaps = [next_one[0] - given for (_, _, given), next_one in zip(grants, grants[1:])
            if next_one[1] < given <= next_one[0]]
    turn = median([after[0] - before[0] for one in turns for before, after in zip(one, one[1:])])
    jain = total ** 2 / (len(counts) * sum(count * count for count in counts))
    return (f"{total / seconds:8.0f} | {commands / total:5.2f} | {turn / 1000:9.0f} | "
            f"{median(gaps) / 1000:9.0f} | {jain:5.3f}")


def has(*command):
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def competitors(folder):
    """What cannot run is named, and left out."""
    if not OURS.exists():
        sys.exit(f"{OURS} is not built: ./interlock build release")
    scripts = {"evalsha", "eval"}
    found = [Competitor(f"interlock {kind}", [OURS, kind], scripts | {"blpop"})
             for kind in ("mutex", "fair-mutex", "single-file")]
    found.append(Competitor("C++, SET NX PX and polling", [OURS, "set-nx"], scripts | {"set"}))
    if has("/usr/bin/python3", "-c", "import redis"):
        found.append(Competitor("redis-py Lock", ["/usr/bin/python3", HERE / "redis_py.py", "lock"],
                                scripts | {"set"}))
    else:
        print("left out: redis-py (package python3-redis)", file=sys.stderr)
    shutil.copy(HERE / "package.json", folder)
    shutil.copy(HERE / "node_locks.js", folder)
    if has("npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--no-package-lock"):
        node = ["node", folder / "node_locks.js"]
        found.append(Competitor("npm redlock", [*node, "redlock"], scripts))
        found.append(Competitor("npm redis-semaphore", [*node, "redis-semaphore"],
                                scripts | {"set"}))
    else:
        print("left out: redlock and redis-semaphore (npm could not install them)", file=sys.stderr)
    if has("ruby", "-e", "require 'redis'"):
        found.append(Competitor("redis-single-file's commands", ["ruby", HERE / "gem.rb", "commands"],
                                {"getset", "del", "lpush", "blpop", "persist", "llen", "expire"}))
    else:
        print("left out: the gem's commands (package ruby-redis)", file=sys.stderr)
    return found


def compare_shapes(server, seconds):
    """Both in turns, for machines are busy with other things now and then; medians."""
    per_second = {"ours": {}, "theirs": {}}
    for _ in range(SHAPES_TURNS):
        for whose, start in (("ours", [OURS]), ("theirs", ["ruby", HERE / "gem.rb"])):
            server.ask("FLUSHALL")
            out = subprocess.run([*start, "shapes", server.url, "0", str(seconds), "0"], check=False,
                                 stdout=subprocess.PIPE, text=True).stdout
            for shape, figure in (line.split() for line in out.splitlines()):
                per_second[whose].setdefault(shape, []).append(float(figure))
    print(f"\nTimes per second that each shape of the gem's benchmark is done, "
          f"medians of {SHAPES_TURNS} turns:\n")
    print("| shape | interlock single-file | redis-single-file's commands | ratio |")
    print("|---|---|---|---|")
    for shape, figures_of_ours in per_second["ours"].items():
        ours = statistics.median(figures_of_ours)
        theirs = statistics.median(per_second["theirs"].get(shape, [float("nan")]))
        print(f"| {shape} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.2f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--clients", default="1,2,8,32,64")
    parser.add_argument("--hold", type=int, default=0, help="how long each turn is held, in us")
    parser.add_argument("--only", default="", help="those whose names contain this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        all_of_them = [one for one in competitors(folder) if options.only in one.name]
        server = Server(folder)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            print("| lock | clients | grants/s | commands per grant | turn us | hand-over us | Jain |")
            print("|---|---|---|---|---|---|---|")
            for clients in (int(number) for number in options.clients.split(",")):
                for one in all_of_them:
                    turns, commands = one.play(server, clients, options.seconds, options.hold)
                    print(f"| {one.name} | {clients} | {figures(turns, commands, options.seconds)} |",
                          flush=True)
            compare_shapes(server, options.seconds)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
