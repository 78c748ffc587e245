/// Checks that the program for fleets is installed, which `tessera` starts.
struct FleetProgramCheck: DiagnosticCheck {
  let title = "Fleet program"

  func findings() async -> [Finding] {
    guard let path = ProgramFile.paths(of: "tessera-fleet").first else {
      return [
        problem(
          "fleet.program", "The program tessera-fleet is not installed.",
          remedy: "Install the libraries that it needs, and build it in the folder of the sources.",
          command: "Tests/setup fleet && swift build --product tessera-fleet")
      ]
    }
    return [ok("fleet.program", "\(path) is installed.")]
  }
}
