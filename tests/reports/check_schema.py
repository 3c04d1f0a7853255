# SPDX-License-Identifier: MIT
"""Holds JSON documents against a schema of draft 2020-12.

  check_schema.py SCHEMA DOCUMENT...           complains about what is not valid
  check_schema.py --mutate SCHEMA DOCUMENT     complains about what is still valid although one
                                               thing in it was changed

Prints one line for each complaint, and at the end how many documents (or changes) there were.
Exits with 0 if there was no complaint, 1 otherwise. Needs Debian's python3-jsonschema.
"""

import copy
import json
import sys

import jsonschema

OPEN = {"goals", "struck", "stories"}  # objects whose names are data
SIGNED = {"arity", "clock_rate_ppm", "length_us", "renewal_margin_ns", "at_ns", "patience_ns",
          "due_ns", "sent_ns", "valid_until_ns", "left_ns", "length_ns", "until_ns"}
NULLABLE = {"runs_to_first_violation", "median", "low", "high", "renewal_margin_ns", "server",
            "fenced_rejects", "errors", "unanswered", "round_trips", "followed_ns", "difference"}
REAL = {"jain_grants", "jain_hold", "lwss_mean", "jain_opportunity", "fifo_distance"}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def documents(path):
    """The file's document; each line of a .jsonl file is one."""
    if not path.endswith(".jsonl"):
        return [load(path)]
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def shortened(value):
    """The same with fewer items: of each array the first of each shape."""
    if isinstance(value, dict):
        return {name: shortened(member) for name, member in value.items()}
    if not isinstance(value, list):
        return value
    kept, shapes = [], set()
    for item in value:
        shape = tuple(sorted(item)) if isinstance(item, dict) else type(item)
        if shape not in shapes:
            shapes.add(shape)
            kept.append(shortened(item))
    return kept


def optional_names(schema):
    """Members that some object of the schema may go without."""
    names = set()
    if isinstance(schema, dict):
        members = schema.get("properties")
        if "required" in schema and isinstance(members, dict):
            names |= set(members) - set(schema["required"])
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            names |= optional_names(part)
    return names


def wrong_values(name, value):
    """Values that the member cannot have, whatever it is."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        yield 1.5
        yield {"unexpected": []}
        return
    yield "1"
    yield [] if name in NULLABLE else None
    if name not in SIGNED:
        yield -1
    if not name.endswith("seconds") and name not in REAL:
        yield 1.5


def changes(value, optional, name=""):
    """Pairs of what was done, and the changed value."""
    for wrong in wrong_values(name, value):
        yield f"{name} = {wrong!r}", wrong
    if isinstance(value, dict):
        if name not in OPEN:
            yield f"{name}.unexpected", {**value, "unexpected": 1}
        for member in value:
            if member not in optional and name not in OPEN:
                yield f"{name} without {member}", {k: v for k, v in value.items() if k != member}
            for what, changed in changes(value[member], optional, member):
                yield f"{name}.{what}", {**value, member: changed}
    elif isinstance(value, list):
        for i, item in enumerate(value):
            for what, changed in changes(item, optional, f"{name}[]"):
                yield what, value[:i] + [changed] + value[i + 1 :]


def main(arguments):
    mutate = arguments[0] == "--mutate"
    if mutate:
        arguments = arguments[1:]
    schema = load(arguments[0])
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    complaints = checked = 0
    for path in arguments[1:]:
        if not mutate:
            for document in documents(path):
                checked += 1
                for error in validator.iter_errors(document):
                    complaints += 1
                    print(f"{path}: {error.json_path}: {error.message[:300]}")
            continue
        document = shortened(load(path))
        if not validator.is_valid(document):
            complaints += 1
            print(f"{path}: is not valid when it is shortened")
        for what, changed in changes(document, optional_names(schema)):
            checked += 1
            if validator.is_valid(copy.deepcopy(changed)):
                complaints += 1
                print(f"{path}: still valid: {what[:300]}")
    print(f"{checked} checked, {complaints} complaints")
    return 1 if complaints else 0


sys.exit(main(sys.argv[1:]))
