import TesseraBridge
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("Who reaches the bridge of a page")
  struct IsolationTests {
    /// The ways that exist: both names, with a text and with an object.
    private static let ways = ["SelfNativeIOS", "SelfNativeIOS-object", "selfNative", "selfNative-object"]

    @Test("the scripts of an allowed page do; frames, popups, workers, other pages and other worlds do not")
    func attacks() async throws {
      let site = try await PageSite()
      let seen = try await WindowLab().run(["isolation"] + site.ports, seconds: 1200)
      func check(_ name: String, received who: String?, address: String, hasRights: Bool) {
        let value = seen[name]
        #expect(value["received"]?.texts == (who.map { who in Self.ways.map { "\(who) \($0)" } } ?? []), "\(name)")
        #expect(value["address"]?.stringValue?.hasPrefix(address) == true, "\(name): \(value)")
        #expect(value["hasRights"] == .bool(hasRights), "\(name)")
        // Each received message was answered, to the page that sent it.
        #expect(value["answers"] == (hasRights && who != nil ? "4" : "0"), "\(name)")
      }
      let (here, other) = ("http://127.0.0.1:\(site.ports[0])", "http://127.0.0.1:\(site.ports[1])")
      check("top", received: "top", address: "\(here)/top.html", hasRights: true)
      check("other origin", received: nil, address: "\(other)/frame.html", hasRights: false)
      check("redirect", received: nil, address: "\(other)/frame.html", hasRights: false)
      // Its address is allowed, and its origin is opaque.
      #expect(seen["sandboxed by its server"]["received"] == [] && seen["sandboxed by its server"]["answers"] == "0")
      // The first page has rights; the page to which it goes has none, or is not shown.
      check("blank", received: "start", address: "about:blank", hasRights: false)
      check("blob", received: "start", address: "blob:\(here)/", hasRights: false)
      for name in ["data", "file", "bundled", "elsewhere"] {
        check(name, received: "start", address: "\(here)/frame.html?who=start", hasRights: true)
      }
      let late = seen["late answer"]
      #expect(late["received"]?.texts == Self.ways.map { "start \($0)" } + ["late ?"])
      #expect(late["answers"] == "0", "the answer went to another page")

      let worlds = seen["worlds"]
      #expect(worlds["named"] == #""undefinedundefined""#, "another world has no handler and no token")
      #expect(worlds["page"] == #""0 undefined false""#, "the page sees no token and no function")
      #expect(worlds["handlers"] == #""SelfNativeIOS,selfNative""#)

      // A page that replaces the objects of its world learns nothing, and a message that is too long is dropped.
      let hostile = seen["hostile"]
      #expect(hostile["received"] == ["hostile small"])
      #expect(hostile["answers"] == "1")
      #expect(hostile["leaked"] == "[]", "\(hostile)")

      // A test that cannot fail is none: the attacks did run.
      let frames = ["same-origin", "cross-origin", "sandboxed", "srcdoc", "data", "blob"].map { "frame-\($0)" }
      let expected = frames + ["top", "worker", "popup-is-null", "other", "redirected", "sandboxed", "blob", "after"]
      #expect(await site.wait { $0.ran.isSuperset(of: expected) }, "\(site.ran)")
      try await site.settle()
      #expect(!site.ran.contains("popup"))
      for name in expected where name != "top" { print("attack: \(name): no access") }
    }
  }
}
