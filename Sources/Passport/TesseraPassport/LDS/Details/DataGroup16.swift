import TesseraSmartCard

/// DG16: persons to notify (Doc 9303-10, 4.7.16). Texts are as stored on the chip.
public struct DataGroup16: Sendable, Equatable {
  public struct Person: Sendable, Hashable {
    /// The date on which the details were recorded.
    public var dateRecorded: FullDate?
    public var name: String?
    public var telephone: String?
    public var address: String?

    package init(
      dateRecorded: FullDate? = nil, name: String? = nil, telephone: String? = nil, address: String? = nil
    ) {
      self.dateRecorded = dateRecorded
      self.name = name
      self.telephone = telephone
      self.address = address
    }
  }

  /// At most 15, since their templates have the tags `A1` to `AF`.
  public var persons: [Person]
  /// The inconsistencies in the file. Empty for a group that was created in memory.
  public private(set) var findings: [FileFinding] = []

  package init(persons: [Person]) { self.persons = persons }

  /// - Throws: the finding that makes the file unreadable.
  public init(_ file: [UInt8]) throws(FileFinding) {
    let element = try FileElement(.dg16, file)
    let parts = try element.parts()
    var persons: [Person] = []
    var findings: [FileFinding] = []
    for object in parts.objects where object.tag != 0x02 {
      guard (0xA1...0xAF).contains(object.tag) else {
        findings.append(element.finding("data object \(String(object.tag, radix: 16, uppercase: true))", .unknown))
        continue
      }
      persons.append(try Self.person(element.part("person \(persons.count + 1)", object.value), &findings))
    }
    self.persons = persons
    self.findings = parts.countFindings("number of templates", found: persons.count) + findings
  }

  private static func person(
    _ element: FileElement, _ findings: inout [FileFinding]
  ) throws(FileFinding) -> Person {
    let parts = try element.parts()
    var person = Person()
    person.dateRecorded = parts.first(0x5F50, "date recorded")?.date(&findings)
    person.name = parts.first(0x5F51, "name")?.text(&findings)
    person.telephone = parts.first(0x5F52, "telephone")?.text(&findings)
    person.address = parts.first(0x5F53, "address")?.text(&findings)
    return person
  }

  package var encoded: [UInt8] {
    var content = BERTLV.encode(0x02, [UInt8(clamping: persons.count)])
    for (index, person) in persons.prefix(15).enumerated() {
      var fields: [UInt8] = []
      if let date = person.dateRecorded { fields += BERTLV.encode(0x5F50, date.encoded) }
      for (tag, text) in [(0x5F51, person.name), (0x5F52, person.telephone), (0x5F53, person.address)] {
        if let text { fields += BERTLV.encode(UInt32(tag), Array(text.utf8)) }
      }
      content += BERTLV.encode(0xA1 + UInt32(index), fields)
    }
    return BERTLV.encode(ElementaryFile.dg16.tag, content)
  }
}

extension LogicalDataStructure {
  public var dataGroup16: Result<DataGroup16, FileFinding>? { dataGroup(16) }
}
