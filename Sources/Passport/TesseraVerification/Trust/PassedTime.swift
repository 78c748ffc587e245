import TesseraCore
import TesseraDurableFiles

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A time that has passed: then somebody signed something that was verified here. A clock that is earlier is wrong.
package struct PassedTime: Sendable, Equatable {
  /// No right clock is earlier.
  package let date: Date
  /// What was signed, with its article.
  private let thing: String
  /// When it was signed, as the signer states.
  private let time: Date
  /// The file of the user from which it is known; nil for what was imported.
  private let file: String?
  /// The source of what was imported, which removes it; nil if it is not known.
  private let source: String?

  /// Signers state their local time as UTC. In seconds.
  package static let tolerance: Double = 86_400

  /// - Parameters:
  ///   - date: no right clock is earlier.
  ///   - thing: what was signed, with its article, for example `a document`.
  ///   - time: when it was signed; nil if only `date` is known.
  ///   - file: where it is stored, which the user can remove; nil for what was imported.
  ///   - source: the source of what was imported (`tessera trust remove --source`), if it is known.
  package init(date: Date, thing: String, time: Date? = nil, file: String? = nil, source: String? = nil) {
    self.date = date
    self.thing = thing
    self.time = time ?? date
    self.file = file
    self.source = source
  }

  /// What is wrong with a clock, and what to do about it; nil if the clock can be right.
  package func problem(of now: Date) -> Failure? {
    guard now < date else { return nil }
    return Failure(
      .serviceUnavailable, "The clock of this machine is wrong: it says \(now.ISO8601Format()), but \(signature).",
      remedy: remedy)
  }

  /// What was signed, and when. Of a document only the year: its date of issue is the holder's.
  private var signature: String {
    if file != nil { return "\(thing) was signed later than that, not before \(date.ISO8601Format().prefix(4))" }
    return "\(thing) was signed at \(time.ISO8601Format())"
  }

  private var remedy: String {
    if let file { return "Set the clock, or remove \(PrintableText.of(file)) if its time is in the future." }
    let clock = "Set the clock, for example with timedatectl set-ntp true."
    guard let source else { return clock }
    // The name of a file, or an address. What a shell would understand otherwise, the user must quote.
    let isPlain =
      !source.isEmpty
      && source.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "-")...UInt8(ascii: ":") ~= byte
          || byte == UInt8(ascii: "_")
      }
    let removal = isPlain ? "tessera trust remove --source \(source)" : "tessera trust remove --source NAME"
    let name = isPlain ? "" : ", where NAME is “\(PrintableText.of(source))”"
    return "\(clock) If the date of the list is in the future, remove it: `\(removal)`\(name)."
  }
}

/// The file in which the newest time is kept at which a document that was verified here was signed. A clock that is reset
/// later is then noticed before the next document.
package struct SigningTimeFile: Sendable {
  private let file: DurableFile

  /// - Parameter path: a file that need not exist.
  package init(path: String) { file = DurableFile(path: path) }

  /// That of the user: `$XDG_STATE_HOME/tessera/kiosk-clock`. The service has the same one as the kiosk.
  package static func standard(_ environment: [String: String]) -> SigningTimeFile {
    SigningTimeFile(path: UserFolders.state(environment) + "/tessera/kiosk-clock")
  }

  package var path: String { file.path }

  /// The stored time; nil for a file that is not there or says nothing: nobody is sent away for that.
  package func read() -> PassedTime? {
    let bytes = (try? file.bytes(upTo: 64)) ?? nil
    return bytes.flatMap { try? Date(String(decoding: $0, as: UTF8.self), strategy: .iso8601) }.map(passed)
  }

  /// Stores a time. A file that cannot be written is not an error: the time counts in this process.
  package func write(_ time: PassedTime) {
    _ = try? file.write(Array(time.date.ISO8601Format().utf8), replacing: true)
  }

  /// A time of a document, which may be a document that was wrong: the user can remove the file.
  package func passed(_ date: Date) -> PassedTime {
    PassedTime(date: date, thing: "a document that was read", file: file.path)
  }
}
