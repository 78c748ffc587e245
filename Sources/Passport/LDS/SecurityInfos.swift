import Cryptography
import SmartCard
import SwiftASN1

/// `SecurityInfos` of BSI TR-03110-3, A.1.1: which protocols the chip offers, as EF.CardAccess and DG14 tell.
public struct SecurityInfos: Sendable, Equatable {
  /// The object identifiers of the entries, dotted.
  public let protocols: [String]

  /// - Parameter bytes: the DER `SET OF SecurityInfo`; bytes after it are ignored.
  /// - Throws: `CryptographyError.malformed`.
  public init(_ bytes: some Collection<UInt8>) throws {
    let bytes = Array(bytes)
    // EF.CardAccess is padded to the size of the file by some chips.
    let length = min(bytes.count, (try? BERTLV.header(of: bytes[...]).totalLength) ?? bytes.count)
    protocols = try ASN1Node.parse(bytes.prefix(length), "SecurityInfos").children("SecurityInfos").map { entry in
      guard let identifier = try entry.children("SecurityInfo").first else {
        throw CryptographyError.malformed("SecurityInfo")
      }
      return try identifier.objectIdentifier("SecurityInfo protocol")
    }
  }

  /// Whether an entry's identifier is `arc` or below it.
  public func offers(_ arc: String) -> Bool { protocols.contains { $0 == arc || $0.hasPrefix(arc + ".") } }

  /// The arcs of BSI TR-03110-3, A.1.1.
  public enum Arc {
    public static let terminalAuthentication = "0.4.0.127.0.7.2.2.2"
    public static let chipAuthentication = "0.4.0.127.0.7.2.2.3"
    /// A static key for Chip Authentication, which older documents list without the protocol itself.
    public static let publicKey = "0.4.0.127.0.7.2.2.1"
    public static let pace = "0.4.0.127.0.7.2.2.4"
    public static let paceChipAuthenticationMapping = "0.4.0.127.0.7.2.2.4.6"
  }
}
