import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

/// Wrong, counted, suspended, blocked and unknown passwords, as opposed to a protocol error.
@Suite("Passwords of PACE")
struct PasswordTests {
  static let right = ChipProfile.specimenCardAccessNumber
  static let wrong = "000000"

  /// One chip that is placed on the reader several times.
  struct Document {
    let card: Card
    let files: ChipFiles

    init(_ profile: ChipProfile) throws {
      files = try SpecimenDocument(profile: profile).files
      card = VirtualCard.card(try Chip(profile: profile, files: files))
    }

    /// The error of reading DG1 with this key; nil if it was read.
    func read(_ key: AccessKey) async throws -> PassportError? {
      do {
        let dump = try await Inspection.read(card, InspectionRequest(key: key, dataGroups: [1]))
        #expect(dump[.dg1] == files[.dg1])
        await card.disconnect()
        return nil
      } catch let error as PassportError {
        await card.disconnect()
        return error
      }
    }

    func read(_ cardAccessNumber: String) async throws -> PassportError? {
      try await read(AccessKey(cardAccessNumber: cardAccessNumber))
    }

    func readByMRZ(isRight: Bool = true) async throws -> PassportError? {
      try await read(
        .mrz(
          MRZInformation(
            documentNumber: isRight ? "TS0264718" : "TS0264719", dateOfBirth: "900214", dateOfExpiry: "350630")))
    }
  }

  @Test("allow any number of wrong tries if the chip does not count them")
  func uncounted() async throws {
    let document = try Document(try #require(ChipProfile(named: "austria-2023")))
    let refused = PassportError.pace(.wrongPassword(triesLeft: nil, StatusWord(0x6300)))
    for _ in 0..<3 {
      #expect(try await document.read(Self.wrong) == refused)
      #expect(try await document.readByMRZ(isRight: false) == refused)
    }
    #expect(refused.failure.kind == .accessDenied)
    // In the words of the key, if that is known.
    let error = PACEError.wrongPassword(triesLeft: nil, StatusWord(0x6300))
    #expect(error.failure(of: nil) == error.failure && error.failure.cause.contains("MRZ or card access number"))
    let number = error.failure(of: try AccessKey(cardAccessNumber: "264719"))
    #expect(number.cause == "The chip refused the card access number (PACE, status 6300).")
    #expect(number.remedy == "Compare the card access number with the document on the reader.")
    let short = error.failure(of: try AccessKey(cardAccessNumber: "26471"))
    #expect(short.remedy == "\(number.remedy ?? "") Such a number usually has six digits.")
    #expect(try await document.read(Self.right) == nil)
    #expect(try await document.readByMRZ() == nil)
  }

  @Test("are suspended before the last try: the error has the tries left, and the other password still works")
  func suspended() async throws {
    let document = try Document(.mechanisms)
    #expect(
      try await document.read(Self.wrong) == .pace(.wrongPassword(triesLeft: 2, StatusWord(0x63C2))))
    // The right password resets the counter.
    #expect(try await document.read(Self.right) == nil)
    #expect(
      try await document.read(Self.wrong) == .pace(.wrongPassword(triesLeft: 2, StatusWord(0x63C2))))
    let suspended = PassportError.pace(.passwordSuspended(StatusWord(0x63C1)))
    #expect(try await document.read(Self.wrong) == suspended)
    for password in [Self.wrong, Self.right, Self.wrong] { #expect(try await document.read(password) == suspended) }
    #expect(suspended.failure.kind == .accessDenied)
    #expect(try await document.readByMRZ() == nil)
  }

  @Test("stay blocked, each password on its own")
  func blocked() async throws {
    let document = try Document(try #require(ChipProfile(named: "fault-blocked")))
    #expect(try await document.read(Self.right) == nil)
    #expect(try await document.read(Self.wrong) == .pace(.passwordBlocked(StatusWord(0x63C0))))
    for password in [Self.wrong, Self.right] {
      #expect(try await document.read(password) == .pace(.passwordBlocked(StatusWord(0x6983))))
    }
    #expect(try await document.readByMRZ() == nil, "the other password has its own counter")
    #expect(try await document.readByMRZ(isRight: false) == .pace(.passwordBlocked(StatusWord(0x63C0))))
    #expect(try await document.readByMRZ() == .pace(.passwordBlocked(StatusWord(0x6983))))
  }

  @Test("are reported as unknown if the document does not have them")
  func unknown() async throws {
    var profile = try #require(ChipProfile(named: "austria-2023"))
    profile.cardAccessNumber = nil
    let document = try Document(profile)
    #expect(try await document.read(Self.right) == .pace(.passwordUnknown(StatusWord(0x6A88))))
    #expect(try await document.readByMRZ() == nil)
    // Without PACE, a card access number opens nothing.
    #expect(try await Document(.bac).read(Self.right) == .accessKeyUnsuitable)
  }

  @Test("are not reported as wrong if the chip itself uses another one: this is a protocol error")
  func wrongToken() async throws {
    let document = try Document(try #require(ChipProfile(named: "fault-token")))
    let error = try #require(try await document.readByMRZ())
    #expect(error == .pace(.wrongToken) && error.failure.kind == .protocolViolation)
  }
}
