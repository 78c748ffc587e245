// Every scenario observes.
@_exported import ScenarioFrame

/// What the tests of the window do with WebKit, in a process whose main thread belongs to GTK.
@main
struct Scenarios {
  static func main() {
    // The only one whose main thread does not belong to GTK.
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "without-loop" { Configuring.runWithoutLoop(arguments) }
    ScenarioProgram.main("WindowScenarios") {
      [
        "async-functions": AsyncFunctions.run, "behavior": Behavior.run, "benchmark": RoundTrips.run,
        "configuring": Configuring.run,
        "endings": Endings.run, "hanging-page": HangingPage.run, "isolation": Isolation.run,
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
