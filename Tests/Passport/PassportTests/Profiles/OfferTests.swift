import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

/// Reads the virtual chip with one mechanism at a time, in every form.
@Suite("Reading with each mechanism alone")
struct OfferTests {
  /// A document with DG1 and the files of the mechanisms, on a chip with only the access control that the closure adds.
  static func profile(_ change: (inout ChipProfile) -> Void) -> ChipProfile {
    var profile = ChipProfile(
      name: "offer", summary: "", requiresBasicAccessControl: false, responseLimit: ChipProfile.largestResponse)
    profile.cardAccessNumber = ChipProfile.specimenCardAccessNumber
    profile.announcesChaining = true
    change(&profile)
    return profile
  }

  static func files(_ profile: ChipProfile) throws -> ChipFiles {
    let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
    return try SpecimenDocument(adding: [1: DataGroup1(zone: zone).encoded], profile: profile).files
  }

  static func read(
    _ profile: ChipProfile, _ change: (inout InspectionRequest) -> Void = { _ in }
  ) async throws -> DocumentDump {
    let files = try files(profile)
    let dump = try await Reads.read(files, profile: profile, change).dump.get()
    try ProfileReadTests.expectFiles(dump, files, profile)
    return dump
  }

  // MARK: - PACE

  /// The offers of the profile with every mechanism, and all that it does not have.
  static let paceOffers: [PACEOffer] = {
    let ciphers = KeyDerivation.Cipher.allCases
    var offers = ChipProfile.mechanisms.pace
    // Every cipher with both kinds of group, and every group with explicit parameters.
    offers += ciphers.map { PACEOffer(.generic, $0, AgreementParameters(2)) }
    offers += AgreementParameters.standardised.map { PACEOffer(.generic, .aes128, AgreementParameters($0, .explicit)) }
    // Secp224r1 has no integrated mapping: its prime is 1 modulo 4.
    offers += AgreementParameters.standardised.filter { $0 != 10 }.flatMap {
      [
        PACEOffer(.integrated, .aes192, AgreementParameters($0)),
        PACEOffer(.integrated, .aes256, AgreementParameters($0, .explicit)),
      ]
    }
    offers += AgreementParameters.standardised.filter { $0 >= 8 }.flatMap {
      [
        PACEOffer(.chipAuthentication, .aes128, AgreementParameters($0)),
        PACEOffer(.chipAuthentication, .aes256, AgreementParameters($0, .explicit)),
      ]
    }
    return offers.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }()

  static func expectPACE(_ offer: PACEOffer, _ dump: DocumentDump) throws {
    let report = try Report(dump)
    let access = report.accessControl
    #expect(access.protocol == "PACE" && access.parameterId == offer.parameterIdentifier)
    #expect(access.oid.map(ObjectIdentifierBytes.encode) == offer.objectIdentifier)
    #expect(offer.description.contains("-\(access.mapping ?? "?") \(access.cipher ?? "?") "))
    let proof: Check.Status = offer.mapping == .chipAuthentication ? .passed : .skipped
    #expect(report[.paceChipAuthentication]?.status == proof, "\(report[.paceChipAuthentication]?.detail ?? "")")
    #expect(report.isSound && report.omissions.isEmpty, "\(report.headline)")
  }

  @Test("runs every form of PACE alone, with the MRZ", arguments: paceOffers)
  func pace(_ offer: PACEOffer) async throws {
    try Self.expectPACE(offer, try await Self.read(Self.profile { $0.pace = [offer] }))
  }

  @Test("runs every form of PACE beside a weaker offer with other parameters, with the CAN", arguments: paceOffers)
  func chosenPACE(_ offer: PACEOffer) async throws {
    let weakest = PACEOffer(.integrated, .tripleDES, AgreementParameters(0))
    let other = PACEOffer(.integrated, .tripleDES, AgreementParameters(8))
    // Of two offers with 80 bits, the generic mapping is preferred, then the cipher, then the stronger group.
    let decoy = offer.parameters.identifier == 0 || offer.cipher != .tripleDES ? weakest : other
    guard offer != decoy else { return }
    let profile = Self.profile { $0.pace = [decoy, offer].shuffled() }
    let key = try AccessKey(cardAccessNumber: ChipProfile.specimenCardAccessNumber)
    let dump = try await Self.read(profile) { $0.key = key }
    try Self.expectPACE(offer, dump)
    #expect(dump.pace?.reason.contains("the strongest of 2 offers") == true)
  }

