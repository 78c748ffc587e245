import Foundation
import PassportTestSupport
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  /// Imports that run at once, and imports that are killed.
  @Suite("Interrupted imports", .serialized)
  struct TrustInterruptionTests {
    @Test("imports at once all arrive in the store")
    func atOnce() async throws {
      let home = try TrustHome()
      let countries = ["UT", "FR", "IT", "AT", "CH", "PL"]
      let programs = try countries.map { country in
        let file = try home.write("\(country).cer", TestAuthority(country).certificate.der)
        return try RunningProgram(ProgramRun.tessera, ["trust", "import", file], environment: home.environment)
      }
      for program in programs {
        let run = await program.finish()
        #expect(run.status == 0, "\(run.errors)")
      }
      #expect(try home.store.load().countries == countries.sorted())
      #expect(try home.names == ["certificates"])
    }

    @Test("after kill -9 during an import, the store has the former or the new certificates")
    func killed() async throws {
      let home = try TrustHome()
      let country = try TestAuthority()
      let others = try (2..<13).map { try TestAuthority(serialNumber: $0) }
      // Each list replaces the other one, since neither is older.
      let sizes = [4, 12]
      let lists = try sizes.map { size in
        try home.write(
          "\(size).ml",
          country.masterList(
            ([country] + others.prefix(size - 1)).map(\.certificate), signedAt: TestAuthority.now))
      }
      let root = try home.write("root.cer", country.certificate.der)
      try await home.trust("import", lists[0], "--root", root)
      let start = ContinuousClock.now
      try await home.trust("import", lists[1])
      try await home.trust("import", lists[0])
      let usual = (ContinuousClock.now - start) / 2

      var generator = SeededGenerator(seed: 9)
      var stored = sizes[0]
      var (changes, kills) = (0, 0)
      // More than 100 only if the machine changed its speed so much that nearly all ended, or none did anything.
      for round in 0..<1_000 where round < 100 || kills <= 10 || changes == 0 {
        let next = stored == sizes[0] ? 1 : 0
        let before = home.bytes
        let program = try RunningProgram(
          ProgramRun.tessera, ["trust", "import", lists[next]], environment: home.environment)
        switch round % 3 {
        case 0: break
        case 1: while program.isRunning, home.bytes == before { try await Task.sleep(for: .milliseconds(1)) }
        default: try await Task.sleep(for: usual * Double.random(in: 0...1, using: &generator))
        }
        program.send(signal: SIGKILL)
        let status = await program.finish().status
        #expect(status == 0 || status == 128 + SIGKILL)
        kills += status == 0 ? 0 : 1
        let count = try home.store.load().count
        #expect(count == stored || count == sizes[next])
        changes += count == stored ? 0 : 1
        stored = count
      }
      #expect(kills > 10 && changes > 0, "\(kills) killed, \(changes) changes")
      try await home.trust("import", lists[1])
      let names = try home.names
      #expect(try home.store.load().count == sizes[1] && names == ["certificates"])
    }
  }
}
