import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

/// What the user at the display does and sees.
extension PassageLab {
  /// The window of the session.
  func shown() async throws -> String { try await window.window("Passage") }

  /// The sandbox of the session, whose arguments name the folders of this lab.
  var sessionProcess: pid_t? {
    Descendants.named("bwrap").first {
      let arguments = Descendants.text("/proc/\($0)/cmdline")
      return arguments.contains("session") && arguments.contains(window.home.url.path)
    }
  }

  /// Waits for the question, and answers it by the keyboard.
  ///
  /// - Parameter configurations: How often an earlier session asked for the configuration.
  func answer(_ isAllowed: Bool, _ controller: Controller, after configurations: Int = 0) async throws {
    try await controller.wait("the configuration") { $0.count { $0["event"] == "configuration" } > configurations }
    let window = try await question()
    try await self.window.press(isAllowed ? ["Tab", "Return"] : ["Return"], in: window)
  }

  /// Waits until the question of the consent is shown and its buttons can be pressed, which the window's title says.
  ///
  /// - Returns: the window.
  func question() async throws -> String { try await window.window("Let a server use") }

  /// Waits until these windows are on the display: menus are windows, too.
  func wait(_ what: String, until condition: (Set<String>) -> Bool) async throws {
    try await eventually(what, every: .milliseconds(50)) { condition(Set(try await window.windows(""))) }
  }

  // MARK: - The pointing device

  /// Clicks at a place of the window. Negative numbers count from the right and from the bottom.
  func click(_ x: Int, _ y: Int, button: Int = 1, in window: String) async throws {
    let place = try await place(x, y, in: window)
    try await xdotool(["mousemove", "\(place.x)", "\(place.y)", "sleep", "0.2", "click", "\(button)"])
  }

  /// Presses the button at one place of the window, and lets go at another one.
  func drag(from start: (x: Int, y: Int), to end: (x: Int, y: Int), in window: String) async throws {
    let (start, end) = (try await place(start.x, start.y, in: window), try await place(end.x, end.y, in: window))
    var words = ["mousemove", "\(start.x)", "\(start.y)", "sleep", "0.2", "mousedown", "1"]
    // A finger or a mouse passes through the places between.
    for step in 1...10 {
      let (x, y) = (start.x + (end.x - start.x) * step / 10, start.y + (end.y - start.y) * step / 10)
      words += ["mousemove", "\(x)", "\(y)", "sleep", "0.02"]
    }
    try await xdotool(words + ["mouseup", "1"])
  }

  /// Presses the window's close button.
  func clickClose(in window: String) async throws { try await click(-28, 28, in: window) }

  /// Presses the window's back button when it is there: it fades in above the empty corner of the page.
  func clickBack(in window: String) async throws {
    let (x, y) = try await place(20, 20, in: window)
    _ = try await self.window.screen("the back button") { $0.colors(x: x..<x + 16, y: y..<y + 16).count > 1 }
    try await click(28, 28, in: window)
  }

  /// A place of the window on the display.
  func place(_ x: Int, _ y: Int, in window: String) async throws -> (x: Int, y: Int) {
    let geometry = try await xdotool(["getwindowgeometry", "--shell", window])
    func value(_ name: String) throws -> Int {
      let line = geometry.split(separator: "\n").first { $0.hasPrefix(name + "=") }
      return try #require(line.flatMap { Int($0.dropFirst(name.count + 1)) }, "\(geometry)")
    }
    let (left, top) = (try value("X"), try value("Y"))
    return (left + (x < 0 ? try value("WIDTH") + x : x), top + (y < 0 ? try value("HEIGHT") + y : y))
  }

  @discardableResult
  private func xdotool(_ arguments: [String]) async throws -> String {
    let run = try RunningProgram(URL(fileURLWithPath: "/usr/bin/xdotool"), arguments, environment: environment)
    return await run.finish(within: 60).output
  }

  // MARK: - The display

  /// Keeps a picture of the window if TESSERA_WINDOW_PICTURES names a folder, to be looked at.
  func keepPicture(_ name: String) async throws {
    guard ProcessInfo.processInfo.environment["TESSERA_WINDOW_PICTURES"] != nil else { return }
    try await window.keepPicture(name, of: try await shown())
  }

  /// Waits until the window has this colour in at least, or at most, so many pixels. Around it the display is black.
  func see(_ color: ScreenPicture.Color, atLeast least: Int = 0, atMost most: Int = .max) async throws {
    let shown = try await shown()
    let (first, last) = (try await place(0, 0, in: shown), try await place(-1, -1, in: shown))
    _ = try await window.screen("\(color) in \(least) to \(most) pixels") {
      (least...most).contains($0.count(color, x: first.x..<last.x + 1, y: first.y..<last.y + 1))
    }
  }
}
