import Foundation
import TesseraTPM
import TestSupport
import Testing

extension RealPrograms {
  /// Key files are compatible with tpm2-openssl, the OpenSSL provider for TPM keys.
  @Suite(
    "Key files of OpenSSL's tpm2 provider", .serialized, .timeLimit(.minutes(15)),
    .enabled(if: TPMLab.isEnabled, "\(TPMLab.unavailableReason ?? "")"))
  struct InteroperabilityTests {
    static let provider = ["-provider", "tpm2", "-provider", "default"]
    static let generate =
      ["genpkey"] + provider + ["-propquery", "?provider=tpm2", "-algorithm", "EC", "-pkeyopt", "group:P-256"]

    @Test("signs with a key from OpenSSL", arguments: [nil, "hunter2"])
    func theirs(pin: String?) async throws {
      let lab = try await TPMLab()
      let folder = try TemporaryFolder()
      let made = try await lab.run(
        "openssl",
        Self.generate + (pin.map { ["-pkeyopt", "user-auth:\($0)"] } ?? []) + ["-out", folder.file("key.pem")])
      try #require(made.status == 0, "\(made.errors)")
      let pem = String(decoding: folder.bytes("key.pem"), as: UTF8.self)
      let key = try TPMKey(pem: pem)
      #expect(key.needsPIN == (pin != nil))
      #expect(key.pem == pem, "the encoding is unchanged")
      let tpm = TrustedPlatformModule(lab)
      #expect(try await tpm.signsCorrectly(with: key, pin: pin))
      if pin != nil {
        await #expect(throws: TPMError.wrongPIN) { _ = try await tpm.signsCorrectly(with: key, pin: "hunter3") }
      }
    }

    @Test("OpenSSL signs with a key from this module", arguments: [nil, "hunter2"])
    func ours(pin: String?) async throws {
      let lab = try await TPMLab()
      let folder = try TemporaryFolder()
      let tpm = TrustedPlatformModule(lab)
      let key =
        if let pin { try await tpm.createSigningKey(pin: pin) } else { try await tpm.createSigningKey(pin: nil) }
      await tpm.release()
      try key.pem.write(toFile: folder.file("key.pem"), atomically: true, encoding: .utf8)
      try Data(message).write(to: folder.url.appendingPathComponent("message"))
      try Data(key.subjectPublicKeyInfo).write(to: folder.url.appendingPathComponent("key.pub"))
      func sign(_ pin: String?) async throws -> ProgramRun {
        try await lab.run(
          "openssl",
          ["pkeyutl"] + Self.provider + ["-sign", "-inkey", folder.file("key.pem"), "-rawin", "-digest", "sha256"]
            + ["-in", folder.file("message"), "-out", folder.file("signature")]
            + (pin.map { ["-passin", "pass:\($0)"] } ?? []))
      }
      let signed = try await sign(pin)
      #expect(signed.status == 0, "\(signed.errors)")
      let verified = try await lab.run(
        "openssl",
        [
          "dgst", "-sha256", "-verify", folder.file("key.pub"), "-keyform", "DER", "-signature",
          folder.file("signature"), folder.file("message"),
        ])
      #expect(verified.output.contains("Verified OK"))
      if pin != nil { #expect(try await sign("hunter3").status != 0) }
    }

    @Test("signs with a key below a persistent parent", arguments: ["rsa2048:aes128cfb", "ecc256:aes128cfb"])
    func persistentParent(algorithm: String) async throws {
      let lab = try await TPMLab()
      let folder = try TemporaryFolder()
      let context = folder.file("parent")
      for (program, arguments) in [
        ("tpm2_createprimary", ["-Q", "-C", "o", "-G", algorithm, "-c", context]),
        ("tpm2_flushcontext", ["-t"]),
        ("tpm2_evictcontrol", ["-Q", "-C", "o", "-c", context, "0x81000007"]),
        ("tpm2_flushcontext", ["-t"]),
        (
          "openssl",
          Self.generate + ["-pkeyopt", "parent:0x81000007", "-pkeyopt", "user-auth:pw", "-out", folder.file("key.pem")]
        ),
      ] {
        let run = try await lab.run(program, arguments)
        try #require(run.status == 0, "\(program): \(run.errors)")
      }
      let key = try TPMKey(pem: String(decoding: folder.bytes("key.pem"), as: UTF8.self))
      #expect(key.parent == 0x8100_0007)
      let tpm = TrustedPlatformModule(lab)
      #expect(try await tpm.signsCorrectly(with: key, pin: "pw"))
      await tpm.release()
      #expect(try await lab.leftovers() == [])
      // Without its parent the key belongs to no TPM.
      #expect(try await lab.run("tpm2_evictcontrol", ["-Q", "-C", "o", "-c", "0x81000007"]).status == 0)
      await #expect(throws: TPMError.notThisTPM) { _ = try await tpm.signsCorrectly(with: key, pin: "pw") }
    }
  }
}
