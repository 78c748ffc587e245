import BridgeVectors
import Foundation
import TesseraBridge
import TesseraEncryptedStorage
import TesseraJSON
import TesseraPassport
import TesseraService
import TesseraVirtualChip
import TesseraWebClient
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Pages in Chromium")
  struct BrowserTests {
    private static let chromium = URL(fileURLWithPath: "/usr/bin/chromium")
    static let isEnabled =
      FileManager.default.isExecutableFile(atPath: chromium.path)
      || ProcessInfo.processInfo.environment["CI"] == "true"

    @Test(
      "a granted page scans and stores a secret; methods without a grant and other pages are refused",
      .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"))
    func pages() async throws {
      let site = try await Site()
      defer { site.stop() }
      let files = try SpecimenDocument().files
      let registry = SdkProviderRegistry()
      let folder = try TemporaryFolder()
      let storage = EncryptedStore(path: folder.file("storage")) { nil }
      let router = MessageRouter.withSystemProviders(registry: registry, cards: .virtual(.bac, files), storage: storage)
      let granted = "http://127.0.0.1:\(site.ports[0])"
      let grants = ["\(granted)=lifecycle,nfc.scan,secureStorage"]
      try await ServiceUnderTest.with(router, grants: grants) { service in
        try site.write(service: service.port, SpecimenDocument.content)
        try await Self.show("\(granted)/page.html?who=granted") { await site.wait { $0.count >= 3 } }
        try await Self.show("http://127.0.0.1:\(site.ports[1])/page.html?who=other") {
          await site.wait { reports in reports.contains { $0["who"] == "other" } }
        }
        let reports = Dictionary(site.reports.map { ($0["who"]?.stringValue ?? "", $0) }) { $1 }

        let page = try #require(reports["granted"])
        #expect(page["transports"] == ["object", "object"])
        #expect(page["scan"] == true)
        #expect(page["mrzLength"] == 88)
        #expect(page["steps"]?.elements.first == "waiting_for_tag")
        #expect(page["steps"]?.elements.last == "complete")
        #expect((page["steps"]?.elements.count ?? 0) >= 6)
        #expect(page["inOrder"] == true)
        #expect(page["secret"] == "a secret of ä page")
        #expect(page["refusal"] == "NOT_ALLOWED")
        #expect(page["isSupported"] == .null, "the grant of the scan includes it")
        for who in ["other", "frame", "sandboxed"] {
          let report = try #require(reports[who], "reports came from \(reports.keys)")
          let codes = ["NOT_AVAILABLE", "NO_SCRIPT"]
          #expect(codes.contains(report["scan"]?.stringValue ?? ""), "\(who)")
          #expect(codes.contains(report["secret"]?.stringValue ?? ""), "\(who)")
          #expect(report["steps"] == [], "\(who)")
          #expect(report["direct"] == "closed", "\(who)")
          print("attack: \(who) page in Chromium: no access")
        }
      }
    }
  }
}

extension RealPrograms.BrowserTests {
  @Test(
    "the client works as a module of the service and as a copy that connects: a scan with its steps, errors, an abort",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"), arguments: ["module", "copy"])
  func client(_ way: String) async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    let registry = SdkProviderRegistry()
    let router = MessageRouter.withSystemProviders(
      registry: registry, cards: .virtual(.bac, try SpecimenDocument().files)
    ).serving(WaitingHandler(.analytics))
    registry.register {
      $0.cameraSeal = ScriptedCameraSealProvider([.zone, .zone, .seal], end: .report(["kind": "vds", "fields": []]))
    }
    try await ServiceUnderTest.with(router, grants: ["\(origin)=nfc.scan,camera.scanSeal,analytics"]) { service in
      try site.writeClientPage(service: service.port, SpecimenDocument.content, isCopy: way == "copy")
      try await Self.show("\(origin)/page.html") { await site.wait { $0.count >= 1 } }
    }
    let report = try #require(site.reports.first)
    #expect(report["present"] == true, "\(report)")
    #expect(report["isSupported"] == true)
    #expect(report["outcome"]?.stringValue != nil)
    #expect(report["steps"]?.elements.first == "waiting_for_tag" && report["steps"]?.elements.last == "complete")
    #expect(report["seal"] == ["vds", "mrz_detected", "seal_detected"])
    #expect(report["sealAborted"] == "AbortError")
    #expect(report["wrong"] == "BridgeError AUTH_FAILED")
    #expect(report["refused"] == "BridgeError NOT_ALLOWED")
    #expect(report["late"] == "BridgeError BRIDGE_TIMEOUT")
    #expect(report["aborted"] == "AbortError")
    #expect(report["alreadyAborted"] == "AbortError")
    #expect(report["unsent"] == "TypeError")
    #expect(report["later"] == true)
    #expect(report["others"] == ["other", "early"])
    let console = report["console"]?.elements.compactMap(\.stringValue) ?? []
    for line in [
      "This caller has no grant for this method. The user can allow it: tessera grants add \(origin)=camera.scanMRZ",
      "The request has no member \"timestamp\".",
      "A message gets no response: it is not an object of JSON with a text \"id\".",
    ] {
      #expect(console.count { $0 == "Tessera: \(line)" } == 1, "\(line): \(console)")
    }
  }

