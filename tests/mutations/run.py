#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Puts one mistake after the other into a copy of the library, and sees that something notices.
#
#   run.py [--only PATTERN]... [--seeds N]    every mutation of mutations.txt, or those that match
#   run.py --check                            only that each patch applies and has its row
#
# The sources of the checkout are never touched: build/mutations/ holds a copy of lib/ and a build of
# it alone. What judges a mutation are the programs of build/release, linked with that library instead
# of their own; so a mutation changes .cc files of lib/src, which no other target compiles.
#
# Exit codes: 0 each mutation was killed; 1 one was not, or table and patches are wrong; 2 usage;
# 70 the programs could not be built, or a killer fails without any mutation.
import argparse
import dataclasses
import fcntl
import fnmatch
import json
import math
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RELEASE = ROOT / "build" / "release"
WORK = ROOT / "build" / "mutations"
TREE = WORK / "tree"
LIBRARY = WORK / "lib"
PROGRAMS = {
    "gate": "bin/interlock",
    "lib": "tests/lib/interlock_lib_tests",
    "redis": "tests/redis/interlock_redis_tests",
    "scenarios": "tests/scenarios/interlock_scenarios_tests",
    "conformance": "tests/conformance/interlock_conformance_tests",
}
LONGEST_S = 600  # that a killer may take
VIOLATED = 1  # exit code of a gate that found a violation


class Stale(Exception):
    """A row or its patch does not fit the sources any more."""


class Broken(Exception):
    """The machinery failed, which says nothing of any mutation."""


@dataclasses.dataclass
class Mutation:
    name: str
    kind: str  # one of PROGRAMS, or "equivalent"
    argument: str  # locks, a filter of tests, or the reason
    breaks: str

    @property
    def patch(self):
        return HERE / (self.name + ".patch")


def read_table():
    rows = []
    for line in (HERE / "mutations.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        row = re.fullmatch(r"([a-z0-9-]+) \| (?:(gate)|test (\w+)|(equivalent):) ([^|]+) \| ([^|]+)", line)
        if not row or (row[3] or "gate") not in PROGRAMS:
            raise Stale(f"mutations.txt: not `name | killer | what it breaks`: {line}")
        rows.append(Mutation(row[1], row[2] or row[3] or row[4], row[5], row[6]))
    return rows


def patch(mutation, tree, *options):
    command = ["patch", "--directory", tree, "--strip=1", "--batch", "--fuzz=0"]
    done = run([*command, *options, "--input", mutation.patch], ROOT)
    if done.returncode != 0:
        raise Stale(f"{mutation.name}: the patch does not apply: {done.stdout}{done.stderr}".strip())


def check(rows):
    """All that is wrong with table and patches, in words."""
    wrong = []
    names = [row.name for row in rows]
    wrong += [f"{name}: two rows" for name in sorted(set(names)) if names.count(name) > 1]
    files = {path.stem for path in HERE.glob("*.patch")}
    wrong += [f"{name}: a row without a patch" for name in sorted(set(names) - files)]
    wrong += [f"{name}: a patch without a row" for name in sorted(files - set(names))]
    for row in rows:
        if row.name not in files:
            continue
        changed = re.findall(r"^\+\+\+ b/(\S+)", row.patch.read_text(), re.MULTILINE)
        if not changed or not all(re.fullmatch(r"lib/src/.*\.cc", path) for path in changed):
            wrong.append(f"{row.name}: changes {changed}; allowed are .cc files of lib/src")
            continue
        try:
            patch(row, ROOT, "--dry-run")
        except Stale as why:
            wrong.append(str(why))
    return wrong


def run(command, directory, limit=None):
    try:
        return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, None, "", f"no end within {limit} s")


def must(command, directory):
    done = run(command, directory)
    if done.returncode != 0:
        raise Broken(f"{' '.join(map(str, command))}:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
    return done.stdout


def copy_changed(source, target):
    """Makes `target` like `source`. What is alike stays as old as it is, for the sake of ninja."""
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for path in target.rglob("*"):
        if path.is_file() and path.relative_to(target) not in wanted:
            path.unlink()
    for path in wanted:
        copy = target / path
        if not copy.exists() or copy.read_bytes() != (source / path).read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / path, copy)


def build_library():
    """The copy as it is; what the compiler says if it does not like it."""
    done = run(["ninja", "-C", LIBRARY], ROOT)
    return None if done.returncode == 0 else done.stdout


def prepare(kinds):
    if not (RELEASE / "build.ninja").exists():
        raise Broken("there is no build/release; ./interlock test --mutations makes it")
    must(["ninja", "-C", RELEASE, *(PROGRAMS[kind] for kind in kinds)], ROOT)
    TREE.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / "CMakeLists.txt", TREE / "CMakeLists.txt")
    copy_changed(ROOT / "lib", TREE / "lib")
    if not (LIBRARY / "build.ninja").exists():
        like_release = ["-DCMAKE_CXX_COMPILER=g++-12", "-DCMAKE_BUILD_TYPE=Release"]
        like_release += ["-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-DINTERLOCK_DEVELOPER_MODE=OFF"]
        must(["cmake", "-G", "Ninja", "-S", TREE, "-B", LIBRARY, *like_release], ROOT)
    if said := build_library():
        raise Broken(f"the library does not build without any mutation:\n{said}")


