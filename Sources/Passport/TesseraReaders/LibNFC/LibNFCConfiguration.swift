import FoundationEssentials
import TesseraCore
import TesseraSmartCard

/// The devices that the user has configured for libnfc, and whether to search for others: from the environment and the
/// files that libnfc itself reads (nfc-internal.c, `nfc_context_new`; conf.c). They are read here because libnfc's own
/// list opens every USB device that it finds and resets some, even those that another program uses.
struct LibNFCConfiguration: Sendable, Equatable {
  var connstrings: [LibNFCConnstring] = []
  /// Whether USB devices are detected automatically.
  var looksForDevices = true

  /// The configuration of this process.
  static var current: LibNFCConfiguration {
    let folder = "/etc/nfc/devices.d"
    let devices = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
      .filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
    return LibNFCConfiguration(
      environment: ProcessInfo.processInfo.environment, main: text("/etc/nfc/libnfc.conf"),
      devices: devices.map { text("\(folder)/\($0)") })
  }

  /// - Parameters:
  ///   - main: The contents of libnfc.conf.
  ///   - devices: The contents of the files in devices.d, whose keys lack the prefix `device.`.
  init(environment: [String: String], main: String, devices: [String]) {
    let keys = Self.pairs(main) + devices.flatMap { Self.pairs($0).map { ("device.\($0)", $1) } }
    if let only = environment["LIBNFC_DEVICE"], !only.isEmpty {
      add(only)
    } else {
      if let first = environment["LIBNFC_DEFAULT_DEVICE"] { add(first) }
      for (key, value) in keys where key == "device.connstring" { add(value) }
    }
    for (key, value) in keys where key == "allow_autoscan" { apply(value) }
    if let value = environment["LIBNFC_AUTO_SCAN"] { apply(value) }
  }

  private mutating func add(_ text: String) {
    guard let connstring = try? LibNFCConnstring(text), !connstrings.contains(connstring) else { return }
    connstrings.append(connstring)
  }

  private mutating func apply(_ value: String) {
    if ["yes", "true", "1"].contains(value) { looksForDevices = true }
    if ["no", "false", "0"].contains(value) { looksForDevices = false }
  }

  private static func text(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Lines of `key = value` or `key = "value"`; those that begin with # are comments.
  private static func pairs(_ text: String) -> [(String, String)] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmed }
      guard !line.hasPrefix("#"), parts.count == 2 else { return nil }
      return (parts[0], parts[1].trimmed { $0 == "\"" })
    }
  }
}
