import TesseraSmartCard

@testable import TesseraCryptography
@testable import TesseraPassport
@testable import TesseraVirtualChip

/// Card-verifiable certificates, parsed by the reader and by the chip. The first byte selects the parser.
enum CertificatesHarness: Harness {
  static let name = "cv-certificates"

  static func seeds() throws -> [String: [UInt8]] {
    let terminal = try SpecimenTerminal()
    var seeds: [String: [UInt8]] = [:]
    for (index, certificate) in terminal.certificates.enumerated() {
      seeds["reader-\(index)"] = [0] + certificate
      seeds["chip-\(index)"] = [1] + (try BERTLV.value(of: 0x7F21, in: certificate[...]))
    }
    seeds["authorities"] = [2, 0x42, 0x0E] + Array("UTTESSERA00001".utf8) + [0, 0]
    seeds["identifier"] = [3] + .digits("04007F00070202020203")
    return seeds
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    switch parts.byte() % 4 {
    case 0:
      let certificate = try CVCertificate(parts.all())
      _ = (certificate.isAuthority, certificate.publicKey.signatureAlgorithm)
      let inner = certificate.body + BERTLV.encode(0x5F37, certificate.signature)
      property(try CVCertificate(BERTLV.encode(0x7F21, inner)).body == certificate.body, "the body is what was signed")
      guard let key = try privateKey else { return }
      let credentials = try TerminalCredentials(certificates: [certificate], key: key)
      _ = credentials.chain(from: ["UTTESSERA00001"])
    case 1:
      guard var chip = try chip else { return }
      property(chip.selectKey(Array("UTTESSERA00001".utf8), forCertificate: true), "the authority is known")
      _ = try chip.verify(parts.all())
    case 2:
      property(TrustPointFile.authorities(parts.all()).count <= 2, "two authorities at most")
    default:
      let bytes = parts.all()
      guard let identifier = ObjectIdentifierBytes.decode(bytes[...]) else { return }
      _ = ObjectIdentifierBytes.encode(identifier)
    }
  }

  private static var privateKey: PrivateKey? {
    get throws { try PrivateKey(SecretBytes(SpecimenTerminal().privateKey)) }
  }

  private static var chip: CardTerminalAuthentication? {
    get throws { try CardTerminalAuthentication(trusting: SpecimenTerminal.trustPoint()) }
  }
}
