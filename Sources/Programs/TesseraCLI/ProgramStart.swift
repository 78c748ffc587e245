import Glibc
import Tessera

/// Starts another program of this package, so that this one does not need the libraries of that one.
struct ProgramStart {
  /// Needs GTK and WebKitGTK.
  static let window = ProgramStart(
    program: "tessera-window",
    build: "Install libwebkitgtk-6.0-dev, then run: swift build -c release --product tessera-window")
  /// Needs libnats.
  static let fleet = ProgramStart(
    program: "tessera-fleet", build: "Run: Tests/setup fleet && swift build --product tessera-fleet")

  let program: String
  /// The remedy in a clone.
  let build: String

  private var remedy: String {
    ProgramFile.packageInstallation(of: program).map { "\($0.remedy) Run: \($0.command)" } ?? build
  }

  /// The process goes on as the other program, with the same arguments.
  ///
  /// - Throws: `Failure` if that program is not installed.
  func replaceProcess(arguments: [String] = Array(CommandLine.arguments.dropFirst())) throws -> Never {
    for path in ProgramFile.paths(of: program) {
      var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
      pointers.append(nil)
      execv(path, pointers)
    }
    throw Failure(.serviceUnavailable, "The program \(program) is not installed.", remedy: remedy)
  }
}
