import TesseraCryptography
import TesseraJSON

/// The signature algorithms of a VDS-NC (RFC 7518, 3.4): ECDSA with the signature as r || s.
package enum VDSNCAlgorithm: String, Sendable, CaseIterable {
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"

  /// nil for a name that a VDS-NC does not have.
  init?(_ name: String) {
    guard let algorithm = Self.allCases.first(where: { $0.rawValue.hasBytes(of: name) }) else { return nil }
    self = algorithm
  }

  package var hash: HashAlgorithm {
    switch self {
    case .es256: .sha256
    case .es384: .sha384
    case .es512: .sha512
    }
  }

  /// The size of the field of the only curve that the algorithm permits: P-256, P-384 or P-521.
  package var fieldBits: Int {
    switch self {
    case .es256: 256
    case .es384: 384
    case .es512: 521
    }
  }
}
