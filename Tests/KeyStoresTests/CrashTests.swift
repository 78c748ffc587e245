import Cryptography
import Foundation
import KeyStores
import TestSupport
import Testing
import TrustedPlatform

@Suite("A process that is killed while it makes and deletes a key", .serialized)
struct CrashTests {
  static let kills = 100

  /// Kills a process that makes, replaces and deletes one key without end, and looks each time what is left.
  ///
  /// - Returns: how often the key was there, and how often it was not.
  private func survey(
    _ designation: String, path: String, environment: [String: String] = [:],
    _ store: any KeyStore, afterwards: () async throws -> Void = {}
  ) async throws -> (there: Int, gone: Int) {
    let name = try KeyName("k")
    let digest = [UInt8](repeating: 3, count: 32)
    var counts = (there: 0, gone: 0)
    var turn = 0
    // On a slow machine it takes longer until both are seen.
    while turn < Self.kills || (counts.there == 0 || counts.gone == 0) && turn < 4 * Self.kills {
      defer { turn += 1 }
      let holder = try RunningProgram(
        ProgramRun.built("KeyHolder"), [designation, path], input: "churn k\n", environment: environment)
      // SoftHSM writes the token's own file at every login, and a kill then would be the token's end, not a key's.
      #expect(await holder.wait { $0.output.contains("made") }, "\(holder.output)\(holder.errors)")
      try await Task.sleep(for: .microseconds(turn * 400))
      holder.send(signal: SIGKILL)
      _ = await holder.finish(within: 120)
      try await afterwards()

      let listed = try await store.keys().map(\.name)
      do {
        let key = try await store.key(name)
        let signature = try await store.sign(digest: digest, with: name)
        #expect(try key.publicKey.verify(signature, digest: digest))
        #expect(key.confirmation == .always)
        counts.there += 1
        _ = try await store.delete(name)
      } catch KeyStoreError.notFound {
        #expect(listed.isEmpty)
        await #expect(throws: KeyStoreError.notFound(name, store: store.designation)) {
          try await store.sign(digest: digest, with: name)
        }
        counts.gone += 1
      }
      #expect(try await store.keys().isEmpty)
    }
    // A kill that always comes before the first key, or always after the last step, would show nothing.
    #expect(counts.there > 0 && counts.gone > 0, "\(counts)")
    return counts
  }

  @Test("in files: the key is there wholly or not at all, and nothing else is left")
  func files() async throws {
    let folder = try TemporaryFolder()
    let store = FileKeyStore(
      path: folder.url.path, newKeys: .secretServiceOrKeyFile, secrets: NobodyToAsk(), secretService: { nil })
    // A bus that is not there: the keyring of the machine is not to be filled.
    _ = try await survey(
      "file", path: folder.url.path, environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"], store)
    // What the killed left in the middle goes away with the next change.
    _ = try await store.generate(KeyName("last"), confirmation: .never, replacing: false)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("file/local"))
    #expect(left == ["last.pem"])
  }

  @Test("in a token", .enabled(if: TokenLab.isWanted))
  func token() async throws {
    let lab = try await TokenLab()
    let folder = try TemporaryFolder()
    let store = try TokenKeyStore(
      uri: lab.uriWithPIN, secrets: NobodyToAsk(), path: folder.url.path, secretService: { nil })
    _ = try await survey(lab.uriWithPIN, path: folder.url.path, store)
  }

  @Test("in a TPM", .enabled(if: TPMLab.isWanted))
  func tpm() async throws {
    let lab = try await TPMLab()
    let folder = try TemporaryFolder()
    let module = TrustedPlatformModule(interface: lab.interface)
    let store = TPMKeyStore(path: folder.url.path, newKeysHavePIN: false, secrets: NobodyToAsk(), module: module)
    _ = try await survey("tpm2", path: folder.url.path, environment: lab.environment, store) {
      // A TPM without a resource manager keeps what a killed program had loaded; the kernel's would take it away.
      await module.release()
      try await lab.restart()
    }
  }
}
