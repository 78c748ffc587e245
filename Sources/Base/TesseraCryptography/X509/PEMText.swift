#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The textual encoding of certificates and lists (RFC 7468).
package enum PEMText {
  /// - Returns: the text without a final line break.
  package static func encode(_ der: [UInt8], _ label: String, columns: Int = 64) -> String {
    var body = Substring(Data(der).base64EncodedString())
    var lines = ["-----BEGIN \(label)-----"]
    while !body.isEmpty {
      lines.append(String(body.prefix(columns)))
      body = body.dropFirst(columns)
    }
    return (lines + ["-----END \(label)-----"]).joined(separator: "\n")
  }
}
