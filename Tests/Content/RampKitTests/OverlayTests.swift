import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.RampKitTests {
  @Suite("Flows")
  struct OverlayTests {
    private func run(_ part: String, _ more: [String] = []) async throws -> Observations {
      try await WindowLab().run(["overlay", part] + more, program: "RampKitScenarios")
    }

    /// Both ways in which WebKit passes its pictures to GTK.
    @Test("ten pages at once are visible, have a width and draw frames", arguments: ["1", "0"])
    func alive(sharedMemory: String) async throws {
      let seen = try await WindowLab().run(
        ["overlay", "alive"], program: "RampKitScenarios",
        environment: ["WEBKIT_DISABLE_DMABUF_RENDERER": sharedMemory])
      let pages = seen.values("page")
      #expect(pages.count == 10)
      for (index, page) in pages.enumerated() {
        #expect(page == ["visibility": "visible", "isWide": true, "shown": .bool(index == 0)], "page \(index)")
      }
      #expect(seen["memory"]["processes"] != nil)
    }

    @Test("only the page that is shown moves the flow; variables reach all pages as they are")
    func senders() async throws {
      let seen = try await run("senders")
      #expect(seen["hidden"] == ["active": 0, "isMoving": false, "finished": 0, "played": 1, "reviews": 0])
      #expect(seen["value"] == "A \"q\" \u{2028} </script>\n")
      #expect(seen["text"].stringValue?.contains("</script>") == true)
      let shown = seen["shown"]
      #expect(shown["active"] == 1 && shown["reviews"] == 1 && shown["visible"] == true && shown["left"] == false)
      #expect(shown["state"]?["currentIndex"] == 1 && shown["state"]?["screenId"] == "s1")
      #expect(seen["notifications"] == ["granted": true, "status": "granted", "canAskAgain": false])
      for event in ["onboarding_started", "cta_tap", "screen_navigated", "notifications_response"] {
        #expect(seen["events"].texts.contains(event), "\(event)")
      }
    }

    @Test("movements last as long as Flows.md says, by the clock of the frames")
    func transitions() async throws {
      let seen = try await run("transitions")
      for name in ["reveal", "fade", "slide", "slideFade", "dismiss"] {
        let measured = seen[name]
        // Each frame shows what rule 6 says for the time at which it was drawn.
        #expect(measured["differs"] == 0, "\(name): \(measured.text)")
        guard case .integer(let frames) = measured["frames"] ?? .null else {
          throw LabError(description: measured.text)
        }
        #expect(frames >= 1, "\(name): \(measured.text)")
        // The end was not there before its time.
        #expect(measured["isOver"] == true, "\(name): \(measured.text)")
      }
      #expect(seen["fade active"] == 1 && seen["slide active"] == 0 && seen["slideFade active"] == 1)
      #expect(seen["outcome"] == "closed")
    }

    @Test("finishing calls back and closes, a paywall does not close, and back leads out")
    func ends() async throws {
      let seen = try await run("ends")
      #expect(seen["paywall"] == [["paywallId": "pw1"]] && seen["after the paywall"] == false)
      #expect(seen["outcome"] == "finished")
      #expect(seen["finished"] == [["ok": true, "text": "</script>"]])
      #expect(seen["events"] == ["onboarding_started", "paywall_shown", "onboarding_completed"])
      #expect(seen["back"] == [2, 1, 0, "closed"])
    }

    @Test("pages whose process was killed are loaded once more")
    func crash() async throws {
      let seen = try await run("crash")
      #expect(seen["variables"] == "kept" && seen["visible"] == true)
      #expect(seen["outcome"] == "error")
    }

    @Test("a page that sends 100,000 messages is bounded, and others go on")
    func flood() async throws {
      let seen = try await run("flood")
      guard case .integer(let kept) = seen["kept"] else { throw LabError(description: "\(seen.all)") }
      #expect(kept >= 1_000 && kept < 50_000, "\(kept)")
      #expect(seen["logs"] == ["The page “s0” sends too many messages. The rest is dropped."])
      #expect(seen["outcome"] == "closed")
    }

    @Test("each message arrives as the same one as an object and as JSON text")
    func forms() async throws {
      let sample = Fixtures.tests.appendingPathComponent("Content/RampKitFlowTests/Fixtures/rampkit-messages.json").path
      let seen = try await WindowLab().run(["forms", sample], program: "RampKitScenarios")
      #expect(seen["count"] == 0 && seen["texts"] == true)
      #expect(seen["objects"].elements.count == 22)
      #expect(seen["objects"].elements.allSatisfy { $0 == true }, "\(seen["objects"].text)")
    }

    @Test("the program receives what pages ask for, and pages use only the hardware that it named")
    func host() async throws {
      let folder = try TemporaryFolder()
      let seen = try await WindowLab().run(["host", folder.url.path], program: "RampKitScenarios")
      #expect(seen["paywall"] == [["paywallId": "pw"]] && seen["own paywall"] == [["paywallId": "own"]])
      #expect(seen["finished"] == [["ok": true]] && seen["outcome"] == "finished")
      #expect(seen["answers"] == ["name": "Ada"], "without the variables of the program")
      #expect(seen["stored"] == ["name": "Ada"])
      #expect(seen["host variable"] == "visible")
      #expect(seen["haptics"] == ["impact heavy", "notification warning", "selection"])
      #expect(seen["reviews"] == ["appstream://org.example.Desk"])
      #expect(seen["notifications"] == ["unavailable", "denied", "granted"])
      #expect(seen["notified"] == [false, "desk: Title"])
      #expect(seen["unnamed"] == [])
      #expect(
        seen["named"] == [
          "crypto.getPublicKey NOT_ALLOWED", "haptic.isAvailable success", "lifecycle.getConfig NOT_ALLOWED",
        ])
      #expect(seen["closed"] == "closed")
    }

    @Test("a hostile page reaches no hardware, no other address and no limit")
    func hostile() async throws {
      let seen = try await run("hostile")
      #expect(seen["handlers"] == ["rampkit"] && seen["scripts"] == "undefined")
      #expect(seen["still there"] == true && seen["opened"] == [])
      #expect(seen["active"] == 0 && seen["next"] == 1)
      #expect(!seen["closed"].texts.contains { $0.hasSuffix("abandoned") || $0.hasSuffix("completed") })
      guard case .integer(let size) = seen["answers"] else { throw LabError(description: "\(seen.all)") }
      #expect(size < 1 << 20)
    }
  }
}
