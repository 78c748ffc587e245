import Foundation
import TestSupport
import Testing
import WindowTestSupport

extension WindowLab {
  /// Types the data of the specimen at Tessera's page, whose first field has the focus, and waits for the verdict.
  func readSpecimen(in window: String) async throws {
    try await typeSpecimen(in: window)
    _ = try await self.window("Genuine")
  }

  /// Types the data of the specimen at Tessera's page, which begins the read.
  func typeSpecimen(in window: String) async throws {
    for (text, key) in [("TS0264718", "Tab"), ("900214", "Tab"), ("350630", "Return")] {
      try await type(text, in: window)
      try await press([key], in: window)
    }
  }

  /// Presses "Done" beside the verdict, which is the next stop of the focus, and waits for the page of the next guest.
  func leaveVerdict() async throws {
    try await press(["Tab", "Return"], in: window("Genuine"))
    _ = try await window("Check a document")
  }
}

/// `tessera kiosk` on a display without a window manager, whose results wait on a small disk for a server, with all that
/// can fail.
struct KioskLab {
  let window: WindowLab
  let desk: TLSServer
  let disk: String
  private var program: RunningProgram
  /// What earlier processes wrote.
  private var earlierErrors = ""
  /// How many processes were killed.
  private(set) var kills = 0

  init() async throws {
    let window = try await WindowLab()
    self.window = window
    disk = window.home.file("disk")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    try #require(SmallDisk.mount(at: disk), "\(SmallDisk.unavailableReason ?? "mount")")
    do {
      desk = try await TLSServer(published: window.home.url.path)
      program = try await Self.start(window, desk, disk)
    } catch {
      SmallDisk.unmount(disk)
      throw error
    }
  }

  private static func start(_ window: WindowLab, _ desk: TLSServer, _ disk: String) async throws -> RunningProgram {
    try await window.open(
      ["--virtual", "--failures", "1000", "--results", desk.address("results"), "--outbox", "\(disk)/outbox"],
      command: "kiosk", environment: ["SSL_CERT_FILE": desk.certificateFile, "no_proxy": "localhost"])
  }

  /// What all processes of the kiosk wrote.
  var errors: String { earlierErrors + program.errors }

  /// The identifiers of the results that the kiosk called stored.
  var stored: Set<String> {
    Set(
      errors.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        return words.count > 4 && words[1] == "Result" && words[4].hasPrefix("stored") ? String(words[2]) : nil
      })
  }

  /// How often the kiosk said that the disk did not take a result.
  var refusals: Int { errors.split(separator: "\n").count { $0.contains("A result is not stored") } }

  /// Whether no result waits on the disk.
  var isOutboxEmpty: Bool {
    get throws {
      try !FileManager.default.contentsOfDirectory(atPath: "\(disk)/outbox").contains { $0.hasSuffix(".json") }
    }
  }

  func read() async throws { try await window.readSpecimen(in: window.window("Check a document")) }

  /// Kills the process of the page.
  func killPage() async throws {
    _ = try await window.window("Check a document")
    let processes = Descendants.named("WebKitWebProcess", of: program.processIdentifier)
    #expect(!processes.isEmpty)
    for process in processes { kill(process, SIGKILL) }
    _ = try await window.window("No page")
  }

  /// Kills the program, and starts it again as its unit would.
  mutating func killProgram() async throws {
    program.send(signal: SIGKILL)
    earlierErrors += await program.finish(within: 60).errors
    kills += 1
    program = try await Self.start(window, desk, disk)
    _ = try await window.window("Check a document")
  }

  /// Ends the program by its signal.
  mutating func stop() async -> ProgramRun {
    program.send(signal: SIGTERM)
    return await program.finish(within: 60)
  }

  /// The server has requests and answers none, until `answer`.
  func hold() throws { try Data().write(to: URL(fileURLWithPath: window.home.file("hold"))) }
  func answer() throws { try FileManager.default.removeItem(atPath: window.home.file("hold")) }
}
