#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The name of a record in the spool: its time in milliseconds since 1970, 15 digits, and the id of its message. A
/// record that the stream refused has `refused` in front.
struct SpoolName: Sendable, Hashable {
  let text: String

  private static let digits = 15
  private static let latest = 999_999_999_999_999.0
  private static let refusedPrefix = "refused "

  init(time: Date, messageID: String) {
    let milliseconds = Int64(min(max(0, time.timeIntervalSince1970 * 1000), Self.latest))
    let number = String(milliseconds)
    text = "\(String(repeating: "0", count: Self.digits - number.count))\(number) \(messageID)"
  }

  private init(unchecked text: String) { self.text = text }

  /// nil for a name of another form.
  init?(_ text: String) {
    self.text = text
    guard milliseconds != nil else { return nil }
  }

  var isRefused: Bool { text.hasPrefix(Self.refusedPrefix) }

  var refused: SpoolName { SpoolName(unchecked: Self.refusedPrefix + text) }

  /// By the clock of the machine that wrote it.
  var time: Date { Date(timeIntervalSince1970: Double(milliseconds ?? 0) / 1000) }

  private var milliseconds: Int64? {
    let words = text.split(separator: " ")
    guard words.count == (isRefused ? 3 : 2), let number = words.dropLast().last, number.utf8.count == Self.digits
    else {
      return nil
    }
    return Int64(number)
  }
}
