import Foundation
import TesseraCryptography
import TesseraKeys
import TesseraTPM
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Killing a process that generates and deletes a key", .serialized)
  struct CrashTests {
    static let kills = 100

    /// Repeatedly kills a process that generates, replaces and deletes one key, and checks the remaining state.
    ///
    /// - Returns: how often the key existed, and how often it was missing.
    private func survey(
      _ designation: String, path: String, environment: [String: String] = [:],
      _ store: any KeyStore, afterwards: () async throws -> Void = {}
    ) async throws -> (existing: Int, missing: Int) {
      let name = try KeyName("k")
      let digest = [UInt8](repeating: 3, count: 32)
      var counts = (existing: 0, missing: 0)
      var turn = 0
      // On a slow machine it takes more kills to see both states.
      while turn < Self.kills || (counts.existing == 0 || counts.missing == 0) && turn < 4 * Self.kills {
        defer { turn += 1 }
        let holder = try RunningProgram(
          ProgramRun.built("KeyHolder"), [designation, path], input: "churn k\n", environment: environment)
        // Waits for the login: SoftHSM writes the file of the token then, and a kill would destroy the token. The kills
        // start alternately at a key that exists and at one that was deleted; a slow machine needs longer delays to
        // reach the other state.
        let state = turn.isMultiple(of: 2) ? "made" : "deleted"
        #expect(await holder.wait { $0.output.contains(state) }, "\(holder.output)\(holder.errors)")
        try await Task.sleep(for: .microseconds(turn < Self.kills ? turn * 400 : turn * 4000))
        holder.send(signal: SIGKILL)
        _ = await holder.finish(within: 120)
        try await afterwards()

        let listed = try await store.keys().map(\.name)
        do {
          let key = try await store.key(name)
          let signature = try await store.sign(digest: digest, with: name)
          #expect(try key.publicKey.verify(signature, digest: digest))
          #expect(key.confirmation == .always)
          counts.existing += 1
          _ = try await store.delete(name)
        } catch KeyStoreError.notFound {
          #expect(listed.isEmpty)
          await #expect(throws: KeyStoreError.notFound(name, store: store.designation)) {
            try await store.sign(digest: digest, with: name)
          }
          counts.missing += 1
        }
        #expect(try await store.keys().isEmpty)
      }
      // Both states must occur; otherwise the kills were always too early or too late.
      #expect(counts.existing > 0 && counts.missing > 0, "\(counts)")
      return counts
    }

    @Test("in files: the key exists completely or not at all, and no temporary file remains")
    func files() async throws {
      let folder = try TemporaryFolder()
      let store = FileKeyStore(
        path: folder.url.path, newKeys: .secretServiceOrKeyFile, secrets: NonInteractive(), secretService: { nil })
      // A missing bus, so that the test does not write to the keyring of the machine.
      _ = try await survey(
        "file", path: folder.url.path, environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/proc/nonexistent"], store)
      // The next change removes the temporary files of the killed processes.
      _ = try await store.generate(KeyName("last"), confirmation: .never, replacing: false)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("file/local"))
      #expect(left == ["last.pem"])
    }

    @Test("in a token", .enabled(if: TokenLab.isEnabled))
    func token() async throws {
      let lab = try await TokenLab()
      let folder = try TemporaryFolder()
      let store = try TokenKeyStore(
        uri: lab.uriWithPIN, secrets: NonInteractive(), path: folder.url.path, secretService: { nil })
      _ = try await survey(lab.uriWithPIN, path: folder.url.path, store)
    }

    @Test("in a token: a killed replacement leaves the old or the new key whole", .enabled(if: TokenLab.isEnabled))
    func replacement() async throws {
      let lab = try await TokenLab()
      let folder = try TemporaryFolder()
      let made = try await lab.tool(["--keypairgen", "--key-type", "EC:prime256v1", "--label", "theirs", "--id", "01"])
      #expect(made.status == 0, "\(made.errors)")
      let store = try TokenKeyStore(
        uri: lab.uriWithPIN, secrets: NonInteractive(), path: folder.url.path, secretService: { nil })
      let (name, theirs) = (try KeyName("ours"), try KeyName("theirs"))
      _ = try await store.generate(name, confirmation: .never, replacing: false)
      let point = try await store.key(theirs).publicKey
      let digest = [UInt8](repeating: 3, count: 32)
      for turn in 0..<(Sweep.isFull ? 300 : 30) {
        let holder = try RunningProgram(
          ProgramRun.built("KeyHolder"), [lab.uriWithPIN, folder.url.path], input: "replace ours\n")
        #expect(await holder.wait { $0.output.contains("made") }, "\(holder.output)\(holder.errors)")
        try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000)))
        holder.send(signal: SIGKILL)
        _ = await holder.finish(within: 120)
        let key = try await store.key(name).publicKey
        #expect(try key.verify(await store.sign(digest: digest, with: name), digest: digest), "kill \(turn)")
        #expect(try await store.keys().map(\.name) == [name, theirs], "kill \(turn)")
        #expect(try await store.key(theirs).publicKey == point)
      }
      // A change completes what the killed programs had begun.
      _ = try await store.generate(name, confirmation: .never, replacing: true)
      let left = try await lab.tool(["--list-objects", "--type", "privkey"]).output
      #expect(left.ranges(of: "label:      ours\n").count == 1)
    }

    @Test("in a TPM", .enabled(if: TPMLab.isEnabled))
    func tpm() async throws {
      let lab = try await TPMLab()
      let folder = try TemporaryFolder()
      let module = TrustedPlatformModule(interface: lab.interface)
      let store = TPMKeyStore(path: folder.url.path, newKeysHavePIN: false, secrets: NonInteractive(), module: module)
      _ = try await survey("tpm2", path: folder.url.path, environment: lab.environment, store) {
        // A TPM without a resource manager keeps the loaded objects of a killed program.
        await module.release()
        try await lab.restart()
      }
    }
  }
}
