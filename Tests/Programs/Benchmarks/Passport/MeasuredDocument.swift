import Tessera

/// The measured document, 20,835 bytes: EF.COM with 22 bytes, EF.SOD with about 886, DG1 with 93, DG2 with 19,834. The
/// length of EF.SOD varies with its signature by one or two bytes.
struct MeasuredDocument {
  let files: ChipFiles
  let key: MRZInformation

  init() throws {
    let zone = try Self.zone()
    let wanted = 19_834
    var image = SpecimenDocument.portrait
    // Bytes after the end of a JPEG file are ignored.
    func group() -> [UInt8] { DataGroup2(faces: [FacialImage(data: image, width: 413, height: 531)]).encoded }
    image = Array(image.prefix(image.count + wanted - group().count))
    image += [UInt8](repeating: 0, count: max(0, wanted - group().count))
    files = try SpecimenDocument(groups: [1: DataGroup1(zone: zone).encoded, 2: group()], issuance: .minimal).files
    key = try Self.key()
  }

  /// The access key.
  static func key() throws -> MRZInformation { try MRZInformation(zone()) }

  private static func zone() throws -> MachineReadableZone {
    try MachineReadableZone(SpecimenDocument.content, format: .td3)
  }

  static let fileNames: [ElementaryFile] = [.com, .sod, .dg1, .dg2]

  /// The lengths of the four files.
  var lengths: [Int] { Self.fileNames.compactMap { files[$0]?.count } }

  /// The data groups by number.
  var dataGroups: [Int: [UInt8]] { [1: files[.dg1] ?? [], 2: files[.dg2] ?? []] }

  func chip(_ profile: ChipProfile) throws -> Chip { try Chip(profile: profile, files: files) }

  /// The four files, and nothing else.
  var request: InspectionRequest { InspectionRequest(key: .mrz(key), dataGroups: [1, 2]) }
}

/// A way to read the document, and its minimum number of exchanges.
struct ReadingMode {
  let name: String
  let profile: ChipProfile
  /// Exchanges until the first file can be read: with BAC SELECT, GET CHALLENGE, EXTERNAL AUTHENTICATE; with PACE
  /// EF.CardAccess, MSE:Set AT, four GENERAL AUTHENTICATE, SELECT.
  let accessExchanges: Int
  /// The bytes of a file in one response.
  let block: Int

  static let bac = ReadingMode(name: "BAC, short APDUs", profile: .bac, accessExchanges: 3, block: 231)

  /// - Parameters:
  ///   - parameters: The number of the standardised domain parameters.
  ///   - responseLimit: The maximum number of data bytes in a response.
  ///   - block: The part of that for the file, without 10 bytes of MAC, 4 of status, and tag, length and padding
  ///     indicator of the cryptogram, which is a whole number of 16-byte blocks with at least one byte of padding.
  static func pace(_ name: String, parameters: Int = 12, responseLimit: Int, block: Int) -> ReadingMode {
    var profile = ChipProfile(
      name: name, summary: name, requiresBasicAccessControl: false, responseLimit: responseLimit)
    profile.pace = [PACEOffer(.generic, .aes128, AgreementParameters(parameters))]
    return ReadingMode(name: name, profile: profile, accessExchanges: 7, block: block)
  }

  static let paceShort = pace("PACE, short APDUs", responseLimit: 256, block: 223)
  static let paceBrainpool = pace("PACE brainpool, short APDUs", parameters: 13, responseLimit: 256, block: 223)
  static let paceOf4KB = pace("PACE, extended, chip answers at most 4 KB", responseLimit: 4096, block: 4063)
  static let paceOfWholeFiles = pace(
    "PACE, extended, chip answers whole files", responseLimit: 65_533, block: 65_503)

  /// The lengths of the parts of the files in all responses, in bytes.
  func blocks(of lengths: [Int]) -> [Int] {
    lengths.flatMap { length in stride(from: 0, to: length, by: block).map { min(block, length - $0) } }
  }

  func fewestExchanges(for lengths: [Int]) -> Int { accessExchanges + blocks(of: lengths).count }
}
