import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

/// A display and a home for `tessera-passage`.
final class PassageLab: Sendable {
  static let program = ProgramRun.built("tessera-passage")

  let window: WindowLab

  init(width: Int = 1_280, height: Int = 1_000) async throws {
    window = try await WindowLab(width: width, height: height)
    // Root's sandbox has another identity, which must pass through the home.
    for path in [window.home.url.path, window.home.file("run")] { chmod(path, 0o755) }
  }

  /// GTK's reports of a wrong use, for example of a widget that was released, end the program.
  var environment: [String: String] {
    window.environment.merging(["XDG_STATE_HOME": window.home.file("state"), "G_DEBUG": "fatal-criticals"]) { $1 }
  }

  /// Runs a command of the program to its end.
  func run(
    _ arguments: [String], input: String? = nil, environment more: [String: String] = [:]
  ) async throws -> ProgramRun {
    try await RunningProgram(
      Self.program, arguments, input: input, environment: environment.merging(more) { $1 }
    ).finish(within: 120)
  }

  /// The API for programs, which starts the built program.
  @MainActor
  func passage(_ controller: Controller) -> Passage {
    let whole = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let passage = Passage(program: { SessionProgram(path: Self.program.path) }, environment: whole)
    passage.configure(PassageConfig(uiUrl: controller.ui, apiUrl: controller.address))
    return passage
  }

  /// A token with these claims; nobody checks its signature.
  static func token(_ claims: JSONObject = ["sessionId": "s-1"]) -> String {
    func part(_ json: JSONValue) -> String {
      Data(json.text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    return "\(part(["alg": "none"])).\(part(.object(claims))).x"
  }
}
