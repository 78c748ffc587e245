#if canImport(CTesseraWebKitGTK)
  import Glibc
  import TesseraBridge
  import TesseraThreads
  import TesseraWindow

  /// What the tests of the window do with WebKit, in a process whose main thread belongs to GTK: each run is one scenario,
  /// which prints its observations as lines of JSON. The tests judge them.
  @main
  struct Scenarios {
    static func main() {
      OpenSSLCleanup.disable()
      TaskExecutorThreads.install()
      let arguments = Array(CommandLine.arguments.dropFirst())
      let status = MainActor.assumeIsolated { MainLoop.run { await run(arguments) } }
      fflush(nil)
      _exit(status ?? 1)
    }

    @MainActor
    private static func run(_ arguments: [String]) async -> Int32 {
      guard let name = arguments.first, let scenario = all[name] else {
        print("usage: WindowScenarios \(all.keys.sorted().joined(separator: "|"))")
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

    @MainActor
    private static let all: [String: @MainActor ([String]) async throws -> Void] = [
      "async-functions": AsyncFunctions.run, "behavior": Behavior.run, "benchmark": RoundTrips.run,
      "endings": Endings.run, "isolation": Isolation.run,
      "launches": Launches.run, "memory": Memory.run, "parity": Parity.run, "permissions": Asking.run,
      "cookies": Cookies.run, "cookies-again": Cookies.runAgain, "navigations": Navigations.run, "popups": Popups.run,
      "view-pictures": ViewPictures.run, "pictures": Pictures.run, "texts": ChangingTexts.run,
      "views": SeveralViews.run,
    ]
  }

  /// Prints one observation.
  func observe(_ name: String, _ value: JSONValue) {
    print((["name": .string(name), "value": value] as JSONValue).text)
    fflush(nil)
  }
#else
  import Glibc

  @main
  struct Scenarios {
    static func main() {
      print("this program was built without WebKitGTK: apt-get install libwebkitgtk-6.0-dev")
      exit(69)
    }
  }
#endif
