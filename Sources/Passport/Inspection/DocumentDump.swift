import SmartCard

/// What one read brought home: the files as they came and how they were had. Judged later, by `Report`.
public struct DocumentDump: Sendable {
  /// A file that was wanted and not had.
  public struct Omission: Sendable, Equatable {
    public let file: ElementaryFile
    public let reason: String
  }

  /// In the order of reading.
  public internal(set) var files: [(file: ElementaryFile, bytes: [UInt8])] = []
  public internal(set) var omissions: [Omission] = []
  public internal(set) var accessProtocol = AccessProtocol.none
  /// The MRZ information that opened the chip; nil where a CAN or nothing did.
  public internal(set) var usedKey: MRZInformation?
  public internal(set) var statistics = TransportStatistics()
  public internal(set) var readerName = ""
  public internal(set) var duration: Duration = .zero

  public init() {}

  public subscript(file: ElementaryFile) -> [UInt8]? { files.first { $0.file == file }?.bytes }

  /// The raw data groups by number.
  public var dataGroups: [Int: [UInt8]] {
    files.reduce(into: [:]) { groups, entry in
      if let number = entry.file.dataGroup { groups[number] = entry.bytes }
    }
  }
}
