import Foundation
import TesseraCryptography
import TesseraKeys
import TesseraTPM
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Keys in a TPM without a resource manager", .enabled(if: TPMLab.isEnabled))
  struct TPMProgramTests {
    private let lab: TPMLab
    private let folder: TemporaryFolder

    init() async throws {
      lab = try await TPMLab()
      folder = try TemporaryFolder()
    }

    private func key(_ arguments: [String], pin: String) async throws -> ProgramRun {
      let environment = lab.environment.merging(["XDG_DATA_HOME": folder.url.path]) { $1 }
      return try await ProgramRun.tessera(
        ["key"] + arguments + ["--store", "tpm2", "--passphrase-fd", "0"], input: pin + "\n", environment: environment)
    }

    @Test("a program that has ended has left nothing loaded, after a signature and after an error")
    func leftovers() async throws {
      #expect(try await key(["generate", "k"], pin: "1234").status == 0)
      try "message".write(toFile: folder.file("message"), atomically: true, encoding: .utf8)
      let sign = ["sign", "k", folder.file("message"), "-o", folder.file("signature")]
      for _ in 0..<20 {
        #expect(try await key(sign, pin: "1234").status == 0)
        #expect(try await lab.leftovers() == [])
        #expect(try await key(sign, pin: "4321").status == 7)
        #expect(try await lab.leftovers() == [])
        #expect(try await lab.run("tpm2_dictionarylockout", ["--clear-lockout"]).status == 0)
      }
    }

    /// tpm2-tools 5.4 and 5.7 write the opposite into `emptyAuth` of a key file. What the file of Tessera says counts.
    @Test("signs with the keys of tpm2-tools, with a PIN and without", arguments: [nil, "hunter2"])
    func tpm2Tools(_ pin: String?) async throws {
      func tool(_ program: String, _ arguments: [String]) async throws {
        let run = try await lab.run(program, arguments)
        #expect(run.status == 0, "\(program): \(run.errors)")
      }
      let (context, publicPart, privatePart) = (folder.file("p.ctx"), folder.file("k.pub"), folder.file("k.priv"))
      let pem = folder.file("k.pem")
      try await tool("tpm2_createprimary", ["-Q", "-C", "o", "-G", "ecc256:aes128cfb", "-c", context])
      try await tool("tpm2_flushcontext", ["-t"])
      try await tool("tpm2_evictcontrol", ["-Q", "-C", "o", "-c", context, "0x81000007"])
      try await tool(
        "tpm2_create",
        ["-Q", "-C", "0x81000007", "-G", "ecc256:ecdsa-sha256", "-u", publicPart, "-r", privatePart]
          + (pin.map { ["-p", $0] } ?? []))
      try await tool("tpm2_flushcontext", ["-t"])
      try await tool(
        "tpm2_encodeobject",
        ["-C", "0x81000007", "-u", publicPart, "-r", privatePart, "-o", pem] + (pin == nil ? [] : ["-p"]))
      try await tool("tpm2_flushcontext", ["-t"])
      let text = String(decoding: folder.bytes("k.pem"), as: UTF8.self)
      let key = try TPMKey(pem: text)
      #expect(key.needsPIN == (pin == nil), "tpm2-tools writes the opposite")
      let publicKey = try P256PublicKey(point: key.publicPoint)
      let header = """
        Tessera-Key: 1
        Id: 00000000-0000-4000-8000-000000000000
        Created: 2026-11-29T00:00:00Z
        Protection: \(pin == nil ? "tpm" : "tpm+pin")

        """
      let local = folder.file("tpm2/local")
      try FileManager.default.createDirectory(
        atPath: local, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let file = header + text + String(decoding: PublicKeyFormat.pem.encode(publicKey), as: UTF8.self)
      try file.write(toFile: local + "/theirs.pem", atomically: true, encoding: .utf8)
      let store = TPMKeyStore(
        path: folder.url.path, newKeysHavePIN: false, secrets: OneSecret(pin ?? ""),
        module: TrustedPlatformModule(interface: lab.interface))
      let digest = [UInt8](repeating: 9, count: 32)
      let signature = try await store.sign(digest: digest, with: KeyName("theirs"))
      #expect(try publicKey.verify(signature, digest: digest))
    }
  }
}
