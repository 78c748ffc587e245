import TesseraSmartCard
import Testing

@testable import TesseraCryptography

/// Domain parameters that an attacker can choose: EF.CardAccess is not signed.
@Suite("Explicit parameters of insecure groups")
struct ExplicitParametersTests {
  /// An `ECParameters` over a prime field (RFC 3279, 2.3.5).
  struct Curve {
    var p: String
    var a: String
    var b: String
    var x: String
    var y: String
    var n: String
    /// nil leaves the field out.
    var cofactor: UInt8?

    var encoded: [UInt8] {
      let field = BERTLV.encode(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x01, 0x01]) + Self.integer(p)
      var fields = Self.integer("01") + BERTLV.encode(0x30, field)
      fields += BERTLV.encode(0x30, BERTLV.encode(0x04, Self.bytes(a)) + BERTLV.encode(0x04, Self.bytes(b)))
      fields += BERTLV.encode(0x04, [4] + Self.bytes(x) + Self.bytes(y)) + Self.integer(n)
      if let cofactor { fields += BERTLV.encode(0x02, [cofactor]) }
      return BERTLV.encode(0x30, fields)
    }

    static func bytes(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }

    private static func integer(_ text: String) -> [UInt8] {
      let digits = bytes(text).drop { $0 == 0 }
      return BERTLV.encode(0x02, (digits.first.map { $0 >= 0x80 } ?? true ? [0] : []) + digits)
    }
  }

  /// Curve25519 in Weierstrass form: a secure curve with cofactor 8.
  static let wide = Curve(
    p: "7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFED",
    a: "2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA984914A144",
    b: "7B425ED097B425ED097B425ED097B425ED097B425ED097B4260B5E9C7710C864",
    x: "2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD245A",
    y: "20AE19A1B8A086B4E01EDD2C7748D14C923D4D7E6D7C61B229E9C5A27ECED3D9",
    n: "1000000000000000000000000000000014DEF9DEA2F79CD65812631A5CF5D3ED", cofactor: 8)

  /// `y^2 = x^3 + 7` over a prime `p = 24 n - 1`: it has `p + 1` points, and its embedding degree is 2.
  static let supersingular = Curve(
    p: "8A7558EE7ED4557562F0A9E8E48C2874DDE85F67B968B927", a: String(repeating: "00", count: 24),
    b: String(repeating: "00", count: 23) + "07", x: "6BB78AD92716B45D79627A5EEEF35FE5F4C34A18B35B2CD6",
    y: "0C0EF92E844DC821FD694AE64D25BA3204BE584C8D431077", n: "05C4E3B49A9E2E3A3974B1BF0985D704DE94594EFD0F07B7",
    cofactor: 24)

  static let insecure = CryptographyError.malformed("parameters of an elliptic curve that is not secure")

  @Test("accepts a secure curve with a cofactor, but not its points outside the subgroup", arguments: [8, nil])
  func cofactor(_ cofactor: UInt8?) throws {
    var curve = Self.wide
    curve.cofactor = cofactor
    let group = try EllipticCurve(ecParameters: curve.encoded)
    #expect(group.name == nil && group.strength == 126)
    try group.validate(group.generator)
    // The point of order 2.
    let point =
      [4] + Curve.bytes("2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2451")
      + [UInt8](repeating: 0, count: 32)
    #expect(throws: GroupElementProblem.notInGroup) { try group.validate(point) }
  }

  @Test("refuses a false cofactor", arguments: [1, 2, 4, 7, 9, 16])
  func falseCofactor(_ cofactor: UInt8) {
    var curve = Self.wide
    curve.cofactor = cofactor
    #expect(throws: Self.insecure) { try EllipticCurve(ecParameters: curve.encoded) }
  }

  @Test("refuses a curve on which a pairing makes logarithms easy")
  func embeddingDegree() {
    #expect(throws: Self.insecure) { try EllipticCurve(ecParameters: Self.supersingular.encoded) }
  }

  @Test("computes the cofactor and detects a small embedding degree from prime and order")
  func orders() throws {
    func order(_ curve: Curve) throws -> CurveOrder {
      try CurveOrder(prime: BigNumber(Curve.bytes(curve.p)), order: BigNumber(Curve.bytes(curve.n)))
    }
    #expect(try order(Self.wide).cofactor()?.bytes(count: 1) == [8])
    #expect(try !order(Self.wide).hasSmallEmbeddingDegree())
    #expect(try order(Self.supersingular).cofactor()?.bytes(count: 1) == [24])
    #expect(try order(Self.supersingular).hasSmallEmbeddingDegree())
    // Orders without a multiple in Hasse's interval, and one that is too small to decide.
    var other = Self.wide
    other.n = Self.supersingular.p
    #expect(try order(other).cofactor() == nil)
    other.n = "FFFFFFFFFFFFFFFF"
    #expect(try order(other).cofactor() == nil)
  }

  /// `2^1024 + 643`, the first prime of 1025 bits.
  static let justAbove = [1] + [UInt8](repeating: 0, count: 126) + [0x02, 0x83]

  @Test("a prime just above a power of 256: accepts a number that begins with a zero byte", .timeLimit(.minutes(1)))
  func leadingZeros() throws {
    let group = try ModularGroup(prime: Self.justAbove, generator: [2])
    let (privateKey, publicKey) = try group.makeKeyPair(group.generator)
    #expect(publicKey.count == 129 && publicKey[0] == 0)
    #expect(try group.multiply(group.generator, by: privateKey) == publicKey)
  }

  @Test("refuses a prime whose length makes the primality test slow")
  func longPrime() {
    let number = [UInt8](repeating: 0xFF, count: 385)
    #expect(throws: CryptographyError.unsupported("a Diffie-Hellman group with a prime of more than 3072 bits")) {
      try ModularGroup(prime: number, generator: [2])
    }
    // A number with one byte less is tested, and is not prime.
    #expect(throws: CryptographyError.malformed("prime of a Diffie-Hellman group")) {
      try ModularGroup(prime: Array(number.dropLast()), generator: [2])
    }
  }

  @Test("compares groups by their parameters, not by their encoding")
  func sameness() throws {
    let named = try EllipticCurve(.brainpoolP256r1)
    #expect(try named.isSame(as: StandardizedDomainParameters.group(13)))
    #expect(try !named.isSame(as: StandardizedDomainParameters.group(12)))
    #expect(try !named.isSame(as: StandardizedDomainParameters.group(2)))
    let wide = try EllipticCurve(ecParameters: Self.wide.encoded)
    #expect(try wide.isSame(as: EllipticCurve(ecParameters: Self.wide.encoded)) && !wide.isSame(as: named))
    let numbers = try ModularGroup(prime: Self.justAbove, generator: [2])
    #expect(try numbers.isSame(as: ModularGroup(prime: Self.justAbove, generator: [2])))
    #expect(try !numbers.isSame(as: ModularGroup(prime: Self.justAbove, generator: [3])))
    #expect(!numbers.isSame(as: named))
  }
}
