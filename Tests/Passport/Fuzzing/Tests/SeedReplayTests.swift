import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// Replays the recorded inputs of every fuzzing harness and some mutations of them. Each harness runs in a separate
  /// process: a trap ends only that process, and the deterministic random numbers of the harnesses do not reach other
  /// tests.
  @Suite("Replay of the fuzzing corpus")
  struct SeedReplayTests {
    static let names = harnesses.map { $0.name }

    @Test("every harness has recorded inputs, and every recorded input has a harness")
    func corpus() throws {
      let corpus = Fixtures.tests.appendingPathComponent("Passport/Fuzzing/Corpus")
      let folders = try FileManager.default.contentsOfDirectory(atPath: corpus.path)
      #expect(Set(folders) == Set(Self.names))
      for name in Self.names { #expect(try !SeedReplay.files(of: name).isEmpty, "\(name)") }
    }

    @Test("no recorded input, and no mutation of one, traps or violates a property", arguments: names)
    func replay(name: String) async throws {
      let folder = try TemporaryFolder()
      let marker = folder.file("input")
      let result = await #expect(processExitsWith: .success) { [name = name as String, marker = marker as String] in
        try SeedReplay.run(name, marker: URL(fileURLWithPath: marker))
      }
      if result == nil {
        Issue.record("\(name): the input is \(String(decoding: folder.bytes("input"), as: UTF8.self))")
      }
    }
  }
}

enum SeedReplay {
  /// The recorded inputs of a harness, in the order of their names.
  static func files(of name: String) throws -> [URL] {
    var folders = ["Fuzzing/Corpus/\(name)"]
    if name == PicturesHarness.name { folders.append("PicturesTests/Fixtures") }
    return try folders.flatMap { name in
      let folder = Fixtures.tests.appendingPathComponent("Passport/\(name)")
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
        .sorted { $0.path < $1.path }
    }
  }

  /// - Parameter marker: a file that names the input under test, for the report after a trap.
  static func run(_ name: String, marker: URL) throws {
    guard let harness = harnesses.first(where: { $0.name == name }) else { fatalError("no harness \(name)") }
    DeterministicRandom.install()
    for file in try files(of: name) {
      let input = Array(try Data(contentsOf: file))
      var generator = SeededGenerator(seed: 1)
      for mutation in 0...mutations {
        try Data("\(file.path), mutation \(mutation)".utf8).write(to: marker)
        DeterministicRandom.reset()
        // A typed error is a valid outcome.
        try? harness.test(mutation == 0 ? input : Fuzzing.mutated(input, &generator))
      }
    }
  }

  /// How many changed copies of each input are tested after it; they are the same in every run.
  private static let mutations = 25
}
