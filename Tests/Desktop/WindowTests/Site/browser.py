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
    # A page that says who it is, and has no grant, does not get the page.
    main, window = begin(other, f"http://127.0.0.1:{other}")
    browser.switch(window)
    observe("without a grant", browser.run("return document.body.innerText"))


browser = Browser()
try:
    verify(browser)
    opened(browser)
finally:
    browser.close()
