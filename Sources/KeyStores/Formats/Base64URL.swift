import Foundation

/// Base 64 with the alphabet for URLs and without padding (RFC 4648, 5; RFC 7515, 2).
enum Base64URL {
  static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    Data(bytes).base64EncodedData().compactMap { digit in
      switch digit {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      case UInt8(ascii: "="): nil
      default: digit
      }
    }
  }

  /// nil for anything but an unpadded encoding.
  static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
    var plain: [UInt8] = []
    plain.reserveCapacity(digits.count + 3)
    for digit in digits {
      switch digit {
      case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
      default: plain.append(digit)
      }
    }
    plain += Array(repeating: UInt8(ascii: "="), count: (4 - plain.count % 4) % 4)
    return Data(base64Encoded: Data(plain)).map(Array.init)
  }
}
