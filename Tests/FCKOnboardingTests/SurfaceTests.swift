import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension FCKOnboardingTests {
  /// What the back ends draw.
  @Suite("back ends")
  struct SurfaceTests {
    static func sample(_ name: String) -> String {
      Fixtures.tests.appendingPathComponent("FCKOnboardingFlowTests/Fixtures/\(name).json").path
    }

    private func run(_ arguments: [String]) async throws -> Observations {
      try await WindowLab().run(arguments, program: "FCKScenarios")
    }

    @Test("every known element is the widget of the dossier's table")
    func trees() async throws {
      let seen = try await run(["trees", Self.sample("fck-flow-all-elements")])
      let field = "GtkLabel"
      let option = "GtkCheckButton(GtkBox(GtkLabel GtkLabel))"
      #expect(
        seen["tree start"].stringValue == "GtkBox("
          + [
            "GtkLabel", "GtkOverlay(GtkPicture GtkSpinner)",
            "GtkBox(\(field) GtkBox(GtkEntry) \(field))", "GtkBox(\(field) GtkBox(GtkEntry) \(field))",
            "GtkBox(\(field) GtkBox(GtkLabel GtkEntry) \(field))", "GtkBox(\(field) GtkSpinButton \(field))",
            "GtkBox(GtkSwitch GtkLabel)", "GtkBox(\(field) GtkMenuButton \(field))",
            "GtkBox(\(field) GtkBox(\(option) \(option)) \(field))",
            "GtkBox(\(field) GtkBox(\(option) \(option)) \(field))",
            "GtkProgressBar", "GtkButton(GtkLabel)",
          ].joined(separator: " ") + ")")
      #expect(seen["tree end"].stringValue == "GtkButton(GtkBox(GtkLabel GtkButton(GtkLabel)))")
      #expect(
        seen["texts start"].texts == [
          "Tell us about you", "Name", "E-mail", "Phone", "🇩🇪", "Children", "Newsletter", "Birthday", "Goal", "📘",
          "Learn",
          "Play", "Music", "Sport", "Continue",
        ])
      #expect(seen["texts end"].texts == ["All set", "Back"])
      #expect(seen["focus start"].stringValue == "GtkText" && seen["focus end"].stringValue == "GtkButton")
    }

    @Test("GTK and HTML show the same texts in the same order, and bring the same answers")
    func equality() async throws {
      let gtk = try await run(["equality", "gtk"])
      let html = try await run(["equality", "html"])
      var count = 0
      for name in ["fields", "choices", "markup"] {
        for kind in ["texts", "outcome", "answers"] {
          let key = "\(kind) \(name)"
          #expect(gtk[key] != .null && gtk[key] == html[key], "\(key): \(gtk[key].text) \(html[key].text)")
          count += gtk[key].elements.count
        }
      }
      #expect(count > 20)
      #expect(
        gtk["answers fields"].texts == [
          "name=Ada “<b>” Ünï", "mail=ada@example.org", "tel=+49 30 1", "kids=2", "born=1990-05-01T00:00:00Z",
        ])
      #expect(
        gtk["answers choices"].texts == ["one=Z", "more=First, Third", "chips=sport", "news=false", "beta=false"])
      // The required field kept the person from going on once.
      #expect(gtk["texts fields"].elements.dropFirst().first?.texts.contains("Fill in this field.") == true)
      // Markup in a text is text.
      #expect(
        html["texts markup"].elements.first?.texts == [
          "<script>document.title = 'owned'</script> & <b>bold</b>", "<u>_Under & over</u>", "<em>_Finish</em>",
        ])
      #expect(html["title markup"] == "Welcome" && html["scripts markup"] == 1)
    }

    @Test("lengths follow the window, and a field that is drawn again keeps the focus")
    func resizing() async throws {
      let seen = try await run(["resizing"])
      // x, y, width, height. Of 400 by 600, then of 800 by 900.
      for (name, width, height) in [("small", 400, 600), ("large", 800, 900)] {
        func numbers(_ id: String) -> [Int] {
          (seen[name][id] ?? .null).elements.compactMap {
            if case .integer(let number) = $0 { Int(number) } else { nil }
          }
        }
        #expect(numbers("half").prefix(3) == [0, 0, width / 2], "\(name) \(seen[name].text)")
        #expect(numbers("tenth").suffix(2) == [width / 10, height / 5], "\(name) \(seen[name].text)")
        #expect(numbers("row").suffix(2) == [width, 40], "\(name) \(seen[name].text)")
        #expect(numbers("left")[0] == 0 && numbers("left")[2] == 30, "\(name) \(seen[name].text)")
        #expect(numbers("right")[0] == width - width / 4 && numbers("right")[2] == width / 4, "\(name)")
        // The last one of `space-between` ends at the end.
        #expect(numbers("go")[1] + numbers("go")[3] == height, "\(name) \(seen[name].text)")
      }
      #expect(seen["problem"].texts == ["Fill in this field.", "Go"])
      #expect(seen["focus at the problem"] == true)
      #expect(seen["same entry"] == true && seen["text"] == "Adxam" && seen["focus after"] == true)
      #expect(seen["after"].texts == ["Go"])
    }

    @Test("pictures come from https within the limits, once; others leave a place holder with the description")
    func pictures() async throws {
      let seen = try await run(["pictures"])
      #expect(seen["good"] == "drawn, A cat")
      for name in ["wide", "bomb", "text", "damaged", "gone", "large", "http", "file"] {
        #expect(seen[name] == "place holder, A cat", "\(name): \(seen[name].text)")
      }
      #expect(seen["requests"].elements.count == 7 && seen["requests"].texts.allSatisfy { $0.hasPrefix("https://") })
      #expect(seen["cached"] == [true, 1])
    }
  }
}
