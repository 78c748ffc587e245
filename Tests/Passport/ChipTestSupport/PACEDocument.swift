package import TesseraCryptography
package import TesseraPassport
internal import TesseraSmartCard
internal import TesseraVirtualChip
internal import Testing

/// The specimen on a chip with PACE and Chip Authentication.
package struct PACEDocument {
  package static let info = SecurityInfoBytes.pace(2, 2, 13)

  package var master: [ElementaryFile: [UInt8]]
  package var files: [ElementaryFile: [UInt8]]
  package let key: AccessKey
  package let chipKey: SecretBytes

  /// The specimen with a DG14 that lists PACE and Chip Authentication.
  package init(listing: [[UInt8]] = [Self.info]) throws {
    let curve = try EllipticCurve(.brainpoolP256r1)
    chipKey = try curve.makePrivateKey()
    let point = try curve.multiply(curve.generator, by: chipKey)
    let algorithm = [UInt8](hexadecimal: "300C060704007F0007010202010D") ?? []
    let key = SecurityInfoBytes.entry(
      "04007F000702020102", BERTLV.encode(0x30, algorithm + BERTLV.encode(0x03, [0] + point)))
    let protocolEntry = SecurityInfoBytes.entry("04007F00070202030202", SecurityInfoBytes.number(1))
    let group14 = BERTLV.encode(0x6E, BERTLV.encode(0x31, (listing + [protocolEntry, key]).flatMap { $0 }))
    let plain = try SpecimenDocument().files
    var groups: [Int: [UInt8]] = [14: group14]
    for number in [1, 2] {
      if let file = ElementaryFile.dataGroup(number), let bytes = plain[file] { groups[number] = bytes }
    }
    let issued = try SpecimenDocument(groups: groups).files
    files = issued.all.reduce(into: [:]) { $0[$1] = issued[$1] }
    master = [.cardAccess: BERTLV.encode(0x31, Self.info)]
    self.key = .mrz(try MRZInformation(documentNumber: "TS0264718", dateOfBirth: "900214", dateOfExpiry: "350630"))
  }

  package func chip(
    _ fault: MirrorChip.Fault = .none, hasChipKey: Bool = true, longestBlock: Int = .max
  ) throws -> MirrorChip {
    let choice = try #require(
      try PACEChoice.strongest(of: SecurityInfos(BERTLV.encode(0x31, Self.info))))
    return MirrorChip(
      masterFiles: master, files: files, password: key, choice: choice, chipKey: hasChipKey ? chipKey : nil,
      fault: fault, longestBlock: longestBlock)
  }
}

/// Entries of `SecurityInfos` as bytes.
package enum SecurityInfoBytes {
  /// One entry: the value bytes of an object identifier, and the bytes that follow.
  package static func entry(_ identifier: String, _ rest: [UInt8]) -> [UInt8] {
    BERTLV.encode(0x30, BERTLV.encode(0x06, [UInt8](hexadecimal: identifier) ?? []) + rest)
  }

  package static func number(_ value: UInt8) -> [UInt8] { [0x02, 0x01, value] }

  package static func pace(_ family: UInt8, _ cipher: UInt8, _ parameters: UInt8?) -> [UInt8] {
    entry(
      "04007F00070202 04 \([family].hexadecimal)\([cipher].hexadecimal)".filter { $0 != " " },
      number(2) + (parameters.map { number($0) } ?? []))
  }
}
