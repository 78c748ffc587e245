import TesseraPassport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file `manifest.json` of a dump: how and when the files were read, and by which software.
///
/// It contains the MRZ information of the access key, which discloses nothing more than DG1 in the same dump.
struct DumpManifest: Codable {
  struct PACE: Codable {
    /// The object identifier, dotted.
    var protocolIdentifier: String
    var parameterIdentifier: Int?
    var reason: String
  }

  struct Omission: Codable {
    /// `DG3`.
    var file: String
    var cause: DocumentDump.Omission.Cause
    var reason: String
  }

  static let currentVersion = 1

  var formatVersion = Self.currentVersion
  /// `tessera X.Y.Z`.
  var software: String
  /// ISO 8601, UTC, with milliseconds.
  var readAt: String?
  /// The profile of the virtual chip that was read.
  var virtualProfile: String?
  var reader: String
  /// `none`, `BAC` or `PACE`.
  var accessProtocol: String
  var pace: PACE?
  var paceOmissionReason: String?
  /// Document number, date of birth and date of expiry, each with its check digit.
  var mrzInformation: String?
  var omissions: [Omission]
  var exchanges: Int
  var bytesSent: Int
  var bytesReceived: Int
  /// The duration of the read.
  var milliseconds: Int

  init(_ dump: DocumentDump, software: String, virtualProfile: String?) {
    self.software = software
    self.virtualProfile = virtualProfile
    readAt = dump.readAt?.formatted(Self.timeStyle)
    reader = dump.readerName
    accessProtocol = dump.accessProtocol.rawValue
    pace = dump.pace.map {
      PACE(protocolIdentifier: $0.pace.identifier, parameterIdentifier: $0.parameterIdentifier, reason: $0.reason)
    }
    paceOmissionReason = dump.paceOmissionReason
    mrzInformation = dump.givenKey?.text
    omissions = dump.omissions.map { Omission(file: $0.file.name, cause: $0.cause, reason: $0.reason) }
    exchanges = dump.statistics.exchanges
    bytesSent = dump.statistics.bytesSent
    bytesReceived = dump.statistics.bytesReceived
    milliseconds = Int(dump.duration / .milliseconds(1))
  }

  private static let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
  }
}

// MARK: - Reading

extension DumpManifest {
  private struct Version: Decodable {
    var formatVersion: Int
  }

  /// - Throws: `DumpError.malformed`, `.unsupportedVersion`.
  init(json bytes: [UInt8]) throws(DumpError) {
    let data = Data(bytes)
    if let manifest = try? JSONDecoder().decode(Self.self, from: data), manifest.formatVersion == Self.currentVersion {
      self = manifest
      return
    }
    // A newer version may have other members.
    let version = try? JSONDecoder().decode(Version.self, from: data).formatVersion
    guard let version, version != Self.currentVersion else { throw .malformed(DumpNames.manifest) }
    throw .unsupportedVersion(version)
  }

  /// Larger than any number of a read, and small enough to add and convert without an overflow.
  private static let largestNumber = 1 << 40

  /// Adds what the manifest states to a dump of files.
  ///
  /// - Throws: `DumpError.malformed`.
  func complete(_ dump: inout DocumentDump) throws(DumpError) {
    guard let state = parsed(), [exchanges, bytesSent, bytesReceived, milliseconds].allSatisfy(Self.isPlausible) else {
      throw .malformed(DumpNames.manifest)
    }
    dump.readAt = state.readAt
    dump.accessProtocol = state.accessProtocol
    dump.pace = state.pace
    dump.givenKey = state.key
    dump.omissions = state.omissions
    dump.paceOmissionReason = paceOmissionReason
    dump.readerName = reader
    dump.virtualProfile = virtualProfile
    dump.statistics.exchanges = exchanges
    dump.statistics.bytesSent = bytesSent
    dump.statistics.bytesReceived = bytesReceived
    dump.duration = .milliseconds(milliseconds)
  }

  private static func isPlausible(_ number: Int) -> Bool { (0...largestNumber).contains(number) }

  private struct State {
    var readAt: Date?
    var accessProtocol: AccessProtocol
    var pace: PACERun?
    var key: MRZInformation?
    var omissions: [DocumentDump.Omission]
  }

  /// nil if a member has no valid value.
  private func parsed() -> State? {
    guard let access = AccessProtocol(rawValue: accessProtocol) else { return nil }
    var state = State(accessProtocol: access, omissions: [])
    if let readAt {
      guard readAt.utf8.count == 24, let date = try? Date(readAt, strategy: Self.timeStyle) else { return nil }
      state.readAt = date
    }
    if let pace {
      guard let identifier = PACEProtocol(pace.protocolIdentifier) else { return nil }
      state.pace = PACERun(pace: identifier, parameterIdentifier: pace.parameterIdentifier, reason: pace.reason)
    }
    if let mrzInformation {
      guard let key = try? MRZInformation(typed: mrzInformation), key.text == mrzInformation else { return nil }
      state.key = key
    }
    for omission in omissions {
      guard let file = ElementaryFile.all.first(where: { $0.name == omission.file }) else { return nil }
      // A chip protects these only. Otherwise, whoever removes a group from a dump could call it protected.
      guard omission.cause != .protected || file.needsTerminalAuthentication else { return nil }
      state.omissions.append(.init(file: file, cause: omission.cause, reason: omission.reason))
    }
    return state
  }
}
