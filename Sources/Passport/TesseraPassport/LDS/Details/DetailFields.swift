import TesseraSmartCard

/// The fields of DG11 and DG12: a tag list `5C`, then the listed fields. Repeated fields are in a group `A0`.
struct DetailFields {
  private let element: FileElement
  private let parts: FileParts
  private(set) var findings: [FileFinding] = []

  /// - Parameters:
  ///   - names: the defined fields, by tag.
  ///   - repeated: the tag of the fields in the group `A0`.
  init(_ file: ElementaryFile, _ bytes: [UInt8], names: [UInt32: String], repeated: UInt32) throws(FileFinding) {
    element = try FileElement(file, bytes)
    parts = try element.parts()
    var present: Set<UInt32> = []
    for object in parts.objects where object.tag != 0x5C {
      // The group counts as the field that it contains.
      let tag = object.tag == 0xA0 ? repeated : object.tag
      if let name = names[tag] {
        let isNew = present.insert(tag).inserted
        if !isNew, tag != repeated { findings.append(element.finding(name, .repeated)) }
      } else {
        findings.append(element.finding("data object \(Self.text(tag))", .unknown))
      }
    }
    guard let list = parts.first(0x5C, "tag list") else {
      findings.append(element.finding("tag list", .missing))
      return
    }
    let listed = Set(try Self.tags(list).map { $0 == 0xA0 ? repeated : $0 })
    for (tag, name) in names.sorted(by: { $0.key < $1.key }) where listed.contains(tag) != present.contains(tag) {
      findings.append(element.finding(name, listed.contains(tag) ? .listedButAbsent : .unlisted))
    }
  }

  private static func tags(_ list: FileElement) throws(FileFinding) -> [UInt32] {
    var tags: [UInt32] = []
    var rest = list.value
    while let first = rest.popFirst() {
      guard first & 0x1F == 0x1F else {
        tags.append(UInt32(first))
        continue
      }
      guard let second = rest.popFirst() else { throw list.finding(.truncated) }
      tags.append(UInt32(first) << 8 | UInt32(second))
    }
    return tags
  }

  private static func text(_ tag: UInt32) -> String { String(tag, radix: 16, uppercase: true) }

  // MARK: Fields

  mutating func text(_ tag: UInt32, _ name: String) -> String? { parts.first(tag, name)?.text(&findings) }

  mutating func date(_ tag: UInt32, _ name: String) -> FullDate? {
    parts.first(tag, name)?.date(&findings)
  }

  mutating func image(_ tag: UInt32, _ name: String) -> [UInt8]? {
    guard let part = parts.first(tag, name) else { return nil }
    let data = Array(part.value)
    findings += StatedImageProperties(element: part).findings(data)
    return data
  }

  /// The texts in the group `A0`, then those outside the group.
  mutating func texts(_ tag: UInt32, _ name: String) throws(FileFinding) -> [String] {
    var texts: [String] = []
    for group in parts.all(0xA0, "group of \(name)") {
      let inside = try group.parts()
      let fields = inside.all(tag, name)
      findings += inside.countFindings("count", found: fields.count)
      for field in fields { texts.append(field.text(&findings)) }
    }
    for field in parts.all(tag, name) {
      findings.append(field.finding(.unknown))
      texts.append(field.text(&findings))
    }
    return texts
  }
}

/// Writes the structure that `DetailFields` reads.
struct DetailWriter {
  private var tags: [UInt8] = []
  private var fields: [UInt8] = []

  mutating func bytes(_ tag: UInt32, _ value: [UInt8]?) {
    guard let value else { return }
    list(tag)
    fields += BERTLV.encode(tag, value)
  }

  mutating func text(_ tag: UInt32, _ value: String?) { bytes(tag, value.map { Array($0.utf8) }) }

  mutating func date(_ tag: UInt32, _ value: FullDate?) { bytes(tag, value?.encoded) }

  mutating func texts(_ tag: UInt32, _ values: [String]) {
    guard !values.isEmpty else { return }
    list(tag)
    let count = BERTLV.encode(0x02, [UInt8(clamping: values.count)])
    fields += BERTLV.encode(0xA0, count + values.flatMap { BERTLV.encode(tag, Array($0.utf8)) })
  }

  private mutating func list(_ tag: UInt32) { tags += .bigEndian(Int(tag), 2) }

  func file(_ file: ElementaryFile) -> [UInt8] {
    BERTLV.encode(file.tag, BERTLV.encode(0x5C, tags) + fields)
  }
}
