import TesseraCore
import TesseraCryptography
import TesseraSmartCard

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The result of one read: raw files, their parsed form, and how they were obtained. It contains no verdict:
/// verification takes a dump and reports on it.
public struct DocumentDump: Sendable {
  /// A requested file that was not read.
  public struct Omission: Sendable, Equatable {
    public enum Cause: String, Sendable, Equatable, Codable {
      /// The chip protects it by Terminal Authentication.
      case protected
      /// The session ended before the file was requested.
      case notReached
      /// The chip does not have it, truncated it, or delivered something else.
      case undelivered
    }

    public let file: ElementaryFile
    public let cause: Cause
    /// The reason why it was not read: one sentence.
    public let reason: String

    package init(file: ElementaryFile, cause: Cause, reason: String) {
      self.file = file
      self.cause = cause
      self.reason = reason
    }
  }

  /// The raw bytes, in the order of reading.
  public private(set) var files: [(file: ElementaryFile, bytes: [UInt8])] = []
  /// SHA-256 of each file. The checksums of a saved dump, the report and most documents have the same one.
  package private(set) var digests: [ElementaryFile: [UInt8]] = [:]
  @Indirect public private(set) var content = LogicalDataStructure()
  public package(set) var omissions: [Omission] = []
  /// The data groups that the read asked for; nil for all that need no Terminal Authentication, and for a saved dump.
  public package(set) var requestedGroups: Set<Int>?
  public package(set) var accessProtocol = AccessProtocol.none
  /// The run of PACE that opened the chip; nil if PACE did not open it.
  public package(set) var pace: PACERun?
  /// The reason why PACE was not performed although the chip offers it, or may offer it: one sentence.
  public package(set) var paceOmissionReason: String?
  /// The evidence that the chip is the original.
  public package(set) var evidence = ChipEvidence()
  /// The MRZ information of the request, whether or not the chip required it.
  public package(set) var givenKey: MRZInformation?
  public package(set) var statistics = TransportStatistics()
  public package(set) var readerName = ""
  /// The time of the read; nil if it is not known.
  public package(set) var readAt: Date?
  public package(set) var duration: Duration = .zero
  /// The profile of the virtual chip, if the test country issued its document; nil for a document. Who makes a dump can
  /// write it, so it proves nothing.
  public package(set) var virtualProfile: String?
  /// What the digital travel credential is bound to that the files come from; nil for a chip, which was read.
  public package(set) var credential: CredentialBinding?
  /// Whether another program stored the files, so that nobody knows for which others it looked.
  package var isOfOtherProgram = false
  /// The stored files that are missing or differ from the read, by the checksums of a saved dump. Empty after a read.
  public package(set) var modifiedFiles: [ElementaryFile] = []

  public init() {}

  /// Creates a dump from the stored files of an earlier read, so that they can be verified without the chip.
  ///
  /// - Parameters:
  ///   - files: the raw bytes; of several entries for one file, the first is used.
  ///   - evidence: of the same read, from `ChipEvidence.init(json:)`.
  public init(files: [(file: ElementaryFile, bytes: [UInt8])], evidence: ChipEvidence = ChipEvidence()) {
    for (file, bytes) in files where self[file] == nil { add(file, bytes) }
    self.evidence = evidence
  }

  mutating func add(_ file: ElementaryFile, _ bytes: [UInt8]) {
    files.append((file, bytes))
    digests[file] = try? HashAlgorithm.sha256.digest(of: bytes)
    content.add(file, bytes)
  }

  public subscript(file: ElementaryFile) -> [UInt8]? { files.first { $0.file == file }?.bytes }

  /// The raw data groups by number.
  public var dataGroups: [Int: [UInt8]] {
    files.reduce(into: [:]) { groups, entry in
      if let number = entry.file.dataGroup { groups[number] = entry.bytes }
    }
  }

  /// SHA-256 of the data groups by number.
  package var dataGroupDigests: [Int: [UInt8]] {
    files.reduce(into: [:]) { result, entry in
      if let number = entry.file.dataGroup { result[number] = digests[entry.file] }
    }
  }

  /// The portrait of the holder; nil if DG2 was not read or is malformed.
  public var portrait: FacialImage? { (try? content.dataGroup2?.get())?.portrait }

  /// EF.SOD.
  ///
  /// - Throws: `PassportError.fileMissing` with the reason; `.fileMalformed`.
  public func securityObject() throws(PassportError) -> EFSOD {
    guard let object = content.securityObject else { throw missing(.sod) }
    return try object.get()
  }

  /// DG1.
  ///
  /// - Throws: `PassportError.fileMissing` with the reason; `.fileMalformed`.
  public func machineReadableGroup() throws(PassportError) -> DataGroup1 {
    guard let group = content.dataGroup1 else { throw missing(.dg1) }
    return try group.get()
  }

  /// The machine readable zone of DG1.
  ///
  /// - Throws: `PassportError.fileMissing` with the reason; `.fileMalformed`, also if the text is no zone of Doc 9303.
  public func zone() throws(PassportError) -> MachineReadableZone {
    guard let zone = try? machineReadableGroup().zone.get() else {
      _ = try machineReadableGroup()
      throw .fileMalformed(.dg1, "its text is no machine readable zone of Doc 9303")
    }
    return zone
  }

  /// The data groups that EF.SOD lists and that are not here, without those that only a terminal with rights can read;
  /// empty without EF.SOD.
  package var absentGroups: [Int] {
    let signed = (try? securityObject())?.securityObject.digests.keys.sorted() ?? []
    return signed.filter { number in
      number != 3 && number != 4 && !files.contains { $0.file.dataGroup == number }
    }
  }

  /// Whether the read asked for a data group.
  package func hasRequested(_ number: Int) -> Bool { requestedGroups?.contains(number) ?? true }

  private func missing(_ file: ElementaryFile) -> PassportError {
    .fileMissing(file, omissions.first { $0.file == file }?.reason ?? "It was not requested.")
  }
}

/// What the virtual component of a digital travel credential is bound to (ICAO TR "Digital Travel Credentials": types 1
/// to 3).
public enum CredentialBinding: String, Sendable, Codable, CaseIterable {
  /// Type 1: to the chip of a passport, whose EF.SOD it has.
  case passport
  /// Type 2: to the chip of a passport and to a device of the holder. It has EF.SOD and a signature of its own.
  case passportAndDevice
  /// Type 3: to a device of the holder only. It has a signature of its own, and no EF.SOD.
  case device
  /// To nothing: it has neither EF.SOD nor a signature of its own.
  case nothing

  /// - Parameters:
  ///   - hasSecurityObject: whether it has EF.SOD.
  ///   - hasOwnSignature: whether it has a part of the signature of the credential.
  package init(hasSecurityObject: Bool, hasOwnSignature: Bool) {
    self =
      switch (hasSecurityObject, hasOwnSignature) {
      case (true, false): .passport
      case (true, true): .passportAndDevice
      case (false, true): .device
      case (false, false): .nothing
      }
  }

  /// Whether the credential has a signature beside that of EF.SOD.
  package var hasOwnSignature: Bool { self == .passportAndDevice || self == .device }
}

/// The run of PACE in one read.
public struct PACERun: Sendable, Equatable {
  public let pace: PACEProtocol
  /// The number of the domain parameters; nil if the chip offers explicit parameters without a number.
  public let parameterIdentifier: Int?
  /// Why this offer of the chip was chosen: one sentence or more.
  public let reason: String

  package init(pace: PACEProtocol, parameterIdentifier: Int?, reason: String) {
    self.pace = pace
    self.parameterIdentifier = parameterIdentifier
    self.reason = reason
  }
}