  @Test(
    "a copy of the client says why it cannot connect a page without a grant",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"))
  func clientWithoutGrant() async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    try await ServiceUnderTest.with(.echo) { service in
      try site.writeClientPage(service: service.port, SpecimenDocument.content, isCopy: true)
      try await Self.show("\(origin)/page.html") { await site.wait { $0.count >= 1 } }
    }
    let report = try #require(site.reports.first)
    #expect(report["present"] == false)
    #expect(report["failed"]?.stringValue?.contains("tessera grants add \(origin)") == true, "\(report)")
    #expect(report["command"] == .string("tessera grants add \(origin)=nfc.scan"))
  }

  @Test(
    "a page whose Content-Security-Policy forbids the connection learns so, and what to add, instead of a timeout",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"), arguments: ["module", "copy"])
  func forbiddenByPolicy(_ way: String) async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    let isModule = way == "module"
    try site.write(WebClient.module, to: "tessera.js")
    try await ServiceUnderTest.with(.echo, grants: ["\(origin)=nfc.scan"]) { service in
      let address = "http://127.0.0.1:\(service.port)"
      let page = """
        <!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"
          content="script-src 'self' 'unsafe-inline' \(isModule ? address : ""); connect-src 'self'">
        <script type="module">
        import {connect, nfc} from "\(isModule ? address : ".")/tessera.js";
        for (let count = 0; count < 2; count += 1) {
          const answer = await connect("\(address)").then(() => nfc.isSupported())
            .catch(({name, code, message}) => ({name, code, message}));
          await fetch("/report", {method: "POST", body: JSON.stringify(answer)});
        }
        </script>
        """
      try site.write(Array(page.utf8), to: "page.html")
      try await Self.show("\(origin)/page.html") { await site.wait { $0.count >= 2 } }
      for report in site.reports {
        #expect(report["name"] == "BridgeError" && report["code"] == "NOT_AVAILABLE", "\(report)")
        let message = report["message"]?.stringValue ?? ""
        #expect(message.contains("Content-Security-Policy") && message.contains("connect-src"), "\(message)")
        #expect(message.contains("ws://127.0.0.1:\(service.port)"), "\(message)")
        #expect(message.contains("Add \(address) to its script-src") == !isModule, "\(message)")
      }
    }
  }

  @Test(
    "the client of a page without a grant says which would help, and connects when the user has given it",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"))
  func clientWithLaterGrant() async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    let router = MessageRouter.withSystemProviders(cards: .virtual(.bac, try SpecimenDocument().files))
    try await ServiceUnderTest.with(router, grants: []) { service in
      let page = """
        <!doctype html><meta charset="utf-8"><script type="module">
        import {nfc} from "http://127.0.0.1:\(service.port)/tessera.js";
        const report = (value) => fetch("/report", {method: "POST", body: JSON.stringify(value)});
        for (let answer = null; answer !== true; await new Promise((resolve) => setTimeout(resolve, 200))) {
          answer = await nfc.isSupported().catch(({code, message, details}) => ({code, message, details}));
          await report(answer);
        }
        </script>
        """
      try site.write(Array(page.utf8), to: "page.html")
      try await Self.show("\(origin)/page.html") {
        guard await site.wait(until: { $0.count >= 1 }) else { return false }
        _ = service.server.replaceGrants(with: Grants([Grant(.web(origin: origin), [Grant.Permission(.nfc, "scan")])]))
        return await site.wait { $0.last == true }
      }
    }
    let first = try #require(site.reports.first)
    #expect(first["code"] == "NO_TRANSPORT")
    #expect(first["message"]?.stringValue?.contains("tessera grants add \(origin)=nfc.scan") == true, "\(first)")
    #expect(first["details"]?["command"] == .string("tessera grants add \(origin)=nfc.scan"), "\(first)")
  }

