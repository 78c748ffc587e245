import TesseraVirtualChip
import Testing

@testable import TesseraPassport

@Suite("The table of data groups")
struct DataGroupKindTests {
  @Test("has the groups of Doc 9303-10, with their tags and identifiers")
  func files() {
    #expect(ElementaryFile.dataGroupNumbers == 1...16)
    #expect(
      ElementaryFile.dataGroupNumbers.compactMap { ElementaryFile.dataGroup($0)?.tag } == [
        0x61, 0x75, 0x63, 0x76, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70,
      ])
    for file in [ElementaryFile.dg1, .dg2, .dg7, .dg16] { #expect(ElementaryFile.dataGroup(tag: file.tag) == file) }
    #expect(ElementaryFile.dataGroup(0) == nil && ElementaryFile.dataGroup(17) == nil)
    #expect(ElementaryFile.dg12.identifier == 0x010C && ElementaryFile.dg12.shortIdentifier == 12)
    #expect(UnstructuredGroup.numbers == [6, 8, 9, 10, 13])
  }

  @Test("each group with a reader has a property with its content, of its own type")
  func contents() throws {
    var structure = LogicalDataStructure()
    #expect(structure.dataGroup2 == nil && structure.dataGroup14 == nil)
    for (number, bytes) in try SpecimenDocument.everyGroup() {
      structure.add(try #require(ElementaryFile.dataGroup(number)), bytes)
    }
    #expect(try structure.dataGroup2?.get().faces.count == 3)
    #expect(try structure.dataGroup5?.get().kind == .portrait && structure.dataGroup7?.get().kind == .signatureOrMark)
    #expect(try structure.dataGroup11?.get().personalNumber != nil && structure.dataGroup12?.get() != nil)
    #expect(try structure.dataGroup16?.get().persons.count == 2)
    #expect(try structure.dataGroup3?.get() != nil && structure.dataGroup4?.get() != nil)
    #expect(structure.findings.isEmpty)
  }

  @Test("the inconsistencies are in the order of the groups; a file that is added again replaces its own")
  func findings() throws {
    var structure = LogicalDataStructure()
    for file in [ElementaryFile.dg16, .dg7, .dg11] { structure.add(file, [0x00]) }
    #expect(structure.findings.map(\.file) == [.dg7, .dg11, .dg16])
    #expect(throws: FileFinding.self) { try structure.dataGroup11?.get() }
    // The verification examines these.
    for file in [ElementaryFile.dg1, .dg14, .dg15] { structure.add(file, [0x00]) }
    #expect(structure.findings.count == 3)
    #expect(throws: PassportError.self) { try structure.dataGroup14?.get() }
    structure.add(.dg11, try #require(try SpecimenDocument.everyGroup()[11]))
    #expect(structure.findings.map(\.file) == [.dg7, .dg16])
  }
}