  @Test("does not choose a mapping that is not defined for its group")
  func undefinedMapping() async throws {
    let offer = PACEOffer(.integrated, .aes128, AgreementParameters(10))
    let card = VirtualCard.card(
      try Chip(profile: Self.profile { $0.pace = [offer] }, files: Self.files(Self.profile { _ in })))
    let key = try AccessKey(cardAccessNumber: ChipProfile.specimenCardAccessNumber)
    await #expect(throws: PassportError.pace(.noSupportedOffer)) {
      try await Inspection.read(card, InspectionRequest(key: key))
    }
  }

  /// The virtual chip uses 16 bytes by default.
  @Test("accepts a nonce of any number of blocks with the generic mapping", arguments: KeyDerivation.Cipher.allCases)
  func nonceLength(_ cipher: KeyDerivation.Cipher) async throws {
    for (offer, lengths) in [
      (PACEOffer(.generic, cipher, AgreementParameters(12)), cipher == .tripleDES ? [8, 16, 24, 64] : [16, 32, 128]),
      (PACEOffer(.generic, cipher, AgreementParameters(0)), cipher == .tripleDES ? [8, 24] : [32]),
    ] {
      for length in lengths {
        let profile = Self.profile { $0.pace = [offer] }
        let files = try Self.files(profile)
        var chip = try Chip(profile: profile, files: files)
        let group = try offer.parameters.group()
        chip.ephemerals = CardPACE.Ephemerals(
          nonce: try RandomBytes.make(length), mapping: try group.randomExponent(),
          agreement: try group.randomExponent())
        let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
        let dump = try await Inspection.read(VirtualCard.card(chip), request)
        try Self.expectPACE(offer, dump)
      }
    }
  }

  @Test("requires a nonce as long as the key with the integrated mapping")
  func integratedNonce() async throws {
    let offer = PACEOffer(.integrated, .tripleDES, AgreementParameters(12))
    let profile = Self.profile { $0.pace = [offer] }
    let files = try Self.files(profile)
    var chip = try Chip(profile: profile, files: files)
    let group = try offer.parameters.group()
    chip.ephemerals = CardPACE.Ephemerals(
      nonce: try RandomBytes.make(8), mapping: try group.randomExponent(), agreement: try group.randomExponent())
    let card = VirtualCard.card(chip)
    await #expect(throws: PassportError.pace(.malformedResponse(.nonce))) {
      try await Inspection.read(card, InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz)))
    }
  }

  // MARK: - Chip Authentication

  static let chipOffers: [ChipAuthenticationOffer] = {
    let ciphers = KeyDerivation.Cipher.allCases
    var offers = ChipProfile.mechanisms.chipAuthentication
    offers += AgreementParameters.standardised.flatMap { number in
      [
        ChipAuthenticationOffer(ciphers[number % 4], AgreementParameters(number)),
        ChipAuthenticationOffer(ciphers[(number + 1) % 4], AgreementParameters(number, .explicit), keyIdentifier: 300),
        ChipAuthenticationOffer(.tripleDES, AgreementParameters(number, .explicit), hasInfo: false),
      ]
    }
    return offers
  }()

  @Test("runs every form of Chip Authentication after Basic Access Control", arguments: chipOffers)
  func chipAuthentication(_ offer: ChipAuthenticationOffer) async throws {
    let dump = try await Self.read(
      Self.profile {
        $0.requiresBasicAccessControl = true
        $0.chipAuthentication = [offer]
      })
    let report = try Report(dump)
    #expect(report[.chipAuthentication]?.status == .passed, "\(report[.chipAuthentication]?.detail ?? "")")
    #expect(dump.evidence.chipAuthentication?.keyIdentifier == offer.keyIdentifier)
    #expect(report.isSound && report.omissions.isEmpty)
  }

  @Test("chooses the strongest of several keys by its identifier", arguments: KeyDerivation.Cipher.allCases)
  func severalKeys(_ cipher: KeyDerivation.Cipher) async throws {
    let offers = [
      ChipAuthenticationOffer(cipher, AgreementParameters(8), keyIdentifier: 1),
      ChipAuthenticationOffer(cipher, AgreementParameters(13), keyIdentifier: 2),
      ChipAuthenticationOffer(cipher, AgreementParameters(0), keyIdentifier: 3),
    ]
    for order in [offers, offers.reversed()] {
      let dump = try await Self.read(
        Self.profile {
          $0.requiresBasicAccessControl = true
          $0.chipAuthentication = order
        })
      #expect(try Report(dump)[.chipAuthentication]?.status == .passed)
      #expect(dump.evidence.chipAuthentication?.keyIdentifier == 2)
    }
  }

  // MARK: - Active Authentication

  static let activeOffers: [ActiveAuthenticationOffer] =
    [1024, 2048].flatMap { bits in
      [ActiveAuthenticationOffer.Recovery.partial, .total].flatMap { recovery in
        [.rsa(bits: bits, .sha1, trailer: .implicit, recovery: recovery)]
          + HashAlgorithm.allCases.map { ActiveAuthenticationOffer.rsa(bits: bits, $0, recovery: recovery) }
      }
    }
    + [ActiveAuthenticationOffer.SignatureEncoding.plain, .der].flatMap { encoding in
      AgreementParameters.standardised.filter { $0 >= 8 }.flatMap { number in
        HashAlgorithm.allCases.map { .ecdsa(AgreementParameters(number, .explicit), $0, encoding: encoding) }
      }
    }

  @Test("runs every form of Active Authentication with the caller's challenge", arguments: activeOffers)
  func activeAuthentication(_ offer: ActiveAuthenticationOffer) async throws {
    let challenge: [UInt8] = [0xF1, 2, 3, 4, 5, 6, 7, 8]
    let dump = try await Self.read(
      Self.profile {
        $0.requiresBasicAccessControl = true
        $0.activeAuthentication = offer
      }
    ) { $0.activeAuthenticationChallenge = challenge }
    let report = try Report(dump)
    let check = report[.activeAuthentication]
    #expect(check?.status == .passed, "\(check?.detail ?? "")")
    #expect(dump.evidence.activeAuthentication?.challenge == challenge)
    switch offer {
    case .rsa(let bits, let hash, _, _):
      #expect(check?.detail.contains("RSA of \(bits) bits, \(hash.rawValue)") == true)
    case .ecdsa(_, let hash, _): #expect(check?.detail.contains(hash.rawValue) == true)
    }
    #expect(report.isSound && report.omissions.isEmpty)
  }
}
