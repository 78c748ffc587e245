import Foundation
import TesseraCore
import TesseraCryptography
import TesseraKeys
import TestSupport
import Testing

/// The key of RFC 6979, A.2.5, in files as other programs write them.
@Suite("Private keys in the files of other programs")
struct ImportedKeyTests {
  private static let head: [UInt8] = [
    0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
    0x01, 0x07,
  ]
  private let scalar: [UInt8]
  private let key: SigningKey

  init() throws {
    scalar = Fixtures.json("Base/CryptographyTests", "ecdsa-p256.json")["rfc6979"]["scalar"].bytes
    key = try SigningKey(p256Scalar: SecretBytes(scalar))
  }

  /// A secret that is known beforehand.
  private struct Known: SecretPrompting {
    let secret: String
    func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes? { SecretBytes(Array(secret.utf8)) }
  }

  private func read(_ file: some Collection<UInt8>, _ secret: String = "secret") async throws -> P256PublicKey {
    try await ImportedKey.read(SecretBytes(Array(file)), Known(secret: secret)).publicKey
  }

  private func element(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
    let content = content.flatMap { $0 }
    return [tag] + (content.count < 128 ? [] : [0x81]) + [UInt8(content.count)] + content
  }

  /// `ECPrivateKey` with these octets as private number, and its curve.
  private func sec1(_ number: [UInt8]) -> [UInt8] {
    element(0x30, [2, 1, 1], element(4, number), element(0xA0, Array(Self.head.suffix(10))))
  }

  private func pkcs8(_ number: [UInt8]) -> [UInt8] {
    element(0x30, [2, 1, 0], Self.head, element(4, sec1(number)))
  }

  @Test("a private number may have zeros before it (mbedTLS, issue 1028)", arguments: [1, 2, 8])
  func zeros(_ count: Int) async throws {
    let number = [UInt8](repeating: 0, count: count) + scalar
    #expect(try await read(sec1(number)) == key.publicKey)
    #expect(try await read(pkcs8(number)) == key.publicKey)
    await #expect(throws: ImportError.unknownFormat) { try await read(pkcs8([1] + number)) }
  }

  @Test("a short private number without its zeros (OpenSSL, issue 7461; Erlang/OTP, issue 4861)")
  func short() async throws {
    let number = Array(scalar.suffix(30))
    let expected = try SigningKey(p256Scalar: SecretBytes([0, 0] + number)).publicKey
    #expect(try await read(sec1(number)) == expected)
    #expect(try await read(pkcs8(number)) == expected)
  }

  @Test("a file from Windows: byte order mark (OpenSSL, issue 6281), CR LF, blanks at the ends of lines")
  func windows() async throws {
    let text = PEM.text("PRIVATE KEY", pkcs8(scalar))
    for end in ["\r\n", " \n", "\t \r\n"] {
      let lines = text.replacing("\n", with: end)
      #expect(try await read(lines.utf8) == key.publicKey, "\(end.debugDescription)")
      #expect(try await read("\u{FEFF}\(lines)".utf8) == key.publicKey)
    }
  }

  @Test("other blocks and other text around the key")
  func surroundings() async throws {
    let text = PEM.text("PRIVATE KEY", pkcs8(scalar))
    let algorithm = element(0x30, [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1], [5, 0])
    let rsa = PEM.text("PRIVATE KEY", element(0x30, [2, 1, 0], algorithm, element(4, [0x30, 0])))
    let broken = "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"
    for file in [
      "Bag Attributes\n    friendlyName: a - b\nKey Attributes: <No Attributes>\n\(text)", "0 s:CN = x\n\(text)",
      rsa + text, text + rsa, text + broken,
    ] {
      #expect(try await read(file.utf8) == key.publicKey, "\(file)")
    }
    await #expect(throws: ImportError.unsupported) { try await read(rsa.utf8) }
    await #expect(throws: ImportError.unknownFormat) { try await read((broken + text).utf8) }
  }

