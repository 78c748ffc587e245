import FoundationEssentials
import Glibc
package import Tessera

/// Another program of Tessera. `tessera` starts it for the commands that need libraries of their own.
package struct SiblingProgram: Sendable {
  package static let service = SiblingProgram(
    name: "tessera-service", package: "tessera", build: "Run: swift build --product tessera-service")
  /// Needs GTK and WebKitGTK.
  package static let window = SiblingProgram(
    name: "tessera-window", package: "tessera-window",
    build: "Run: Tests/setup window && swift build --product tessera-window")
  /// Needs libnats.
  package static let fleet = SiblingProgram(
    name: "tessera-fleet", package: "tessera-fleet",
    build: "Run: Tests/setup fleet && swift build --product tessera-fleet")

  package let name: String
  /// The Debian package that has the program.
  let package: String
  /// The remedy in a clone.
  let build: String

  private var remedy: String {
    ProgramFile.packageInstallation(of: package).map { "\($0.remedy) Run: \($0.command)" } ?? build
  }

  /// The process goes on as the other program.
  ///
  /// The other program learns from the first word of its arguments, `tessera`, how the user calls its commands.
  ///
  /// - Parameter arguments: by default those of this process.
  /// - Throws: `Failure` if that program is not installed.
  package func replaceProcess(
    arguments: some Collection<String> = CommandLine.arguments.dropFirst()
  ) throws(Failure) -> Never {
    for path in ProgramFile.paths(of: name) { Self.execute(path, ["tessera"] + arguments) }
    throw missing
  }

  /// - Throws: `Failure` if that program is not installed.
  package func path() throws(Failure) -> String {
    guard let path = ProgramFile.paths(of: name).first else { throw missing }
    return path
  }

  private var missing: Failure {
    Failure(.serviceUnavailable, "The program \(name) is not installed.", remedy: remedy)
  }

  /// Returns only if the file is no program.
  package static func execute(_ path: String, _ words: [String]) {
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    pointers.append(nil)
    execv(path, pointers)
    for pointer in pointers { free(pointer) }
  }

  /// How the user calls this process: `tessera` if that program started it, else the name of the program.
  ///
  /// - Parameter name: that of the running program.
  package static func calledName(_ name: String) -> String {
    CommandLine.arguments.first == "tessera" ? "tessera" : name
  }
}

/// A command of `tessera` that another program has.
package struct SiblingCommand: Sendable {
  package static let serve = SiblingCommand(
    "serve", .service, "Serves the bridge to this user's programs and, on request, to web pages.")
  package static let service = SiblingCommand("service", .service, "Installs the service as systemd user units.")
  package static let call = SiblingCommand(
    "call", .service, "Sends one bridge request and prints the data of its response.")
  package static let open = SiblingCommand("open", .window, "Opens a window with web content and prints its result.")
  package static let kiosk = SiblingCommand(
    "kiosk", .window, "Reads and verifies documents on the whole screen, for one guest after the other.")
  package static let flow = SiblingCommand("flow", .window, "Shows and checks onboarding flows.")
  package static let strings = SiblingCommand(
    "strings", .window, "Shows the texts that a program gets from rerune.io, and updates them.")
  package static let inspect = SiblingCommand("inspect", .fleet, "Judges the documents that the desks of a fleet read.")
  package static let fleet = SiblingCommand(
    "fleet", .fleet, "Sets up, watches and uses a fleet: desks whose documents are judged elsewhere.")

  package static let all = [serve, service, call, open, kiosk, flow, strings, inspect, fleet]

  package let name: String
  package let program: SiblingProgram
  package let abstract: String

  private init(_ name: String, _ program: SiblingProgram, _ abstract: String) {
    self.name = name
    self.program = program
    self.abstract = abstract
  }
}
