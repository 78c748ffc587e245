import Testing

@testable import TesseraFleet

@Suite("Names and subjects of a fleet")
struct FleetNameTests {
  @Test("a random name has 22 characters of base64url and is accepted again")
  func random() throws {
    var names: Set<String> = []
    for _ in 0..<200 {
      let name = try FleetIdentifier.random()
      #expect(name.text.utf8.count == 22)
      #expect(FleetIdentifier(name.text) == name)
      names.insert(name.text)
    }
    #expect(names.count == 200)
  }

  @Test("the last character carries two bits of the sixteen bytes")
  func lastCharacter() throws {
    let last = Set(try (0..<200).compactMap { _ in try FleetIdentifier.random().text.last })
    #expect(last == ["A", "Q", "g", "w"])
  }

  @Test(
    "other texts are no identifiers",
    arguments: [
      "", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAA.A", "AAAAAAAAAAAAAAAAAAAA>A",
    ])
  func notAnIdentifier(_ text: String) {
    #expect(FleetIdentifier(text) == nil)
    #expect(FleetReadID(text) == nil)
  }

  @Test(
    "the name of a desk is one token of a subject", arguments: ["a", "desk-1", "0", String(repeating: "z", count: 32)])
  func deskName(_ text: String) {
    #expect(DeskName(text)?.text == text)
  }

  @Test(
    "other texts are no names of desks",
    arguments: ["", "Desk", "a.b", "*", ">", "a b", "ä", String(repeating: "z", count: 33)])
  func notADeskName(_ text: String) {
    #expect(DeskName(text) == nil)
  }

  @Test("the subject of a request states its desk")
  func deskOfSubject() throws {
    let desk = try #require(DeskName("desk-7"))
    let inspector = try FleetIdentifier.random()
    #expect(FleetSubject.begin(desk) == "tessera.read.desk-7.begin")
    #expect(FleetSubject.desk(ofRead: FleetSubject.begin(desk)) == desk)
    #expect(FleetSubject.desk(ofRead: FleetSubject.read(desk, inspector)) == desk)
    #expect(FleetSubject.everyRead(inspector) == "tessera.read.*.\(inspector.text)")
    #expect(FleetSubject.relay(desk, inspector) == "tessera.relay.desk-7.\(inspector.text)")
  }

  @Test(
    "another subject states no desk",
    arguments: [
      "tessera.read.a", "tessera.read.a.b.c", "tessera.relay.a.b", "tessera.read..begin", "tessera.read.A.begin", "",
    ])
  func noDesk(_ subject: String) {
    #expect(FleetSubject.desk(ofRead: subject) == nil)
  }
}
