// Every scenario observes.
@_exported import ScenarioFrame

/// What the tests of FCKOnboarding do in a process whose main thread belongs to GTK.
@main
struct Scenarios {
  static func main() {
    ScenarioProgram.main("FCKScenarios") {
      [
        "calendar": Calendar.run, "equality": Equality.run, "extremes": Extremes.run, "gates": Gates.run,
        "hours": Hours.run, "loading": Gates.load, "numbers": Numbers.run, "pictures": Pictures.run,
        "resizing": Resizing.run,
        "show": Showing.run, "times": Times.run, "trees": Trees.run,
      ]
    }
  }
}
