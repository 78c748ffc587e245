import Foundation
import Tessera
import TesseraThreads

/// Verifying 10,000 dumps on all cores in a process of its own: the rate for each core, and the memory.
enum ManyDumps {
  private static let argument = "--verify-for-peak-memory"
  private static let count = 10_000

  static func run(_ dumps: MeasuredDumps) throws -> [Measurement] {
    let folder = dumps.folder + "/many"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for index in 0..<count {
      guard link(dumps.entries[index % dumps.entries.count].file, "\(folder)/\(index).tessera") == 0 else {
        throw POSIXError(.EIO)
      }
    }
    let verifier = Process()
    verifier.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    verifier.arguments = [argument, dumps.folder]
    let output = Pipe()
    verifier.standardOutput = output
    try verifier.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    verifier.waitUntilExit()
    let numbers = String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Double($0) }
    guard verifier.terminationStatus == 0, numbers.count == 4 else { throw POSIXError(.ECHILD) }

    let floors = dumps.entries.map(\.alone)
    let alone = Spent { _ = Array(0..<count).concurrentMap { (try? floors[$0 % floors.count].run()) != nil } }
    let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
    func rate(_ milliseconds: Double) -> Double { Double(count) * 1000 / milliseconds / cores }
    return [
      Measurement(
        "verifying \(count) dumps, for each core, elapsed", rate(numbers[0]), .perSecond, floor: rate(alone.elapsed),
        of: "OpenSSL alone, digests and signatures"),
      Measurement(
        "  each, computing", numbers[1] / Double(count), .milliseconds, floor: alone.computing / Double(count),
        of: "OpenSSL alone, digests and signatures"),
      Measurement(
        "  peak resident memory", numbers[3] / 1024, .mebibytes, floor: numbers[2] / 1024, of: "after 100 dumps"),
    ]
  }

  // MARK: - In the separate process

  /// Whether this process is the verifier. If so, it has verified the dumps and printed the elapsed and the processor
  /// time in milliseconds, and its peak memory in kibibytes after 100 and after all dumps.
  static func isVerifier(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 3, arguments[1] == argument else { return false }
    let trust = try TrustStore(folder: arguments[2] + "/trust").load()
    let paths = (0..<count).map { "\(arguments[2])/many/\($0).tessera" }
    func verify(_ paths: ArraySlice<String>) throws {
      let results = paths.concurrentMap { path in Result { try MeasuredDumps.verify(path, trust) } }
      for result in results { try result.get() }
    }
    var memory = 0
    let spent = try Spent {
      try verify(paths.prefix(100))
      memory = try PeakMemory.ownStatus("VmHWM:")
      try verify(paths.dropFirst(100))
    }
    print(spent.elapsed, spent.computing, memory, try PeakMemory.ownStatus("VmHWM:"), terminator: "")
    return true
  }
}
