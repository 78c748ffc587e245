import Foundation

/// libFuzzer's two entry points. `TESSERA_FUZZ` names the harness. If `TESSERA_FUZZ_SEEDS` names a folder, the seeds of
/// every harness are written there and nothing is fuzzed.

@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>?, _ arguments: UnsafeMutableRawPointer?) -> Int32 {
  DeterministicRandom.install()
  let environment = ProcessInfo.processInfo.environment
  if let folder = environment["TESSERA_FUZZ_SEEDS"] {
    do {
      for harness in harnesses { try writeSeeds(of: harness, below: URL(fileURLWithPath: folder)) }
    } catch {
      fatalError("seeds: \(error)")
    }
    exit(0)
  }
  guard harnesses.contains(where: { $0.name == environment["TESSERA_FUZZ"] }) else {
    print("TESSERA_FUZZ must be one of: \(harnesses.map { $0.name }.joined(separator: " "))")
    exit(64)
  }
  // What a harness makes once has no part in the time of its first input.
  return testOneInput(nil, 0)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  DeterministicRandom.reset()
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  // A typed error is a valid outcome. A trap, an invalid access, a hang and a violated property are findings.
  do { try selected.test(input) } catch {}
  return 0
}

/// The harness of this process.
private let selected: any Harness.Type = {
  let name = ProcessInfo.processInfo.environment["TESSERA_FUZZ"]
  guard let harness = harnesses.first(where: { $0.name == name }) else { fatalError("no such harness") }
  return harness
}()

private func writeSeeds(of harness: any Harness.Type, below folder: URL) throws {
  let own = folder.appendingPathComponent(harness.name)
  try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
  for (name, bytes) in try harness.seeds() {
    try Data(bytes).write(to: own.appendingPathComponent(name))
  }
}
