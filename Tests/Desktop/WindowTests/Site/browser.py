"""Drives Chromium by WebDriver: the service's verification page as a user uses it. Prints observations as lines of JSON.

Arguments: the port of the service, two ports of site.py (the first origin may scan), number, birth, expiry.
"""
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

service, granted, other, number, birth, expiry = sys.argv[1:]
page = f"http://127.0.0.1:{service}/"
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "contrast.js"), encoding="utf-8") as file:
    contrast = "return " + file.read().split("\n", 2)[2]
with open(os.path.join(here, "sealcamera.js"), encoding="utf-8") as file:
    seal_camera = file.read()


def observe(name, value):
    print(json.dumps({"name": name, "value": value}), flush=True)


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(
            ["/usr/bin/chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while "port" not in (line := self.driver.stdout.readline()) or "started" not in line:
            if not line:
                raise RuntimeError("chromedriver did not start")
        self.address = "http://127.0.0.1:" + line.rstrip().rstrip(".").split()[-1]
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--lang=en", "--user-data-dir=" + os.environ["HOME"] + "/driven"]}
        self.session = ""
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + self.session + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)["value"]

    def go(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def command(self, name, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def element(self, name):
        return list(self.call("POST", "/element", {"using": "css selector", "value": "#" + name}).values())[0]

    def type(self, name, text):
        self.call("POST", f"/element/{self.element(name)}/value", {"text": text})

    def click(self, name):
        self.call("POST", f"/element/{self.element(name)}/click", {})

    def wait(self, expression, seconds=60):
        for _ in range(seconds * 20):
            if self.run("return Boolean(" + expression + ")"):
                return
            time.sleep(0.05)
        raise RuntimeError(expression + " did not come true; the page shows " + self.run("return document.body.innerText"))

    def read(self):
        self.wait("document.title === 'Check a document'")
        self.type("number", number)
        self.type("birth", birth)
        self.type("expiry", expiry + "\n")
        self.wait("!document.getElementById('result').hidden")

    def tree(self):
        """Role, name and state of everything that an assistive technology gets."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        value = lambda node, key: node.get(key, {}).get("value", "")
        return [[value(node, "role"), value(node, "name")] for node in nodes if not node.get("ignored")]

    def windows(self):
        return self.call("GET", "/window/handles")

    def switch(self, window):
        self.call("POST", "/window", {"handle": window})

    def logged(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def close(self):
        self.call("DELETE", "")
        self.driver.terminate()


def verify(browser):
    # Two minutes of idleness pass in a second, from the moment when the test says so.
    browser.command("Page.enable")
    browser.command("Page.addScriptToEvaluateOnNewDocument", source="""
        const wait = window.setTimeout;
        window.setTimeout = (act, time, ...rest) =>
          wait(act, window.isFast && String(act).includes("forget") ? time / 100 : time, ...rest);
    """)
    browser.go(page)
    browser.wait("document.title === 'Check a document'")
    observe("enter tree", browser.tree())
    for scheme in ["light", "dark"]:
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        observe(f"enter contrast {scheme}", browser.run(contrast)[:1])
    browser.type("birth", "31.02.1990\t")
    observe("wrong date", browser.run("return document.getElementById('birth-note').textContent"))
    browser.run("document.getElementById('birth').value = ''")
    browser.read()
    observe("verdict", browser.run("return document.getElementById('verdict').textContent"))
    observe("focus", browser.run("return document.activeElement.id"))
    observe("result tree", browser.tree())
    for scheme in ["light", "dark"]:
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        observe(f"result contrast {scheme}", browser.run(contrast)[:1])
    observe("requests elsewhere", browser.run(
        "return performance.getEntriesByType('resource').map((one) => one.name).filter((name) => !name.startsWith(arguments[0]))",
        page))
    browser.click("language")
    observe("German", [browser.run("return document.documentElement.lang"), browser.run("return document.title")])
    browser.click("language")
    browser.run("window.isFast = true; dispatchEvent(new KeyboardEvent('keydown'))")
    browser.wait("!document.getElementById('enter').hidden", 30)
    browser.run("window.isFast = false; dispatchEvent(new KeyboardEvent('keydown'))")
    observe("after two idle minutes", [
        browser.run("return document.body.innerText.includes(arguments[0])", number),
        browser.run("return [...document.querySelectorAll('input:not([type=radio]), textarea')].map((one) => one.value)"),
        browser.run("return document.getElementById('portrait').hasAttribute('src')"),
        browser.run("return [localStorage.length, sessionStorage.length, document.cookie]")])
    # The lines at the bottom, judged while they are typed.
    browser.run("document.querySelector('[name=form][value=zone]').click()")
    lines = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10"
    browser.type("zone", lines[:60])
    observe("half a zone", browser.run("return document.getElementById('zone-note').textContent"))
    browser.type("zone", lines[60:])
    observe("a zone", browser.run("return document.getElementById('zone-note').textContent"))
    browser.run("""const zone = document.getElementById('zone'); zone.value = arguments[0];
        zone.dispatchEvent(new Event('input', {bubbles: true}))""", lines.replace("7408122", "7408132"))
    observe("a wrong zone", browser.run("return document.getElementById('zone-note').textContent"))
    observe("console", browser.logged())


def seals(browser):
    """The scan of a seal. The camera is a script; every text of the seal is hostile."""
    camera = browser.command("Page.addScriptToEvaluateOnNewDocument", source=seal_camera)["identifier"]

    def begin(launch=""):
        # On a busy machine, Chromium has loaded a page in a new process without the script of the camera.
        for _ in range(10):
            # Another fragment alone would not load the page again.
            browser.go("about:blank")
            browser.go(page + launch)
            if browser.run("return 'sealCamera' in window"):
                break
        browser.wait("window.sealCamera && sealCamera.asked.length > 0 && document.title !== ''")

    def scan():
        browser.wait("!document.getElementById('enter').hidden && !document.getElementById('seal').hidden")
        browser.click("seal")
        browser.wait("sealCamera.isScanning() && !document.getElementById('sealing').hidden")

    def text(name):
        return browser.run("return document.getElementById(arguments[0]).textContent", name)

    begin("#asked")
    browser.wait("document.getElementById('asker').textContent !== ''")
    observe("seal for an asker", browser.run("return document.getElementById('seal').hidden"))

    begin()
    browser.wait("!document.getElementById('seal').hidden")
    observe("enter tree with a camera", browser.tree())
    scan()
    observe("seal title", [browser.run("return document.title"), browser.run("return document.activeElement.id")])
    states = []
    for state in ["no_barcode", "mrz_detected", "other_barcode", "seal_detected", "constructor"]:
        browser.run("sealCamera.show(arguments[0])", state)
        states.append(text("seal-state"))
    observe("seal states", states)
    observe("seal live", browser.run("return document.getElementById('seal-state').getAttribute('role')"))
    observe("scan tree", browser.tree())
    browser.click("seal-stop")
    browser.wait("!document.getElementById('enter').hidden")
    observe("seal stopped", [browser.run("return sealCamera.asked.slice(-2)"), text("notice")])

    # The camera reads the lines at the bottom, and "Stop" comes before it has ended that.
    before = browser.run("return sealCamera.asked.length")
    browser.click("camera")
    browser.wait("sealCamera.isReadingZone()")
    browser.run("sealCamera.hold()")
    browser.click("seal")
    browser.wait("!document.getElementById('sealing').hidden")
    browser.click("seal-stop")
    browser.wait(f"sealCamera.asked.length >= {before} + 3")
    # The answers that are held are sent after both requests were received.
    browser.run("setTimeout(() => sealCamera.release(), 100)")
    browser.wait("!document.getElementById('enter').hidden")
    observe("seal stopped early", browser.run("return sealCamera.asked.slice(arguments[0]).map(([name]) => name)", before))

    scan()
    browser.run("sealCamera.refuse('SEAL_SCAN_FAILED', '<b id=hacked>No.</b>')")
    browser.wait("!document.getElementById('notice').hidden")
    observe("seal failed", [text("notice"), browser.run("return document.getElementById('hacked') === null")])

    hostile = "<img id=hacked src=x onerror='window.hacked = true'><script>window.hacked = true</script>"
    report = {
        "kind": "vds", "document": "visa", "outcome": "genuine", "outcomeReason": None, "headline": "Genuine seal.",
        "comparison": "equalsZone", "issuer": "UTO", "symbol": None,
        "header": {"signatureDate": "2026-02-03", "reference": ""},
        "fields": [
            {"name": "mrz", "value": "VCUTOERIKSSON<<ANNA<MARIA\nL8988901C4XXX4009078F9612109", "tag": "02",
             "hex": None, "label": "MRZ"},
            {"name": "passportNumber", "label": "Passport number", "value": hostile, "tag": "05", "hex": None},
            {"name": "unknown", "label": "Element 0A", "value": "", "tag": "0A", "hex": "00FF"},
            {"name": "other", "label": hostile, "value": "b", "tag": None, "hex": None},
        ],
        "signer": {"subject": hostile, "issuer": "CN=CSCA", "serialNumber": "32", "notBefore": "2026-01-01T00:00:00Z",
                   "notAfter": "2027-01-01T00:00:00Z", "sha256": "AB"},
        "chain": [{"country": "UT"}],
        "checks": [{"id": "seal.format", "status": "passed", "detail": "The seal is as its format demands."},
                   {"id": "seal.matchesDocument", "status": "failed", "detail": hostile}],
        "findings": [{"id": "seal.layout", "detail": hostile}], "icao": {"status": "VALID", "sub": []},
        "authority": None, "verifiedAt": "2026-11-30T12:00:00Z",
    }
    scan()
    browser.run("sealCamera.answer(arguments[0])", {**report, "reportPage": "<!DOCTYPE html><title>Seal</title>"})
    browser.wait("!document.getElementById('result').hidden")
    observe("seal verdict", [text("verdict"), text("reason"), text("comparison"),
                             browser.run("return document.getElementById('banner').className"),
                             browser.run("return document.activeElement.id"), browser.run("return document.title")])
    observe("seal rows", browser.run(
        "return [...document.querySelectorAll('#data > div')].map((one) => [...one.children].map((part) => part.textContent))"))
    observe("seal signer", browser.run("return [...document.querySelectorAll('#signer dd')].map((one) => one.textContent)"))
    observe("seal checks", browser.run("return [...document.querySelectorAll('#checks li')].map((one) => one.className)"))
    observe("seal markup", browser.run("""return [window.hacked ?? null, document.getElementById('hacked'),
        document.querySelectorAll('main img, main script').length, document.getElementById('portrait-part').hidden]"""))
    observe("seal tree", browser.tree())
    for scheme in ["light", "dark"]:
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        observe(f"seal contrast {scheme}", browser.run(contrast)[:1])
    browser.run("""
        const create = URL.createObjectURL;
        URL.createObjectURL = (blob) => create(window.saved = blob);
        HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };""")
    browser.click("save")
    observe("seal saved", browser.run("return saved.text().then((text) => [savedAs, saved.type, text])"))
    browser.click("language")
    observe("seal in German", [text("verdict"), text("comparison")])
    browser.click("language")
    browser.click("done")
    browser.wait("!document.getElementById('enter').hidden")
    observe("seal forgotten", browser.run("return document.getElementById('result').textContent.includes('L8988901C4XXX')"))

    for outcome, reason, comparison in [("notGenuine", "document", "differs"), ("notEstablished", "unknownIssuer", "notCompared"),
                                        ("constructor", "constructor", "constructor")]:
        scan()
        browser.run("sealCamera.answer(arguments[0])",
                    {**report, "outcome": outcome, "outcomeReason": reason, "comparison": comparison, "signer": None})
        browser.wait("!document.getElementById('result').hidden")
        observe("seal outcome", [browser.run("return document.getElementById('banner').className"), text("verdict"), text("reason"),
                                 text("comparison"), browser.run("return document.getElementById('signer-part').hidden")])
        browser.click("done")

    # More fields than the page shows.
    many = {**report, "fields": [{"name": "unknown", "label": "", "value": "", "tag": "0A", "hex": "00"}] * 70, "header": {}}
    for launch in ["", "#unsaved"]:
        begin(launch)
        scan()
        browser.run("sealCamera.answer(arguments[0])", many)
        browser.wait("!document.getElementById('result').hidden")
        observe("seal with many fields", browser.run("return document.querySelector('#data > div:last-child dd').textContent"))

    # What a program receives that opened the page and asked for nothing in particular.
    for comparison in ["equalsZone", "notCompared"]:
        begin("#embed")
        scan()
        browser.run("sealCamera.answer(arguments[0])", {**report, "comparison": comparison})
        browser.wait("!document.getElementById('result').hidden")
        browser.click("done")
        browser.wait("sealCamera.asked.some(([name]) => name === 'lifecycle.dismiss')")
        observe("seal result", browser.run(
            "return sealCamera.asked.find(([name]) => name === 'lifecycle.setResult')[1]"))
    observe("seal console", browser.logged())
    browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier=camera)


def opened(browser):
    def begin(port, claims):
        browser.go(f"http://127.0.0.1:{port}/opener.html?service={service}&claims={claims}")
        first = browser.windows()
        browser.click("open")
        for _ in range(100):
            new = [window for window in browser.windows() if window not in first]
            if new:
                return first[0], new[0]
            time.sleep(0.05)
        raise RuntimeError("no window was opened")

    def received(window):
        browser.switch(window)
        time.sleep(0.5)
        return browser.run("return received")

    main, window = begin(granted, f"http://127.0.0.1:{granted}")
    browser.switch(window)
    browser.read()
    observe("asker", browser.run("return document.getElementById('asker').textContent"))
    observe("unknown names", [line for line in browser.logged() if "disclosed" in line])
    browser.click("done")
    observe("messages", received(main))
    observe("windows", len(browser.windows()))

    main, window = begin(granted, f"http://127.0.0.1:{granted}")
    browser.switch(window)
    browser.wait("document.title === 'Check a document' && !document.getElementById('leave').hidden")
    browser.switch(main)
    browser.click("cancel")
    observe("messages after cancel", received(main))

    # A page that claims to be the granted one receives nothing: the browser compares the origins.
    main, window = begin(other, f"http://127.0.0.1:{granted}")
    browser.switch(window)
    browser.read()
    browser.click("done")
    observe("messages of a false claim", received(main))
    # Another spelling of the parameter, which a browser decodes, too.
    for query in [f"target%4Frigin=http://127.0.0.1:{other}&targetOrigin=http://127.0.0.1:{granted}",
                  f"targetOrigin=http://127.0.0.1:{granted}&targetOrigin=http://127.0.0.1:{other}",
                  "targetOrigin=", "targetOrigin=null", "targetOrigin=*"]:
        try:
            urllib.request.urlopen(f"{page}?{query}")
            observe("spelling", 200)
        except urllib.error.HTTPError as error:
            observe("spelling", error.code)
    try:
        urllib.request.urlopen(f"{page}?targetOrigin=http://127.0.0.1:{granted}/")
    except urllib.error.HTTPError as error:
        observe("with a slash", error.read().decode())
    # A page that says who it is, and has no grant, does not get the page.
    main, window = begin(other, f"http://127.0.0.1:{other}")
    browser.switch(window)
    observe("without a grant", browser.run("return document.body.innerText"))
    observe("messages without a grant", received(main))


browser = Browser()
try:
    verify(browser)
    seals(browser)
    opened(browser)
finally:
    browser.close()
