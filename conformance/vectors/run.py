#!/usr/bin/env python3
"""Runs vectors.json against a subject, with nothing but the standard library: an example for a runner in your language.

    python3 run.py vectors.json http://127.0.0.1:9100              every vector that applies
    python3 run.py vectors.json http://127.0.0.1:9100 CORS ERR-001

Exit code 0: all of them hold. 1: one does not. 2: no trustworthy result.
"""
import base64
import contextlib
import gzip
import http.client
import json
import re
import secrets
import sys
import time
from urllib.parse import urlsplit


class Response:
    """Status, header lines and body; `cut` where the body did not come whole."""

    def __init__(self, status, lines, body, cut, seconds):
        self.status, self.lines, self.body, self.cut, self.seconds = status, lines, body, cut, seconds
        if (self.header("content-encoding") or "").lower() == "gzip":
            with contextlib.suppress(OSError, EOFError):
                body = gzip.decompress(body)
        self.text = body.decode("utf-8", "replace")

    def header(self, name):
        values = [value for found, value in self.lines if found.lower() == name]
        return ", ".join(values) if values else None

    def json(self):
        try:
            return json.loads(self.text, parse_constant=no_number)
        except ValueError:
            return ABSENT

    def members(self, name):
        return [member.strip() for member in (self.header(name) or "").split(",") if member.strip()]


