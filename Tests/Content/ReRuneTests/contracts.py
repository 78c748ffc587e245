# A server of ReRune in the three contracts that its clients have known (ServerContract.swift), for TLS on 127.0.0.1 with the
# certificate and the key of the first two arguments. It refuses each request that its contract does not have. The
# third argument is a file with its state:
#
#   {"contract": "records", "main": "en", "locales": {"de": {"version": 2, "base": 1, "name": "Deutsch",
#    "changes": [{"title": "Start"}, {"title": "Anfang", "n": {"one": "Ein Ding", "other": "{{count}} Dinge"}, "old": null}]}},
#    "mutation": "texts empty"}
#
# `changes` has the texts of version 1, then what each version changed; null removes a text. A mutation is a name of the
# tables below. Prints its port, then each request as an object of JSON. With the one argument `list` it prints the names
# of the mutations.
import gzip
import hashlib
import http.server
import json
import os
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Base/HTTPClientTests"))
from lines import tell  # noqa: E402
from tls import serve  # noqa: E402

html = b"<!doctype html><html><head><title>Sign in</title></head><body>a = \"b\";</body></html>"

# What is sent in place of an answer of status 200: a body, or a body and a status.
bodies = {
    "empty": b"",
    "blank": b" \n ",
    "null": b"null",
    "true": b"true",
    "a number": b"1",
    "a text": b'"text"',
    "no texts": b"{}",
    "a page": html,
    "XML": b'<?xml version="1.0"?><resources><string name="title">x</string></resources>',
    "an error": b'{"error": "not found"}',
    "an error with more": b'{"error": "x", "traceId": "y"}',
    "an error of an interface": b'{"message": "Not Found", "documentation_url": "https://example.org"}',
    "an error in capitals": b'{"Message": "An error has occurred."}',
    "an unknown type": b'[{"key": "title", "type": "text", "values": [{"lang": "de", "value": "x"}]}]',
    "unknown parts": b'[{"key": "title", "values": [{"lang": "de", "message": {"parts": [{"argument": "x"}]}}]}]',
    "too many forms": json.dumps(
        [{"key": "title", "values": [{"lang": "de", "message": {"parts": [{"text": "x" * 1000}, {"variant": {
            "variable": "n", "forms": [{"selector": f"={n}", "parts": []} for n in range(40000)]}}]}}]}]
    ).encode(),
    "an error of a framework": b'{"statusCode": 500, "message": "Internal server error", "error": "Error"}',
    "problem details": b'{"type": "about:blank", "title": "Gone", "status": 410, "detail": "No such project"}',
    "a list of errors": b'{"errors": [{"message": "x"}]}',
    "errors as records": b'[{"error": "x"}]',
    "a list of texts": b'["title", "x"]',
    "a list of null": b"[null]",
    "nesting": b"[" * 100_000,
    "a key without a value": b'[{"key": "title"}]',
    "two values": b'[{"key": "title", "values": [{"value": "a"}, {"value": "b"}]}]',
    "a number as a text": b'[{"key": "title", "values": [{"lang": "de", "value": 1}]}]',
    "another script": b'[{"key": "title", "values": [{"lang": "de-Cyrl", "value": "x"}]}]',
    "another language": b'[{"key": "title", "values": [{"lang": "fr", "value": "Accueil"}]}]',
    "an undeclared argument": b'[{"key": "title", "values": [{"lang": "de", "value": "{{name}}"}]}]',
    "an open token": b'[{"key": "title", "values": [{"lang": "de", "value": "{{name"}]}]',
    "a message without parts": b'[{"key": "title", "values": [{"lang": "de", "message": {}}]}]',
    "an empty catalog": b'{"sourceLanguage": "en", "version": "1.0", "strings": {}}',
    "a catalog of another language": b'{"sourceLanguage": "en", "version": "1.0", "strings": {"title": {"localizations": '
    b'{"fr": {"stringUnit": {"state": "translated", "value": "Accueil"}}}}}}',
    "no UTF-8": b'{"title": "\xff"}',
    "zero bytes": bytes(64),
    "half a surrogate": b'{"title": "\\ud800"}',
    "a bundle": gzip.compress(b'{"title": "x"}', mtime=0),
    "5 MiB": b'{"title": "' + b"x" * (5 << 20) + b'"}',
    "no content": (b"", 204),
    "not modified": (b"", 304),
    "bad request": (b'{"error": "x"}', 400),
    "unauthorised": (b"", 401),
    "forbidden": (html, 403),
    "not found": (html, 404),
    "conflict": (b"", 409),
    "too many": (b'{"message": "slow down"}', 429),
    "server error": (b'[{"key": "title", "values": []}]', 500),
    "unavailable": (html, 503),
}
# What is done with the right body.
changes = {
    "half": lambda body: body[: len(body) // 2],
    "the last byte": lambda body: body[:-1],
    "more after the end": lambda body: body + b"x",
    "twice": lambda body: body + body,
}
# An empty catalog is a lawful difference, and a manifest has no versions in the flat contract.
manifests = {
    "a text as the version": {"version": "8"},
    "no locales": {"locales": None},
    "locales as a text": {"locales": "de"},
    "locales as a list of numbers": {"locales": [1, 2]},
    "an unknown main language": {"main_language": "xx"},
    "a number as the main language": {"main_language": 7},
    "an address without TLS": {"url": "http://rerune.io/x"},
    "an address that is none": {"url": "https://a b"},
    "an older version": {"older": 1},
}
mutations = [
    f"{part} {name}" for part in ("manifest", "texts") for name in [*bodies, *changes, "a cut connection"]
] + [f"manifest {name}" for name in manifests]


def complete(locale, version):
    texts = {}
    for change in locale["changes"][:version]:
        texts |= change
    return texts


def record(key, text, language):
    if text is None:
        return {"key": key, "values": []}
    if isinstance(text, str):
        return {"key": key, "type": "key", "values": [{"lang": language, "value": text}]}
    forms = [{"selector": selector, "parts": [{"text": form}]} for selector, form in text.items()]
    variant = {"variable": "count", "offset": 0, "forms": forms}
    return {
        "key": key,
        "placeholders": [{"name": "count", "type": "int"}],
        "values": [{"lang": language, "message": {"parts": [{"variant": variant}]}}],
    }


def unit(text):
    if isinstance(text, str):
        return {"stringUnit": {"state": "translated", "value": text}}
    return {"variations": {"plural": {name: unit(form.replace("{{count}}", "%lld")) for name, form in text.items()}}}


def entry(text, language):
    return {} if text is None else {"localizations": {language: unit(text)}}


def body_of(contract, texts, language):
    if contract == "records":
        return [record(key, text, language) for key, text in texts.items()]
    if contract == "catalogs":
        strings = {key: entry(text, language) for key, text in texts.items()}
        return {"sourceLanguage": "en", "version": "1.0", "strings": strings}
    return {key: text for key, text in texts.items() if isinstance(text, str)}


class Handler(http.server.BaseHTTPRequestHandler):
    # A connection stays open for the next request, which saves the tests thousands of handshakes. An answer is one write: the
    # kernel otherwise keeps its second part until the client has acknowledged the first.
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        with open(sys.argv[3]) as file:
            state = json.load(file)
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        tell(json.dumps({"path": self.path, "etag": self.headers["If-None-Match"]}) + "\n")
        path = parts.path.removeprefix("/api/sdk/translations/")
        if not self.headers["X-OTA-Publish-Id"]:
            self.answer(b"", 401)
        elif path == "manifest":
            self.manifest(state, query)
        else:
            self.texts(state, path, query)

    def manifest(self, state, query):
        platforms = {"records": {}, "catalogs": {"platform": "ios_xcstrings"}, "flat": {"platform": "ios"}}
        if query != platforms[state["contract"]]:
            return self.answer(b'{"error": "unknown platform"}', state.get("refusal", 404))
        mutation = manifests.get(state.get("mutation", "").removeprefix("manifest "), {})
        locales = {}
        for name, locale in state["locales"].items():
            version = locale["version"] - mutation.get("older", 0)
            if state["contract"] == "flat":
                locales[name] = None
                continue
            address = mutation.get("url", f"https://rerune.io/api/sdk/translations/texts/{name}?project=1")
            locales[name] = {
                "version": version,
                "minimum_delta_base_version": locale.get("base", 1),
                "name": locale.get("name"),
                "url": address,
            }
        version = max(locale["version"] for locale in state["locales"].values())
        manifest = {"version": version, "main_language": state.get("main"), "locales": locales}
        manifest |= {name: value for name, value in mutation.items() if name not in ("url", "older")}
        self.mutated("manifest", state, json.dumps(manifest).encode(), query)

    def texts(self, state, path, query):
        folder, name = path.split("/")
        locale = state["locales"].get(name)
        if locale is None or folder != ("ios" if state["contract"] == "flat" else "texts"):
            return self.answer(b"", 404)
        texts = complete(locale, locale["version"])
        if state["contract"] != "flat":
            if query.pop("project", None) != "1" or "target_version" not in query:
                return self.answer(b'{"error": "target_version is missing"}', 400)
            if int(query["target_version"]) != locale["version"]:
                return self.answer(b"", 409)
            stored = int(query.get("version", "0"))
            if stored >= locale["version"]:
                return self.answer(b"", 400)
            if stored > 0:
                texts = {}
                for change in locale["changes"][stored : locale["version"]]:
                    texts |= change
        self.mutated("texts", state, json.dumps(body_of(state["contract"], texts, name)).encode(), query)

    def mutated(self, part, state, body, query):
        mutation = state.get("mutation", "")
        name = mutation.removeprefix(part + " ")
        if part == "texts" and "version" in query and mutation.startswith("difference "):
            return self.answer(b"[{}]", int(mutation.removeprefix("difference ")))
        if name != mutation and name in bodies:
            body = bodies[name]
            return self.answer(*body) if isinstance(body, tuple) else self.answer(body)
        if name != mutation and name in changes:
            return self.answer(changes[name](body))
        if mutation == part + " a cut connection":
            self.close_connection = True
            return self.answer(body[: len(body) // 2], length=len(body))
        tag = '"' + hashlib.sha256(body).hexdigest()[:16] + '"'
        if self.headers["If-None-Match"] == tag:
            return self.answer(b"", 304, tag)
        self.answer(body, 200, tag)

    def answer(self, body, status=200, tag=None, length=None):
        self.send_response(status)
        if tag:
            self.send_header("ETag", tag)
        if status not in (204, 304):
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if status not in (204, 304):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


if sys.argv[1] == "list":
    print("\n".join(mutations))
else:
    serve(Handler, sys.argv[1], sys.argv[2])
