// Every scenario observes.
@_exported import ScenarioFrame

/// What the tests of RampKit do with WebKit, in a process whose main thread belongs to GTK.
@main
struct Scenarios {
  static func main() {
    ScenarioProgram.main("RampKitScenarios") {
      [
        "forms": MessageForms.run, "host": Hosting.run, "memory": PageMemory.run, "published": Published.run,
        "overlay": Overlays.run,
        "page-actions": PageActions.run,
        "page-hardening": PageHardening.run,
        "page-onopen": PageOnOpen.run,
        "page-rules": PageRules.run, "page-samples": PageSamples.run, "page-templates": PageTemplates.run,
        "page-policy": PagePolicy.run,
        "page-translations": PageTranslations.run, "page-values": PageValues.run,
      ]
    }
  }
}
