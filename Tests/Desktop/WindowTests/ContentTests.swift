import Foundation
import TesseraBridge
import TesseraPictures
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// What the program can do with a view beyond showing pages: cookies, scripts, pictures, popups, and its way.
  @Suite("Content of views")
  struct ContentTests {
    @Test("a view tells each step of its way, in order, and nothing after the end of a load")
    func navigation() async throws {
      let site = try await PageSite()
      let seen = try await WindowLab().run(["navigations", site.ports[0]], seconds: 1200)
      func steps(_ name: String) -> [String] {
        seen[name].texts.filter { !$0.hasPrefix("address") }
      }
      #expect(steps("page") == ["started /plain.html", "committed /plain.html", "finished /plain.html"])
      let target = "/plain.html?redirected"
      #expect(
        steps("redirected") == [
          "started /redirect?to=\(target)", "redirected \(target)", "committed \(target)", "finished \(target)",
        ])
      #expect(steps("status") == ["started /broken", "failed /broken SERVER_ERROR"])
      #expect(steps("no server") == ["started http://127.0.0.1:2/", "failed http://127.0.0.1:2/ LOAD_FAILED"])
      #expect(steps("refused") == ["failed http://127.0.0.1:3/ LOAD_FAILED"])
      // WebKit itself names the old address until the new document is there.
      #expect(
        steps("left by the page") == [
          "started /redirect?to=/plain.html?left", "redirected /plain.html?left", "committed /plain.html?left",
          "finished /plain.html?left",
        ])
      #expect(seen["changed by the page"].texts == ["address /plain.html#pushed"])
      #expect(seen["after going back"].texts == ["address /plain.html?left"])
      #expect(seen["back"] == 4 && seen["went back"] == true)
      #expect(seen["forward"] == [1, true])
      #expect(seen["agent"] == #""Example/1.0""# && seen["own agent"] == true)
      #expect(steps("process ended") == ["failed /plain.html?agent WEB_PROCESS_TERMINATED"])
      #expect(
        seen["status that is shown"].texts.suffix(3) == ["started /broken", "committed /broken", "finished /broken"])
    }

    @Test("an asynchronous function has one outcome: its value, what it throws, or the limit")
    func functions() async throws {
      let site = try await PageSite()
      let seen = try await WindowLab().run(["async-functions", site.ports[0]])
      let expected = [
        "before the first page": "noPage",
        "value": #"value {"title":"plain","text":"a'\nü"}"#,
        "nothing": "value none",
        "promise": "value [1,null]",
        "throws": #"exception("Error: not so")"#,
        "rejects": #"exception("Error: not so either")"#,
        "never ends": "timeLimit(0.3 seconds)",
        "after it": "value 2",
        "cancelled": "cancelled",
        "page left": "unsupportedValue",
        "closed": "noPage",
        "program": "3",
        "program with a promise": "unsupportedValue",
      ]
      for (name, outcome) in expected { #expect(seen[name].stringValue == outcome, "\(name)") }
      #expect(seen["unreadable"].stringValue?.hasPrefix(#"exception("SyntaxError"#) == true)
      // The page and the program's world share no globals.
      #expect(seen["world"] == #"value "undefined""# && seen["world again"] == #"value "number""#)
      #expect(seen["page"] == #""undefined""#)
    }

    @Test("a handler gets the parameters of its signal, and is called only while its owner lives and it is connected")
    func signals() async throws {
      let seen = try await WindowLab().run(["signals"])
      #expect(seen["calls"].texts == ["0 grüß 4", "length", "input"])
      #expect(seen["input"] == 7)
      #expect(seen["without the owner"].texts == ["length"])
      #expect(seen["kept"] == true && seen["released"] == true)
      #expect(seen["disconnected"].elements.isEmpty)
    }

    @Test("cookies are set, found and removed by domain; storage stays, and a later process finds what is left")
    func cookies() async throws {
      let site = try await PageSite()
      let lab = try await WindowLab()
      let folder = lab.home.file("profile")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let seen = try await lab.run(["cookies", site.ports[0], folder])
      let here = "here=x2 shop.example /account session false false strict"
      let shop = "sid=x1 .shop.example / 1893456000 true true lax"
      let other = "sid=x3 other.example / 1893456000 false false none"
      #expect(seen["set"].texts == [here, shop, other])
      let replaced = "sid=x4 other.example / 1893456000 false false none"
      #expect(seen["replaced"].texts == [here, shop, replaced])
      #expect(seen["removed"] == 2)
      #expect(seen["left"].texts == [replaced])
      #expect(seen["invalid"] == "error")
      #expect(seen["storage"] == #""this""# && seen["storage after the cookies"] == #""this""#)
      #expect(seen["cleared"].elements.isEmpty && seen["another session"].elements.isEmpty)
      #expect(seen["storage cleared"] == "null")
      #expect(try await lab.run(["cookies-again", site.ports[0], folder])["found"].texts == ["sid=x3"])
    }

    @Test("a hidden view has a picture, which fits the limits and shows the page")
    func pictures() async throws {
      let site = try await PageSite()
      let lab = try await WindowLab()
      let folder = lab.home.file("pictures")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let seen = try await lab.run(["view-pictures", site.ports[0], folder])
      #expect(seen["before the first page"] == "none")
      for (name, type, width, height) in [
        ("small.png", "image/png", 320, 240), ("flat.png", "image/png", 160, 120),
        ("whole.jpeg", "image/jpeg", 640, 480), ("window.png", "image/png", 640, 480),
      ] {
        #expect(
          seen[name] == [
            "width": .integer(Int64(width)), "height": .integer(Int64(height)), "mediaType": .string(type),
          ], "\(name)")
        let picture = try GrayPicture(decoding: Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))))
        #expect(picture.width == width && picture.height == height)
        // The page is red on the left and blue on the right. The grey of a colour differs by the decoder.
        let (left, right) = picture.withPixels { pixels in
          (pixels[height / 2 * width + width / 4], pixels[height / 2 * width + width * 3 / 4])
        }
        #expect(
          (40...110).contains(left) && (10...70).contains(right) && left > right + 20, "\(name): \(left) \(right)")
      }
    }

    @Test("a popup opens where the program allows it, is related to its opener, and has no channel")
    func popups() async throws {
      let site = try await PageSite()
      let seen = try await WindowLab().run(["popups", site.ports[0]])
      #expect(seen["without a decision"] == false && seen["refused"] == false)
      #expect(seen["first"] == true && seen["second"] == true)
      #expect(seen["addresses"].texts.map { $0.hasSuffix("/refused") ? "refused" : $0 } == ["refused", "", ""])
      #expect(seen["assigned"].texts == ["plain.html?in-popup", "about:blank"])
      #expect(seen["opener"] == #""undefined""#, "the opener is there, and `webkit` is not")
      #expect(seen["closed"] == 1)
      #expect(seen["here"] == false && seen["shown"] == true)
      #expect(seen["dialogs"] == "[false,null]")
    }
  }
}
