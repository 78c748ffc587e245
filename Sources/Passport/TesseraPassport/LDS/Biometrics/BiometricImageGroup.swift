/// The content of DG3 or DG4: biometric information templates, each with a record in one of two formats (Doc 9303-10,
/// 4.7.3 and 4.7.4). The chip allows access to these groups only after Terminal Authentication. Images are stored as
/// they are on the chip and not decoded.
public struct BiometricImageGroup<Record: Sendable & Hashable, Block: Sendable & Hashable>: Sendable, Equatable {
  /// The record of one template.
  public typealias DataBlock = BiometricRecord<Record, Block>

  /// Empty if the holder gave no biometrics of this kind.
  public var templates: [BiometricTemplate<DataBlock>]
  /// The inconsistencies in the file. Empty for a group that was created in memory.
  public private(set) var findings: [FileFinding] = []

  package init(templates: [BiometricTemplate<DataBlock>]) { self.templates = templates }
}

extension BiometricImageGroup where Record: ISO19794Record, Block: ISO39794DataBlock {
  init(_ file: ElementaryFile, _ bytes: [UInt8]) throws(FileFinding) {
    let group = try BiometricGroup<DataBlock>(file, bytes)
    templates = group.templates
    findings = group.findings
  }

  /// One template for each record.
  ///
  /// - Parameters:
  ///   - type: the biometric type of the header.
  ///   - format: the format type in the registry of the IBIA.
  init(records: [Record], type: UInt8, format: UInt16) {
    templates = records.map {
      BiometricTemplate(header: BiometricHeader(type: type, format: format), block: .iso19794($0))
    }
  }

  var imageCount: Int { templates.reduce(0) { $0 + $1.block.imageCount } }
}
