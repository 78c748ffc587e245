import Glibc
import TesseraCryptography
import TesseraThreads
import TesseraWebContent

/// What a test does with GTK or WebKit, in a process whose main thread belongs to GTK. It prints its observations.
package typealias Scenario = @MainActor (_ arguments: [String]) async throws -> Void

/// A program of scenarios. Each run is one scenario, which prints its observations as lines of JSON. The tests judge
/// them.
package enum ScenarioProgram {
  /// Runs the scenario that the first argument names, with the other arguments, and ends the process.
  ///
  /// The status is 0 after the scenario, 1 if it threw an error, and 2 if there is no scenario of that name.
  ///
  /// - Parameters:
  ///   - name: The program's name, for the usage.
  ///   - scenarios: The scenarios, by their names.
  package static func main(_ name: String, _ scenarios: @escaping @MainActor () -> [String: Scenario]) -> Never {
    OpenSSLCleanup.disable()
    TaskExecutorThreads.install()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let status = MainActor.assumeIsolated { MainLoop.run { await run(name, scenarios(), arguments) } }
    fflush(nil)
    _exit(status ?? 1)
  }

  @MainActor
  private static func run(_ program: String, _ scenarios: [String: Scenario], _ arguments: [String]) async -> Int32 {
    guard let name = arguments.first, let scenario = scenarios[name] else {
      print("usage: \(program) \(scenarios.keys.sorted().joined(separator: "|"))")
      return 2
    }
    do {
      try MainLoop.openDisplay()
      try await scenario(Array(arguments.dropFirst()))
      return 0
    } catch {
      observe("error", .string("\(error)"))
      return 1
    }
  }
}
