/// DG3: the fingers (Doc 9303-10, 4.7.3).
public typealias DataGroup3 = BiometricImageGroup<FingerRecord, FingerImageBlock>

extension FingerRecord: ISO19794Record {
  var imageCount: Int { images.count }
}

extension FingerImageBlock: ISO39794DataBlock {
  var imageCount: Int { representations.count }
}

extension DataGroup3 {
  /// - Throws: the finding that makes the file unreadable.
  public init(_ file: [UInt8]) throws(FileFinding) { try self.init(.dg3, file) }

  /// One template of type fingerprint, format ISO/IEC 19794-4:2005, for each record.
  package init(records: [FingerRecord]) { self.init(records: records, type: 0x08, format: 0x0007) }

  /// Number of finger images.
  public var count: Int { imageCount }

  package var encoded: [UInt8] { BiometricGroup.encode(.dg3, templates) }
}

extension LogicalDataStructure {
  public var dataGroup3: Result<DataGroup3, FileFinding>? { dataGroup(3) }
}
