/// Checks that the program for fleets is installed, which `tessera` starts.
struct FleetProgramCheck: DiagnosticCheck {
  let title = "Fleet program"

  func findings() async -> [Finding] {
    guard let path = ProgramFile.paths(of: "tessera-fleet").first else {
      let installation =
        ProgramFile.packageInstallation(of: "tessera-fleet") ?? (
          "Install the libraries that it needs, and build it in the folder of the sources.",
          "Tests/setup fleet && swift build --product tessera-fleet"
        )
      return [
        problem(
          "fleet.program", "The program tessera-fleet is not installed.", remedy: installation.remedy,
          command: installation.command)
      ]
    }
    return [ok("fleet.program", "\(path) is installed.")]
  }
}
