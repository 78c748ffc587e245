import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.RampKitTests {
  @Suite("Pages of a flow")
  struct PageTests {
    private func run(_ scenario: String, _ arguments: [String] = []) async throws -> Observations {
      try await WindowLab().run([scenario] + arguments, program: "RampKitScenarios")
    }

    private func sample(_ name: String) -> String {
      Fixtures.tests.appendingPathComponent("Content/RampKitFlowTests/Fixtures/\(name).json").path
    }

    @Test("the screens of the samples show their variables, and send their messages")
    func samples() async throws {
      let seen = try await run("page-samples", [sample("rampkit-onboarding")])
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
      let seen = try await run("page-samples", [sample("rampkit-onboarding-extended")])
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

    @Test("a value with quotes, line breaks, end tags and line separators is the same in the page, and back")
    func values() async throws {
      let seen = try await run("page-values", ["values"])
      let hostile = seen["hostile"]
      try #require(hostile.stringValue?.contains("</script>") == true)
      #expect(seen["at the start"] == hostile)
      #expect(seen["name"] == hostile)
      #expect(seen["context"] == [hostile, hostile])
      #expect(seen["by update"] == hostile)
      #expect(seen["back"] == hostile)
      // In a template a backslash and an n are a line break; nothing else changes.
      #expect(seen["shown"].stringValue == hostile.stringValue?.replacing("\\n", with: ""))
      #expect(seen["polluted"] == "undefined")
    }

    @Test("neither a script, a style nor open HTML of a screen ends or swallows another part of the page")
    func elements() async throws {
      let seen = try await run("page-values", ["elements"])
      for (name, text) in [
        ("end", "</script><p id=leaked>"), ("comment", "<!-- <script>"), ("operator", "false"), ("raw", "</script>"),
        ("error", "before"),
      ] {
        #expect(
          seen["script \(name)"]
            == ["text": .string(text), "isRun": true, "global": 1, "leaked": false, "shown": "shown"], "\(name)")
      }
      #expect(
        seen["css"] == ["content": #""</style><p id=leaked>""#, "color": "rgb(1, 2, 3)", "leaked": false])
      for name in ["comment", "script", "style", "textarea", "tag", "title"] {
        #expect(seen["open \(name)"] == ["shown": "shown", "isRun": true], "\(name)")
      }
      for name in ["template", "svg", "math", "plaintext"] {
        #expect(
          seen["swallowing \(name)"]
            == [
              "translated": "translated", "shown": "shown & <b> only", "total": 1, "context": ["device", "user"],
            ], "\(name)")
      }
      #expect(seen["early"] == ["shown", 1, "${v}"])
      #expect(seen["late"] == ["shown", [[0, "only"]]])
      #expect(seen["updates"] == [[0, "only"]], "the state is told once")
    }

    @Test("a page hears of variables and of the state, and a broken message changes nothing")
    func events() async throws {
      let seen = try await run("page-values", ["events"])
      let state: JSONValue = ["currentIndex": 1, "screenId": "two", "totalScreens": 9]
      #expect(
        seen["heard"] == [
          ["message", true, ["type": "rampkit:variables", "vars": ["a": 1]]],
          ["rampkit:variables", ["vars": ["a": 1]]], ["rampkit:vars-updated", ["vars": ["a": 1]]],
          ["update", 1, "two"],
          [
            "message", true,
            ["type": "rampkit:onboarding-state", "currentIndex": 1, "screenId": "two", "totalScreens": 9],
          ], ["rampkit:onboarding-state", state],
        ])
      #expect(seen["total"] == 9)
      #expect(seen["heard at the end"] == 9)
    }

    @Test("the language works in a page that replaces the functions of the browser")
    func replaced() async throws {
      let seen = try await run("page-values", ["replaced"])
      #expect(seen["is replaced"] == true)
      #expect(seen["replaced"] == [["type": "rampkit:haptic", "action": "haptic"]])
    }

    @Test("pages for React Native reach the program, also if it appears later")
    func forwarder() async throws {
      let seen = try await run("page-values", ["forwarder"])
      #expect(seen["forwarded"] == ["rampkit:close", ["type": "rampkit:goBack"]])
      #expect(seen["forwarded later"] == ["early", "later"])
    }

    @Test("a component with overrides is what its author wrote")
    func components() async throws {
      let seen = try await run("page-values", ["components"])
      #expect(
        seen["component"] == [
          "title": #"<i>shown</i> "'"#, "elements": 0, "src": #"data:,x"'"#,
          "ids": [#"c"1:title"#, #"c"1:picture"#, #"c"1:go"#],
          "messages": [["type": "rampkit:haptic", "action": "haptic", "hapticType": #"it's "<b>""#]],
          "after": "after", "next": #"card:c"1"#,
        ])
    }

    @Test("translations replace texts only, and a page can change its language")
    func language() async throws {
      let seen = try await run("page-translations")
      #expect(
        seen["start"] == [
          "lang": "de-at", "dir": "", "text": "Hallo <b>Ada</b>", "button": "Los", "pictures": 1, "field": "Name",
          "alt": "Bild", "other": "stays", "bold": 0,
        ])
      #expect(
        seen["changed"] == [
          "lang": "ar", "dir": "rtl", "text": "مرحبا Bo", "button": "Los", "pictures": 1, "field": "Name",
          "alt": "Bild",
          "other": "stays", "bold": 0,
        ])
      #expect(seen["none"] == seen["changed"], "a language without texts changes nothing")
      #expect(seen["back"]["dir"] == "" && seen["back"]["lang"] == "de")
      #expect(seen["no map"] == seen["back"])
      #expect(seen["languages"] == 1066)
      #expect(seen["other languages than the program's"] == [])
    }

    @Test("the policy stops frames, scripts of other hosts and evaluated texts, and lets the page's own scripts run")
    func policy() async throws {
      let seen = try await run("page-policy")
      #expect(seen["handler"] == "object")
      #expect(seen["frames"] == ["frame-src", "frame-src"])
      #expect(seen["script"] == ["script-src-elem"])
      #expect(seen["eval"] == "EvalError")
      #expect(seen["form"] == ["form-action"])
      #expect(seen["base"] == ["base-uri"])
      #expect(seen["frame posts"] == [])
    }

    @Test("a hardened page is not selected, copied, dragged or zoomed, and its fields can be filled")
    func hardening() async throws {
      let seen = try await run("page-hardening")
      let all: JSONValue = [
        "copy", "cut", "paste", "contextmenu", "selectstart", "dragstart", "dblclick", "gesturestart", "gesturechange",
        "gestureend",
      ]
      let inFields: JSONValue = ["contextmenu", "dragstart", "gesturestart", "gesturechange", "gestureend"]
      #expect(
        seen["prevented"] == [
          "text": all, "img": all, "off": all, "input": inFields, "area": inFields, "inner": inFields,
        ])
      for id in ["text", "img", "off"] { #expect(seen["styles"][id] == ["none", "none"], "\(id)") }
      for id in ["input", "area", "edit", "inner"] { #expect(seen["styles"][id] == ["text", "none"], "\(id)") }
      #expect(seen["wheel"] == [false, true])
      #expect(seen["touch"] == [false, true, true])
      for id in ["input", "area", "edit"] { #expect(seen["typed \(id)"] == [true, true], "\(id)") }
      #expect(seen["caret"] == false)
      #expect(seen["viewport"].stringValue?.contains("user-scalable=no") == true)
      #expect(seen["selected"] == [0, 3], "a selection in a field stays")
      #expect(seen["added"] == "none", "the style came back")
      #expect(seen["design mode"] == "off")
      #expect(seen["timers at rest"] == [])
      #expect(seen["timers of the page"] == ["setTimeout"], "timers are seen")
      #expect(seen["hidden caret"] == "rgba(0, 0, 0, 0)")
      #expect(seen["typed without caret"] == [true, true])
      // What a page without it does.
      for id in ["text", "img", "input", "area", "inner", "off"] {
        #expect(seen["plain prevented"][id] == [], "\(id)")
        #expect(seen["plain"][id] == ["text", "auto"], "\(id)")
      }
    }

    @Test("the script after the load makes texts unselectable, once")
    func afterLoad() async throws {
      let seen = try await run("page-hardening")
      #expect(seen["no-select styles"] == 1)
      #expect(seen["no-select flag"] == true)
      for id in ["text", "img", "off"] {
        #expect(seen["no-select prevented"][id] == ["contextmenu", "selectstart"], "\(id)")
        #expect(seen["no-select"][id] == ["none", "auto"], "\(id)")
      }
      for id in ["input", "area", "inner"] {
        #expect(seen["no-select prevented"][id] == ["contextmenu"], "\(id)")
        #expect(seen["no-select"][id] == ["text", "auto"], "\(id)")
      }
    }
  }
}
