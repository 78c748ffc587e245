import SwiftASN1

/// A signature algorithm as certificates and CMS name it (RFC 4055, RFC 5758, BSI TR-03111).
package enum SignatureAlgorithm: Sendable, Equatable {
  case rsaPKCS1(HashAlgorithm)
  case rsaPSS(HashAlgorithm, maskHash: HashAlgorithm, saltLength: Int)
  case ecdsa(HashAlgorithm)
  /// ECDSA with the signature as `r || s` (BSI TR-03111, 5.2.1).
  case plainECDSA(HashAlgorithm)
  /// Any other algorithm, by its dotted object identifier.
  case unknown(String)

  /// `id-mgf1` (RFC 4055, 2.2).
  private static let maskGeneration = "1.2.840.113549.1.1.8"

  /// Reads an `AlgorithmIdentifier`.
  ///
  /// - Parameter digest: the hash function stated next to the signature. CMS signers may state only the key type
  ///   (`rsaEncryption`, RFC 3370, 3.2; some passports also `id-ecPublicKey`) and leave the hash function to that
  ///   field.
  init(_ identifier: AlgorithmIdentifier, digest: HashAlgorithm?) {
    switch identifier.algorithm {
    case "1.2.840.113549.1.1.1": self = digest.map(Self.rsaPKCS1) ?? .unknown(identifier.algorithm)
    case Self.maskGeneration:
      // JMRTD writes `id-mgf1` without parameters if it means RSASSA-PSS with the signer's hash function throughout
      // and a salt as long as the digest.
      self = digest.map { .rsaPSS($0, maskHash: $0, saltLength: $0.digestLength) } ?? .unknown(identifier.algorithm)
    // The second is that of the OIW (1.3.14.3.2), which certificates of the first years have.
    case "1.2.840.113549.1.1.5", "1.3.14.3.2.29": self = .rsaPKCS1(.sha1)
    case "1.2.840.113549.1.1.14": self = .rsaPKCS1(.sha224)
    case "1.2.840.113549.1.1.11": self = .rsaPKCS1(.sha256)
    case "1.2.840.113549.1.1.12": self = .rsaPKCS1(.sha384)
    case "1.2.840.113549.1.1.13": self = .rsaPKCS1(.sha512)
    case "1.2.840.113549.1.1.10": self = (try? Self.pss(identifier.parameters)) ?? .unknown(identifier.algorithm)
    case "1.2.840.10045.2.1": self = digest.map(Self.ecdsa) ?? .unknown(identifier.algorithm)
    case "1.2.840.10045.4.1": self = .ecdsa(.sha1)
    // `ecdsa-with-Specified` (ANSI X9.62, E.8): the hash function is its parameter.
    case "1.2.840.10045.4.3":
      let hash = identifier.parameters.flatMap { try? HashAlgorithm(AlgorithmIdentifier($0)) }
      self = hash.map(Self.ecdsa) ?? .unknown(identifier.algorithm)
    case "1.2.840.10045.4.3.1": self = .ecdsa(.sha224)
    case "1.2.840.10045.4.3.2": self = .ecdsa(.sha256)
    case "1.2.840.10045.4.3.3": self = .ecdsa(.sha384)
    case "1.2.840.10045.4.3.4": self = .ecdsa(.sha512)
    case "0.4.0.127.0.7.1.1.4.1.1": self = .plainECDSA(.sha1)
    case "0.4.0.127.0.7.1.1.4.1.2": self = .plainECDSA(.sha224)
    case "0.4.0.127.0.7.1.1.4.1.3": self = .plainECDSA(.sha256)
    case "0.4.0.127.0.7.1.1.4.1.4": self = .plainECDSA(.sha384)
    case "0.4.0.127.0.7.1.1.4.1.5": self = .plainECDSA(.sha512)
    default: self = .unknown(identifier.algorithm)
    }
  }

  /// nil if the algorithm is unknown.
  package var hash: HashAlgorithm? {
    switch self {
    case .rsaPKCS1(let hash), .rsaPSS(let hash, _, _), .ecdsa(let hash), .plainECDSA(let hash): hash
    case .unknown: nil
    }
  }

  /// The Java name that clients of the bridge expect, such as `SHA256withRSA`; the object identifier if the algorithm
  /// is unknown.
  package var javaName: String {
    let hashName = hash?.rawValue.replacing("-", with: "") ?? ""
    return switch self {
    case .rsaPKCS1: "\(hashName)withRSA"
    case .rsaPSS: "\(hashName)withRSAandMGF1"
    case .ecdsa: "\(hashName)withECDSA"
    case .plainECDSA: "\(hashName)withPLAIN-ECDSA"
    case .unknown(let identifier): identifier
    }
  }

  /// `RSASSA-PSS-params` of RFC 4055, 3.1; every field has a default.
  private static func pss(_ parameters: ASN1Node?) throws -> SignatureAlgorithm {
    var hash = HashAlgorithm.sha1
    var maskHash = HashAlgorithm.sha1
    var saltLength = 20
    if let parameters {
      for field in try parameters.children("RSASSA-PSS-params") {
        let value = try field.onlyChild("RSASSA-PSS-params field")
        switch field.identifier.tagNumber {
        case 0: hash = try HashAlgorithm(AlgorithmIdentifier(value))
        case 1:
          let mask = try AlgorithmIdentifier(value)
          guard mask.algorithm == maskGeneration, let inner = mask.parameters else {
            throw CryptographyError.unsupported("mask generation function \(mask.algorithm)")
          }
          maskHash = try HashAlgorithm(AlgorithmIdentifier(inner))
        case 2: saltLength = try value.integer("salt length")
        default: break  // trailerField has one legal value
        }
      }
    }
    guard (0...512).contains(saltLength) else { throw CryptographyError.malformed("RSA-PSS salt length") }
    return .rsaPSS(hash, maskHash: maskHash, saltLength: saltLength)
  }
}

extension HashAlgorithm {
  /// - Throws: `CryptographyError.unsupported` naming the object identifier.
  package init(_ identifier: AlgorithmIdentifier) throws {
    // Some issuers name the signature's algorithm, which contains the hash function.
    let ofSignature = SignatureAlgorithm(identifier, digest: nil).hash
    guard let hash = HashAlgorithm(objectIdentifier: identifier.algorithm) ?? ofSignature else {
      throw CryptographyError.unsupported("hash function \(identifier.algorithm)")
    }
    self = hash
  }
}