def send(base, request):
    """Sends one request over a connection of its own: the target as it stands, header lines as they are."""
    kind = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
    connection = kind(base.hostname, base.port, timeout=10)
    body = base64.b64decode(request["base64"]) if "base64" in request else request.get("body", "").encode()
    headers = {"host": base.netloc, **request.get("headers", {})}
    if request.get("chunked"):
        headers["transfer-encoding"] = "chunked"
    elif body or "body" in request or "base64" in request:
        headers["content-length"] = str(len(body))
    began = time.monotonic()
    try:
        connection.putrequest(request["method"], request["target"], skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            for line in [value] if isinstance(value, str) else value:
                connection.putheader(name, line)
        try:
            chunked = request.get("chunked", False)
            connection.endheaders([body] if chunked else body, encode_chunked=chunked)
        except (BrokenPipeError, ConnectionResetError):
            pass  # It may have responded before it had read all of the body.
        return read(connection, began)
    except http.client.HTTPException as error:
        raise OSError(f"what came is no HTTP: {error!r}") from None
    finally:
        connection.close()


def read(connection, began):
    try:
        response = connection.getresponse()
    except (http.client.RemoteDisconnected, ConnectionResetError):
        return Response(0, [], b"", True, time.monotonic() - began)
    try:
        body, cut = response.read(), False
    except http.client.IncompleteRead as error:
        body, cut = error.partial, True
    except ConnectionResetError:
        body, cut = b"", True
    return Response(response.status, response.getheaders(), body, cut, time.monotonic() - began)


def no_number(word):
    raise ValueError(f"{word} is no JSON")


def same(some, other):
    """Equal as JSON: 1 is 1.0, and not true."""
    return canonical(some) == canonical(other)


def canonical(value):
    return json.dumps(json.loads(json.dumps(value), parse_int=float), sort_keys=True)


def structured_list(value):
    """The members of a list of RFC 9651, tokens or strings, without their parameters; None for what is none."""
    quoted, token = r'"((?:[^"\\]|\\["\\])*)"', r"([A-Za-z*][\w!#$%&'*+.^`|~:/-]*)"
    item = re.compile(rf"\s*(?:{quoted}|{token})((?:\s*;\s*[a-z*][\w.*-]*(?:=[^,;]+)?)*)\s*(,|$)")
    found, at = [], 0
    while match := item.match(value, at):
        found.append(match[2] if match[1] is None else re.sub(r"\\(.)", r"\1", match[1]))
        if match[4] == "":
            return found
        at = match.end()
    return None


PARAMETER = re.compile(r'(?:^|,)\s*(?:([\w-]+)\s+)?([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*')


def challenges(field):
    """The parameters of each challenge by their names, `scheme` among them; none where something else stands there."""
    found = []
    for scheme, name, quoted, token in PARAMETER.findall(field) if PARAMETER.sub("", field) == "" else []:
        if scheme:
            found.append({"scheme": scheme.lower()})
        value = token or re.sub(r"\\(.)", r"\1", quoted)
        if found:
            found[-1][name.lower()] = value.lower() if name.lower() == "charset" else value
    return found


def same_challenges(found, expected):
    by_scheme = {challenge["scheme"]: challenge for challenge in found}
    return len(found) == len(expected) == len(by_scheme) and all(
        (by_scheme.get(one["scheme"], {}).get(name, "") != "") == value
        if isinstance(value, bool)
        else by_scheme.get(one["scheme"], {}).get(name) == value
        for one in expected
        for name, value in one.items()
    )


def caseless(names):
    return sorted(name.lower() for name in names)


# What a header must be, by the kind of expectation: of its value, its members between commas, and what is wanted.
HEADER = {
    "present": lambda value, members, wanted: True,
    "is": lambda value, members, wanted: value == wanted,
    "not": lambda value, members, wanted: value != wanted,
    "matches": lambda value, members, wanted: re.search(wanted, value) is not None,
    "members": lambda value, members, wanted: sorted(members) == sorted(wanted),
    "namesAre": lambda value, members, wanted: caseless(members) == caseless(wanted),
    "names": lambda value, members, wanted: wanted.lower() in caseless(members),
    "once": lambda value, members, wanted: caseless(members).count(wanted.lower()) == 1,
    "lacks": lambda value, members, wanted: wanted.lower() not in caseless(members),
    "mediaType": lambda value, members, wanted: value.split(";")[0].strip().lower() == wanted,
    "structuredList": lambda value, members, wanted: caseless(structured_list(value) or [""]) == caseless(wanted),
    "challenges": lambda value, members, wanted: same_challenges(challenges(value), wanted),
}


def header_fits(expected, response, name, seen):
    value = response.header(name)
    if isinstance(expected, list):
        return all(header_fits(one, response, name, seen) for one in expected)
    if expected is None:
        return value is None
    [(kind, wanted)] = expected.items()
    if kind == "sameAs":
        before = seen[wanted - 1].header(name)
        return value is None or before is None or value == before
    if kind == "without":
        return value is None or re.search(wanted, value) is None
    return value is not None and HEADER[kind](value, response.members(name), wanted)


ABSENT = object()


def at(value, pointer):
    """What stands at a pointer, `*` leading into every member of a list; ABSENT where nothing does."""
    for place, escaped in enumerate(steps := pointer.split("/")[1:]):
        if escaped == "*":
            below = "".join(f"/{step}" for step in steps[place + 1 :])
            found = [at(one, below) for one in value] if isinstance(value, list) else ABSENT
            return found if found is ABSENT else [one for one in found if one is not ABSENT]
        value = member(value, escaped.replace("~1", "/").replace("~0", "~"))
    return value


def member(value, step):
    selected = re.fullmatch(r"\[(.+=.*)\]", step, re.DOTALL)
    if isinstance(value, dict) and not selected:
        return value.get(step, ABSENT)
    if not isinstance(value, list):
        return ABSENT
    if selected:
        wanted = [one.split("=") for one in selected[1].split("&")]
        return next((one for one in value if all(as_text(member(one, name)) == text for name, text in wanted)), ABSENT)
    return value[int(step)] if step.isdigit() and int(step) < len(value) else ABSENT


def as_text(value):
    return value if isinstance(value, str) or value is ABSENT else json.dumps(value)


def includes(value, wanted):
    if isinstance(value, list):
        return any(same(one, wanted) for one in value)
    return str(wanted) in value if isinstance(value, str) else None


def in_order(values):
    return sorted(canonical(value) for value in values)


# What a value in a JSON body must be, by the kind of expectation: of the value, and what is wanted.
VALUE = {
    "is": same,
    "not": lambda value, wanted: not same(value, wanted),
    "members": lambda value, wanted: isinstance(value, list) and in_order(value) == in_order(wanted),
    "has": lambda value, wanted: includes(value, wanted) is True,
    "lacks": lambda value, wanted: includes(value, wanted) is False,
    "matches": lambda value, wanted: isinstance(value, str) and re.search(wanted, value) is not None,
    "from": lambda value, wanted: is_number(value) and value >= wanted,
    "to": lambda value, wanted: is_number(value) and value <= wanted,
}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def value_fits(expected, value):
    if "present" in expected:
        return (value is not ABSENT) == expected["present"]
    return value is not ABSENT and all(VALUE[kind](value, wanted) for kind, wanted in expected.items())


def body_fits(expected, response):
    if isinstance(expected, list):
        return all(body_fits(one, response) for one in expected)
    [(kind, wanted)] = expected.items()
    if kind == "is":
        return response.text == wanted
    found = response.json()
    plain = response.text if found is ABSENT else json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    if kind == "matches":
        return re.search(wanted, plain) is not None
    if kind == "has":
        return wanted in plain
    if kind == "lacks":
        return wanted not in plain and wanted not in response.text
    if kind == "json":
        return found is not ABSENT and same(found, wanted)
    return all(value_fits(one, at(found, pointer)) for pointer, one in wanted.items())


def misfit(expect, response, seen):
    """What is not as expected, as a sentence; None when all of it is."""
    if response.cut != expect.get("cut", False):
        return "the response was cut short" if response.cut else "the response came whole"
    if "status" in expect and expect["status"] not in (response.status, f"{response.status // 100}xx"):
        return f"the status is {response.status}, expected {expect['status']}"
    for name, expected in expect.get("headers", {}).items():
        if not header_fits(expected, response, name, seen):
            return f"{name} is {response.header(name)!r}, expected {json.dumps(expected)}"
    if "within" in expect and response.seconds > expect["within"]:
        return f"it took {response.seconds:.1f} seconds, expected {expect['within']}"
    if "body" in expect and not body_fits(expect["body"], response):
        return f"the body is {response.text[:200]!r}, expected {json.dumps(expect['body'])[:200]}"
    return None


def filled(value, words):
    """The value with what its marks stand for; a text that is one mark alone becomes the value itself."""
    if isinstance(value, list):
        return [filled(one, words) for one in value]
    if isinstance(value, dict):
        return {str(filled(name, words)): filled(one, words) for name, one in value.items()}
    if not isinstance(value, str):
        return value
    if (alone := re.fullmatch(r"\{\{(\w+)\}\}", value)) and alone[1] in words:
        return words[alone[1]]
    text = re.sub(r"\{\{x\*(\d+)\}\}", lambda mark: "x" * int(mark[1]), value)
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: as_text(words.get(mark[1], mark[0])), text)


