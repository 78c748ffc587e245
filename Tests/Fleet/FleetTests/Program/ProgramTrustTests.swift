import Foundation
import TesseraCore
import TesseraNATS
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  /// `tessera inspect --trust bucket`: whose word counts, and what a restart remembers.
  @Suite(
    "The certificates of an inspector program", .enabled(if: ProgramFleet.isEnabled, "nats-server is not installed"))
  struct ProgramTrustTests {
    private struct Published {
      let fleet: ProgramFleet
      let country: TrustCountry
      let root: String

      init() async throws {
        fleet = try await ProgramFleet()
        country = try TrustCountry()
        root = fleet.folder.file("root.cer")
        try Data(country.root.der).write(to: URL(fileURLWithPath: root))
        let run = try await publish(country.list())
        guard run.status == 0 else { throw Failure(.internalError, "trust import: \(run.errors)") }
      }

      /// Changes the bucket as whoever has the administrator's key can.
      func write(_ change: (KeyValueBucket) async throws -> Void) async throws {
        let servers = FleetServers([fleet.address], seedFile: fleet.folder.file("fleet/admin.nk"))
        let administrator = try await servers.connect(as: #require(DeskName("admin")))
        try await change(KeyValueBucket(administrator, name: TrustBucket.name))
        await administrator.close()
      }

      /// Publishes a list with the program.
      func publish(_ list: TrustFileBytes, _ arguments: [String] = []) async throws -> ProgramRun {
        let file = fleet.folder.file(list.name)
        try Data(list.bytes).write(to: URL(fileURLWithPath: file))
        return try await fleet.tessera(["trust", "import", file, "--root", root] + arguments + fleet.administrator)
      }

      /// Starts an inspector and waits until it has logged this.
      func inspector(_ trust: [String], logging text: String) async throws -> RunningProgram {
        let inspector = try await fleet.inspector("i1", ["--trust", "bucket"] + trust)
        guard await inspector.wait(until: { $0.errors.contains(text) || !$0.isRunning }), inspector.isRunning else {
          throw Failure(.serviceUnavailable, "inspect: \(inspector.errors)")
        }
        return inspector
      }

      func stop(_ inspector: RunningProgram) async -> ProgramRun {
        inspector.send(signal: SIGTERM)
        return await inspector.finish()
      }
    }

    @Test("an inspector that is started again refuses a store that is older than the one it has used")
    func olderStore() async throws {
      let published = try await Published()
      let fleet = published.fleet
      let first = try await published.inspector(["--root", published.root], logging: "The certificates are in use.")
      #expect(await published.stop(first).status == 0)

      // Whoever has the administrator's key, or the servers' disks, brings back what was there before.
      let older = try published.country.list(days: -2)
      try await published.write { _ = try await $0.store([older], roots: [published.country.root]) }

      let second = try await published.inspector(["--root", published.root], logging: "olderList")
      // The desk repeats until the time ends. A machine that is too slow for one attempt in it gets more.
      var read = try await fleet.tessera(["fleet", "read", "--virtual", "--within", "1"] + fleet.desk("lobby"))
      for seconds in ["8", "64"] where !read.errors.contains("no usable country certificates") {
        read = try await fleet.tessera(["fleet", "read", "--virtual", "--within", seconds] + fleet.desk("lobby"))
      }
      #expect(read.status == 3 && read.errors.contains("no usable country certificates"), "\(read.errors)")
      let run = await published.stop(second)
      #expect(run.status == 0 && !run.errors.contains("in use"), "\(run.errors)")
      #expect(try await fleet.status()["record"]?["messages"] == 0)
    }

    @Test("a store that is damaged is repaired with --replace, as the error says")
    func damagedStore() async throws {
      let published = try await Published()
      try await published.write { _ = try await $0.put(TrustManifest.key, Array("manifest".utf8)) }
      let refused = try await published.publish(published.country.list())
      #expect(refused.status != 0 && refused.errors.contains("tessera trust import --fleet --replace"), "\(refused)")
      let repaired = try await published.publish(published.country.list(), ["--replace"])
      #expect(repaired.status == 0, "\(repaired.errors)")
      let inspector = try await published.inspector(
        ["--root", published.root], logging: "The certificates are in use.")
      #expect(await published.stop(inspector).status == 0)
      let local = try await published.fleet.tessera(["trust", "import", "x.ml", "--replace"])
      #expect(local.status == 2 && local.errors.contains("--replace requires --fleet"))
    }

    @Test("an older store is used on purpose after --replace and without what the inspector remembers")
    func goingBack() async throws {
      let published = try await Published()
      let first = try await published.inspector(["--root", published.root], logging: "The certificates are in use.")
      #expect(await published.stop(first).status == 0)
      let older = try published.country.list(days: -2)
      #expect(try await published.publish(older).status == 5)
      #expect(try await published.publish(older, ["--replace"]).status == 0)
      let second = try await published.inspector(["--root", published.root], logging: "olderList")
      #expect(await published.stop(second).status == 0)
      try FileManager.default.removeItem(atPath: published.fleet.folder.file("data/tessera/fleet/i1/trust"))
      let third = try await published.inspector(["--root", published.root], logging: "The certificates are in use.")
      #expect(await published.stop(third).status == 0)
    }

    @Test("published roots count only on request, and the log says what that means")
    func publishedRoots() async throws {
      let published = try await Published()
      let warning = "whoever can publish, or has the disk of one server, decides which documents are genuine."
      for (trust, warns) in [(["--published-roots"], true), (["--root", published.root], false)] {
        let inspector = try await published.inspector(trust, logging: "The certificates are in use.")
        let run = await published.stop(inspector)
        #expect(run.errors.contains(warning) == warns, "\(run.errors)")
      }
      let other = published.fleet.folder.file("other.cer")
      try Data(try TrustCountry("FR").root.der).write(to: URL(fileURLWithPath: other))
      let inspector = try await published.inspector(
        ["--root", other], logging: "The newest certificates cannot be used.")
      #expect(await !published.stop(inspector).errors.contains("in use"))
    }
  }
}
