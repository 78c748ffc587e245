import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// What is collected of pages, pictures, and cookies (Passage.md, rules 7 and 13).
  @Suite("Page data, pictures and cookies")
  struct PageDataTests {
    @Test("a page that stops everything delays its result and no more; a page without an origin has no storage")
    @MainActor
    func hardPages() async throws {
      let session = try await ShownSession()
      let controller = session.controller
      let none = try await controller.run(
        "c-1", "navigate", ["args": ["url": .string(controller.site + "/home.html?sandboxed")]])
      #expect(none["status"] == "success")
      #expect(none["pageData"]?["html"]?.stringValue?.contains("Third Party") == true)
      #expect(none["pageData"]?["localStorage"] == [] && none["pageData"]?["sessionStorage"] == [])
      _ = try await controller.run(
        "c-2", "navigate", ["args": ["url": .string(controller.site + "/home.html?dialog")]])
      try await session.showAutomation()
      // The page waits for the user, and its data with it. The result has the time of the session.
      let blocked = try await controller.run(
        "c-3", "wait",
        [
          "injectScript": """
          window.passage.postMessage({commandId: "c-3", type: "wait", value: "before"});
          alert("The page waits.");
          """
        ])
      #expect(blocked["status"] == "success")
      #expect(blocked["data"] == "before")
      #expect(blocked["pageData"]?["html"] == nil)
      #expect(blocked["pageData"]?["cookies"]?.elements.map { $0["name"] } == ["session", "visible"])
      #expect(blocked["pageData"]?["localStorage"] == [] && blocked["pageData"]?["sessionStorage"] == [])
      try await session.close()
    }

    /// A half red, half blue page, as a browser reads the picture.
    private static func look(_ picture: String) -> String {
      """
      (async () => {
        const image = new Image();
        image.src = \(JSONValue.string(picture).text);
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const at = (x) => [...context.getImageData(Math.floor(canvas.width * x), canvas.height >> 1, 1, 1).data];
        return {width: canvas.width, height: canvas.height, left: at(0.25), right: at(0.75)};
      })()
      """
    }

    private static func expectPage(_ seen: JSONValue) {
      // Within 12 of the page's colours; the last number is the opacity.
      for (side, color) in [("left", [0xC0, 0x20, 0x40, 255]), ("right", [0x20, 0x50, 0x80, 255])] {
        let values = seen[side]?.elements.compactMap { if case .integer(let value) = $0 { Int(value) } else { nil } }
        #expect(
          values?.count == 4 && zip(values ?? [], color).allSatisfy { abs($0 - $1) <= 12 }, "\(side): \(seen.text)")
      }
    }

    @Test("pictures: the hidden page as it is, in the limits of the configuration, with a sign for the user")
    @MainActor
    func pictures() async throws {
      let session = try await ShownSession(
        "/colors.html",
        claims: ["sessionId": "s-1", "captureScreenshot": true, "captureScreenshotInterval": "2"],
        configuration: ["imageOptimization": ["quality": 1, "maxWidth": 320, "maxHeight": 200, "format": "jpeg"]])
      let result = try await session.controller.run("c-1", "injectScript", ["injectScript": "innerWidth / innerHeight"])
      let picture = try #require(result["pageData"]?["screenshot"]?.stringValue)
      #expect(picture.hasPrefix("data:image/jpeg;base64,"))
      #expect(session.callbacks.views.isEmpty)
      let seen = try await session.script(Self.look(picture), in: .ui)
      Self.expectPage(seen)
      // As large as the limits permit, with the page's proportions.
      guard case .integer(let width)? = seen["width"], case .integer(let height)? = seen["height"] else {
        throw LabError(description: "no size: \(seen.text)")
      }
      #expect((width == 320 && height <= 200) || (height == 200 && width <= 320), "\(width) × \(height)")
      let proportions = try #require(Double(result["data"]?.text ?? ""))
      #expect(abs(Double(width) / Double(height) - proportions) < 0.05, "\(width) × \(height), \(proportions)")
      // By the clock: the picture at the first page, and one after the interval.
      try await session.controller.wait("a picture by the clock") { events in
        events.count { $0["event"] == "state" && $0["body"]?["screenshot"] != nil } >= 2
      }
      let state = session.controller.events("state").compactMap { $0["body"]?["screenshot"]?.stringValue }.last
      Self.expectPage(try await session.script(Self.look(try #require(state)), in: .ui))
      // The sign's own red.
      try await session.lab.see(ScreenPicture.Color(0xB0, 0x00, 0x20), atLeast: 500)
      try await session.lab.keepPicture("passage-sign")
      try await session.close()
    }

    @Test("without the flags nobody takes a picture, and there is no sign")
    @MainActor
    func noPictures() async throws {
      let session = try await ShownSession("/colors.html")
      try await session.script("passage.captureScreenshot(); 1", in: .ui)
      let result = try await session.controller.run("c-1", "injectScript", ["injectScript": "1"])
      #expect(result["status"] == "success")
      #expect(result["pageData"]?["screenshot"] == nil)
      #expect(!session.controller.events("state").contains { $0["body"]?["screenshot"] != nil })
      try await session.lab.see(ScreenPicture.Color(0xB0, 0x00, 0x20), atMost: 0)
      try await session.close()
    }

    @Test("cookies are cleared by domain, with a leading dot for all below; others and storage stay")
    @MainActor
    func cookies() async throws {
      let session = try await ShownSession("/storage.html")
      let (lab, controller, passage) = (session.lab, session.controller, session.passage)
      func set(_ domains: [String]) async throws {
        for domain in domains {
          try await passage.setCookie(
            PassageCookie(name: "own", value: "1", domain: domain, path: "/", expires: 4_000_000_000),
            for: "https://\(domain.drop { $0 == "." })/")
        }
      }
      func there(_ hosts: [String]) async throws -> [String] {
        var found: [String] = []
        for host in hosts {
          found += try await passage.getCookies(for: "https://\(host)/").map { "\(host): \($0.domain)" }
        }
        return found
      }
      let hosts = ["shop.example", "a.shop.example", "b.a.shop.example", "workshop.example", "bank.example"]
      try await set(hosts)
      #expect(try await there(hosts).count == 5)
      // A name without a dot is that host.
      try await passage.clearCookies(forDomains: ["shop.example"])
      #expect(
        try await there(hosts) == hosts.dropFirst().map { "\($0): \($0)" })
      try await set(["shop.example", ".a.shop.example"])
      try await passage.clearCookies(forDomains: [".shop.example"])
      #expect(try await there(hosts) == ["workshop.example: workshop.example", "bank.example: bank.example"])
      // What the token wants happens before the page is loaded. Sites keep their storage.
      let first = try await session.controller.run("c-1", "injectScript", ["injectScript": "1"])
      #expect(first["pageData"]?["localStorage"] == [["name": "visits", "value": "1"]])
      #expect(
        first["pageData"]?["cookies"]?.elements.compactMap { $0["name"]?.stringValue }.sorted() == [
          "session", "visible",
        ])
      try await session.close()
      let again = try await ShownSession(
        "/storage.html?again",
        claims: ["sessionId": "s-2", "clearAllCookies": true, "cookieDomains": ["127.0.0.2", "bank.example"]],
        lab: lab, controller: controller)
      let second = try await again.controller.run("c-2", "injectScript", ["injectScript": "1"])
      #expect(second["pageData"]?["localStorage"] == [["name": "visits", "value": "2"]])
      let visits = controller.events("visit").filter { $0["path"] == "/storage.html" }
      #expect(visits.map { $0["cookies"] } == [[], []])
      let left = try await again.passage.getCookies(for: "https://workshop.example/")
      #expect(left.map(\.domain) == ["workshop.example"])
      #expect(try await again.passage.getCookies(for: "https://bank.example/").isEmpty)
      try await again.close()
    }
  }
}
