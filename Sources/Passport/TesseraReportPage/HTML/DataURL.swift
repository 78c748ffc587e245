#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A picture inside the page (RFC 2397).
struct DataURL: Sendable {
  enum Kind: String {
    case jpeg = "image/jpeg"
    case png = "image/png"
  }

  let text: String

  init(_ kind: Kind, _ bytes: [UInt8]) { text = "data:\(kind.rawValue);base64," + Data(bytes).base64EncodedString() }
}