def link(kind):
    """The program of this kind with the library of the copy; answers where it is."""
    program = WORK / pathlib.Path(PROGRAMS[kind]).name
    commands = must(["ninja", "-C", RELEASE, "-t", "commands", "-s", PROGRAMS[kind]], ROOT)
    linked = commands.strip().splitlines()[-1].split(" && ")[1]
    mutated = {"lib/libinterlock.a": str(LIBRARY / "lib" / "libinterlock.a")}
    words = [mutated.get(word, word) for word in linked.split()]
    words[words.index("-o") + 1] = str(program)
    must(words, RELEASE)
    return program


def ask_gate(mutation, program, seed, scenarios):
    """Whether the gate of these scenarios (none: all) fails, what it says, and the failed ones."""
    options = ["--lock", mutation.argument, "--seed", str(seed), "--explain", "none", "--json"]
    if scenarios:
        options += ["--scenario", ",".join(scenarios)]
    done = run([program, "check", *options], WORK, LONGEST_S)
    if done.returncode not in (0, VIOLATED):
        return False, f"no verdict: exit code {done.returncode} {done.stderr.strip()[-200:]}", []
    failed = [row for row in json.loads(done.stdout)["results"] if not row["pass"]]
    said = sorted({f"{row['code']} in {row['scenario']}" for row in failed})
    return done.returncode == VIOLATED, ", ".join(said[:4]), sorted({r["scenario"] for r in failed})


def kills_of_gate(mutation, program, seeds):
    """Of how many seeds the gate fails, and what it says of the last.

    The choice of scenarios does not change their runs, so what failed with one seed is asked first
    with the next; the whole gate only if that passes.
    """
    kills, said, known = 0, "", []
    for seed in range(1, seeds + 1):
        killed = False
        if known:
            killed, said, _ = ask_gate(mutation, program, seed, known)
        if not killed:
            killed, said, failed = ask_gate(mutation, program, seed, [])
            known = failed or known
        kills += killed
    return kills, said


def ask(mutation, program, seeds):
    """Whether the killer fails, the gate with 9 of 10 seeds, and what it says."""
    if mutation.kind == "gate":
        kills, said = kills_of_gate(mutation, program, seeds)
        return kills >= math.ceil(0.9 * seeds), f"{said} ({kills} of {seeds} seeds)"
    done = run([program, "--gtest_filter=" + mutation.argument], WORK, LONGEST_S)
    if done.returncode == 0 and "Running 0 tests" in done.stdout:
        raise Stale(f"{mutation.name}: no test matches {mutation.argument}")
    failed = re.search(r"^\[  FAILED  \] ([\w./]+)", done.stdout, re.MULTILINE)
    said = f"{failed[1]} fails" if failed else f"exit code {done.returncode}"
    return done.returncode not in (0, None), said


def judge(mutation, seeds):
    """Applies it, asks its killer, takes it back. Answers whether it was killed, and a text."""
    if mutation.kind == "equivalent":
        return True, "not asked"
    patch(mutation, TREE, "--no-backup-if-mismatch")
    try:
        if said := build_library():
            return False, "does not build:\n" + said[-3000:]
        program = link(mutation.kind)
        return ask(mutation, program, seeds)
    finally:
        copy_changed(ROOT / "lib", TREE / "lib")


def prove_sound(rows):
    """A killer that fails without the mutation, too, would prove nothing."""
    asked = set()
    for row in rows:
        if row.kind == "equivalent" or (row.kind, row.argument) in asked:
            continue
        asked.add((row.kind, row.argument))
        killed, said = ask(row, RELEASE / PROGRAMS[row.kind], 1)
        if killed or "no verdict" in said:
            raise Broken(f"{row.kind} {row.argument} fails without any mutation: {said}")


def run_all(rows, seeds):
    prepare(sorted({row.kind for row in rows} - {"equivalent"}))
    prove_sound(rows)
    survivors = []
    for row in rows:
        begun = time.monotonic()
        try:
            killed, said = judge(row, seeds)
        except Stale as why:
            killed, said = False, str(why)
        if not killed:
            survivors.append(row.name)
        verdict = "killed  " if killed else "SURVIVED"
        print(f"{verdict} {row.name} by {row.kind} {row.argument}, {time.monotonic() - begun:.0f} s: "
              f"{said}", flush=True)
    print(f"{len(rows) - len(survivors)} of {len(rows)} mutations killed or equivalent")
    for name in survivors:
        print(f"not killed: {name}")
    return 1 if survivors else 0


def main():
    arguments = argparse.ArgumentParser(description="Mutations of lib/, and what kills them.")
    arguments.add_argument("--only", action="append", metavar="PATTERN", help="those that match")
    arguments.add_argument("--seeds", type=int, default=1, metavar="N",
                           help="so many of the gate, 9 of 10 of which must kill")
    arguments.add_argument("--check", action="store_true", help="only table and patches")
    options = arguments.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and so ends what runs
    try:
        rows = read_table()
        wrong = check(rows)
        if options.check or wrong:
            print("\n".join(wrong) or f"{len(rows)} mutations apply")
            return 1 if wrong else 0
        if options.only:
            rows = [row for row in rows if any(fnmatch.fnmatch(row.name, p) for p in options.only)]
        if not rows or options.seeds < 1:
            arguments.error("no mutation matches, or no seed")
        WORK.mkdir(parents=True, exist_ok=True)
        with open(WORK / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return run_all(rows, options.seeds)
    except Stale as why:
        print(why)
        return 1
    except Broken as why:
        print(why, file=sys.stderr)
        return 70


if __name__ == "__main__":
    sys.exit(main())
