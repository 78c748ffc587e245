import TestSupport
import TesseraBridge
import Testing
import WindowTestSupport

extension RampKitTests {
  @Suite("Pages of a flow")
  struct PageTests {
    private func run(_ scenario: String, _ arguments: [String] = []) async throws -> Observations {
      try await WindowLab().run([scenario] + arguments, program: "RampKitScenarios")
    }

    private func sample(_ name: String) -> String {
      Fixtures.tests.appendingPathComponent("RampKitFlowTests/Fixtures/\(name).json").path
    }

    @Test("the screens of the samples show their variables, and send what the dossier says")
    func samples() async throws {
      let seen = try await run("page-samples", [sample("rampkit-onboarding"), sample("rampkit-onboarding-extended")])
      #expect(seen["welcome"] == "Hello friend")
      #expect(seen["total"] == 3)
      #expect(seen["context"] == ["device": [:], "user": [:]])
      #expect(
        seen["variables"]
          == ["userName": "", "plan": "free", "age": 30, "prefs": ["dark": true, "tags": ["a", "b"]]])
      #expect(seen["style"] == "24px")
      #expect(
        seen["welcome messages"] == [
          ["type": "rampkit:haptic", "hapticType": "impact", "impactStyle": "Light"],
          ["type": "rampkit:continue", "animation": "slide"],
        ])
      #expect(
        seen["empty name"] == [
          [
            "type": "rampkit:haptic", "action": "haptic", "hapticType": "notification", "notificationType": "Error",
          ]
        ])
      #expect(seen["typed"] == [["type": "rampkit:variables", "vars": ["userName": "Ada"]]])
      #expect(seen["with name"] == [["type": "rampkit:navigate", "targetScreenId": "finish"]])
      #expect(seen["finish"] == "Bye , plan free")
      #expect(seen["finish messages"] == ["rampkit:onboarding-finished"])
      #expect(seen["fallback"] == ["label": "All <set>", "messages": ["rampkit:tap"]])
    }

    @Test("a page shows the translation of the locale, else of the language, with its direction; and components")
    func translations() async throws {
      let seen = try await run("page-samples", [sample("rampkit-onboarding"), sample("rampkit-onboarding-extended")])
      for (locale, text, language, direction) in [
        ("de_AT", "Hallo", "de", ""), ("ar", "مرحبا", "ar", "rtl"), ("fr_FR", "Hi", "", ""),
      ] {
        let page = seen["locale \(locale)"]
        #expect(page["text"] == .string(text), "\(locale)")
        #expect(page["lang"] == .string(language), "\(locale)")
        #expect(page["dir"] == .string(direction), "\(locale)")
        #expect(page["color"] == "rgb(255, 0, 0)", "the style of the document's head")
        #expect(page["title"] == "Overridden")
        #expect(page["component"] == "card:c1")
      }
    }
  }
}
