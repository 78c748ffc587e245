package import Foundation
package import TestSupport
import Testing

/// A display without a screen (Xvfb) and a home directory of its own, for programs with windows.
package final class WindowLab: Sendable {
  /// The reason why the lab cannot run here; nil if it can.
  package static let unavailableReason: String? = {
    for (file, package) in [
      ("/usr/include/webkitgtk-6.0/webkit/webkit.h", "libwebkitgtk-6.0-dev"), ("/usr/bin/Xvfb", "xvfb"),
      ("/usr/bin/xdotool", "xdotool"), ("/usr/bin/bwrap", "bubblewrap"),
    ] where !FileManager.default.fileExists(atPath: file) {
      return "\(file) is missing: apt-get install \(package)"
    }
    return nil
  }()

  /// In continuous integration a missing library is a failure, elsewhere the tests are skipped.
  package static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  package static let program = ProgramRun.built("tessera-window")

  package let home: TemporaryFolder
  private let server: RunningProgram
  private let display: String

  package init(width: Int = 1280, height: Int = 1000) async throws {
    if let reason = Self.unavailableReason { throw LabError(description: reason) }
    home = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: home.file("screen"), withIntermediateDirectories: true)
    // Without `-noreset` the server starts anew when its last client leaves, such as an xdotool that looks for a
    // window, and refuses the program that connects at that moment.
    server = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/Xvfb"),
      [
        "-displayfd", "1", "-screen", "0", "\(width)x\(height)x24", "-nolisten", "tcp", "-noreset", "-fbdir",
        home.file("screen"),
      ])
    _ = await server.wait { $0.output.contains("\n") || !$0.isRunning }
    guard let number = Int(server.output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw LabError(description: "Xvfb did not start: \(server.errors)")
    }
    display = ":\(number)"
    try FileManager.default.createDirectory(atPath: home.file("run"), withIntermediateDirectories: true)
    chmod(home.file("run"), 0o700)
  }

  deinit { server.send(signal: SIGTERM) }

  /// GTK's reports of a wrong use, for example of a widget that was released, end a program.
  package var environment: [String: String] {
    [
      "G_DEBUG": "fatal-criticals",
      "DISPLAY": display, "GDK_BACKEND": "x11", "WAYLAND_DISPLAY": "",
      // Drawn by the processor: this machine has no graphics device.
      "GSK_RENDERER": "cairo", "WEBKIT_DISABLE_DMABUF_RENDERER": "1", "LIBGL_ALWAYS_SOFTWARE": "1",
      "HOME": home.url.path, "XDG_RUNTIME_DIR": home.file("run"), "XDG_DATA_HOME": home.file("data"),
      "XDG_CONFIG_HOME": home.file("config"), "XDG_CACHE_HOME": home.file("cache"),
      // In a folder of the user, since the sandbox of WebKit makes a file in the folder of the bus.
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.file("run/nowhere"))", "NO_AT_BRIDGE": "1", "LANG": "C.UTF-8",
      "LC_ALL": "",
      "LANGUAGE": "",
    ]
  }

  /// Runs a scenario of a program with scenarios to its end.
  package func run(
    _ arguments: [String], program name: String = "WindowScenarios", environment more: [String: String] = [:],
    seconds: Double = 1_800
  ) async throws -> Observations {
    let program = try RunningProgram(
      ProgramRun.built(name), arguments, environment: environment.merging(more) { $1 })
    let run = await program.finish(within: seconds)
    let observations = Observations(run.output)
    try #require(run.status == 0, "\(arguments): \(run.status) \(observations.all.last?.value ?? .null) \(run.errors)")
    return observations
  }

  /// Starts `tessera open` or another command with a window, and returns when its window is there.
  package func open(
    _ arguments: [String], command: String = "open", environment more: [String: String] = [:]
  ) async throws -> RunningProgram {
    let program = try RunningProgram(
      ProgramRun.tessera, [command] + arguments, environment: environment.merging(more) { $1 })
    _ = try await isTrue(every: .milliseconds(50)) { try await !windows().isEmpty || !program.isRunning }
    guard program.isRunning else { throw LabError(description: "no window: \(program.errors)") }
    return program
  }

  /// The windows with this text in their title.
  package func windows(_ title: String = "Tessera") async throws -> [String] {
    try await xdotool(["search", "--onlyvisible", "--name", title]).split(separator: "\n").map(String.init)
  }

  /// Waits for a window that is not one of these, and is large enough for a dialog.
  package func newWindow(beside others: [String]) async throws -> String {
    try await first("new window") {
      for window in try await windows("") where !others.contains(window) {
        let geometry = try await xdotool(["getwindowgeometry", "--shell", window])
        let width = geometry.split(separator: "\n").first { $0.hasPrefix("WIDTH=") }.flatMap { Int($0.dropFirst(6)) }
        if let width, width > 100 { return window }
      }
      return nil
    }
  }

  /// Waits for a window with this text in its title.
  package func window(_ title: String) async throws -> String {
    try await first("window with the title \(title)") { try await windows(title).first }
  }

  private func first<Value>(
    _ what: String, within seconds: Double = 120, _ look: () async throws -> Value?
  ) async throws -> Value {
    var found: Value?
    _ = try await isTrue(within: .seconds(seconds), every: .milliseconds(50)) {
      found = try await look()
      return found != nil
    }
    guard let found else { throw LabError(description: "no \(what)") }
    return found
  }

  /// What is on the display now.
  package func screen() throws -> ScreenPicture {
    try ScreenPicture(Array(Data(contentsOf: URL(fileURLWithPath: home.file("screen/Xvfb_screen0")))))
  }

  /// Waits until the display shows something, and returns it.
  package func screen(
    _ what: String, within seconds: Double = 120, _ condition: (ScreenPicture) -> Bool
  ) async throws -> ScreenPicture {
    try await first("display that shows \(what)", within: seconds) {
      let picture = try screen()
      return condition(picture) ? picture : nil
    }
  }

  /// The windows with a title.
  package func visibleWindows() async throws -> [String] {
    try await xdotool(["search", "--onlyvisible", "--name", "."]).split(separator: "\n").map(String.init)
  }

  /// Presses keys in a window, by the names of X11, for example `Tab` and `ctrl+w`.
  package func press(_ keys: [String], in window: String) async throws {
    // There is no window manager that gives the focus to a new window.
    _ = try await xdotool(["windowfocus", "--sync", window, "key", "--delay", "40"] + keys)
  }

  /// Clicks at a place of the display, in pixels.
  package func click(_ x: String, _ y: String) async throws {
    _ = try await xdotool(["mousemove", x, y, "click", "1"])
  }

  package func type(_ text: String, in window: String) async throws {
    _ = try await xdotool(["windowfocus", "--sync", window, "type", "--delay", "20", text])
  }

  /// Keeps a picture of the window if TESSERA_WINDOW_PICTURES names a folder, to be looked at.
  package func keepPicture(_ name: String, of window: String) async throws {
    try await Task.sleep(for: .seconds(2))
    guard let folder = ProcessInfo.processInfo.environment["TESSERA_WINDOW_PICTURES"] else { return }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/env"), ["import", "-window", window, "\(folder)/\(name).png"],
      environment: environment
    ).finish(within: 60)
  }

  private func xdotool(_ arguments: [String]) async throws -> String {
    let run = try RunningProgram(URL(fileURLWithPath: "/usr/bin/xdotool"), arguments, environment: environment)
    return await run.finish(within: 60).output
  }
}

package struct LabError: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}
