/// The files of the ICAO PKD, and others in the LDAP Data Interchange Format (RFC 2849): directory entries, or changes
/// to them.
///
/// Values are decoded one after the other, so the objects and one value are in memory beside the text. An object is
/// recognised by its content. The attribute's name decides only whether a value that is none is reported: the PKD
/// changed its names, and directories of states add their own.
enum LDIFFile {
  /// Attributes of the PKD that hold an object, in lower case, without options such as `;binary`.
  private static let attributes: Set<String> = [
    // Document signers (inetOrgPerson, pkdDownload), country signers in directories of states.
    "usercertificate", "cacertificate",
    // cRLDistributionPoint.
    "certificaterevocationlist", "authorityrevocationlist",
    // pkdMasterList; the object classes before 2016.
    "pkdmasterlistcontent", "cscamasterlistdata",
  ]

  /// Whether the first line that is neither empty nor a comment is that of an LDIF file.
  static func isLDIF(_ text: ArraySlice<UInt8>) -> Bool {
    let first = TextLines(text).first { $0.line.first.map { ![UInt8(ascii: "#"), 0x20].contains($0) } ?? false }
    guard let line = first?.line, let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return ["version", "dn"].contains(String(decoding: line[..<colon], as: UTF8.self).lowercased())
  }

  static func objects(in text: ArraySlice<UInt8>) throws(TrustSourceError.Problem) -> [TrustObject] {
    var reader = Reader()
    // A logical line: a line and those after it that start with a space.
    var unfolded: [UInt8] = []
    var start = 1
    for (number, line) in TextLines(text) {
      if line.first == 0x20 {
        unfolded += line.dropFirst()
        continue
      }
      try reader.read(unfolded[...], start)
      unfolded.removeAll(keepingCapacity: true)
      unfolded += line
      start = number
    }
    try reader.read(unfolded[...], start)
    return reader.objects
  }

  /// Reads logical lines.
  private struct Reader {
    var objects: [TrustObject] = []
    private var record = Record.content

    private enum Record {
      /// An entry with its attributes, or one to be added.
      case content
      /// An entry to be deleted or renamed.
      case ignored
      /// An entry to be changed. The values of the present part are added, or deleted.
      case modification(adds: Bool)
    }

    init() {}

    mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) throws(TrustSourceError.Problem) {
      guard let first = line.first else {
        record = .content
        return
      }
      guard first != UInt8(ascii: "#"), let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
      let value = line[(colon + 1)...]
      if value.first == UInt8(ascii: "<") { throw .fileReference(line: number) }
      let description = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let attribute = String(description.prefix { $0 != ";" })
      if control(attribute, value, number) { return }
      switch record {
      case .ignored, .modification(adds: false): return
      case .content, .modification(adds: true): try add(attribute, value, number)
      }
    }

    /// Lines that say what happens to the entry.
    private mutating func control(_ attribute: String, _ value: ArraySlice<UInt8>, _ number: Int) -> Bool {
      switch (attribute, record) {
      case ("dn", _): record = .content
      case ("changetype", _):
        switch LDIFFile.word(value) {
        case "add": record = .content
        case "modify": record = .modification(adds: false)
        case "delete":
          record = .ignored
          objects.append(.deletion(line: number))
        default: record = .ignored
        }
      case ("add", .modification), ("replace", .modification): record = .modification(adds: true)
      case ("delete", .modification):
        record = .modification(adds: false)
        let name = LDIFFile.word(value).prefix { $0 != ";" }
        if LDIFFile.attributes.contains(String(name)) { objects.append(.deletion(line: number)) }
      default: return false
      }
      return true
    }

    private mutating func add(
      _ attribute: String, _ value: ArraySlice<UInt8>, _ number: Int
    ) throws(TrustSourceError.Problem) {
      let isExpected = LDIFFile.attributes.contains(attribute)
      // Two colons stand before base64.
      let text = value.first == UInt8(ascii: ":") ? value.dropFirst().drop { $0 == 0x20 } : []
      // A sequence starts with 30, so its base64 starts with "M".
      if text.first == UInt8(ascii: "M"), let bytes = Base64.decode(text),
        let found = try? TrustObject.recognise(bytes[...])
      {
        objects += found
      } else if isExpected, value.contains(where: { $0 != UInt8(ascii: ":") && $0 != 0x20 }) {
        objects.append(.unreadable(line: number))
      }
      guard objects.count <= TrustSource.maximumObjects else {
        throw .tooManyObjects(limit: TrustSource.maximumObjects)
      }
    }
  }

  private static func word(_ value: ArraySlice<UInt8>) -> String {
    String(decoding: value.filter { $0 != 0x20 }, as: UTF8.self).lowercased()
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Base64 (RFC 4648, 4).
enum Base64 {
  /// - Returns: nil if a character is not of the alphabet, or the padding is wrong.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    Data(base64Encoded: Data(text)).map(Array.init)
  }
}