  @Test(
    "the client of a page whose service is gone says so: isPresent, connect, a watch; a second address is refused",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"))
  func clientWithoutService() async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    let router = MessageRouter.withSystemProviders(cards: .virtual(.bac, try SpecimenDocument().files))
    let service = try await ServiceUnderTest(router, grants: ["\(origin)=nfc.scan"])
    let page = """
      <!doctype html><meta charset="utf-8"><script type="module">
      import {connect, isPresent, nfc} from "http://127.0.0.1:\(service.port)/tessera.js";
      const report = (value) => fetch("/report", {method: "POST", body: JSON.stringify(value)});
      const end = (promise) => promise.then(() => "none", (error) => [error.code, error.details, error.message]);
      await connect("http://localhost:\(service.port)");
      await report([isPresent(), ...await end(connect("http://127.0.0.1:1"))]);
      const watch = end(nfc.watchReader(() => report("watching")));
      const ended = await watch;
      while (isPresent()) { await new Promise(resolve => setTimeout(resolve, 20)); }
      await report([ended[0], ended[1]]);
      const again = await end(connect());
      await report([again[0], isPresent(), again[2].includes("tessera serve")]);
      const many = await Promise.all(Array.from({length: 260}, () => end(nfc.isSupported())));
      await report(many.filter(([code]) => code === "TOO_MANY_REQUESTS").length);
      </script>
      """
    try site.write(Array(page.utf8), to: "page.html")
    try await Self.show("\(origin)/page.html") {
      guard await site.wait(until: { $0.contains("watching") }) else { return false }
      await service.stop()
      return await site.wait { $0.filter { $0 != "watching" }.count >= 4 }
    }
    let reports = site.reports.filter { $0 != "watching" }
    #expect(reports.count == 4, "\(reports)")
    #expect(reports.first?.elements.prefix(2) == [true, "NOT_AVAILABLE"], "\(reports)")
    // The second on a machine that is too slow for the answer.
    let ends: [JSONValue] = [["SCAN_ABORTED", ["reason": "serviceStopping"]], ["SERVICE_STOPPING", nil]]
    #expect(ends.contains(reports.dropFirst().first ?? nil), "\(reports)")
    #expect(reports.suffix(2) == [["NOT_AVAILABLE", false, true], 4], "\(reports)")
  }

