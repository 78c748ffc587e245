import Foundation
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// What the back ends draw.
  @Suite("back ends")
  struct SurfaceTests {
    static func sample(_ name: String) -> String {
      Fixtures.tests.appendingPathComponent("Content/FCKOnboardingFlowTests/Fixtures/\(name).json").path
    }

    private func run(_ arguments: [String]) async throws -> Observations {
      try await WindowLab().run(arguments, program: "FCKScenarios")
    }

    @Test("every known element is the widget of the table in NativeScreens.md")
    func trees() async throws {
      let seen = try await run(["trees", Self.sample("fck-flow-all-elements")])
      // The label with the mark of a required field; the sentence that says what is wrong.
      let (label, problem) = ("GtkBox(GtkLabel GtkLabel)", "GtkLabel")
      let option = "GtkCheckButton(GtkBox(GtkLabel GtkLabel))"
      #expect(
        seen["tree start"].stringValue == "GtkBox("
          + [
            "GtkLabel", "GtkOverlay(GtkPicture GtkSpinner)",
            "GtkBox(\(label) GtkBox(GtkEntry) \(problem))", "GtkBox(\(label) GtkBox(GtkEntry) \(problem))",
            "GtkBox(\(label) GtkBox(GtkLabel GtkEntry) \(problem))", "GtkBox(\(label) GtkSpinButton \(problem))",
            "GtkBox(GtkSwitch GtkLabel)", "GtkBox(\(label) GtkMenuButton \(problem))",
            "GtkBox(\(label) GtkBox(\(option) \(option)) \(problem))",
            "GtkBox(\(label) GtkBox(\(option) \(option)) \(problem))",
            "GtkProgressBar", "GtkButton(GtkLabel)",
          ].joined(separator: " ") + ")")
      #expect(seen["tree end"].stringValue == "GtkButton(GtkBox(GtkLabel GtkButton(GtkLabel)))")
      #expect(
        seen["texts start"].texts == [
          "Tell us about you", "Name", "*", "E-mail", "Phone", "🇩🇪", "Children", "Newsletter", "Birthday", "Goal", "📘",
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
      for name in ["fields", "choices", "times", "german", "english", "no locale", "no limits", "markup"] {
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
      // The required field kept the user from going on once.
      #expect(gtk["texts fields"].elements.dropFirst().first?.texts.contains("Fill in this field.") == true)
      #expect(
        gtk["answers times"].texts == [
          "day=2024-02-29T00:00:00Z", "hour=1970-01-01T08:05:00Z", "both=1999-12-31T23:59:00Z",
        ])
      let texts = gtk["texts times"].elements.map(\.texts)
      #expect(texts.first == ["Day", "*", "Hour", "*", "Both", "Go on"])
      #expect(texts.dropFirst().first?.filter { $0.hasPrefix("Choose a ") } == ["Choose a date.", "Choose a time."])
      // A number that cannot be read keeps the user on each screen, and says so.
      #expect(gtk["answers german"].texts == ["n=1234.5", "m=12501", "k=42"])
      #expect(gtk["answers english"].texts == ["n=1000", "m=1234", "k=1"])
      #expect(gtk["answers no locale"].texts == ["n=2.5", "k=5.5"])
      #expect(gtk["answers no limits"].texts == ["w=181", "t=-2", "s=0"])
      func told(_ name: String) -> [[String]] {
        gtk["texts \(name)"].elements.map { $0.texts.filter { $0.hasPrefix("Enter") || $0.hasPrefix("Fill") } }
      }
      let german = "Enter a number. This cannot be read as one: write it like 1234,5."
      let english = "Enter a number. This cannot be read as one: write it like 1234.5."
      #expect(
        told("german") == [[], [german], [german], [], [german], [german], [german], [german], [], [], [], []])
      let beyond = "Enter 100000 or less."
      #expect(
        told("english") == [
          [], [english], [english], [], [beyond], [beyond], [english], [english], [english], [], [],
          ["Enter a number from 0 to 100."], ["Enter a number from 0 to 100."], [],
        ])
      #expect(
        told("no locale") == [
          [], ["Fill in this field."], [english], [english], [], [], [english], [english], [],
        ])
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
      #expect(seen["problem"].texts == ["*", "Fill in this field.", "Go"])
      #expect(seen["focus at the problem"] == true)
      #expect(seen["same entry"] == true && seen["text"] == "Adxam" && seen["focus after"] == true)
      #expect(seen["after"].texts == ["*", "Go"])
    }

    @Test("a step begins at the number that was typed")
    func numbers() async throws {
      let seen = try await run(["numbers"])
      // The text after each action, and the answer.
      #expect(seen["typed"].texts == ["7", "8", "9", "8", "50", "49", "49"])
      // At first 0 is meant, also where the range begins below it.
      #expect(seen["empty"].texts == ["-1", "-2", "", "1", "1"])
      #expect(seen["comma"].texts == ["1,5", "2", "2.5", "3", "3", "3"])
      #expect(seen["odd"].texts == ["4", "8", "10", "6", "6"])
      // What cannot be read is not replaced.
      #expect(seen["words"].texts == ["seven", "seven", "7", "8", "8"])
      #expect(seen["thousand"].texts == ["1,000", "1,000", "none"])
      #expect(seen["beyond"].texts == ["250", "99", "99"])
    }

    @Test("a time without a day is told")
    func times() async throws {
      let seen = try await run(["times"])
      let message = "This cannot be read as a date and a time. Enter both completely."
      #expect(seen["set"].texts == ["08:00", "Appointment", "Next"])
      #expect(seen["blocked"].texts == ["08:00", "Appointment", message, "Next"] && seen["screen"] == 0)
      #expect(seen["chosen"].texts.dropFirst() == ["Appointment", "Next"])
      #expect(seen["chosen"].texts.first?.hasSuffix(" 09:00") == true)
      #expect(seen["time"] == "T09:00:00Z" && seen["screen after"] == 1)
    }

    @Test("a time without a day stands in the widgets of a screen that is shown again, and no hour is made of a text")
    func hours() async throws {
      let seen = try await run(["hours"])
      let message = "This cannot be read as a date and a time. Enter both completely."
      #expect(seen["again"].texts == ["08:30", "08", "30"] && seen["day chosen"] == "T08:30:00Z")
      #expect(seen["beyond"].texts == ["25:30", "25", "30", message] && seen["answer beyond"] == "")
      #expect(seen["empty"].texts == [":30", "", "30", message] && seen["answer empty"] == "")
      #expect(seen["good"].texts == ["09:30", "09", "30"] && seen["answer good"] == "T09:30:00Z")
      #expect(seen["same"].texts == ["99:30", "99", "30", message] && seen["answer same"] == "")
      #expect(seen["back to it"].texts == ["09:30", "09", "30"] && seen["answer back to it"] == "T09:30:00Z")
      #expect(seen["chosen"].texts == ["24:30", "24", "30", message] && seen["ended"] == false)
      #expect(seen["made again"].texts == ["24:30", "24", "30", message])
      #expect(seen["stepped"].texts.dropFirst(2) == ["30"] && seen["stepped"].texts.count == 3)
      #expect(seen["answer stepped"] == JSONValue.string("T\(seen["stepped"].texts.first ?? ""):00Z"))
      #expect(seen["ended after"] == true)
    }

    @Test("going to another month chooses nothing, a click on a day does")
    func calendar() async throws {
      let lab = try await WindowLab()
      let program = try RunningProgram(
        ProgramRun.built("FCKScenarios"), ["calendar"], environment: lab.environment)
      for name in ["next month", "day"] {
        try #require(await program.wait { Observations($0.output)[name] != .null || !$0.isRunning }, "\(name)")
        let place = Observations(program.output)[name].elements.map(\.text)
        try #require(place.count == 2, "\(program.errors)")
        try await lab.click(place[0], place[1])
      }
      let run = await program.finish(within: 60)
      let seen = Observations(run.output)
      #expect(run.status == 0, "\(run.output) \(run.errors)")
      #expect(seen["browsed"] == "nothing" && seen["chosen"] == true, "\(run.output)")
    }

    @Test("a flow that asks for more than a window has scrolls, and the window keeps its size")
    func extremes() async throws {
      let seen = try await run(["extremes"])
      func numbers(_ name: String) -> [Int] {
        seen[name].elements.map { if case .integer(let number) = $0 { Int(number) } else { 0 } }
      }
      for name in ["padding", "margin", "border", "spacing", "width", "text", "lines"] {
        #expect(numbers("window \(name)") == [420, 780], "\(name): \(seen["window \(name)"].text)")
        #expect(seen["end \(name)"] == "completed", "\(name)")
      }
      #expect(numbers("size padding").first ?? 0 >= 20_000 && numbers("size spacing").first ?? 0 >= 10_000)
      // 10,000 characters in lines of the window, 5,000 lines.
      #expect((1_000..<1_000_000).contains(numbers("size text").last ?? 0), "\(seen["size text"].text)")
      #expect((50_000..<1_000_000).contains(numbers("size lines").last ?? 0), "\(seen["size lines"].text)")
      // Those of the first screen, and those of the twelfth, which differs from all before it.
      let styles = numbers("styles")
      #expect(styles.count == 2 && styles[0] > 1 && styles[0] == styles[1], "\(styles)")
    }

    @Test("pictures come from https within the limits, once; others leave a place holder with the description")
    func pictures() async throws {
      let seen = try await run(["pictures"])
      #expect(seen["good"] == "drawn, A cat")
      for name in ["wide", "bomb", "text", "damaged", "gone", "large", "http", "file"] {
        #expect(seen[name] == "place holder, A cat", "\(name): \(seen[name].text)")
      }
      // Two of three fit into the memory.
      #expect(seen["budget"] == [3, 2])
      #expect(seen["requests"].elements.count == 7 && seen["requests"].texts.allSatisfy { $0.hasPrefix("https://") })
      #expect(seen["cached"] == [true, 1])
    }
  }
}
