import TesseraCryptography
import TesseraThreads

/// Finds out by whom each certificate of a list is signed.
///
/// Issuers are found by key identifier and then by name, and every candidate is confirmed by the signature: names are
/// often equal although the keys differ, and some key identifiers are absent or wrong.
struct SignerClassification {
  /// The result for one certificate.
  enum Result: Sendable, Equatable {
    case selfSigned
    /// The position of the issuer in the pool.
    case linked(Int)
    /// No certificate of the pool can be the issuer.
    case unknownIssuer
    case refused(Refusal)
  }

  /// The reason why a certificate is not accepted.
  enum Refusal: Error, Sendable, Equatable {
    case malformed
    /// The certificate is not one of a country signer.
    case notAnAuthority
    case keyUnusable(String)
    /// The certificate must be signed by one of the known keys, and is not.
    case signatureWrong
    case signatureUnsupported(String)

    var sentence: String {
      switch self {
      case .malformed: "It is malformed."
      case .notAnAuthority: "It may not sign certificates, so it is not the certificate of a country signer."
      case .keyUnusable(let reason): "Its key cannot be used: \(reason)"
      case .signatureWrong: "Its signature is wrong."
      case .signatureUnsupported(let reason): "Its signature cannot be verified: \(reason)"
      }
    }
  }

  /// The certificates that can be issuers.
  private let pool: [Certificate]
  private let byKeyIdentifier: [ArraySlice<UInt8>: [Int]]
  private let byName: [ArraySlice<UInt8>: [Int]]
  /// The decoded keys of the pool.
  private let keys: KeyCache

  init(pool: [Certificate]) {
    self.pool = pool
    byKeyIdentifier = Self.index(pool) { $0.subjectKeyIdentifier }
    byName = Self.index(pool) { $0.subjectName.encoded }
    keys = KeyCache(capacity: pool.count)
  }

  private static func index(
    _ pool: [Certificate], _ key: (Certificate) -> ArraySlice<UInt8>?
  ) -> [ArraySlice<UInt8>: [Int]] {
    var index: [ArraySlice<UInt8>: [Int]] = [:]
    for (position, certificate) in pool.enumerated() {
      if let key = key(certificate) { index[key, default: []].append(position) }
    }
    return index
  }

  /// The results for the first `count` certificates of the pool, on all cores.
  func results(count: Int) -> [Result] {
    // One certificate each, because the slow ones stand together, in the order of the countries.
    pool.prefix(count).concurrentMap(pieceCount: count) { result(for: $0) }
  }

  func result(for certificate: Certificate) -> Result {
    if certificate.permits(.certificateSigning) == false { return .refused(.notAnAuthority) }
    let own: PublicKey
    do {
      own = try keys.key(of: certificate)
    } catch {
      return .refused(.keyUnusable(Self.sentence(error)))
    }
    let keyIdentifier = certificate.authorityKeyIdentifier
    let namesItself =
      certificate.issuerName == certificate.subjectName
      && keyIdentifier.map { $0 == certificate.subjectKeyIdentifier } ?? true
    var problem: Refusal?
    // The most probable candidate comes first: itself, or another one with the stated key.
    if namesItself {
      do {
        if try certificate.isSigned(by: own) { return .selfSigned }
      } catch {
        return .refused(.signatureUnsupported(Self.sentence(error)))
      }
    }
    let stated = keyIdentifier.flatMap { byKeyIdentifier[$0] } ?? []
    let named = byName[certificate.issuerName.encoded] ?? []
    for position in stated + named.filter({ !stated.contains($0) }) {
      let candidate = pool[position]
      guard candidate != certificate, let key = try? keys.key(of: candidate) else { continue }
      do {
        if try certificate.isSigned(by: key) { return .linked(position) }
      } catch CryptographyError.unsupported(let what) where what.contains("key of another type") {
        continue
      } catch {
        problem = .signatureUnsupported(Self.sentence(error))
      }
    }
    if !namesItself, (try? certificate.isSigned(by: own)) == true { return .selfSigned }
    if let problem { return .refused(problem) }
    // The stated key is known, and did not sign the certificate.
    let statedKeyIsKnown = stated.contains { pool[$0] != certificate } || keyIdentifier != nil && namesItself
    return statedKeyIsKnown ? .refused(.signatureWrong) : .unknownIssuer
  }

  private static func sentence(_ error: any Error) -> String {
    (error as? CryptographyError)?.failure.cause ?? "It is malformed."
  }
}
