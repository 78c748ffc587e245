import TesseraCryptography
import TesseraThreads

/// Finds out by whom each certificate of a list is signed. The signature confirms every candidate.
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
  private let pool: IssuerIndex

  init(pool: [Certificate]) { self.pool = IssuerIndex(pool) }

  /// The results for the first `count` certificates of the pool, on all cores.
  func results(count: Int) -> [Result] {
    // One certificate each, because the slow ones stand together, in the order of the countries.
    let results = pool.certificates.prefix(count).concurrentMap(pieceCount: count) { result(for: $0) }
    // A refused certificate verifies nothing; another one may have its key.
    func isRefused(_ position: Int) -> Bool {
      if position < count, case .refused = results[position] { true } else { false }
    }
    guard results.contains(where: { if case .linked(let issuer) = $0 { isRefused(issuer) } else { false } }) else {
      return results
    }
    let positions = pool.certificates.indices.filter { !isRefused($0) }
    let others = SignerClassification(pool: positions.map { pool.certificates[$0] })
    return results.enumerated().map { position, result in
      guard case .linked(let issuer) = result, isRefused(issuer) else { return result }
      let again = others.result(for: pool.certificates[position])
      if case .linked(let other) = again { return .linked(positions[other]) }
      return again
    }
  }

  func result(for certificate: Certificate) -> Result {
    // A list may have certificates of early versions, without any of these extensions.
    if (certificate.permits(.certificateSigning) ?? certificate.isAuthority) == false {
      return .refused(.notAnAuthority)
    }
    let own: PublicKey
    do {
      own = try pool.keys.key(of: certificate)
    } catch {
      return .refused(.keyUnusable(Self.sentence(error)))
    }
    let namesItself = certificate.namesItself
    var problem: Refusal?
    // The most probable candidate comes first: itself, or another one with the stated key.
    if namesItself {
      do {
        if try certificate.isSigned(by: own) { return .selfSigned }
      } catch CryptographyError.keyMismatch {
        // A link certificate without a key identifier, to a key of another type.
      } catch {
        problem = .signatureUnsupported(Self.sentence(error))
      }
    }
    for position in pool.candidates(for: certificate) {
      let candidate = pool.certificates[position]
      guard candidate != certificate, let key = try? pool.keys.key(of: candidate) else { continue }
      do {
        if try certificate.isSigned(by: key) { return .linked(position) }
      } catch CryptographyError.keyMismatch {
        continue
      } catch {
        problem = .signatureUnsupported(Self.sentence(error))
      }
    }
    if !namesItself, (try? certificate.isSigned(by: own)) == true { return .selfSigned }
    if let problem { return .refused(problem) }
    // The stated key of that country is known, and did not sign the certificate.
    let statedKeyIsKnown =
      pool.stated(by: certificate).map { pool.certificates[$0] }
      .contains { $0 != certificate && $0.country == certificate.issuerName.country }
      || certificate.authorityKeyIdentifier != nil && namesItself
    return statedKeyIsKnown ? .refused(.signatureWrong) : .unknownIssuer
  }

  private static func sentence(_ error: any Error) -> String {
    (error as? CryptographyError)?.failure.cause ?? "It is malformed."
  }
}
