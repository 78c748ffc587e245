import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// A release program loads most libraries at the first call of a function of `libraries.h`. A function that the list
  /// lacks ends the linking of the release, and only of the release.
  @Suite("Libraries that a release loads at the first call")
  struct FirstCallTests {
    @Test("the list has every function that the program takes from them")
    func list() async throws {
      let script = Fixtures.tests.appendingPathComponent("Programs/Benchmarks/libraries").path
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/bin/bash"), [script, "--list", ProgramRun.tessera.path]
      ).finish()
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.hasSuffix("libraries are loaded at the first call.\n"), "\(run.output)")
    }
  }
}