  @Test(
    "a page receives an answer to every request when the service stops, and reconnects to the next service",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"))
  func reconnection() async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    let grants = ["\(origin)=analytics,camera"]
    let handlers: [any BridgeHandler] = [WaitingHandler(), EchoHandler(domain: .analytics)]
    let first = try await ServiceUnderTest(MessageRouter(handlers: handlers), grants: grants)
    try site.writePersistentPage(service: first.port)
    try await Self.show("\(origin)/page.html") {
      guard await site.wait(until: { $0.contains("served") }) else { return false }
      await first.stop()
      // A request under way ends with the code of the closing, unless its own answer was first. Later requests are
      // queued.
      let isReported = await site.wait {
        $0.contains("camera: SERVICE_STOPPING") || $0.contains("camera: SCAN_ABORTED")
      }
      let isDown = await site.wait { $0.contains("NOT_AVAILABLE") }
      guard isReported, isDown,
        let second = try? await ServiceUnderTest(
          MessageRouter(handlers: handlers), grants: grants, port: first.port)
      else { return false }
      let isBack = await site.wait { $0.last == "served" }
      await second.stop()
      return isBack
    }
    let answers = site.reports.reduce(into: [String]()) { all, report in
      if let text = report.stringValue, !text.hasPrefix("console: "), all.last != text { all.append(text) }
    }
    let logged = site.reports.compactMap(\.stringValue).filter { $0.hasPrefix("console: ") }
    #expect(
      logged.contains { $0.contains("SERVICE_STOPPING") } && logged.contains { $0.contains("Connected to") },
      "\(logged)")
    let closings = ["camera: SERVICE_STOPPING", "camera: SCAN_ABORTED", "SERVICE_STOPPING"]
    #expect(answers.filter { !closings.contains($0) } == ["served", "NOT_AVAILABLE", "served"], "\(answers)")
  }

  @Test(
    "the script works as a module, and as a copy in a page that is older than the service; the console explains",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"), arguments: ["module", "copy"])
  func otherWays(_ way: String) async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    let handlers: [any BridgeHandler] = [WaitingHandler(), EchoHandler(domain: .analytics)]
    let first = try await ServiceUnderTest(MessageRouter(handlers: handlers), grants: ["\(origin)=analytics"])
    let http = try #require(try await first.http("GET /bridge.js HTTP/1.1\r\nHost: 127.0.0.1:\(first.port)\r\n\r\n"))
    let script = try #require(http.components(separatedBy: "\r\n\r\n").last)
    let source = "http://127.0.0.1:SERVICE/bridge.js"
    let element =
      way == "module" ? "<script type=\"module\" src=\"\(source)\"></script>" : "<script>\(script)</script>"
    try site.writePersistentPage(service: first.port, script: element)
    if way == "copy" { await first.stop() }
    try await Self.show("\(origin)/page.html") {
      guard way == "copy" else { return await site.wait { $0.contains("served") } }
      let isReported = await site.wait { $0.contains { $0.stringValue?.contains("tessera serve") == true } }
      guard isReported, await site.wait(until: { $0.contains("NOT_AVAILABLE") }),
        let second = try? await ServiceUnderTest(
          MessageRouter(handlers: handlers), grants: ["\(origin)=analytics"], port: first.port)
      else { return false }
      let isServed = await site.wait { $0.last == "served" }
      await second.stop()
      return isServed
    }
    if way == "module" { await first.stop() }
    let logged = site.reports.compactMap(\.stringValue).filter { $0.hasPrefix("console: ") }
    if way == "copy" {
      #expect(logged.first?.contains("ws://127.0.0.1:\(first.port)/bridge") == true)
      #expect(logged.first?.contains(origin) == true)
      #expect(logged.contains { $0.contains("Connected to") })
      #expect(logged.count <= 4, "each state is logged once: \(logged)")
    } else {
      #expect(
        logged.allSatisfy { $0.contains("SERVICE_STOPPING") || $0.contains("tessera grants add \(origin)=") },
        "\(logged)")
    }
  }

  @Test(
    "the script refuses a message that is too long, and other requests of the page continue",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"))
  func longMessage() async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    let handler = WaitingHandler()
    let router = MessageRouter(handlers: [handler, EchoHandler(domain: .analytics)])
    try await ServiceUnderTest.with(router, grants: ["\(origin)=analytics,camera"]) { service in
      try site.writeLongMessages(service: service.port)
      try await Self.show("\(origin)/page.html") { await site.wait { $0.count >= 3 } }
    }
    #expect(site.reports.prefix(3) == ["MESSAGE_TOO_LARGE", "MESSAGE_TOO_LARGE", "served"])
    #expect(handler.begun.withLock { $0 } == 1)
  }

  static func show(_ address: String, until condition: () async -> Bool) async throws {
    let profile = try TemporaryFolder()
    let browser = try RunningProgram(
      chromium,
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--user-data-dir=\(profile.url.path)", address,
      ], environment: ["HOME": profile.url.path])
    let isMet = await condition()
    browser.send(signal: SIGTERM)
    _ = await browser.finish(within: 120)
    #expect(isMet, "\(address): \(browser.errors.suffix(500))")
  }
}

extension JSONValue {
  fileprivate var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}

/// Two origins on loopback that serve the same page and collect its reports.
final class Site: Sendable {
  let ports: [UInt16]
  private let folder: TemporaryFolder
  private let server: RunningProgram

