/// A group for key agreement: the points of an elliptic curve, or numbers modulo a prime. Elements are encoded as
/// bytes: a point as `04 || X || Y`, a number in big-endian order with the length of the prime.
package protocol KeyAgreementGroup: Sendable {
  /// The usual name; nil for explicit parameters without one.
  var name: String? { get }
  /// The security strength in bits (NIST SP 800-57-1, table 2).
  var strength: Int { get }
  /// Bits of the prime.
  var primeBits: Int { get }
  /// The generator of the domain parameters.
  var generator: [UInt8] { get }

  /// Whether `other` has the same elements, operation and generator, however its parameters were encoded.
  func isSame(as other: any KeyAgreementGroup) -> Bool

  /// Validates an element that was received from the other side.
  ///
  /// - Throws: `GroupElementProblem`.
  func validate(_ element: [UInt8]) throws

  /// A random private key for one agreement.
  func makePrivateKey() throws -> SecretBytes

  /// Multiplies `element` by `scalar`, or raises it to that power. Validates `element` first.
  ///
  /// - Throws: `GroupElementProblem`, also if the result is the identity.
  func multiply(_ element: [UInt8], by scalar: SecretBytes) throws -> [UInt8]

  /// The sum of two points or the product of two numbers.
  ///
  /// - Throws: `GroupElementProblem`, also if the result is the identity.
  func combine(_ left: [UInt8], _ right: [UInt8]) throws -> [UInt8]

  /// The shared secret: the X coordinate of the product, or the number with all its leading zeros.
  ///
  /// - Throws: `GroupElementProblem`.
  func sharedSecret(privateKey: SecretBytes, with element: [UInt8]) throws -> SecretBytes

  /// Maps a number modulo the prime to an element (Doc 9303-11, 4.4.3.3.2 and appendix B).
  ///
  /// - Throws: `CryptographyError.unsupported` if no such mapping is defined for the group; `GroupElementProblem` if
  ///   the number has no image.
  func element(ofFieldValue number: [UInt8]) throws -> [UInt8]

  /// A compressed form that identifies an element: the X coordinate, or SHA-1 of the number without leading zeros (BSI
  /// TR-03110-3, A.2.2.3).
  func compressed(_ element: [UInt8]) throws -> [UInt8]

  /// The element as in authentication tokens and public key data objects (Doc 9303-11, 9.4): a point unchanged, a
  /// number without leading zeros.
  func unsigned(_ element: [UInt8]) -> [UInt8]

  /// The encoding of this protocol for an element that a chip sent: numbers may lack their leading zeros.
  func normalized(_ bytes: some Collection<UInt8>) -> [UInt8]
}

extension KeyAgreementGroup {
  /// A random private key and its public key for `generator`. Draws again if the public key begins with a zero byte:
  /// implementations differ in whether they send that byte, and both sides must compute over the same bytes.
  ///
  /// - Throws: `GroupElementProblem`.
  package func makeKeyPair(_ generator: [UInt8]) throws -> (privateKey: SecretBytes, publicKey: [UInt8]) {
    var pair = try drawKeyPair(generator)
    // If the prime is just above a power of 256, nearly every number begins with a zero byte; the last one is used.
    for _ in 1..<64 where unsigned(pair.publicKey).count < pair.publicKey.count { pair = try drawKeyPair(generator) }
    return pair
  }

  private func drawKeyPair(_ generator: [UInt8]) throws -> (privateKey: SecretBytes, publicKey: [UInt8]) {
    let privateKey = try makePrivateKey()
    return (privateKey, try multiply(generator, by: privateKey))
  }
}

/// The reason why bytes are not a usable element of a group.
public enum GroupElementProblem: Error, Sendable, Equatable {
  /// Not in the encoding of the group's elements.
  case malformed
  /// A point that is not on the curve, or a number outside the subgroup.
  case notInGroup
  /// The point at infinity, or the number 1.
  case identity
}
