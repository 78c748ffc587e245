/// DG4: the irises (Doc 9303-10, 4.7.4).
public typealias DataGroup4 = BiometricImageGroup<IrisRecord, IrisImageBlock>

extension IrisRecord: ISO19794Record {
  var imageCount: Int { images.count }
}

extension IrisImageBlock: ISO39794DataBlock {
  var imageCount: Int { representations.count }
}

extension DataGroup4 {
  /// - Throws: the finding that makes the file unreadable.
  public init(_ file: [UInt8]) throws(FileFinding) { try self.init(.dg4, file) }

  /// One template of type iris, format ISO/IEC 19794-6:2005, for each record.
  package init(records: [IrisRecord]) { self.init(records: records, type: 0x10, format: 0x0009) }

  /// Number of iris images.
  public var count: Int { imageCount }

  package var encoded: [UInt8] { BiometricGroup.encode(.dg4, templates) }
}

extension LogicalDataStructure {
  public var dataGroup4: Result<DataGroup4, FileFinding>? { dataGroup(4) }
}