def saved_of(saved, response):
    if "at" in saved:
        return at(response.json(), saved["at"])
    text = response.text if "body" in saved else response.header(saved["header"])
    found = text is not None and re.search(saved.get("body", saved.get("part", "")), text)
    if not found:
        return ABSENT
    return found[1] if found.re.groups else text


def run_step(base, step, seen, words):
    """What is not as expected; what it saves is added to the words."""
    response, end = send(base, step["request"]), time.monotonic() + 5
    while "until" in step and misfit(step["until"], response, seen):
        if time.monotonic() > end:
            return f"waits for {misfit(step['until'], response, seen)}"
        time.sleep(0.01)
        response = send(base, step["request"])
    if "expect" in step and (problem := misfit(step["expect"], response, seen)):
        return problem
    seen.append(response)
    for name, saved in step.get("save", {}).items():
        words[name] = saved_of(saved, response)
        if words[name] is ABSENT:
            return f"it has nothing to save as {name}"
    return None


def run(base, vector):
    """What the vector finds to be otherwise; None when it holds."""
    words = {"token": secrets.token_hex(8), "host": base.netloc, "origin": f"{base.scheme}://{base.netloc}"}
    seen = []
    try:
        for place, step in enumerate(vector["steps"], 1):
            problem = run_step(base, filled(step, words), seen, words)
            if problem:
                return f"step {place}, {step['request']['method']} {step['request']['target'][:80]}: {problem}"
    except OSError as error:
        return f"no response: {error}"
    finally:
        for request in vector["afterwards"]:
            with contextlib.suppress(OSError):
                send(base, request)
    return None


def main(path, url, *wanted):
    base = urlsplit(url)
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)["vectors"]
    about = json.loads(send(base, {"method": "GET", "target": "/__subject/about"}).text)
    held, failed = 0, 0
    for vector in vectors:
        is_wanted = not wanted or any(vector["id"] == one or vector["id"].startswith(f"{one}-") for one in wanted)
        applies = vector["profile"] == about["profile"] and set(vector["features"]) <= set(about["features"])
        if not is_wanted or not applies:
            continue
        problem = run(base, vector)
        held, failed = held + (problem is None), failed + (problem is not None)
        if problem:
            print(f"{vector['id']} {vector['title']}\n    {problem}")
    print(f"{held} hold, {failed} do not")
    return 2 if held + failed == 0 else min(failed, 1)


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"no result: {error!r}", file=sys.stderr)
        sys.exit(2)
