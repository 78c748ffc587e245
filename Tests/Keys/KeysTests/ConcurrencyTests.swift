import Foundation
import TesseraCryptography
import TesseraKeys
import TesseraThreads
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Concurrent use of key stores")
  struct ConcurrencyTests {
    /// One key name in one store.
    struct Place: Hashable {
      let store: Int
      let name: KeyName
    }

    @Test("64 tasks sign with 8 keys of three stores while keys are generated and deleted")
    func many() async throws {
      var labs: [StoreLab] = []
      for kind in StoreKind.wanted { labs.append(try await StoreLab(kind)) }
      defer { withExtendedLifetime(labs) {} }
      let stores = labs.map(\.store)
      let names = try (0..<8).map { try KeyName("key \($0)") }
      let history = History()
      let digest = [UInt8](repeating: 9, count: 32)
      for store in stores.indices {
        for name in names { try await Self.generate(Place(store: store, name: name), stores, history) }
      }
      try await withThrowingTaskGroup { group in
        for task in 0..<64 {
          group.addTask {
            for turn in 0..<6 {
              let place = Place(store: (task + turn) % stores.count, name: names[(task * 5 + turn) % names.count])
              do {
                let signature = try await stores[place.store].sign(digest: digest, with: place.name)
                history.signed(place, signature)
              } catch KeyStoreError.notFound(place.name, store: stores[place.store].designation) {
                history.missed()
              }
            }
          }
        }
        // Deletes and replaces the first two keys of each store.
        for store in stores.indices {
          group.addTask {
            for turn in 0..<8 {
              let place = Place(store: store, name: names[turn % 2])
              if turn % 4 < 2 { try await stores[store].delete(place.name) }
              try await Self.generate(place, stores, history, replacing: turn % 4 >= 2)
            }
          }
        }
        try await group.waitForAll()
      }

      let (made, missing) = history.outcome
      #expect(made.count + missing == 64 * 6)
      #expect(made.count > 64 * 4)
      for (place, signature) in made {
        let isValid = try history.keys(place).contains { try $0.verify(signature, digest: digest) }
        #expect(isValid, "store \(stores[place.store].designation), \(place.name.name)")
      }
      for store in stores { #expect(try await store.keys().count == names.count) }
    }

    private static func generate(
      _ place: Place, _ stores: [any KeyStore], _ history: History, replacing: Bool = false
    ) async throws {
      let key = try await stores[place.store].generate(place.name, confirmation: .never, replacing: replacing)
      history.made(place, try key.publicKey)
    }

    /// All keys and signatures that existed in each place.
    final class History: Sendable {
      private struct State {
        var keys: [Place: [P256PublicKey]] = [:]
        var signatures: [(Place, P256Signature)] = []
        var missing = 0
      }
      private let state = Locked(State())

      func made(_ place: Place, _ key: P256PublicKey) { state.withLock { $0.keys[place, default: []].append(key) } }
      func signed(_ place: Place, _ signature: P256Signature) {
        state.withLock { $0.signatures.append((place, signature)) }
      }
      func missed() { state.withLock { $0.missing += 1 } }
      func keys(_ place: Place) -> [P256PublicKey] { state.withLock { $0.keys[place] ?? [] } }
      var outcome: ([(Place, P256Signature)], Int) { state.withLock { ($0.signatures, $0.missing) } }
    }

    @Test("many processes generate their first keys at the same time, and none fails")
    func firstUse() async throws {
      for _ in 0..<4 {
        // A disk that other programs keep busy takes seconds for each of the 72 synchronisations, and then the last
        // processes wait for the lock for more than its minute.
        let folder = try TemporaryFolder(inMemory: true)
        let holders = try (0..<12).map { _ in
          let input = Pipe()
          let program = try RunningProgram(
            ProgramRun.built("KeyHolder"), ["file", folder.url.path], standardInput: input,
            environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/proc/nonexistent"])
          return (program, input.fileHandleForWriting)
        }
        for (holder, _) in holders { #expect(await holder.wait { $0.output.contains("ready") }) }
        for (index, (_, input)) in holders.enumerated() {
          try input.write(contentsOf: Data("generate k\(index)\ngenerate l\(index)\n".utf8))
          try input.close()
        }
        for (index, (holder, _)) in holders.enumerated() {
          let run = await holder.finish(within: 300)
          #expect(run.output == "ready\nk\(index)\nl\(index)\n", "\(run.output)\(run.errors)")
        }
        let store = FileKeyStore(path: folder.url.path, newKeys: .unprotected, secrets: NonInteractive())
        #expect(try await store.keys().count == 24)
      }
    }
  }
}
