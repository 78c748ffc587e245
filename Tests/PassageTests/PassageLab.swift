import Foundation
import Passage
import TesseraBridge
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

  // MARK: - The person

  /// The window of the session.
  func shown() async throws -> String { try await window.window("Passage") }

  /// Waits for the question, and answers it by the keyboard.
  func answer(_ isAllowed: Bool, _ controller: Controller) async throws {
    try await controller.wait("the configuration") { $0.contains { $0["event"] == "configuration" } }
    let window = try await shown()
    // The buttons can be pressed half a second after the question is shown.
    try await Task.sleep(for: .seconds(3))
    try await self.window.press(isAllowed ? ["Tab", "Return"] : ["Return"], in: window)
  }
}

extension PassageLab {
  /// Clicks at a place of the window. Negative numbers count from the right and from the bottom.
  func click(_ x: Int, _ y: Int, in window: String) async throws {
    let geometry = try await xdotool(["getwindowgeometry", "--shell", window])
    func value(_ name: String) -> Int {
      geometry.split(separator: "\n").first { $0.hasPrefix(name + "=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
        ?? 0
    }
    let (right, bottom) = (x < 0 ? value("WIDTH") + x : x, y < 0 ? value("HEIGHT") + y : y)
    _ = try await xdotool(["mousemove", "--window", window, "\(right)", "\(bottom)", "sleep", "0.2", "click", "1"])
  }

  /// Presses the window's close button.
  func clickClose(in window: String) async throws { try await click(-28, 28, in: window) }

  private func xdotool(_ arguments: [String]) async throws -> String {
    let run = try RunningProgram(URL(fileURLWithPath: "/usr/bin/xdotool"), arguments, environment: environment)
    return await run.finish(within: 60).output
  }
}

/// A session that is shown, with consent, at its controller.
@MainActor
struct ShownSession {
  let lab: PassageLab
  let controller: Controller
  let passage: Passage
  let callbacks = Callbacks()

  /// - Parameter page: the path of the third party's page.
  init(
    _ page: String = "/home.html", claims: JSONObject = ["sessionId": "s-1"], configuration: JSONObject = [:],
    remembering commands: ((Controller) -> [JSONValue])? = nil, stopAt: JSONValue? = nil
  ) async throws {
    lab = try await PassageLab()
    controller = try await Controller()
    try controller.configure(page, configuration)
    if let commands { try controller.tell(["do": "remember", "commands": .array(commands(controller))]) }
    if let stopAt { try controller.tell(stopAt) }
    passage = lab.passage(controller)
    passage.open(callbacks.options(PassageLab.token(claims)))
    do {
      try await lab.answer(true, controller)
      try await controller.wait("the connection") { $0.contains { $0["event"] == "connect" } }
    } catch {
      throw LabError(description: "\(error) \(callbacks.all)")
    }
  }

  /// Ends it by the program's wish.
  func close() async throws {
    passage.close()
    _ = try await callbacks.exit()
  }
}
