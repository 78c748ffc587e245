import ScenarioFrame

/// What the tests of ReRuneGTK do in a process whose main thread belongs to GTK.
@main
struct Scenarios {
  static func main() { ScenarioProgram.main("ReRuneScenarios") { ["texts": ChangingTexts.run] } }
}