  /// Made by `openssl ec -param_enc explicit` and `openssl pkcs8 -topk8` (OpenSSL 3.0.22).
  private static let explicitCurve = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIIB3TBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQI9bquDnZhZtwCAggA
    MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBDZ9GPx26VN304WMOVi50NEBIIB
    gFO5HNlY4fig4gZV+1fJhYcLm8AYV+m7rAd5583merIbZ8OPr/adKnee4MGphLJ5
    KBGZjI1TkVOZA6YsC47xy4IZJ11OkV8+M93fVj++Ov6+NY47Sg9C5NzNSMjnUO2o
    Y7/bu3ClmELXdKLd4CzYzMptRgNWxQHje6dS/Y+xspGncA7GZfMMxSFDFGnunShm
    x1DiRBKvDGp5/ksSVbF/UryXNsdYZKEjDr78MUlQEAiKlvYBYlR9qf8AngeoVlEb
    uAR5aKShMRpo6pPpoLO+SD8IZKsBn7l37k/G5hTp3bUb8so/f66zYoqJOA3PD+u/
    /Qe5pjzX6xRKkEVbLj7Uyp9iINWIohIX760EKt3tcEtx9ycieBPRpu19+O2b0rD1
    4Gb9Oa0YBLzlgr8tzbwjbbJjkX/wyVLVV24SZ9uC/L/RiI1gpP6bqdHl4WY+qlVl
    o6IPsDNsnYGwvIveYjtfXYZobeamUSh7TWHAEIj0RiXTVnqVRIQT5DOKpRZ4F646
    mg==
    -----END ENCRYPTED PRIVATE KEY-----
    """

  @Test("the curve written out, encrypted")
  func explicit() async throws {
    #expect(try await read(Self.explicitCurve.utf8) == key.publicKey)
    await #expect(throws: KeyStoreError.wrongPassphrase) { try await read(Self.explicitCurve.utf8, "other") }
  }

  /// The example of RFC 7914, 14, with the passphrase "Rabbit".
  private static let costly = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHiME0GCSqGSIb3DQEFDTBAMB8GCSsGAQQB2kcECzASBAVNb3VzZQIDEAAAAgEI
    AgEBMB0GCWCGSAFlAwQBKgQQyYmguHMsOwzGMPoyObk/JgSBkJb47EWd5iAqJlyy
    +ni5ftd6gZgOPaLQClL7mEZc2KQay0VhjZm/7MbBUNbqOAXNM6OGebXxVp6sHUAL
    iBGY/Dls7B1TsWeGObE0sS1MXEpuREuloZjcsNVcNXWPlLdZtkSH6uwWzR0PyG/Z
    +ZXfNodZtd/voKlvLOw5B3opGIFaLkbtLZQwMiGtl42AS89lZg==
    -----END ENCRYPTED PRIVATE KEY-----
    """

  @Test("a right passphrase is not called wrong if OpenSSL lacks the memory for it (OpenSSL, issue 24650)")
  func scrypt() async throws {
    await #expect(throws: ImportError.unsupported) { try await read(Self.costly.utf8, "Rabbit") }
  }

  /// Made by `openssl ec -aes128` (OpenSSL 3.0.22).
  private static let legacy = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,628CEA22E4CCC755CA3C9D4438094C40

    o2b+jc5s4wH/kAQ6gS6pS1vqCu6S2u+bGZ6zn7R+SPlAeCbhGmOIJOwAvLd7RACi
    WtGgtu85UHVS0vnqWNzSIwRktZhO5xd94qiC79Uy4IC3k8AQyJ8OKHr5LXHH+ZCR
    zx3rzYv8Lw635Rm9yLtyMRrN0LuQU1n+vdDuZHAcs38=
    -----END EC PRIVATE KEY-----
    """

  @Test("a wrong passphrase that gives correct padding is wrong, too")
  func padding() async throws {
    #expect(try await read(Self.legacy.utf8) == key.publicKey)
    // About one of 256 does.
    for number in 0..<2000 {
      await #expect(throws: KeyStoreError.wrongPassphrase) { try await read(Self.legacy.utf8, "wrong \(number)") }
    }
  }
}
