import TesseraCryptography
import TesseraSmartCard

/// A card-verifiable certificate of the PKI of inspection systems (BSI TR-03110-3, C.1; Doc 9303-12, 7.2): its bytes as
/// received, and the fields that a certificate chain needs.
public struct CVCertificate: Sendable, Equatable {
  /// The whole certificate, tag 7F21.
  package let encoded: [UInt8]
  /// The body with its tag 7F4E, which is what the signature covers.
  package let body: [UInt8]
  package let signature: [UInt8]
  /// The signer.
  public let authorityReference: String
  /// The owner of the key.
  public let holderReference: String
  package let publicKey: CVPublicKey
  package let authorization: CertificateHolderAuthorization
  /// Six digits, `YYMMDD`.
  public let effectiveDate: String
  /// Six digits, `YYMMDD`.
  public let expirationDate: String

  /// The reason why bytes are not a certificate; the text names the part.
  public enum Problem: Error, Sendable, Equatable {
    case malformed(String)
  }

  /// Maximum length in bytes; no certificate is longer.
  private static let longest = 8192

  /// - Parameter bytes: the data object 7F21, without bytes after it.
  public init(_ bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= Self.longest else { throw .malformed("its length") }
    encoded = bytes
    var rest = try Self.content(of: 0x7F21, in: bytes)
    let fields: [BERTLV]
    do {
      let start = rest
      let inner = try BERTLV.take(from: &rest)
      // The signature covers the bytes as received, whatever the encoding of their length.
      body = Array(start[..<rest.startIndex])
      let last = try BERTLV.take(from: &rest)
      guard inner.tag == 0x7F4E, last.tag == 0x5F37, !last.value.isEmpty, rest.isEmpty else {
        throw Problem.malformed("body and signature")
      }
      signature = Array(last.value)
      fields = try BERTLV.sequence(inner.value)
    } catch {
      throw .malformed("body and signature")
    }

    func field(_ tag: UInt32, _ name: String) throws(Problem) -> ArraySlice<UInt8> {
      let matching = fields.filter { $0.tag == tag }
      guard let only = matching.first, matching.count == 1 else { throw .malformed(name) }
      return only.value
    }
    guard try field(0x5F29, "the profile identifier").elementsEqual([0]) else {
      throw .malformed("the profile identifier")
    }
    guard let authority = PACEDriver.reference(try field(0x42, "the authority reference")) else {
      throw .malformed("the authority reference")
    }
    guard let holder = PACEDriver.reference(try field(0x5F20, "the holder reference")) else {
      throw .malformed("the holder reference")
    }
    authorityReference = authority
    holderReference = holder
    publicKey = try CVPublicKey(field(0x7F49, "the public key"))
    authorization = try Self.authorization(field(0x7F4C, "the authorisation"))
    effectiveDate = try Self.date(field(0x5F25, "the effective date"))
    expirationDate = try Self.date(field(0x5F24, "the expiration date"))
  }

  private static func content(of tag: UInt32, in bytes: [UInt8]) throws(Problem) -> ArraySlice<UInt8> {
    do {
      var rest = bytes[...]
      let object = try BERTLV.take(from: &rest)
      guard object.tag == tag, rest.isEmpty else { throw Problem.malformed("its tag") }
      return object.value
    } catch {
      throw .malformed("its structure")
    }
  }

  private static func authorization(_ bytes: ArraySlice<UInt8>) throws(Problem) -> CertificateHolderAuthorization {
    let fields = (try? BERTLV.sequence(bytes)) ?? []
    guard fields.count == 2, fields[0].tag == 0x06, fields[1].tag == 0x53,
      let role = ObjectIdentifierBytes.decode(fields[0].value)
    else { throw .malformed("the authorisation") }
    return CertificateHolderAuthorization(role: role, rights: Array(fields[1].value))
  }

  /// Six unpacked digits.
  private static func date(_ bytes: ArraySlice<UInt8>) throws(Problem) -> String {
    guard bytes.count == 6, bytes.allSatisfy({ $0 <= 9 }) else { throw .malformed("a date") }
    return bytes.map(String.init).joined()
  }

  /// Whether this is a CVCA certificate, self-signed or a link to the next key: its role bits are `11`.
  public var isAuthority: Bool { authorization.rights.first.map { $0 & 0xC0 == 0xC0 } ?? false }
}

