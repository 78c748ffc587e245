import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// A program that shows flows by the API.
  @Suite("the gate and the program's interface")
  struct GateTests {
    @Test("content appears at errors, after completion and after skipping; events come once each")
    func gates() async throws {
      let folder = try TemporaryFolder()
      let seen = try await WindowLab().run(["gates", folder.url.path], program: "FCKScenarios")
      // The content gets the keyboard's focus.
      for name in [
        "unconfigured", "status 401", "status 404", "status 429", "status 500", "unreachable", "timeout", "html",
        "null",
        "again",
      ] {
        #expect(seen[name] == ["loading false", "focus", "content true"], "\(name): \(seen[name].text)")
      }
      #expect(seen["completed"] == ["loading false", "showing false", "focus", "content true"])
      #expect(seen["skipped"] == ["loading false", "showing false", "focus", "content true"])
      #expect(seen["haptics"] == ["impact heavy"])
      #expect(seen["responses"] == ["name": "Ada"])
      #expect(seen["completions"] == [["name": "Ada"]])
      #expect(
        seen["events"].texts == [
          "flow_fetched", "flow_viewed 0", "screen_viewed 0", "screen_viewed 1", "flow_completed 1",
        ])
      #expect(
        seen["events of skipping"].texts == ["flow_fetched", "flow_viewed 0", "screen_viewed 0", "flow_skipped 0"])
    }

    @Test("the view that loads by itself offers to try again and to skip")
    func loading() async throws {
      let folder = try TemporaryFolder()
      let seen = try await WindowLab().run(["loading", folder.url.path], program: "FCKScenarios")
      #expect(seen["error texts"] == ["This could not be loaded.", "Try again", "Skip"])
      #expect(seen["states"] == ["loading", "error", "loaded", "ended"])
      #expect(seen["focused"] == ["Try again", "GtkText"])
      #expect(seen["ends"] == [true] && seen["skip"] == [false, "ended"])
      // A window of its own, and the view for a program's own document.
      #expect(seen["presented"] == ["completed", ["name": "Ada"]] && seen["closed"] == true && seen["second"] == true)
      #expect(seen["completions presented"] == [["name": "Ada"]])
      #expect(seen["flow view"] == [0, [true]])
      #expect(
        seen["none"] == true && seen["fetch unconfigured"] == "FCKOnboarding is not configured."
          && seen["version"] == "1.0.0")
    }
  }
}
