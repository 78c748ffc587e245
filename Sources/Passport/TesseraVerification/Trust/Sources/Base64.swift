#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Base64 (RFC 4648, 4).
enum Base64 {
  /// - Returns: nil if a character is not of the alphabet, or the padding is wrong.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    Data(base64Encoded: Data(text)).map(Array.init)
  }
}
