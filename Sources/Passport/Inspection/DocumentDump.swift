import SmartCard

/// What one read brought home: the files as they came, their parsed forms beside them, and how they were had. Judged
/// later, by `Report`.
public struct DocumentDump: Sendable {
  /// A file that was wanted and not had.
  public struct Omission: Sendable, Equatable {
    public enum Cause: Sendable, Equatable {
      /// The chip keeps it from this reader, as it may.
      case protected
      /// The session had ended before.
      case notReached
      /// The chip has it not, cut it short, or delivered something else.
      case undelivered
    }

    public let file: ElementaryFile
    public let cause: Cause
    /// One sentence.
    public let reason: String
  }

  /// The raw bytes, in the order of reading.
  public private(set) var files: [(file: ElementaryFile, bytes: [UInt8])] = []
  public private(set) var content = LogicalDataStructure()
  public internal(set) var omissions: [Omission] = []
  public internal(set) var accessProtocol = AccessProtocol.none
  /// How PACE was done, where it opened the chip.
  public internal(set) var pace: PACERun?
  /// Why PACE was not done though the chip offers it, or may offer it: a sentence.
  public internal(set) var paceObstacle: String?
  /// What the chip did to prove that it is the original.
  public internal(set) var evidence = ChipEvidence()
  /// The MRZ information that was given, whether or not the chip wanted it.
  public internal(set) var givenKey: MRZInformation?
  public internal(set) var statistics = TransportStatistics()
  public internal(set) var readerName = ""
  public internal(set) var duration: Duration = .zero

  public init() {}

  /// A dump made of what was kept of an earlier read, to be judged again without the chip.
  ///
  /// - Parameters:
  ///   - files: the raw bytes; of several for one file the first counts.
  ///   - evidence: what the chip did then, from `ChipEvidence.init(json:)`.
  public init(files: [(file: ElementaryFile, bytes: [UInt8])], evidence: ChipEvidence = ChipEvidence()) {
    for (file, bytes) in files where self[file] == nil { add(file, bytes) }
    self.evidence = evidence
  }

  mutating func add(_ file: ElementaryFile, _ bytes: [UInt8]) {
    files.append((file, bytes))
    content.add(file, bytes)
  }

  public subscript(file: ElementaryFile) -> [UInt8]? { files.first { $0.file == file }?.bytes }

  /// The raw data groups by number.
  public var dataGroups: [Int: [UInt8]] {
    files.reduce(into: [:]) { groups, entry in
      if let number = entry.file.dataGroup { groups[number] = entry.bytes }
    }
  }

  /// The picture of the holder, where DG2 was read and is well formed.
  public var portrait: FacialImage? { (try? content.dataGroup2?.get())?.portrait }

  /// EF.SOD.
  ///
  /// - Throws: `PassportError.fileMissing` with the reason, or what is wrong with it.
  public func securityObject() throws(PassportError) -> EFSOD {
    guard let object = content.securityObject else { throw missing(.sod) }
    return try object.get()
  }

  /// The machine readable zone.
  ///
  /// - Throws: `PassportError.fileMissing`, or what is wrong with DG1.
  public func zone() throws(PassportError) -> MachineReadableZone {
    guard let group = content.dataGroup1 else { throw missing(.dg1) }
    return try group.get().zone
  }

  private func missing(_ file: ElementaryFile) -> PassportError {
    .fileMissing(file, omissions.first { $0.file == file }?.reason ?? "It was not asked for.")
  }
}
