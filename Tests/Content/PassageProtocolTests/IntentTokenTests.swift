import Foundation
import TesseraJSON
import Testing

@testable import PassageProtocol

@Suite struct IntentTokenTests {
  private static func token(_ claims: String) -> String {
    let payload = Data(claims.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    return "h.\(payload.replacing("=", with: "")).s"
  }

  @Test("The sample, whose payload has - and _, has all its claims") func sample() throws {
    let sample = try Samples.json("passage-intent-token")
    let text = try #require(sample["token"]?.stringValue)
    #expect(text.contains("_") && text.split(separator: ".")[1].contains("-"))
    let token = IntentToken(text)
    #expect(token.sessionId == sample["claims"]?["sessionId"]?.stringValue)
    #expect(!token.record && token.captureScreenshot && token.clearAllCookies)
    #expect(token.screenshotInterval == .seconds(2.5))
    #expect(token.cookieDomains == [".shop.example"])
    #expect(token.screenshot == .automation)
  }

  @Test(
    "The interval is a number, or a text of one, above zero",
    arguments: [
      ("7", 7.0), ("2.5", 2.5), (#""3""#, 3), (#""1.5""#, 1.5), ("1e1", 10), ("0", 5), ("-4", 5), (#""""#, 5),
      (#""abc""#, 5), (#""inf""#, 5), (#""nan""#, 5), ("true", 5), ("null", 5), ("1e400", 5), ("0.001", 1),
      ("1e18", 86_400), (#""1e300""#, 86_400),
    ])
  func interval(json: String, seconds: Double) {
    let token = IntentToken(Self.token(#"{"record":true,"captureScreenshotInterval":\#(json)}"#))
    #expect(token.record && token.screenshot == .modal)
    #expect(token.screenshotInterval == .seconds(seconds))
  }

  @Test(
    "A bad token switches everything off",
    arguments: [
      "", "abc", "a.b", "a..c", "a.b.c", "a.e30.c.d", "a.!!!!.c", "a.W10.c", "a.eyJyZWNvcmQiOnRydWV9\n.c",
      "a.eyJyZWNvcmQiOnRydWV9A.c", "a.gICA.c",
    ])
  func bad(token: String) {
    let token = IntentToken(token)
    #expect(token == IntentToken(""))
    #expect(!token.record && !token.captureScreenshot && !token.clearAllCookies && token.cookieDomains.isEmpty)
    #expect(token.screenshotInterval == .seconds(5) && token.sessionId == nil && token.screenshot == nil)
  }

  @Test("A token that is too long is a bad one") func tooLong() {
    let spaces = String(repeating: " ", count: 48 << 10)
    #expect(IntentToken(Self.token(#"{"record":true}"#)).record)
    #expect(!IntentToken(Self.token(#"{"record":true}"# + spaces)).record)
  }

  @Test("Claims of a wrong type are absent") func wrongTypes() {
    let token = IntentToken(
      Self.token(
        #"{"sessionId":5,"record":"true","captureScreenshot":1,"clearAllCookies":[],"cookieDomains":"a.example"}"#))
    #expect(token == IntentToken(""))
    #expect(IntentToken(Self.token(#"{"cookieDomains":["a.example",5]}"#)).cookieDomains == ["a.example"])
  }

  @Test("Padding may be there or not", arguments: ["{\"a\":1}", "{\"a\":12}", "{\"a\":123}"])
  func padding(claims: String) {
    let padded = Data(claims.utf8).base64EncodedString()
    #expect(Base64URL.decode(padded[...]) == Array(claims.utf8))
    #expect(Base64URL.decode(padded.replacing("=", with: "")[...]) == Array(claims.utf8))
  }
}
