import Foundation
import TestSupport
import Testing

@testable import TesseraNATS

@Suite("Signatures of logins")
struct SignatureTests {
  /// An example of NATS' documentation.
  private static let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"

  @Test("Signatures that libnats would not send are broken off, all others are given")
  func firstByte() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("seed.nk")
    try "\(Self.seed)\n".write(toFile: file, atomically: true, encoding: .utf8)
    let signature = NKeySignature(file: file)
    var given = 0
    for number in 0..<500 {
      guard let (bytes, count) = "nonce \(number)".withCString({ signature.sign($0) }) else { continue }
      #expect(count == 64 && bytes.pointee != 0)
      free(bytes)
      given += 1
    }
    // Ed25519 is deterministic: these are the texts 65, 397 and 433.
    #expect(given == 497)
    #expect(signature.brokenOff == 3)
  }

  @Test(
    "Without a usable seed there is no signature",
    arguments: [nil, "", "SUAAA", "\n\n", String(repeating: "S", count: 5_000)])
  func unusable(content: String?) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("seed.nk")
    try content?.write(toFile: file, atomically: true, encoding: .utf8)
    let signature = NKeySignature(file: file)
    #expect("nonce".withCString { signature.sign($0) } == nil)
    #expect(signature.brokenOff == 0)
  }
}
