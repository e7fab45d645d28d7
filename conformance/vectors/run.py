#!/usr/bin/env python3
"""Runs vectors.json against a subject, with nothing but the standard library: an example for a runner in your language.

    python3 run.py vectors.json http://127.0.0.1:9100              every vector that applies
    python3 run.py vectors.json http://127.0.0.1:9100 CORS ERR-001

Exit code 0: all of them hold. 1: one does not. 2: no trustworthy result.
"""
import base64
import contextlib
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
        self.text = body.decode("utf-8", "replace")

    def header(self, name):
        values = [value for found, value in self.lines if found.lower() == name]
        return ", ".join(values) if values else None

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


def caseless(names):
    return sorted(name.lower() for name in names)


# What a header must be, by the kind of expectation: of its value, its members between commas, and what is wanted.
HEADER = {
    "present": lambda value, members, wanted: True,
    "is": lambda value, members, wanted: value == wanted,
    "members": lambda value, members, wanted: sorted(members) == sorted(wanted),
    "namesAre": lambda value, members, wanted: caseless(members) == caseless(wanted),
    "names": lambda value, members, wanted: wanted.lower() in caseless(members),
    "once": lambda value, members, wanted: caseless(members).count(wanted.lower()) == 1,
    "lacks": lambda value, members, wanted: wanted.lower() not in caseless(members),
    "mediaType": lambda value, members, wanted: value.split(";")[0].strip().lower() == wanted,
    "structuredList": lambda value, members, wanted: sorted(structured_list(value) or [None]) == sorted(wanted),
}


def header_fits(expected, response, name, seen):
    value = response.header(name)
    if isinstance(expected, list):
        return all(header_fits(one, response, name, seen) for one in expected)
    if expected is None:
        return value is None
    [(kind, wanted)] = expected.items()
    if kind == "sameAs":
        return value is None or value == seen[wanted - 1].header(name)
    return value is not None and HEADER[kind](value, response.members(name), wanted)


# What a body must be, by the kind of expectation: of the object that it is, and what is wanted.
OBJECT = {
    "keys": lambda found, wanted: sorted(found) == sorted(wanted),
    "lists": lambda found, wanted: isinstance(found.get(wanted), list) and len(found[wanted]) > 0,
    "holds": lambda found, wanted: all(name in found and same(found[name], one) for name, one in wanted.items()),
}


def body_fits(expected, text):
    [(kind, wanted)] = expected.items()
    if kind == "is":
        return text == wanted
    if kind == "lacks":
        return wanted not in text
    try:
        found = json.loads(text, parse_constant=no_number)
    except ValueError:
        return False
    if kind == "json":
        return same(found, wanted)
    return isinstance(found, dict) and OBJECT[kind](found, wanted)


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
    if "body" in expect and not body_fits(expect["body"], response.text):
        return f"the body is {response.text[:200]!r}, expected {json.dumps(expect['body'])[:200]}"
    return None


def run(base, vector):
    """What the vector finds to be otherwise; None when it holds."""
    text = json.dumps(vector).replace("{{token}}", secrets.token_hex(8))
    filled = json.loads(re.sub(r"\{\{x\*(\d+)\}\}", lambda mark: "x" * int(mark[1]), text))
    seen = []
    try:
        for at, step in enumerate(filled["steps"], 1):
            response = send(base, step["request"])
            problem = misfit(step["expect"], response, seen) if "expect" in step else None
            if problem:
                return f"step {at}, {step['request']['method']} {step['request']['target'][:80]}: {problem}"
            seen.append(response)
    except OSError as error:
        return f"no response: {error}"
    finally:
        for request in filled["afterwards"]:
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