  init() async throws {
    folder = try TemporaryFolder()
    let script = """
      import http.server, sys, threading
      writing = threading.Lock()
      class Handler(http.server.SimpleHTTPRequestHandler):
        def do_POST(self):
          body = self.rfile.read(int(self.headers["Content-Length"])).decode()
          # print writes the text and the line end separately, so concurrent requests would mix their output.
          with writing: print("report " + body, flush=True)
          self.send_response(204); self.end_headers()
        def log_message(self, *arguments): pass
      servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
      print("ports", *[s.server_address[1] for s in servers], flush=True)
      threads = [threading.Thread(target=s.serve_forever) for s in servers]
      [t.start() for t in threads]
      """
    server = try RunningProgram(
      URL(fileURLWithPath: "/bin/sh"), ["-c", "cd \"$SITE\" && exec /usr/bin/python3 -c \"$SCRIPT\""],
      environment: ["SITE": folder.url.path, "SCRIPT": script])
    _ = await server.wait { $0.output.contains("\n") || !$0.isRunning }
    ports = server.output.split(whereSeparator: \.isWhitespace).dropFirst().compactMap { UInt16($0) }
    try #require(ports.count == 2)
  }

  var reports: [JSONValue] {
    server.output.split(separator: "\n").filter { $0.hasPrefix("report ") }.compactMap {
      try? JSONValue(text: $0.dropFirst(7))
    }
  }

  func wait(until condition: ([JSONValue]) -> Bool) async -> Bool {
    await server.wait(within: 180) { _ in condition(reports) }
  }

