// Every scenario observes.
@_exported import ScenarioFrame

/// What the tests of the window do with WebKit, in a process whose main thread belongs to GTK.
@main
struct Scenarios {
  static func main() {
    ScenarioProgram.main("WindowScenarios") {
      [
        "async-functions": AsyncFunctions.run, "behavior": Behavior.run, "benchmark": RoundTrips.run,
        "endings": Endings.run, "isolation": Isolation.run,
        "launches": Launches.run, "loads": Loads.run, "memory": Memory.run, "page-vectors": VectorsOfPage.run,
        "parity": Parity.run,
        "permissions": Asking.run,
        "cookies": Cookies.run, "cookies-again": Cookies.runAgain, "navigations": Navigations.run,
        "popups": Popups.run, "sessions": Sessions.run, "signals": SignalHandlers.run,
        "view-pictures": ViewPictures.run, "pictures": Pictures.run,
        "views": SeveralViews.run,
      ]
    }
  }
}
