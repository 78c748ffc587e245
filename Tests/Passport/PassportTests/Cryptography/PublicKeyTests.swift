import PassportTestSupport
import SwiftASN1
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraCryptography

@Suite("Public keys from hostile encodings")
struct PublicKeyTests {
  private static let ellipticCurve: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

  /// A `SubjectPublicKeyInfo` with a point on a curve with explicit parameters.
  private static func explicit(_ parameters: [UInt8], unusedBits: UInt8, _ point: [UInt8]) -> [UInt8] {
    BERTLV.encode(
      0x30,
      BERTLV.encode(0x30, ellipticCurve + parameters) + BERTLV.encode(0x03, [unusedBits] + point))
  }

  /// Curve25519 in Weierstrass form, which no country uses, with the negative of its generator. That ends in a zero bit.
  private static let wide = ExplicitParametersTests.wide
  private static let point: [UInt8] =
    [4] + ExplicitParametersTests.Curve.bytes(wide.x)
    + ExplicitParametersTests.Curve.bytes("5F51E65E475F794B1FE122D388B72EB36DC2B28192839E4DD6163A5D81312C14")

  @Test("refuses explicit parameters of another curve, however the point is encoded", arguments: [0, 1] as [UInt8])
  func explicitParameters(_ unusedBits: UInt8) {
    let info = Self.explicit(Self.wide.encoded, unusedBits: unusedBits, Self.point)
    expectUnknownCurve(info)
  }

  private func expectUnknownCurve(_ info: [UInt8]) {
    let error = #expect(throws: CryptographyError.self) { try PublicKey(subjectPublicKeyInfo: info) }
    guard case .unsupported(let what)? = error, what.contains("none of the known elliptic curves") else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("refuses explicit parameters of a binary field")
  func binaryField() throws {
    // A key on sect163k1 that `openssl ecparam -param_enc explicit` wrote.
    expectUnknownCurve(try #require([UInt8](hexadecimal: Self.sect163k1)))
  }

  private static let sect163k1 =
    "3081DE3081AD06072A8648CE3D02013081A1020101302506072A8648CE3D0102301A020200A306092A8648CE3D0102030330"
    + "09020103020106020107302E0415000000000000000000000000000000000000000001041500000000000000000000000000"
    + "0000000000000001042B0402FE13C0537BBC11ACAA07D793DE4E6D5E5C94EEE80289070FB05D38FF58321F2E800536D538CC"
    + "DAA3D9021504000000000000000000020108A2E0CC0D99F8A5EF020102032C000406E98A3B4DDC4649E5E396F5041FF583A3"
    + "2F8841DC07353E21BCEABDBC5F8A063C48A5E6C8179EDBF558"

  @Test("refuses bytes after the key")
  func trailing() throws {
    let info = try TestAuthority().certificate.publicKey.subjectPublicKeyInfo
    #expect(try PublicKey(subjectPublicKeyInfo: info).subjectPublicKeyInfo == info)
    #expect(throws: CryptographyError.self) { try PublicKey(subjectPublicKeyInfo: info + [0]) }
  }

  @Test("an algorithm for keys of another type is an error of its own")
  func mismatch() throws {
    let key = try TestAuthority().certificate.publicKey
    #expect(throws: CryptographyError.keyMismatch(algorithm: "SHA256withRSA")) {
      try key.verify([1, 2, 3], over: [4], .rsaPKCS1(.sha256))
    }
  }

  @Test("names a critical extension by its object identifier")
  func objectIdentifiers() {
    #expect(DERValue.dotted([0x67, 0x81, 0x08, 0x01, 0x01, 0x06, 0x01]) == "2.23.136.1.1.6.1")
    #expect(DERValue.dotted([0x55, 0x1D, 0x25, 0x00]) == "2.5.29.37.0")
    #expect(DERValue.dotted([0x88, 0x37, 0x03]) == "2.999.3")
    #expect(DERValue.dotted([]) == nil && DERValue.dotted([0x2A, 0x86]) == nil)
    #expect(DERValue.dotted(ArraySlice(repeating: 0x2A, count: 65)) == nil)
    #expect(DERValue.dotted([0x2A] + ArraySlice(repeating: 0xFF, count: 10) + [0x01]) == nil)
  }

  @Test("refuses a structure of very many values before building them")
  func manyValues() throws {
    func nested(_ count: Int) -> [UInt8] {
      BERTLV.encode(0x30, (0..<count).flatMap { _ in [0x05, 0x00] as [UInt8] })
    }
    #expect(try ASN1Node.parse(nested(19_999), "list").children("list").count == 19_999)
    #expect(throws: CryptographyError.malformed("list is not valid ASN.1, or has too many values")) {
      try ASN1Node.parse(nested(20_000), "list")
    }
    // The content of a primitive value is not counted; that of the indefinite form is.
    #expect(ASN1ValueCount.isAtMost(1, in: BERTLV.encode(0x04, nested(30_000))))
    #expect(ASN1ValueCount.isAtMost(4, in: [0x30, 0x80, 0x05, 0x00, 0x05, 0x00, 0x00, 0x00]))
    #expect(!ASN1ValueCount.isAtMost(3, in: [0x30, 0x80, 0x05, 0x00, 0x05, 0x00, 0x00, 0x00]))
    for malformed in [[0x30], [0x04, 0x05, 0x00], [0x04, 0x80], [0x1F, 0x81], [0x04, 0x85, 1, 1, 1, 1, 1]] as [[UInt8]]
    {
      #expect(!ASN1ValueCount.isAtMost(100, in: malformed))
    }
  }
}
