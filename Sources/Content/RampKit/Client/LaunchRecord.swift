internal import FoundationEssentials
import TesseraBridge
import TesseraDurableFiles
import TesseraThreads

/// When the program was first started, how often, and what the user decided about notifications: a file of mode 0600 in
/// `$XDG_STATE_HOME/<program>/rampkit.json`.
struct LaunchRecord: Sendable, Equatable {
  var installDate: Date
  var launchCount = 0
  var lastLaunch: Date?
  /// nil if the user was not asked.
  var allowsNotifications: Bool?

  var isFirstLaunch: Bool { launchCount <= 1 }

  func days(until now: Date) -> Int { max(0, Int(now.timeIntervalSince(installDate) / 86_400)) }
}

extension LaunchRecord {
  private static let maximumSize = 64 << 10

  /// The path of the record.
  static func path(_ environment: [String: String], appName: String) -> String {
    let folder = UserFolders.programFolder(appName, standard: "rampkit")
    return "\(UserFolders.state(environment))/\(folder)/rampkit.json"
  }

  /// Reads the record; nil if there is none, or if it is damaged.
  static func read(_ path: String) -> LaunchRecord? {
    guard let bytes = try? DurableFile(path: path).bytes(upTo: maximumSize),
      let json = try? JSONValue(text: String(decoding: bytes, as: UTF8.self)),
      let install = json["rk_install_date"]?.stringValue.flatMap(Timestamp.date)
    else { return nil }
    var record = LaunchRecord(installDate: install)
    if case .integer(let count)? = json["rk_launch_count"] { record.launchCount = Int(max(0, min(count, 1 << 53))) }
    record.lastLaunch = json["rk_last_launch"]?.stringValue.flatMap(Timestamp.date)
    if case .bool(let allows)? = json["notifications"] { record.allowsNotifications = allows }
    return record
  }

  func write(_ path: String) throws {
    var json: JSONObject = [
      "rk_install_date": .string(Timestamp.text(installDate)), "rk_launch_count": .integer(Int64(launchCount)),
    ]
    json["rk_last_launch"] = lastLaunch.map { .string(Timestamp.text($0)) }
    json["notifications"] = allowsNotifications.map { .bool($0) }
    _ = try DurableFile(path: path).write(Array(JSONValue.object(json).text.utf8), replacing: true)
  }
}
