import Foundation

enum Base64Text {
  /// The bytes; nil if the text is not base64.
  static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? { Data(base64Encoded: Data(text)).map(Array.init) }

  static var hostName: String { ProcessInfo.processInfo.hostName }
}
