import Foundation
import TestSupport
import Testing

@testable import TesseraCryptography

@Suite("CMS for nobody")
struct EmptyEnvelopeTests {
  @Test("without a recipient there is no envelope")
  func nobody() {
    #expect(throws: CryptographyError.malformed("an envelope without a recipient")) {
      try EnvelopedData.encrypt([1], for: [])
    }
  }
}

extension RealPrograms {
  @Suite("CMS for recipients")
  struct EnvelopedDataTests {
    private static let rsa = ["-newkey", "rsa:2048"]
    private static let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    private let folder: TemporaryFolder

    /// Two recipients whose keys OpenSSL generates once for all tests; `folder` has copies of their files.
    private static let written = Task {
      let tests = try EnvelopedDataTests(folder: TemporaryFolder())
      let recipients = [try await tests.recipient("rsa", rsa), try await tests.recipient("curve", curve)]
      return (folder: tests.folder, recipients: recipients)
    }

    init() throws { folder = try TemporaryFolder() }

    private init(folder: TemporaryFolder) { self.folder = folder }

    private func recipients() async throws -> [EnvelopeRecipient] {
      let written = try await Self.written.value
      for file in ["rsa.pem", "rsa.key", "curve.pem", "curve.key"] {
        try Data(written.folder.bytes(file)).write(to: URL(fileURLWithPath: folder.file(file)))
      }
      return written.recipients
    }

    @discardableResult
    private func openssl(_ arguments: [String]) async throws -> ProgramRun {
      try await RunningProgram(URL(fileURLWithPath: "/usr/bin/openssl"), arguments).finish()
    }

    private func recipient(_ name: String, _ key: [String], _ options: [String] = []) async throws -> EnvelopeRecipient
    {
      let certificate = folder.file("\(name).pem")
      let run = try await openssl(
        ["req", "-x509"] + key + options
          + [
            "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-keyout", folder.file("\(name).key"), "-out", certificate,
          ])
      try #require(run.status == 0, "\(run.errors)")
      return try #require(try EnvelopeRecipient.recipients(pem: SecretBytes(folder.bytes("\(name).pem"))).first)
    }

    /// nil if openssl refuses the envelope.
    private func decrypt(_ envelope: [UInt8], _ name: String) async throws -> [UInt8]? {
      try Data(envelope).write(to: URL(fileURLWithPath: folder.file("envelope.der")))
      let run = try await openssl([
        "cms", "-decrypt", "-inform", "DER", "-in", folder.file("envelope.der"), "-recip", folder.file("\(name).pem"),
        "-inkey", folder.file("\(name).key"), "-out", folder.file("content"),
      ])
      return run.status == 0 ? folder.bytes("content") : nil
    }

    @Test("each recipient decrypts with openssl, and nobody else", arguments: [0, 1, 15, 16, 17, 100_000])
    func recipients(_ count: Int) async throws {
      let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let recipients = try await recipients()
      let envelope = try EnvelopedData.encrypt(content, for: recipients)
      #expect(try await decrypt(envelope, "rsa") == content)
      #expect(try await decrypt(envelope, "curve") == content)
      let forOne = try EnvelopedData.encrypt(content, for: [recipients[0]])
      #expect(try await decrypt(forOne, "curve") == nil)
    }

    @Test("the algorithms are AES-256-GCM, OAEP with SHA-256, and ECDH with SHA-256")
    func algorithms() async throws {
      let recipients = try await recipients()
      let envelope = try EnvelopedData.encrypt([1, 2, 3], for: recipients)
      try Data(envelope).write(to: URL(fileURLWithPath: folder.file("envelope.der")))
      let text = try await openssl(["asn1parse", "-inform", "DER", "-in", folder.file("envelope.der")]).output
      for name in ["aes-256-gcm", "rsaesOaep", "mgf1", "sha256", "dhSinglePass-stdDH-sha256kdf-scheme"] {
        #expect(text.contains(name), "\(name)")
      }
      #expect(!text.contains("sha1") && !text.contains(":rsaEncryption"))
      #expect(text.contains("id-smime-ct-authEnvelopedData"))
    }

    @Test("a changed content is not decrypted")
    func changed() async throws {
      let recipient = try await recipients()[1]
      let content = [UInt8](repeating: 0x5A, count: 200)
      let envelope = try EnvelopedData.encrypt(content, for: [recipient])
      // The ciphertext and the tag are at the end.
      for distance in [1, 20, 100] {
        var bytes = envelope
        bytes[bytes.count - distance] ^= 1
        #expect(try await decrypt(bytes, "curve") == nil, "\(distance)")
      }
    }

    @Test("two envelopes of one content are different")
    func random() async throws {
      let recipient = try await recipients()[1]
      #expect(try EnvelopedData.encrypt([1], for: [recipient]) != EnvelopedData.encrypt([1], for: [recipient]))
    }

    @Test(
      "keys that are short, for signatures only or of another type are refused",
      arguments: [
        (["-newkey", "rsa:1024"], []), (["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-224"], []),
        (["-newkey", "ed25519"], []), (curve, ["-addext", "keyUsage=digitalSignature"]),
        (rsa, ["-addext", "keyUsage=digitalSignature,keyAgreement"]),
        (curve, ["-addext", "keyUsage=keyEncipherment"]),
      ])
    func unsuitable(_ key: [String], _ options: [String]) async throws {
      await #expect {
        try await recipient("unsuitable", key, options)
      } throws: {
        guard case .unsupported? = $0 as? CryptographyError else { return false }
        return true
      }
    }

    @Test("suitable key usages are accepted")
    func keyUsage() async throws {
      _ = try await recipient("rsa", Self.rsa, ["-addext", "keyUsage=keyEncipherment"])
      _ = try await recipient("curve", Self.curve, ["-addext", "keyUsage=keyAgreement"])
    }

    @Test("a file has all its certificates, and one without any is an error")
    func files() async throws {
      _ = try await (recipient("a", Self.curve), recipient("b", Self.curve))
      let both = folder.bytes("a.pem") + Array("a comment\n".utf8) + folder.bytes("a.key") + folder.bytes("b.pem")
      #expect(try EnvelopeRecipient.recipients(pem: SecretBytes(both)).count == 2)
      for text in ["", "text", String(decoding: folder.bytes("a.key"), as: UTF8.self)] {
        #expect(throws: CryptographyError.malformed("a file without a certificate")) {
          try EnvelopeRecipient.recipients(pem: SecretBytes(Array(text.utf8)))
        }
      }
      #expect(throws: CryptographyError.self) {
        try EnvelopeRecipient.recipients(
          pem: SecretBytes(Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)))
      }
    }
  }
}
