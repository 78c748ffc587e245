import TesseraBridge
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("Views")
  struct ViewTests {
    @Test("a page gets nothing beyond itself unless the program allows it")
    func behavior() async throws {
      let site = try await PageSite()
      let seen = try await WindowLab().run(["behavior", site.ports[0]])
      let asked = seen["asked"]
      #expect(asked["windowOpen"] == "null")
      #expect(asked["location"] == "code 1", "PERMISSION_DENIED")
      #expect(["granted denied", "granted none"].contains(asked["notification"]?.stringValue ?? ""))
      // WebKit's setting for it leaves out a film whose sound is not known yet: it started at times.
      #expect(asked["film"] == "NotAllowedError")
      for name in ["camera", "screen", "clipboard", "fullscreen", "sound"] {
        let answer = asked[name]?.stringValue ?? "granted"
        #expect(!answer.hasPrefix("granted"), "\(name): \(answer)")
      }
      // No popup, print dialog, download dialog or file dialog beside the window.
      #expect(seen["windows"] == 1)
      #expect(seen["address"].stringValue?.hasSuffix("/behavior.html") == true)
      try await site.settle()
      #expect(!site.ran.contains("popup"))
      #expect(seen["password"] == ["SERVER_ERROR"])
      #expect(seen.values("zoom") == ["3.0", "0.5", "1.0"])
    }

    @Test("several views have sessions and channels of their own, and a hidden one goes on")
    func several() async throws {
      let site = try await PageSite()
      let seen = try await WindowLab().run(["views", site.ports[0]])
      #expect(seen["cookies"]["first"] == #""view=first""# && seen["cookies"]["second"] == #""view=second""#)
      #expect(seen["handlers"]["first"] == #""flow,other""# && seen["handlers"]["second"] == #""flow""#)
      let messages = seen["messages"]
      #expect(messages["first"]?.texts.first == "begin first" && messages["second"]?.texts.first == "begin second")
      #expect(messages["first other"] == ["other"])
      #expect(messages["second script"] == ["undefinedloading"], "before the page, and apart from it")
      #expect(seen["hidden"] == true)
      #expect(seen["answers"]["first"] == #""""#)
      // In their order, and none is a gesture of the user, as every script is that WebKit 2.50 evaluates for a program.
      #expect(seen["answers"]["second"] == #""an answer,false,with\u0000,false,third,false""#)
      #expect(seen["after closing the first"] == true)
    }
  }
}
