import Foundation
import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraPassport

/// A certificate chain with keys from `openssl` and an encoder in this test, as an issuer creates it.
struct TerminalChain {
  let certificates: [CVCertificate]
  let terminalKey: PrivateKey
  let terminalPublicKey: PublicKey

  static func key() throws -> SecretBytes { try SigningKey.generate().pkcs8 }

  static func certificate(
    authority: String, holder: String, rights: [UInt8], key: PrivateKey, signer: PrivateKey, algorithm: UInt8 = 3
  ) throws -> [UInt8] {
    guard case .point(let point) = key.publicNumbers else { throw CryptographyError.malformed("a test key") }
    // id-TA-ECDSA with the hash function of this number.
    let identifier = ([UInt8](hexadecimal: "04007F000702020202") ?? []) + [algorithm]
    var body = BERTLV.encode(0x5F29, [0]) + BERTLV.encode(0x42, Array(authority.utf8))
    body += BERTLV.encode(
      0x7F49, BERTLV.encode(0x06, identifier) + BERTLV.encode(0x86, point))
    body += BERTLV.encode(0x5F20, Array(holder.utf8))
    body += BERTLV.encode(
      0x7F4C, BERTLV.encode(0x06, [UInt8](hexadecimal: "04007F000703010201") ?? []) + BERTLV.encode(0x53, rights))
    body += BERTLV.encode(0x5F25, [2, 6, 0, 1, 0, 1]) + BERTLV.encode(0x5F24, [2, 7, 1, 2, 3, 1])
    let covered = BERTLV.encode(0x7F4E, body)
    let signature = try signer.sign(covered, .plainECDSA(.sha256))
    return BERTLV.encode(0x7F21, covered + BERTLV.encode(0x5F37, signature))
  }

  init() throws {
    let root = try PrivateKey(Self.key())
    let verifier = try PrivateKey(Self.key())
    let terminal = try SigningKey.generate()
    terminalKey = try PrivateKey(terminal.pkcs8)
    terminalPublicKey = try PublicKey(subjectPublicKeyInfo: terminal.publicKey.subjectPublicKeyInfo)
    certificates = try [
      Self.certificate(
        authority: "UTDV00001", holder: "UTIS00001", rights: [0x03], key: terminalKey, signer: verifier),
      Self.certificate(
        authority: "UTCVCA00001", holder: "UTCVCA00001", rights: [0xC3], key: root, signer: root),
      Self.certificate(
        authority: "UTCVCA00001", holder: "UTDV00001", rights: [0x83], key: verifier, signer: root),
    ].map { bytes throws in try CVCertificate(bytes) }
  }
}

@Suite("Terminal Authentication")
struct TerminalAuthenticationTests {
  @Test("parses the fields of a certificate")
  func certificate() throws {
    let chain = try TerminalChain()
    let certificate = chain.certificates[0]
    #expect(certificate.authorityReference == "UTDV00001" && certificate.holderReference == "UTIS00001")
    #expect(certificate.effectiveDate == "260101" && certificate.expirationDate == "271231")
    #expect(certificate.authorization == .init(role: "0.4.0.127.0.7.3.1.2.1", rights: [3]))
    #expect(certificate.publicKey.signatureAlgorithm == .plainECDSA(.sha256))
    #expect(chain.certificates.map(\.isAuthority) == [false, true, false])
    let parts = certificate.body + BERTLV.encode(0x5F37, certificate.signature)
    #expect(certificate.encoded == BERTLV.encode(0x7F21, parts))
  }

  @Test("refuses truncated certificates and certificates with trailing bytes")
  func malformed() throws {
    let bytes = try TerminalChain().certificates[0].encoded
    for count in 0..<bytes.count {
      #expect(throws: CVCertificate.Problem.self, "\(count) bytes") { try CVCertificate(Array(bytes.prefix(count))) }
    }
    #expect(throws: CVCertificate.Problem.self) { try CVCertificate(bytes + [0x42, 0x00]) }
    #expect(throws: CVCertificate.Problem.self) { try CVCertificate([UInt8](repeating: 0x7F, count: 10_000)) }
  }

