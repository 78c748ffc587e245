internal import FoundationEssentials
internal import TesseraJSON

/// What an intent token says (Passage.md, rule 1). Nobody verifies its signature: it says what the program's server
/// wants, and the user still decides. A malformed token switches everything off.
package struct IntentToken: Sendable, Equatable {
  package var sessionId: String?
  /// Whether the whole window is recorded.
  package var record = false
  /// Whether screenshots of the automation view are taken.
  package var captureScreenshot = false
  /// The time between two screenshots, from one second to one day.
  package var screenshotInterval = Duration.seconds(5)
  /// Whether cookies are removed when Passage opens.
  package var clearAllCookies = false
  /// The domains whose cookies are removed; empty for those of the configuration.
  package var cookieDomains: [String] = []

  /// No token is longer.
  package static let longest = 64 << 10
  private static let intervals = 1.0...86_400.0

  /// Reads the payload of a JWT.
  package init(_ token: String) {
    guard token.utf8.count <= Self.longest else { return }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
      let text = String(validating: bytes, as: UTF8.self), case .object(let claims)? = try? JSONValue(text: text)
    else { return }
    sessionId = claims["sessionId"]?.stringValue
    record = claims["record"]?.boolValue ?? false
    captureScreenshot = claims["captureScreenshot"]?.boolValue ?? false
    if let seconds = claims["captureScreenshotInterval"].flatMap(Self.seconds) { screenshotInterval = seconds }
    clearAllCookies = claims["clearAllCookies"]?.boolValue ?? false
    cookieDomains = claims["cookieDomains"]?.texts ?? []
  }

  /// What the screenshots show; nil if there are none.
  package var screenshot: ScreenshotKind? { record ? .modal : captureScreenshot ? .automation : nil }

  /// A number, or a text of one.
  private static func seconds(_ value: JSONValue) -> Duration? {
    let text = value.stringValue.flatMap { $0.utf8.count <= 32 ? $0 : nil }
    guard let seconds = value.doubleValue ?? text.flatMap(Double.init), seconds.isFinite, seconds > 0 else {
      return nil
    }
    return .seconds(min(max(seconds, intervals.lowerBound), intervals.upperBound))
  }
}

/// The alphabet of base64 that is safe in addresses (RFC 4648, 5).
enum Base64URL {
  /// The bytes of a text, with or without padding; nil if it has other characters, or a length that no bytes have.
  static func decode(_ text: Substring) -> [UInt8]? {
    var digits = Array(text.utf8)
    // At most two characters of padding.
    for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    guard digits.count % 4 != 1, !digits.contains(where: "+/=".utf8.contains) else { return nil }
    for index in digits.indices {
      if digits[index] == UInt8(ascii: "-") { digits[index] = UInt8(ascii: "+") }
      if digits[index] == UInt8(ascii: "_") { digits[index] = UInt8(ascii: "/") }
    }
    digits += Array(repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
    return Data(base64Encoded: Data(digits)).map(Array.init)
  }
}
