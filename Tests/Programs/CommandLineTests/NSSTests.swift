import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// The key database of Firefox and `certutil`. It renames an object where others copy it, and replaces a pair by another
  /// one with the same CKA_ID (NSS 3.87).
  @Suite("tessera key with a database of NSS", .enabled(if: NSSLab.isEnabled, "\(NSSLab.unavailableReason ?? "")"))
  struct NSSTests {
    private func openssl(_ lab: NSSLab, _ arguments: [String]) async throws -> ProgramRun {
      try await lab.run("openssl", arguments)
    }

    /// Whether OpenSSL verifies a signature of the key with its public key.
    private func signs(_ name: String, _ lab: NSSLab) async throws -> Bool {
      try "message".write(toFile: lab.file("message"), atomically: true, encoding: .utf8)
      let run = try await lab.key(["sign", name, lab.file("message"), "-o", lab.file("signature")])
      let key = try await lab.key(["public", name, "-o", lab.file("public.pem")])
      guard run.status == 0, key.status == 0 else { return false }
      return try await openssl(
        lab,
        [
          "dgst", "-sha256", "-verify", lab.file("public.pem"), "-signature", lab.file("signature"),
          lab.file("message"),
        ]
      ).status == 0
    }

    /// A key with its certificate, imported as people do.
    private func importKey(_ name: String, _ lab: NSSLab) async throws {
      let (key, certificate, file) = (lab.file("\(name).pem"), lab.file("\(name).crt"), lab.file("\(name).p12"))
      for arguments in [
        ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key],
        ["req", "-x509", "-key", key, "-subj", "/CN=\(name)", "-days", "2", "-out", certificate],
        ["pkcs12", "-export", "-in", certificate, "-inkey", key, "-name", name, "-out", file, "-passout", "pass:x"],
      ] {
        #expect(try await openssl(lab, arguments).status == 0)
      }
      let imported = try await lab.run("pk12util", ["-i", file, "-d", lab.database, "-k", lab.pinFile, "-W", "x"])
      #expect(imported.status == 0, "\(imported.errors)")
    }

    @Test("generates, replaces and deletes a key, and touches no other one", arguments: [true, false])
    func life(_ hasPassword: Bool) async throws {
      let lab = try NSSLab(hasPassword: hasPassword)
      try await importKey("theirs", lab)
      let before = try await lab.objects()
      #expect(before.contains("theirs"))
      #expect(try await signs("theirs", lab))
      #expect(try await lab.key(["generate", "ours"]).status == 0)
      #expect(try await signs("ours", lab))
      #expect(try await lab.key(["generate", "ours"]).status == 7)
      let old = FileManager.default.contents(atPath: lab.file("public.pem"))
      #expect(try await lab.key(["generate", "ours", "--replace"]).status == 0)
      #expect(try await signs("ours", lab))
      #expect(FileManager.default.contents(atPath: lab.file("public.pem")) != old)
      let list = try await lab.key(["list"]).output
      #expect(list.split(separator: "\n").count == 3 && list.contains("theirs") && list.contains("ours"))
      #expect(try await lab.key(["delete", "ours", "--yes"]).status == 0)
      #expect(try await lab.objects() == before)
      #expect(try await signs("theirs", lab))
    }

    @Test("signs with and lists the keys of a database that it can only read")
    func readOnly() async throws {
      let lab = try NSSLab()
      try await importKey("theirs", lab)
      try lab.configure(isReadOnly: true)
      #expect(try await signs("theirs", lab))
      #expect(try await lab.key(["list"]).output.contains("theirs"))
      let generation = try await lab.key(["generate", "ours"])
      #expect(generation.status == 7 && generation.errors.contains("write-protected"), "\(generation.errors)")
    }

    @Test("a killed replacement leaves the old or the new key whole, and no other object changed")
    func kills() async throws {
      let lab = try NSSLab()
      try await importKey("theirs", lab)
      #expect(try await lab.key(["generate", "ours"]).status == 0)
      for turn in 0..<(Sweep.isFull ? 300 : 12) {
        let program = try lab.startKey(["generate", "ours", "--replace"])
        try await Task.sleep(for: .milliseconds(Int.random(in: 20...140)))
        program.send(signal: SIGKILL)
        _ = await program.finish(within: 120)
        #expect(try await signs("ours", lab), "kill \(turn)")
        let list = try await lab.key(["list"]).output
        #expect(list.split(separator: "\n").count { $0.hasPrefix("ours ") } == 1, "kill \(turn): \(list)")
      }
      #expect(try await signs("theirs", lab))
    }
  }
}