  @Test("the chain begins at an authority that the chip trusts and ends with the terminal")
  func order() throws {
    let chain = try TerminalChain()
    let credentials = try TerminalCredentials(certificates: chain.certificates, key: chain.terminalKey)
    #expect(credentials.terminal.holderReference == "UTIS00001")
    #expect(credentials.chain(from: ["UTCVCA00001"])?.map(\.holderReference) == ["UTDV00001", "UTIS00001"])
    #expect(credentials.chain(from: ["XXCVCA00007", "UTCVCA00001"])?.count == 2)
    #expect(credentials.chain(from: ["UTDV00001"])?.map(\.holderReference) == ["UTIS00001"])
    #expect(credentials.chain(from: ["XXCVCA00007"]) == nil)
    #expect(credentials.chain(from: []) == nil)
    #expect(throws: TerminalCredentials.Problem.noCertificateForKey) {
      try TerminalCredentials(certificates: chain.certificates, key: PrivateKey(TerminalChain.key()))
    }
  }

  @Test("ends the search if certificates refer to each other")
  func cycle() throws {
    let chain = try TerminalChain()
    let key = try PrivateKey(TerminalChain.key())
    let one = try CVCertificate(
      TerminalChain.certificate(authority: "B", holder: "UTDV00001", rights: [0x83], key: key, signer: key))
    let other = try CVCertificate(
      TerminalChain.certificate(authority: "UTDV00001", holder: "B", rights: [0x83], key: key, signer: key))
    let credentials = try TerminalCredentials(
      certificates: [chain.certificates[0], one, other], key: chain.terminalKey)
    #expect(credentials.chain(from: ["UTCVCA00001"]) == nil)
  }

  @Test("the body is the signed bytes, whatever the encoding of their length")
  func longForm() throws {
    let certificate = try TerminalChain().certificates[0]
    let value = try Array(BERTLV.value(of: 0x7F4E, in: certificate.body[...]))
    // Two bytes of length if one is enough.
    let body = [0x7F, 0x4E, 0x82, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
    #expect(body != certificate.body)
    let other = try CVCertificate(BERTLV.encode(0x7F21, body + BERTLV.encode(0x5F37, certificate.signature)))
    #expect(other.body == body && other.holderReference == certificate.holderReference)
    #expect(other.signature == certificate.signature)
  }

  @Test("chooses the certificate of a holder that leads to the chip's authority")
  func search() throws {
    let chain = try TerminalChain()
    let key = try PrivateKey(TerminalChain.key())
    let elsewhere = try CVCertificate(
      TerminalChain.certificate(authority: "XXCVCA00001", holder: "UTDV00001", rights: [0x83], key: key, signer: key))
    for certificates in [[elsewhere] + chain.certificates, chain.certificates + [elsewhere]] {
      let credentials = try TerminalCredentials(certificates: certificates, key: chain.terminalKey)
      #expect(credentials.chain(from: ["UTCVCA00001"]) == [chain.certificates[2], chain.certificates[0]])
      #expect(credentials.chain(from: ["XXCVCA00001"]) == [elsewhere, chain.certificates[0]])
      #expect(credentials.chain(from: ["YYCVCA00001"]) == nil)
    }
  }

  /// Records every command and responds with success.
  actor Listener: CardChannel {
    private(set) var commands: [[UInt8]] = []
    private let refused: UInt8?
    private let status: [UInt8]

    init(refusing instruction: UInt8? = nil, with status: [UInt8] = [0x63, 0x00]) {
      refused = instruction
      self.status = status
    }

    func transmit(_ command: [UInt8]) -> [UInt8] {
      commands.append(command)
      if command[1] == refused { return status }
      return command[1] == 0x84 ? [1, 2, 3, 4, 5, 6, 7, 8, 0x90, 0x00] : [0x90, 0x00]
    }
  }

  @Test("sends the commands in order, with a signature over chip, challenge and key")
  func conversation() async throws {
    let chain = try TerminalChain()
    let credentials = try TerminalCredentials(certificates: chain.certificates, key: chain.terminalKey)
    let listener = Listener()
    let authentication = TerminalAuthentication(
      session: ChipSession(channel: listener), credentials: credentials, chipIdentifier: Array("T220001293".utf8),
      readerKey: [7, 7, 7])
    let evidence = try await authentication.run(authorities: ["UTCVCA00001"])
    #expect(evidence.outcome == .accepted && evidence.chain == ["UTDV00001", "UTIS00001"])
    let commands = await listener.commands
    #expect(
      commands.map { $0.prefix(4).hexadecimal } == [
        "002281B6", "002A00BE", "002281B6", "002A00BE", "002281A4", "00840000", "00820000",
      ])
    #expect(commands[0].dropFirst(5).elementsEqual(BERTLV.encode(0x83, Array("UTCVCA00001".utf8))))
    let verifier = chain.certificates[2]
    #expect(
      commands[1].dropFirst(5).elementsEqual(verifier.body + BERTLV.encode(0x5F37, verifier.signature)))
    #expect(commands[4].dropFirst(5).elementsEqual(BERTLV.encode(0x83, Array("UTIS00001".utf8))))
    let message = Array("T220001293".utf8) + [1, 2, 3, 4, 5, 6, 7, 8] + [7, 7, 7]
    #expect(
      try chain.terminalPublicKey.verify(commands[6].dropFirst(5), over: message, .plainECDSA(.sha256)))
    #expect(commands[6].count == 5 + 64)
  }

  @Test("a refusal ends the protocol and names the step", arguments: [UInt8(0x2A), 0x84, 0x82])
  func refusals(_ instruction: UInt8) async throws {
    let chain = try TerminalChain()
    let credentials = try TerminalCredentials(certificates: chain.certificates, key: chain.terminalKey)
    let listener = Listener(refusing: instruction)
    let authentication = TerminalAuthentication(
      session: ChipSession(channel: listener), credentials: credentials, chipIdentifier: [], readerKey: [])
    guard case .refused(_, let status) = try await authentication.run(authorities: ["UTCVCA00001"]).outcome else {
      Issue.record("it was not refused")
      return
    }
    #expect(status == .authenticationFailed)
    #expect(await listener.commands.last?[1] == instruction)
  }

  @Test("parses EF.CVCA")
  func trustPoints() {
    let one = BERTLV.encode(0x42, Array("UTCVCA00002".utf8))
    let other = BERTLV.encode(0x42, Array("UTCVCA00001".utf8))
    let padding = [UInt8](repeating: 0, count: 36 - one.count - other.count)
    #expect(TrustPointFile.authorities(one + other + padding) == ["UTCVCA00002", "UTCVCA00001"])
    #expect(TrustPointFile.authorities(one + [0, 0, 0]) == ["UTCVCA00002"])
    #expect(TrustPointFile.authorities(Array(one.dropLast())) == [])
    #expect(TrustPointFile.authorities([]) == [])
    #expect(TrustPointFile.authorities([0x42, 0x01, 0x07]) == [])
  }
}

