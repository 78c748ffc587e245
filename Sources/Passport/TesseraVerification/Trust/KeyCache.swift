import TesseraCryptography
import TesseraThreads

/// What earlier verifications computed: decoded public keys, and which certificates are signed with which keys.
///
/// Both follow from the bytes alone and not from anyone's trust, so that trust materials can share a cache, and no
/// change of a trust material makes it wrong.
package final class KeyCache: Sendable {
  private struct ValidSignature: Hashable {
    let certificate: [UInt8]
    let keyInfo: [UInt8]
  }

  private let keys = Locked<[ArraySlice<UInt8>: PublicKey]>([:])
  private let signatures = Locked<Set<ValidSignature>>([])
  private let capacity: Int

  /// Larger keys and certificates, which no country issues, are not kept.
  private static let maximumKeySize = 4096
  private static let maximumCertificateSize = 16_384

  /// - Parameter capacity: the number of keys, and of signatures, that are kept. All are dropped when there are more.
  init(capacity: Int = 1_000) { self.capacity = capacity }

  /// - Throws: `CryptographyError` if the key cannot be used.
  package func key(of certificate: Certificate) throws -> PublicKey {
    let info = certificate.publicKeyInfo
    if let key = keys.withLock({ $0[info] }) { return key }
    let key = try certificate.publicKey
    guard info.count <= Self.maximumKeySize else { return key }
    // A copy, because a part of an array keeps all of it in memory.
    let copy = key.subjectPublicKeyInfo[...]
    keys.withLock { keys in
      if keys.count >= capacity { keys.removeAll(keepingCapacity: true) }
      keys[copy] = key
    }
    return key
  }

  /// Whether the owner of the key of `issuer` signed `certificate`.
  ///
  /// - Throws: `CryptographyError` if the key or the algorithm is not supported, or they do not match.
  func isSigned(_ certificate: Certificate, by issuer: Certificate) throws -> Bool {
    let key = try key(of: issuer)
    let signature = ValidSignature(certificate: certificate.der, keyInfo: key.subjectPublicKeyInfo)
    if signatures.withLock({ $0.contains(signature) }) { return true }
    guard try certificate.isSigned(by: key) else { return false }
    guard certificate.der.count <= Self.maximumCertificateSize else { return true }
    signatures.withLock { signatures in
      if signatures.count >= capacity { signatures.removeAll(keepingCapacity: true) }
      signatures.insert(signature)
    }
    return true
  }
}
