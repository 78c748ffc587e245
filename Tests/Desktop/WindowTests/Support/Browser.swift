import Foundation
import TestSupport

/// Chromium without a window.
enum Browser {
  static let program = URL(fileURLWithPath: "/usr/bin/chromium")

  static func start(_ address: String, home: TemporaryFolder) throws -> RunningProgram {
    try RunningProgram(
      program,
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--user-data-dir=\(home.file("chromium"))", address,
      ], environment: ["HOME": home.url.path])
  }
}
