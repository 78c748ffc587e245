import TesseraSmartCard

/// EF.COM: LDS version, Unicode version and the list of data groups (Doc 9303-10, 4.6.1). Not signed.
public struct EFCOM: Sendable, Equatable {
  /// Four digits, `aabb`: `0107`.
  public var ldsVersion: String?
  /// Six digits, `aabbcc`: `040000`.
  public var unicodeVersion: String?
  /// Numbers of the data groups, in the order of the list.
  public var dataGroups: [Int]

  package init(ldsVersion: String?, unicodeVersion: String?, dataGroups: [Int]) {
    self.ldsVersion = ldsVersion
    self.unicodeVersion = unicodeVersion
    self.dataGroups = dataGroups
  }

  /// - Throws: `PassportError.fileMalformed`.
  public init(_ file: [UInt8]) throws(PassportError) {
    let objects: [BERTLV]
    do {
      objects = try BERTLV.sequence(BERTLV.value(of: ElementaryFile.com.tag, in: file[...]))
    } catch {
      throw .fileMalformed(.com, "not BER-TLV")
    }
    func text(_ tag: UInt32) -> String? {
      objects.first { $0.tag == tag }.map { String(decoding: $0.value, as: UTF8.self) }
        .flatMap { $0.allSatisfy { $0.isASCII && $0.isNumber } ? $0 : nil }
    }
    ldsVersion = text(0x5F01)
    unicodeVersion = text(0x5F36)
    guard let list = objects.first(where: { $0.tag == 0x5C }) else { throw .fileMalformed(.com, "no tag list") }
    dataGroups = list.value.prefix(32).compactMap { ElementaryFile.dataGroup(tag: UInt32($0))?.dataGroup }
  }

  package var encoded: [UInt8] {
    var objects: [UInt8] = []
    if let ldsVersion { objects += BERTLV.encode(0x5F01, Array(ldsVersion.utf8)) }
    if let unicodeVersion { objects += BERTLV.encode(0x5F36, Array(unicodeVersion.utf8)) }
    let tags = dataGroups.compactMap { ElementaryFile.dataGroup($0).map { UInt8($0.tag) } }
    return BERTLV.encode(ElementaryFile.com.tag, objects + BERTLV.encode(0x5C, tags))
  }
}