extension RealPrograms {
  /// Keys that the `openssl` program writes.
  @Suite("Keys of terminals from OpenSSL")
  struct TerminalKeyTests {
    @Test("reads keys of every kind and encoding, and signs with them")
    func keys() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("terminal-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let recipes: [(String, [String], SignatureAlgorithm, Int)] = [
        (
          "rsa.pem", ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
          .rsaPSS(.sha256, maskHash: .sha256, saltLength: 32), 256
        ),
        (
          "ec.der",
          ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:brainpoolP384r1", "-outform", "DER"],
          .plainECDSA(.sha384), 96
        ),
        ("sec1.pem", ["ecparam", "-name", "secp521r1", "-genkey"], .plainECDSA(.sha512), 132),
      ]
      for (name, arguments, algorithm, length) in recipes {
        let path = folder.appendingPathComponent(name).path
        #expect(ProgramRun.succeeds("/usr/bin/openssl", arguments + ["-out", path]))
        let key = try PrivateKey(SecretBytes(Data(contentsOf: URL(fileURLWithPath: path))))
        #expect(try key.sign([1, 2, 3], algorithm).count == length)
        #expect(throws: CryptographyError.self) {
          try key.sign([1], length == 256 ? .plainECDSA(.sha256) : .rsaPKCS1(.sha256))
        }
      }
      #expect(throws: CryptographyError.malformed("a private key")) { try PrivateKey(SecretBytes([0x30, 0])) }
      #expect(throws: CryptographyError.malformed("a private key")) { try PrivateKey(SecretBytes("no key".utf8)) }
      #expect(throws: CryptographyError.malformed("a private key")) { try PrivateKey(SecretBytes([])) }
    }
  }
}
