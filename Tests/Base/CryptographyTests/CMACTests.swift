import TesseraCore
import TestSupport
import Testing

@testable import TesseraCryptography

@Suite("AES-CMAC against published vectors")
struct CMACTests {
  static let vectors = Fixtures.vectors("Base/CryptographyTests", "aes-cmac.json")

  @Test("the fixture has every vector")
  func counts() { #expect(Self.vectors.count == 14) }

  @Test("MAC", arguments: vectors)
  func mac(_ vector: Vector) throws {
    let mac = try CMAC(key: SecretBytes(vector["key"].bytes)).mac(vector["data"].bytes)
    if vector["mac"].isPresent { #expect(mac.hexadecimal == vector["mac"].text) }
    if vector["mac_truncated_8"].isPresent { #expect(mac.prefix(8).hexadecimal == vector["mac_truncated_8"].text) }
    #expect(vector["mac"].isPresent || vector["mac_truncated_8"].isPresent)
  }

  @Test("one object computes any number of independent MACs")
  func repetition() throws {
    let vector = try #require(Self.vectors.last { $0["mac"].isPresent })
    let authenticator = try CMAC(key: SecretBytes(vector["key"].bytes))
    let first = try authenticator.mac(vector["data"].bytes)
    _ = try authenticator.mac([1, 2, 3])
    #expect(try authenticator.mac(vector["data"].bytes) == first)
    #expect(first.hexadecimal == vector["mac"].text)
  }

  @Test("refuses keys of other lengths", arguments: [0, 15, 17, 33])
  func keys(_ count: Int) {
    #expect(throws: CryptographyError.malformed("AES-CMAC key of \(count) bytes")) {
      try CMAC(key: SecretBytes([UInt8](repeating: 1, count: count)))
    }
    #expect(throws: CryptographyError.malformed("AES key of \(count) bytes")) {
      try AES(key: SecretBytes([UInt8](repeating: 1, count: count)))
    }
  }
}