/// The public key in a card-verifiable certificate (BSI TR-03110-3, D.3): an object identifier that names the
/// signature algorithm, and numbers by tag.
package struct CVPublicKey: Sendable, Equatable {
  /// The object identifier, dotted: `id-TA-…`.
  package let algorithmIdentifier: String
  /// The unsigned numbers and points by tag, 81 to 87.
  package let parts: [UInt32: [UInt8]]

  init(_ bytes: ArraySlice<UInt8>) throws(CVCertificate.Problem) {
    let fields = (try? BERTLV.sequence(bytes)) ?? []
    guard let first = fields.first, first.tag == 0x06, let identifier = ObjectIdentifierBytes.decode(first.value) else {
      throw .malformed("the algorithm of the public key")
    }
    algorithmIdentifier = identifier
    var parts: [UInt32: [UInt8]] = [:]
    for field in fields.dropFirst() {
      guard (0x81...0x87).contains(field.tag), parts[field.tag] == nil else { throw .malformed("the public key") }
      parts[field.tag] = Array(field.value)
    }
    self.parts = parts
  }

  /// The signature algorithm of this key (BSI TR-03110-3, A.1.1.3); nil if it is undefined.
  package var signatureAlgorithm: SignatureAlgorithm? {
    let arc = SecurityInfos.Arc.terminalAuthentication + "."
    guard algorithmIdentifier.hasPrefix(arc) else { return nil }
    switch algorithmIdentifier.dropFirst(arc.count) {
    case "1.1": return .rsaPKCS1(.sha1)
    case "1.2": return .rsaPKCS1(.sha256)
    case "1.3": return .rsaPSS(.sha1, maskHash: .sha1, saltLength: 20)
    case "1.4": return .rsaPSS(.sha256, maskHash: .sha256, saltLength: 32)
    case "1.5": return .rsaPKCS1(.sha512)
    case "1.6": return .rsaPSS(.sha512, maskHash: .sha512, saltLength: 64)
    case "2.1": return .plainECDSA(.sha1)
    case "2.2": return .plainECDSA(.sha224)
    case "2.3": return .plainECDSA(.sha256)
    case "2.4": return .plainECDSA(.sha384)
    case "2.5": return .plainECDSA(.sha512)
    default: return nil
    }
  }

  /// Whether `key` is the private part of this one.
  func matches(_ key: PrivateKey) -> Bool {
    func isSame(_ tag: UInt32, _ number: [UInt8]) -> Bool {
      parts[tag].map { $0.drop { $0 == 0 }.elementsEqual(number.drop { $0 == 0 }) } ?? false
    }
    switch key.publicNumbers {
    case .rsa(let modulus, let exponent): return isSame(0x81, modulus) && isSame(0x82, exponent)
    case .point(let point): return parts[0x86] == point
    }
  }
}

extension ObjectIdentifierBytes {
  /// The dotted form of value bytes; nil if they are malformed.
  static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let last = bytes.last, last < 0x80, bytes.count <= 64 else { return nil }
    var arcs: [UInt64] = []
    var arc: UInt64 = 0
    for byte in bytes {
      guard arc < 1 << 56 else { return nil }
      arc = arc << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 {
        arcs.append(arc)
        arc = 0
      }
    }
    guard let first = arcs.first else { return nil }
    let root = min(first / 40, 2)
    return ([root, first - root * 40] + arcs.dropFirst()).map(String.init).joined(separator: ".")
  }
}

/// A certificate holder authorisation template (BSI TR-03110-3, C.1.5): the kind of terminal, and its rights.
package struct CertificateHolderAuthorization: Sendable, Equatable {
  /// `id-IS`, an inspection system.
  package static let inspectionSystem = "0.4.0.127.0.7.3.1.2.1"

  /// Dotted.
  package let role: String
  package let rights: [UInt8]

  package init(role: String, rights: [UInt8]) {
    self.role = role
    self.rights = rights
  }

  /// The template that a reader sends to request the authorities that a chip trusts.
  static let inspectionSystemWithAllRights = CertificateHolderAuthorization(role: inspectionSystem, rights: [0x3F])

  var encoded: [UInt8] {
    BERTLV.encode(
      0x7F4C, BERTLV.encode(0x06, ObjectIdentifierBytes.encode(role)) + BERTLV.encode(0x53, rights))
  }
}
