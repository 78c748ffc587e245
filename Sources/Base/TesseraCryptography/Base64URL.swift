#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Base64url without padding (RFC 4648, 5; RFC 7515, 2).
package enum Base64URL {
  package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var digits = Array(Data(bytes).base64EncodedData())
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    digits.withUnsafeMutableBufferPointer { digits in
      for index in digits.indices {
        if digits[index] == UInt8(ascii: "+") { digits[index] = UInt8(ascii: "-") }
        if digits[index] == UInt8(ascii: "/") { digits[index] = UInt8(ascii: "_") }
      }
    }
    return digits
  }

  /// Decodes canonical, unpadded base64url; nil for anything else, such as non-zero pad bits (RFC 4648, 3.5).
  package static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
    var plain = Array(digits)
    let isClean = plain.withUnsafeMutableBufferPointer { plain in
      for index in plain.indices {
        switch plain[index] {
        case UInt8(ascii: "-"): plain[index] = UInt8(ascii: "+")
        case UInt8(ascii: "_"): plain[index] = UInt8(ascii: "/")
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return false
        default: continue
        }
      }
      return true
    }
    guard isClean else { return nil }
    plain += Array(repeating: UInt8(ascii: "="), count: (4 - plain.count % 4) % 4)
    guard let bytes = Data(base64Encoded: Data(plain)),
      encode(bytes.suffix(bytes.count % 3)).elementsEqual(digits.suffix(digits.count % 4))
    else { return nil }
    return Array(bytes)
  }
}
