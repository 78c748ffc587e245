import TesseraCryptography
import TesseraPassport

/// Profiles that deviate from the standards as chips in the field do. A reader that reads them reads those chips.
extension ChipProfile {
  /// One profile for each kind of deviation and each status word that was reported for it, or for a sibling of it.
  public static let deviating: [ChipProfile] =
    pastEnd + longReads + shortIdentifiers + unreadable + wrongKeys + wrongPasswords + sessionEnds + protocols

  private static func deviation(
    _ name: String, _ summary: String, _ change: (inout ChipProfile) -> Void
  ) -> ChipProfile {
    var profile = ChipProfile(
      name: "fault-" + name, summary: summary, requiresBasicAccessControl: true, responseLimit: 256)
    change(&profile)
    return profile
  }

  private static func addPACE(_ profile: inout ChipProfile) {
    profile.pace = [PACEOffer(.generic, .aes256, AgreementParameters(13))]
    profile.cardAccessNumber = specimenCardAccessNumber
    profile.announcesChaining = true
  }

  private static func digits(_ status: UInt16) -> String { String(status, radix: 16) }

  /// One profile for each status, protected and in plain.
  private static func refusals(
    _ name: String, _ summary: String, _ statuses: [UInt16],
    _ change: (inout ChipQuirks, ChipQuirks.Refusal) -> Void
  ) -> [ChipProfile] {
    statuses.flatMap { status in
      [false, true].map { isPlain in
        deviation(
          "\(name)-\(digits(status))" + (isPlain ? "-plain" : ""),
          "\(summary) has status \(digits(status).uppercased())" + (isPlain ? " in plain, which ends the session" : "")
        ) { change(&$0.quirks, ChipQuirks.Refusal(status, isPlain: isPlain)) }
      }
    }
  }

  // MARK: - READ BINARY

  private static let pastEnd: [ChipProfile] =
    refusals("past-end", "a read past the end of a file", [0x6B00, 0x6282, 0x6A86, 0x6F00, 0x6700, 0x6988]) {
      $0.pastEnd = $1
    } + [
      deviation("past-end-card-access", "a read past the end of EF.CardAccess has status 6B00") {
        addPACE(&$0)
        $0.quirks.pastEnd = ChipQuirks.Refusal(0x6B00)
        $0.quirks.placeOfPastEnd = .masterFile
      },
      deviation("past-end-extended", "a read past the end of a file has status 6B00; extended length") {
        addPACE(&$0)
        $0.responseLimit = 4096
        $0.quirks.pastEnd = ChipQuirks.Refusal(0x6B00)
      },
    ]

  private static let longReads: [ChipProfile] = [(223, "long-read"), (160, "short-buffer")].flatMap { limit, name in
    refusals(name, "a read of more than \(limit) bytes", [0x6700, 0x6C00 | UInt16(limit), 0x6988]) {
      $0.longestRead = limit
      $0.longRead = $1
    }
  }

  private static let shortIdentifiers: [ChipProfile] = refusals(
    "short-identifier", "a read with a short file identifier", [0x6A82, 0x6982, 0x6700, 0x6A86, 0x6B00, 0x6D00]
  ) { $0.shortFileIdentifiers = $1 }

  private static let unreadable: [ChipProfile] = [
    (ElementaryFile.com, 0x6F00), (.com, 0x6282), (.com, 0x6B00), (.sod, 0x6F00), (.sod, 0x6982), (.dg2, 0x6F00),
  ].map { (file: ElementaryFile, status: UInt16) in
    let name = file.name.replacing("EF.", with: "").lowercased()
    return deviation(
      "unreadable-\(name)-\(digits(status))", "\(file.name) cannot be read: status \(digits(status).uppercased())"
    ) { $0.quirks.unreadable = [file.identifier: status] }
  }

  // MARK: - Access control and authentication

  private static let wrongKeys: [ChipProfile] = [0x63CF, 0x6985, 0x6988, 0x6A80, 0x6A88, 0x6F00].map { status in
    deviation(
      "wrong-key-\(digits(status))", "a wrong key of Basic Access Control has status \(digits(status).uppercased())"
    ) { $0.quirks.wrongBasicAccessKey = status }
  }

  private static let wrongPasswords: [ChipProfile] = [0x63C2, 0x6A80].map { (status: UInt16) in
    deviation(
      "wrong-password-\(digits(status))", "a wrong password of PACE has status \(digits(status).uppercased())"
    ) {
      addPACE(&$0)
      $0.requiresBasicAccessControl = false
      $0.quirks.wrongPACEPassword = status
    }
  }

  private static let protocols: [ChipProfile] = [
    deviation("pace-selection", "MSE:Set AT of PACE has status 6982") {
      addPACE(&$0)
      $0.quirks.paceSelection = 0x6982
    },
    deviation("nonce", "the nonce of PACE with 3DES has 8 bytes") {
      addPACE(&$0)
      $0.pace = [PACEOffer(.generic, .tripleDES, AgreementParameters(13))]
      $0.quirks.nonceLength = 8
    },
    deviation("nonce-32", "the nonce of PACE with AES has 32 bytes") {
      addPACE(&$0)
      $0.quirks.nonceLength = 32
    },
    deviation("expected-length", "EXTERNAL AUTHENTICATE without Le, or with another one than 40, has status 6700") {
      $0.quirks.requiresExpectedLength = true
    },
    deviation("no-master-file", "the chip has no master file: SELECT and EF.CardAccess have status 6D00") {
      $0.refusals.masterFile = 0x6D00
      $0.refusals.cardAccess = 0x6D00
    },
    deviation("chip-authentication", "GENERAL AUTHENTICATE of Chip Authentication has status 6F00") {
      $0.chipAuthentication = [ChipAuthenticationOffer(.aes256, AgreementParameters(13, .explicit))]
      $0.quirks.instructions = [0x86: 0x6F00]
    },
    deviation("signature-parts", "a long signature of Active Authentication comes in parts (61xx)") {
      $0.responseLimit = 4096
      $0.activeAuthentication = .rsa(bits: 2048, .sha256)
      $0.quirks.splitsLongResponses = true
    },
    deviation("signature-hash", "DG14 states another hash function than the signature of Active Authentication has") {
      $0.activeAuthentication = .ecdsa(AgreementParameters(15, .explicit), .sha384)
      $0.quirks.signatureHash = .sha256
    },
    deviation("outer-status", "the status outside of each protected response is 9000") {
      $0.quirks.outerStatus = 0x9000
    },
    deviation("outer-status-long-read", "as fault-outer-status; a read of more than 223 bytes has status 6700 inside") {
      $0.quirks.outerStatus = 0x9000
      $0.quirks.longestRead = 223
      $0.quirks.longRead = ChipQuirks.Refusal(0x6700)
    },
    deviation("end-of-file", "a read that reaches the end of a file has status 9000, not 6282") {
      $0.quirks.endOfFile = 0x9000
    },
  ]

  // MARK: - Sessions

  /// 8 is in EF.SOD, 20 in DG2.
  private static let sessionEnds: [ChipProfile] = [5, 8, 20].map { command in
    deviation("session-end-\(command)", "command \(command) has status 6988 in plain, which ends the session, once") {
      $0.quirks.interruption = ChipQuirks.Interruption(
        at: command - 1, ChipQuirks.Refusal(0x6988, isPlain: true))
    }
  }
}
