import TesseraCore
import TesseraJSON

/// The text of an answer that is an error, for the user.
enum ServerText {
  private static let maximumLength = 200

  /// The member `message` or `error` of an object, or else the beginning of the text. Nothing of a page of HTML.
  ///
  /// - Parameter private: texts that must not be part of it. If one is, the result is empty: a server may repeat what it
  ///   was asked.
  static func short(_ body: [UInt8], private texts: [String]) -> String {
    guard let text = String(validating: body, as: UTF8.self)?.trimmed, !text.hasPrefix("<") else { return "" }
    let json = try? JSONValue(text: text)
    let message = json.map { $0["message"]?.stringValue ?? $0["error"]?.stringValue ?? "" } ?? text
    guard !texts.contains(where: { !$0.isEmpty && message.contains($0) }) else { return "" }
    return PrintableText.of(String(message.unicodeScalars.prefix(maximumLength))).trimmed
  }
}
