import TesseraCore
import TesseraJSON
import Testing

@testable import PassageProtocol

@Suite("What a host takes from the views")
struct HostLimitTests {
  @Test("five links are opened in ten seconds, and then more")
  func openings() {
    var limit = OpeningLimit()
    let start = ContinuousClock.now
    let results = (0..<8).map { limit.take(at: start + .seconds($0)) }
    #expect(results == [true, true, true, true, true, false, false, false])
    let later = [9_999, 10_000, 10_001, 11_000].map { limit.take(at: start + .milliseconds($0)) }
    #expect(later == [false, true, false, true])
  }

  @Test("what the program writes becomes lines without control characters, of limited length and number")
  func printableLines() {
    var lines = PrintableLines(longest: 6, most: 13)
    let pieces = ["a\u{1B}[2Jb\nc", "d\n\n", "123456789\n", "12345\n", "more\n"]
    let texts = pieces.map { lines.receive(Array($0.utf8)) }
    #expect(texts == ["a [2Jb\n", "cd\n", "123456\n", "", ""])
    var last = PrintableLines(longest: 100, most: 100)
    let unfinished = last.receive(Array("no end".utf8) + [0xFF])
    let ends = [last.end(), last.end()]
    #expect(unfinished.isEmpty && ends == ["no end\u{FFFD}\n", ""])
  }

  @Test("a line tells its length")
  func lengths() throws {
    var lines = HostLines()
    #expect(try lines.receive(Array("{}\n{ }\n".utf8)).map(\.length) == [2, 3])
  }
}

@Suite("What the program may not ask, or not now")
struct RefusalTests {
  private static let onlyWhileShown: [HostRequest.Call] = [
    .navigate("https://shop.example/"), .goBack, .goForward, .completeRecording(.null), .captureRecordingData(.null),
    .injectJavaScript("1", .automation), .injectJavaScript("1", .ui),
  ]
  private static let always: [HostRequest.Call] = [
    .close, .cookies(of: "https://shop.example/"), .clearAllCookies, .clearWebViewData, .resetWebViewURLs,
    .clearWebViewState, .releaseResources,
  ]

  @Test("nothing is asked of views that are not there", arguments: onlyWhileShown)
  func notOpen(call: HostRequest.Call) throws {
    var showing = try Showing()
    #expect(showing.session.refusal(of: call) == PassageSession.notOpen)
    showing.run("{\"record\": true}")
    showing.handle(.windowClosed)
    #expect(showing.session.refusal(of: call) == PassageSession.notOpen)
  }

  @Test("the profile is there at all times", arguments: always)
  func profile(call: HostRequest.Call) throws {
    var showing = try Showing()
    #expect(showing.session.refusal(of: call) == nil)
    showing.run()
    #expect(showing.session.refusal(of: call) == nil)
  }

  @Test("an address that is none is refused")
  func navigate() throws {
    var showing = try Showing()
    showing.run()
    #expect(showing.session.refusal(of: .navigate("file:///etc/passwd"))?.kind == .usage)
    #expect(showing.session.refusal(of: .navigate("https://shop.example/next")) == nil)
  }

  @Test("a recording is completed only if there is one")
  func recording() throws {
    var plain = try Showing()
    plain.run()
    #expect(plain.session.refusal(of: .completeRecording(.null))?.cause == "Nothing is recorded.")
    #expect(plain.session.refusal(of: .captureRecordingData(.null))?.cause == "Nothing is recorded.")
    var recording = try Showing()
    recording.run("{\"record\": true}")
    #expect(recording.session.refusal(of: .completeRecording(.null)) == nil)
    #expect(
      recording.session.refusal(of: .captureRecordingData(.null))?.cause
        == "The recording's command has a result already.")
  }

  @Test("a script of the program runs only in pages that the user agreed to")
  func scripts() throws {
    let script = HostRequest.Call.injectJavaScript("1", .automation)
    var showing = try Showing()
    showing.openUntilAsked()
    #expect(showing.session.refusal(of: script)?.kind == .accessDenied)
    showing.handle(.consent(isGiven: true))
    showing.load("https://shop.example/login")
    #expect(showing.session.refusal(of: script) == nil)
    showing.load("https://elsewhere.example/")
    #expect(showing.session.refusal(of: script)?.kind == .accessDenied)
    #expect(showing.session.refusal(of: .injectJavaScript("1", .ui)) == nil)
    showing.handle(.navigation(.ui, .committed("https://elsewhere.example/")))
    #expect(showing.session.refusal(of: .injectJavaScript("1", .ui))?.kind == .accessDenied)
  }

  @Test("the value of a script stays here if another page came and went while it ran")
  func scriptsOverPages() throws {
    let script = HostRequest.Call.injectJavaScript("1", .automation)
    var showing = try Showing()
    showing.run()
    let mark = showing.session.mark()
    #expect(showing.session.refusal(of: script, since: mark) == nil)
    showing.load("https://shop.example/next")
    #expect(showing.session.refusal(of: script, since: mark) == nil)
    showing.load("https://elsewhere.example/")
    showing.load("https://shop.example/login")
    #expect(showing.session.refusal(of: script) == nil)
    #expect(showing.session.refusal(of: script, since: mark)?.kind == .accessDenied)
    let later = showing.session.mark()
    #expect(showing.session.refusal(of: script, since: later) == nil)
  }
}