  func stop() { server.send(signal: SIGKILL) }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
  }

  func write(service: UInt16, _ document: MachineReadableZone.Content) throws {
    let page = Self.page.replacing("SERVICE", with: "\(service)").replacing("OTHER", with: "\(ports[1])")
      .replacing("NUMBER", with: document.documentNumber).replacing("BIRTH", with: document.dateOfBirth)
      .replacing("EXPIRY", with: document.dateOfExpiry)
    try page.write(toFile: folder.file("page.html"), atomically: false, encoding: .utf8)
  }

  /// Writes a page that sends a request without an answer, then one with too many UTF-16 code units, one with too many
  /// bytes in UTF-8, and one below the maximum length.
  func writeLongMessages(service: UInt16) throws {
    let page = """
      <!doctype html><meta charset="utf-8"><script src="http://127.0.0.1:SERVICE/bridge.js"></script>
      <script>
      const waiting = new Map();
      window.SelfNativeBridge = {
        _handleResponse(text) {
          const message = JSON.parse(text);
          waiting.get(message.requestId)(message.success ? "served" : message.error.code);
        },
        _handleEvent() {}
      };
      function ask(domain, method, pad) {
        const id = "request-" + waiting.size;
        return new Promise(resolve => {
          waiting.set(id, resolve);
          window.webkit.messageHandlers.SelfNativeIOS.postMessage(JSON.stringify(
            {type: "request", version: 1, id, domain, method, params: {pad}, timestamp: Date.now()}));
        });
      }
      function report(answer) { return fetch("/report", {method: "POST", body: JSON.stringify(answer)}); }
      ask("camera", "scanMRZ", "").then(answer => report("camera: " + answer));
      (async () => {
        await report(await ask("analytics", "trackEvent", "x".repeat(1 << 20)));
        await report(await ask("analytics", "trackEvent", "\u{4E2D}".repeat(350000)));
        await report(await ask("analytics", "trackEvent", "x".repeat(1000000)));
      })();
      </script>
      """
    try page.replacing("SERVICE", with: "\(service)").write(
      toFile: folder.file("page.html"), atomically: false, encoding: .utf8)
  }

  /// Writes a page that uses the client, and reports what came of it.
  ///
  /// - Parameter isCopy: whether the page has the client from its own server, and connects it.
  func writeClientPage(service: UInt16, _ document: MachineReadableZone.Content, isCopy: Bool) throws {
    let address = "http://127.0.0.1:\(service)"
    let client = isCopy ? "./tessera.js" : "\(address)/tessera.js"
    let page = """
      <!doctype html><meta charset="utf-8">
      <script type="module">
      import {camera, connect, isPresent, nfc, request} from "\(client)";
      const report = {};
      report.console = [];
      for (const level of ["info", "warn", "error"]) { console[level] = text => report.console.push(text); }
      const send = () => fetch("/report", {method: "POST", body: JSON.stringify(report)});
      const name = (error) => error.name + (error.code && error.name === "BridgeError" ? " " + error.code : "");
      const caught = (promise) => promise.then(() => "none", name);
      const key = {
        passportNumber: "\(document.documentNumber)", dateOfBirth: "\(document.dateOfBirth)",
        dateOfExpiry: "\(document.dateOfExpiry)",
      };
      try {
        await connect("\(address)");
        report.present = isPresent();
        report.isSupported = await nfc.isSupported();
        report.steps = [];
        report.outcome = (await nfc.scan(key, {onProgress: ({step}) => report.steps.push(step)})).outcome;
        const states = [], scanRect = {x: 0, y: 0, width: 320, height: 180};
        const seal = await camera.scanSeal({scanRect, onProgress: ({state}) => states.push(state)});
        report.seal = [seal.kind, ...states];
        report.sealAborted = await caught(camera.scanSeal({signal: AbortSignal.abort()}));
        report.wrong = await caught(nfc.scan({...key, dateOfBirth: "010101"}));
        report.refused = await caught(request("camera", "scanMRZ"));
        report.late = await caught(request("analytics", "trackEvent", {}, {timeout: 50}));
        const stop = new AbortController();
        const aborted = caught(request("analytics", "trackEvent", {}, {signal: stop.signal}));
        stop.abort();
        report.aborted = await aborted;
        report.alreadyAborted = await caught(nfc.scan(key, {signal: AbortSignal.abort()}));
        report.unsent = await caught(nfc.scan({passportNumber: 1n}, {timeout: 1}));
        // Another client that comes later gets what is not for this one.
        const seen = [];
        window.SelfNativeBridge = {_handleResponse: text => seen.push(JSON.parse(text).requestId), _handleEvent() {}};
        window.webkit.messageHandlers.SelfNativeIOS.postMessage(JSON.stringify(
          {type: "request", version: 1, id: "other", domain: "nfc", method: "isSupported", params: {}, timestamp: 1}));
        report.later = await nfc.isSupported();
        while (!seen.includes("other")) { await new Promise(resolve => setTimeout(resolve, 20)); }
        report.others = seen;
        // What other clients send wrongly.
        const post = text => window.webkit.messageHandlers.SelfNativeIOS.postMessage(text);
        post('{"type":"request","version":1,"id":"early","domain":"nfc","method":"isSupported","params":{}}');
        post("nothing");
        while (!seen.includes("early")) { await new Promise(resolve => setTimeout(resolve, 20)); }
      } catch (error) {
        report.present = isPresent();
        report.failed = error.message;
        report.command = error.details?.command;
      }
      await send();
      </script>
      """
    try page.write(toFile: folder.file("page.html"), atomically: false, encoding: .utf8)
    if isCopy {
      try Data(WebClient.module).write(to: URL(fileURLWithPath: folder.file("tessera.js")))
    }
  }

  /// Writes a page that sends one request that the service never answers and then repeated requests, and reports every
  /// answer.
  ///
  /// - Parameter script: the element that loads the bridge.
  func writePersistentPage(
    service: UInt16, script: String = "<script src=\"http://127.0.0.1:SERVICE/bridge.js\"></script>"
  ) throws {
    let page = """
      <!doctype html><meta charset="utf-8">
      <script>
      for (const level of ["info", "warn", "error"]) {
        console[level] = text => fetch("/report", {method: "POST", body: JSON.stringify("console: " + text)});
      }
      </script>
      \(script)
      <script type="module">
      const waiting = new Map();
      window.SelfNativeBridge = {
        _handleResponse(text) {
          const message = JSON.parse(text);
          waiting.get(message.requestId)(message.success ? "served" : message.error.code);
          waiting.delete(message.requestId);
        },
        _handleEvent() {}
      };
      let last = 0;
      function ask(domain, method) {
        const id = "request-" + (last += 1);
        return new Promise(resolve => {
          waiting.set(id, resolve);
          // Some clients post an object.
          window.webkit.messageHandlers.selfNative.postMessage(
            {type: "request", version: 1, id, domain, method, params: {}, timestamp: Date.now()});
        });
      }
      // Repeats a failed report. Without it the page would send no more requests.
      async function report(answer) {
        while (true) {
          try { return await fetch("/report", {method: "POST", body: JSON.stringify(answer)}); } catch (error) {
            await new Promise(resolve => setTimeout(resolve, 100));
          }
        }
      }
      ask("camera", "scanMRZ").then(answer => report("camera: " + answer));
      (async () => { while (true) {
        await report(await ask("analytics", "trackEvent"));
        await new Promise(resolve => setTimeout(resolve, 100));
      } })();
      </script>
      """
    try page.replacing("SERVICE", with: "\(service)").write(
      toFile: folder.file("page.html"), atomically: false, encoding: .utf8)
  }

  /// A page with a client of the bridge protocol (section Messages). The granted page contains two frames.
  private static let page = """
    <!doctype html><meta charset="utf-8">
    <script src="http://127.0.0.1:SERVICE/bridge.js"></script>
    <script>
    const who = new URLSearchParams(location.search).get("who");
    const waiting = new Map(), steps = [], percents = [];
    window.SelfNativeBridge = {
      _handleResponse(text) {
        const message = JSON.parse(text);
        const settle = waiting.get(message.requestId);
        waiting.delete(message.requestId);
        if (settle) settle(message);
      },
      _handleEvent(text) {
        const message = JSON.parse(text);
        steps.push(message.data.step);
        percents.push(message.data.percent);
      }
    };
    function ask(domain, method, params) {
      if (!window.webkit) return Promise.resolve({error: {code: "NO_SCRIPT"}});
      const id = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
      return new Promise(resolve => {
        waiting.set(id, resolve);
        window.webkit.messageHandlers.SelfNativeIOS.postMessage(JSON.stringify(
          {type: "request", version: 1, id, domain, method, params: params || {}, timestamp: Date.now()}));
      });
    }
    function direct() {
      return new Promise(resolve => {
        try {
          const socket = new WebSocket("ws://127.0.0.1:SERVICE/bridge");
          socket.onopen = () => resolve("open");
          socket.onclose = () => resolve("closed");
        } catch (error) { resolve("closed"); }
      });
    }
    function code(answer) { return answer.error ? answer.error.code : null; }
    async function run() {
      const handlers = window.webkit ? window.webkit.messageHandlers : {};
      const report = {who, transports: ["SelfNativeIOS", "selfNative"].map(n => typeof handlers[n])};
      const scan = await ask("nfc", "scan", {passportNumber: "NUMBER", dateOfBirth: "BIRTH", dateOfExpiry: "EXPIRY"});
      report.scan = scan.success || code(scan);
      report.mrzLength = scan.data ? scan.data.passportData.mrz.length : 0;
      report.steps = steps;
      report.inOrder = percents.every((p, i) => i === 0 || percents[i - 1] <= p);
      await ask("secureStorage", "set", {key: "k", value: "a secret of ä page"});
      const secret = await ask("secureStorage", "get", {key: "k"});
      report.secret = secret.success ? secret.data.value : code(secret);
      report.refusal = code(await ask("crypto", "generateKey", {keyRef: "k"}));
      report.isSupported = code(await ask("nfc", "isSupported"));
      report.direct = await direct();
      if (who === "sandboxed") parent.postMessage(JSON.stringify(report), "*"); else submit(JSON.stringify(report));
    }
    // Chromium blocks all requests of a sandboxed frame to this machine, also its report.
    function submit(text) { fetch("/report", {method: "POST", body: text}); }
    onmessage = event => submit(event.data);
    function frame(src, sandbox) {
      const element = document.createElement("iframe");
      if (sandbox) element.setAttribute("sandbox", sandbox);
      element.src = src;
      document.body.append(element);
    }
    onload = () => {
      run();
      if (who !== "granted") return;
      frame("http://127.0.0.1:OTHER/page.html?who=frame");
      frame("/page.html?who=sandboxed", "allow-scripts");
    };
    </script><body></body>
    """
}
