/// A group in which two parties agree on a key: the points of an elliptic curve, or numbers modulo a prime. Elements
/// are exchanged and given as bytes: `04 || X || Y` for a point, a big-endian number of the prime's length for a number.
public protocol KeyAgreementGroup: Sendable {
  /// The name that the field knows it by; nil for explicit parameters that have none.
  var name: String? { get }
  /// What an attack costs, as the number of bits of a symmetric cipher of the same strength (NIST SP 800-57-1, table 2).
  var strength: Int { get }
  /// Bits of the prime.
  var primeBits: Int { get }
  /// The generator of the domain parameters.
  var generator: [UInt8] { get }

  /// Whether `other` has the same elements, law and generator, in whatever form it was given.
  func isSame(as other: any KeyAgreementGroup) -> Bool

  /// Makes sure that `element` is one that may come from the other side.
  ///
  /// - Throws: `GroupElementProblem`.
  func validate(_ element: [UInt8]) throws

  /// A random number for one agreement.
  func makePrivateKey() throws -> SecretBytes

  /// The element `scalar` times `element` (or to the power of it), where `element` is validated first.
  ///
  /// - Throws: `GroupElementProblem`, also where the result is the identity.
  func multiply(_ element: [UInt8], by scalar: SecretBytes) throws -> [UInt8]

  /// The sum of two points or the product of two numbers.
  ///
  /// - Throws: `GroupElementProblem`, also where the result is the identity.
  func combine(_ left: [UInt8], _ right: [UInt8]) throws -> [UInt8]

  /// What both sides know in the end: the X coordinate of the product, or the number with all its leading zeros.
  ///
  /// - Throws: `GroupElementProblem`.
  func sharedSecret(privateKey: SecretBytes, with element: [UInt8]) throws -> SecretBytes

  /// The element that belongs to a number modulo the prime (Doc 9303-11, 4.4.3.3.2 and appendix B).
  ///
  /// - Throws: `CryptographyError.unsupported` where no such mapping is defined for the group; `GroupElementProblem`
  ///   where the number has none.
  func element(ofFieldValue number: [UInt8]) throws -> [UInt8]

  /// A short form of an element that tells it from others: the X coordinate, or SHA-1 of the number without leading
  /// zeros (BSI TR-03110-3, A.2.2.3).
  func compressed(_ element: [UInt8]) throws -> [UInt8]

  /// The element as the authentication token and key objects write it (Doc 9303-11, 9.4): a point as it is, a number
  /// without leading zeros.
  func unsigned(_ element: [UInt8]) -> [UInt8]

  /// The element in this type's own form, of what a chip sent: numbers may come without their leading zeros.
  func normalized(_ bytes: some Collection<UInt8>) -> [UInt8]
}

extension KeyAgreementGroup {
  /// A random number and what it makes of `generator`. Numbers that begin with a zero byte are drawn again: there are
  /// implementations that write them as they are and others that leave the zero out, and what both sides make of their
  /// bytes must be the same.
  ///
  /// - Throws: `GroupElementProblem`.
  public func makeKeyPair(_ generator: [UInt8]) throws -> (privateKey: SecretBytes, publicKey: [UInt8]) {
    var pair = try drawKeyPair(generator)
    // Where the prime is just above a power of 256, nearly every number begins with a zero byte: it is taken then.
    for _ in 1..<64 where unsigned(pair.publicKey).count < pair.publicKey.count { pair = try drawKeyPair(generator) }
    return pair
  }

  private func drawKeyPair(_ generator: [UInt8]) throws -> (privateKey: SecretBytes, publicKey: [UInt8]) {
    let privateKey = try makePrivateKey()
    return (privateKey, try multiply(generator, by: privateKey))
  }
}

/// Why bytes are no usable element of a group.
public enum GroupElementProblem: Error, Sendable, Equatable {
  /// Not in the form that the group's elements have.
  case malformed
  /// A point off the curve, or a number outside of the subgroup.
  case notInGroup
  /// The point at infinity, or the number 1.
  case identity
}
