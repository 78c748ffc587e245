import SwiftASN1
import TesseraCore
import TestSupport
import Testing

@testable import TesseraCryptography

@Suite("Groups for key agreement")
struct KeyAgreementGroupTests {
  /// Bits of the prime by number, as Doc 9303-11, table 6 lists them.
  static let sizes = [
    0: 1024, 1: 2048, 2: 2048, 8: 192, 9: 192, 10: 224, 11: 224, 12: 256, 13: 256, 14: 320, 15: 384, 16: 384, 17: 512,
    18: 521,
  ]

  @Test("every standardised number has a group in which both sides agree", arguments: sizes.keys.sorted())
  func agreement(_ number: Int) throws {
    let group = try StandardizedDomainParameters.group(number)
    #expect(group.primeBits == Self.sizes[number])
    let own = try group.makePrivateKey()
    let other = try group.makePrivateKey()
    #expect(own != other)
    let ownPublic = try group.multiply(group.generator, by: own)
    let otherPublic = try group.multiply(group.generator, by: other)
    try group.validate(ownPublic)
    let secret = try group.sharedSecret(privateKey: own, with: otherPublic)
    #expect(try group.sharedSecret(privateKey: other, with: ownPublic) == secret)
    #expect(secret.count == (group.primeBits + 7) / 8)
    // A different generator works the same way.
    let mapped = try group.combine(ownPublic, otherPublic)
    let swapped = try group.multiply(group.multiply(mapped, by: own), by: other)
    #expect(try group.multiply(group.multiply(mapped, by: other), by: own) == swapped)
  }

  @Test("refuses reserved numbers", arguments: [-1, 3, 7, 19, 31, 32, 255])
  func reserved(_ number: Int) {
    #expect(throws: CryptographyError.unsupported("standardised domain parameters \(number)")) {
      _ = try StandardizedDomainParameters.group(number)
    }
  }

  @Test("lists exactly the numbers that have a group")
  func numbers() { #expect(StandardizedDomainParameters.identifiers == Self.sizes.keys.sorted()) }

  @Test("distinguishes points off the curve, infinity, and compressed or truncated points")
  func points() throws {
    let curve = try EllipticCurve(.brainpoolP256r1)
    var wrong = curve.generator
    wrong[64] ^= 1
    #expect(throws: GroupElementProblem.notInGroup) { try curve.validate(wrong) }
    #expect(throws: GroupElementProblem.identity) { try curve.validate([0]) }
    #expect(throws: GroupElementProblem.malformed) { try curve.validate([]) }
    #expect(throws: GroupElementProblem.malformed) { try curve.validate(Array(curve.generator.dropLast())) }
    #expect(throws: GroupElementProblem.malformed) { try curve.validate([2] + curve.generator[1...32]) }
    #expect(throws: GroupElementProblem.notInGroup) { try curve.validate([4] + [UInt8](repeating: 0xFF, count: 64)) }
    // Multiplying by the order gives infinity, and so does adding the inverse.
    let order = try #require(
      [UInt8](hexadecimal: "A9FB57DBA1EEA9BC3E660A909D838D718C397AA3B561A6F7901E0E82974856A7"))
    #expect(throws: GroupElementProblem.identity) {
      try curve.multiply(curve.generator, by: SecretBytes(order))
    }
    var less = order
    less[31] -= 1
    let inverse = try curve.multiply(curve.generator, by: SecretBytes(less))
    #expect(throws: GroupElementProblem.identity) { try curve.combine(curve.generator, inverse) }
    #expect(throws: GroupElementProblem.identity) { try curve.multiply(curve.generator, by: SecretBytes([0])) }
  }

  @Test("distinguishes numbers outside the subgroup", arguments: ModularGroup.Name.allCases)
  func numbers(_ name: ModularGroup.Name) throws {
    let group = try ModularGroup(name)
    let length = group.primeBits / 8
    func number(_ value: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: length - 1) + [value] }
    #expect(throws: GroupElementProblem.notInGroup) { try group.validate(number(0)) }
    #expect(throws: GroupElementProblem.identity) { try group.validate(number(1)) }
    // 2 is in the group of all numbers, but not in the small subgroup.
    #expect(throws: GroupElementProblem.notInGroup) { try group.validate(number(2)) }
    #expect(throws: GroupElementProblem.notInGroup) { try group.validate([UInt8](repeating: 0xFF, count: length)) }
    #expect(throws: GroupElementProblem.malformed) { try group.validate(Array(group.generator.dropFirst())) }
    #expect(group.normalized([5]) == number(5))
    #expect(group.unsigned(number(5)) == [5])
    #expect(group.normalized([0, 0] + group.generator) == group.generator)
  }

  @Test("compresses a number without its leading zeros")
  func compressedNumber() throws {
    let group = try ModularGroup(.rfc5114Group1)
    var short: [UInt8]?
    for number in 1...5000 where short == nil {
      let scalar = SecretBytes([UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
      let multiple = try group.multiply(group.generator, by: scalar)
      if multiple[0] == 0 { short = multiple }
    }
    let element = try #require(short)
    #expect(try group.compressed(element) == HashAlgorithm.sha1.digest(of: element.drop { $0 == 0 }))
  }

  @Test("the integrated mapping gives an element of the group, or is refused if it is undefined")
  func encoding() throws {
    #expect(throws: CryptographyError.unsupported("the integrated mapping on this elliptic curve")) {
      try EllipticCurve(.secp224r1).element(ofFieldValue: [7])
    }
    var count = 0
    for name in EllipticCurve.Name.allCases where name != .secp224r1 {
      let curve = try EllipticCurve(name)
      let points = try (2...9).map { try curve.element(ofFieldValue: [$0]) }
      for point in points { try curve.validate(point) }
      #expect(Set(points).count == 8)
      count += 1
    }
    #expect(count == 10)
  }

  @Test("explicit parameters of a known curve give that curve")
  func explicit() throws {
    let vectors = Fixtures.vectors("Passport/PassportTests", "chip-auth.json")
    let info = try #require(vectors.first { $0.id == "ca-ecdh-aes128-at" })
    let group14 = info["DG14"].bytes
    // The parameters are inside, as a SEQUENCE of 224 bytes that begins with version 1.
    let start = try #require((0..<group14.count - 6).first { group14[$0..<$0 + 6] == [0x30, 0x81, 0xE0, 2, 1, 1] })
    let parameters = Array(group14[start..<start + 227])
    let curve = try EllipticCurve(ecParameters: parameters)
    #expect(curve.name == "brainpoolP256r1")
    #expect(throws: CryptographyError.malformed("parameters of an elliptic curve")) {
      try EllipticCurve(ecParameters: Array(parameters.dropLast()))
    }
    #expect(throws: CryptographyError.malformed("parameters of an elliptic curve")) {
      try EllipticCurve(ecParameters: parameters + [0])
    }
    var changed = parameters
    changed[60] ^= 1
    #expect(throws: CryptographyError.self) { try EllipticCurve(ecParameters: changed) }
  }

  @Test("refuses an invalid Diffie-Hellman group")
  func weakGroups() {
    let composite = [UInt8](repeating: 0xFF, count: 128)
    for prime in [[23], [UInt8](repeating: 0, count: 4), composite] as [[UInt8]] {
      #expect(throws: CryptographyError.malformed("prime of a Diffie-Hellman group")) {
        try ModularGroup(prime: prime, generator: [2])
      }
    }
  }
}
