import FoundationEssentials
import Glibc
import TesseraBridge
import TesseraVirtualChip
import TesseraWindow
import TestSupport

/// The memory of a window and its processes. Argument: "bare" for a window of WebKitGTK with an empty page, "page" for
/// the verification page.
@MainActor
enum Memory {
  static func run(_ arguments: [String]) async throws {
    if arguments.first == "bare" {
      let view = BareView("<!doctype html><title>empty</title>")
      try await view.loaded()
      return try await report("bare")
    }
    let document = try SpecimenDocument()
    let run = try await VerificationRun(.virtual(.bac, document.files), trust: document.country)
    try await report("page")
    try await run.read()
    try await run.waitForResult()
    try await report("page with a result")
    await run.close()
  }

  private static func report(_ name: String) async throws {
    // Memory that the page no longer needs is given back a while later.
    try await letPass(.seconds(2))
    let parts = ([getpid()] + Descendants.all()).map { ProcessMemory($0) }.filter { $0.kilobytes > 500 }
    observe(
      name,
      [
        "megabytes": .integer(Int64(parts.map(\.kilobytes).reduce(0, +) / 1_024)),
        "processes": .array(parts.map { .string("\($0.name) \($0.kilobytes / 1_024)") }),
      ])
  }
}

/// 100 launches one after the other. Argument: their number.
@MainActor
enum Launches {
  static func run(_ arguments: [String]) async throws {
    let count = arguments.first.flatMap { Int($0) } ?? 100
    let document = try SpecimenDocument()
    var configuration = LaunchConfiguration()
    configuration.grantsFile = "/proc/nonexistent/grants"
    let registry = SdkProviderRegistry()
    let sdk = SelfSdk(
      configuration, registry, .withSystemProviders(registry: registry, cards: .virtual(.bac, document.files)))
    var outcomes: [String: Int] = [:]
    for number in 0..<count {
      // The first ones fill caches.
      if number == count / 5 { try await report("before") }
      let launch = Task { try await sdk.launch(nil) }
      try await letPass(.milliseconds(250))
      // The first one starts the process that all views share, which stays. A busy machine takes longer.
      try await becomesTrue { number > 0 || !Descendants.named("WebKitNetworkProcess").isEmpty }
      launch.cancel()
      do {
        _ = try await launch.value
        outcomes["result", default: 0] += 1
      } catch LaunchError.cancelled {
        outcomes["cancelled", default: 0] += 1
      } catch {
        outcomes["\(error)", default: 0] += 1
      }
    }
    try await report("after")
    observe("outcomes", .object(JSONObject(outcomes.mapValues { .integer(Int64($0)) })))
  }

  private static func report(_ name: String) async throws {
    // Processes of closed views end by themselves.
    try await becomesTrue { Descendants.named("WebKitWebProcess").isEmpty }
    try await letPass(.seconds(1))
    // Without files: WebKit opens some of /proc and /sys once, after a few seconds, to watch the memory.
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      return target?.hasPrefix("/") == false
    }
    observe(
      name,
      [
        "processes": .array(Descendants.all().map { .string(ProcessMemory($0).name) }),
        "descriptors": .integer(Int64(descriptors)),
        "kilobytes": .integer(Int64(ProcessMemory(getpid()).kilobytes)),
        "all kilobytes": .integer(
          Int64(([getpid()] + Descendants.all()).map { ProcessMemory($0).kilobytes }.reduce(0, +))),
      ])
  }
}

/// The proportional set size of a process: shared pages count by the number of processes that share them.
struct ProcessMemory {
  let name: String
  let kilobytes: Int

  init(_ process: pid_t) {
    name = Descendants.text("/proc/\(process)/comm").trimmingSuffix("\n")
    let line = Descendants.text("/proc/\(process)/smaps_rollup").split(separator: "\n").first { $0.hasPrefix("Pss:") }
    kilobytes = line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
